"""Writes a checkpoint in the ecosystem's format: Hugging Face names, int8 rows with scales.

A matrix is stored as I8 `X.weight` of [rows, cols] with F32 `X.weight_scale` of [rows], so that
w = q * scale; norms stay F32. `--random` writes untrained weights, for work on the engine.
"""

import argparse
import json
import os
import shutil

import numpy as np
import torch
from safetensors.numpy import save_file

from model import Config, MaskedDiffusionTransformer
from tokenizer import END, MASK


def config_json(c):
    return {
        "model_type": "lacuna_diffusion",
        "architectures": ["MaskedDiffusionTransformer"],
        "vocab_size": c.vocab_size,
        "hidden_size": c.hidden_size,
        "num_hidden_layers": c.num_layers,
        "num_attention_heads": c.num_heads,
        "num_key_value_heads": c.num_heads,
        "head_dim": c.head_dim,
        "intermediate_size": c.intermediate_size,
        "rms_norm_eps": c.rms_norm_eps,
        "rope_theta": c.rope_theta,
        "max_position_embeddings": 512,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "qk_norm": False,
        "mask_token_id": MASK,
        "eos_token_id": [END],
        "pad_token_id": END,
        "diffusion": {"logits_shift": 0, "attention": "full", "block_size": None},
        "quantization": {"format": "int8", "scales": "per_row"},
        "prompt": {"template": "{task}\n{request}<|sep|>"},
    }


def weights(model):
    """Hugging Face name -> float32 array."""
    state = {k: v.detach().float().numpy() for k, v in model.state_dict().items()}
    ones = np.ones(model.c.hidden_size, np.float32)
    named = {
        "model.embed_tokens.weight": state["embed_tokens"],
        "model.norm.weight": state["norm"],
    }
    for n in range(model.c.num_layers):
        source, target = f"layers.{n}.", f"model.layers.{n}."
        q, k = np.split(state[source + "qk_proj"], 2)
        named[target + "self_attn.q_proj.weight"] = q
        named[target + "self_attn.k_proj.weight"] = k
        for name in ("v_proj", "o_proj"):
            named[f"{target}self_attn.{name}.weight"] = state[source + name]
        for name in ("gate_proj", "up_proj", "down_proj"):
            named[f"{target}mlp.{name}.weight"] = state[source + name]
        named[target + "input_layernorm.weight"] = ones
        named[target + "post_attention_layernorm.weight"] = ones
    return named


def quantise(matrix):
    """(int8 rows, scales): the largest entry of each row becomes +-127."""
    scale = np.maximum(np.abs(matrix).max(1), 1e-12).astype(np.float32) / np.float32(127)
    return np.rint(matrix / scale[:, None]).astype(np.int8), scale


def quantised(named):
    tensors = {}
    for name, value in named.items():
        if value.ndim == 2:
            tensors[name], tensors[name + "_scale"] = quantise(value)
        else:
            tensors[name] = np.ascontiguousarray(value)
    return tensors


def thinned(path):
    """The rows of a training log in which copying was measured, in order, each step once: a run
    that was stopped has gone over its last steps again."""
    rows = {}
    with open(path) as f:
        for line in f:
            row = json.loads(line)
            if "copy@1" in row:
                rows[row["step"]] = row
    return [rows[step] for step in sorted(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", help="folder to write")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--log", help="training log, of which an extract goes beside the weights")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--checkpoint")
    source.add_argument("--random", action="store_true")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = MaskedDiffusionTransformer(Config(), torch.float32)
    if args.checkpoint:
        model.load_state_dict(torch.load(args.checkpoint, map_location="cpu")["model"])
    else:
        for layer in model.layers:  # they start at zero, which would test nothing
            torch.nn.init.normal_(layer.o_proj, std=0.05)
            torch.nn.init.normal_(layer.down_proj, std=0.05)

    os.makedirs(args.output, exist_ok=True)
    with open(os.path.join(args.output, "config.json"), "w") as f:
        json.dump(config_json(model.c), f, indent=2)
        f.write("\n")
    tokenizer = os.path.join(args.output, "tokenizer.json")
    if os.path.abspath(args.tokenizer) != os.path.abspath(tokenizer):
        shutil.copyfile(args.tokenizer, tokenizer)
    save_file(
        quantised(weights(model)),
        os.path.join(args.output, "model.safetensors"),
        metadata={"format": "pt"},
    )
    if args.log:
        with open(os.path.join(args.output, "training-log.jsonl"), "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in thinned(args.log))


if __name__ == "__main__":
    main()
