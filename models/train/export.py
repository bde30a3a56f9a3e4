"""Writes a checkpoint in the ecosystem's format: Hugging Face names, quantised matrices.

Weights of more than a shard (`--shard-bytes`) are parted (`shards.py`). What pages compare the
files with, `model.json`, is written by `npm run model:record FOLDER`.

Int8: a matrix is stored as I8 `X.weight` of [rows, cols] with F32 `X.weight_scale` of [rows], so
that w = q * scale. Int4: each 32 neighbouring columns have a scale and a minimum, w = q * scale +
min with q from 0 to 15; U8 `X.weight` of [rows, cols / 2], the lower column in the low half, and
F16 `X.weight_scale` and `X.weight_min` of [rows, cols / 32]. Under int4 the embedding, which is
the output head too, stays int8, and so does a matrix whose columns are no whole groups. Norms are
F32 always. `--random` writes untrained weights, for work on the engine; `--exported` takes the
weights of a folder that was written before.
"""

import argparse
import json
import os
import shutil

import numpy as np
import torch

from checkpoint import dequantised
from model import GROUP, POSITIONS, Config, MaskedDiffusionTransformer
from shards import SHARD_BYTES, write_weights
from tokenizer import END, MASK


TEMPLATES = {"names": "{task}\n{request}<|sep|>", "schemas": "{schema}\n{request}<|sep|>"}
QUANTIZATION = {
    "int8": {"format": "int8", "scales": "per_row"},
    "int4": {"format": "int4", "group_size": GROUP},
}


def config_json(c, quantization, reads="names"):
    return {
        "model_type": "lacuna_diffusion",
        "architectures": ["MaskedDiffusionTransformer"],
        "vocab_size": c.vocab_size,
        "hidden_size": c.hidden_size,
        "num_hidden_layers": c.num_layers,
        "num_attention_heads": c.num_heads,
        "num_key_value_heads": c.num_kv_heads,
        "head_dim": c.head_dim,
        "intermediate_size": c.intermediate_size,
        "rms_norm_eps": c.rms_norm_eps,
        "rope_theta": c.rope_theta,
        "max_position_embeddings": POSITIONS,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "qk_norm": False,
        "mask_token_id": MASK,
        "eos_token_id": [END],
        "pad_token_id": END,
        "diffusion": {"logits_shift": 0, "attention": "full", "block_size": None},
        "quantization": QUANTIZATION[quantization],
        "prompt": {"template": TEMPLATES[reads]},
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
        q, k = np.split(state[source + "qk_proj"], [model.c.num_heads * model.c.head_dim])
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


def quantise_groups(matrix):
    """(packed, scales, minima) of a matrix of whole groups.

    Rounding to the nearest of 16 steps from a group's least to its largest weight is the start.
    What stands at the ends costs all others precision, so narrower ranges are tried too; for each,
    scale and minimum are then set to what fits the rounded weights best, and the range of least
    squared error is taken.
    """
    rows, cols = matrix.shape
    w = matrix.astype(np.float32).reshape(-1, GROUP)
    low, high = w.min(1, keepdims=True), w.max(1, keepdims=True)
    best = None
    for part in np.linspace(1.0, 0.7, 13, dtype=np.float32):
        inset = (high - low) * (1 - part) / 2
        for scale, least in refined(w, low + inset, high - inset):
            q = rounded(w, scale, least)
            error = np.square(q * scale + least - w).sum(1, keepdims=True)
            if best is None:
                best = [error, q, scale, least]
            else:
                better = error < best[0]
                new = (error, q, scale, least)
                best = [np.where(better, b, a) for a, b in zip(best, new)]
    _, q, scale, least = best
    q = q.reshape(rows, cols).astype(np.uint8)
    shape = (rows, cols // GROUP)
    packed = q[:, 0::2] | q[:, 1::2] << 4
    return packed, scale.astype(np.float16).reshape(shape), least.astype(np.float16).reshape(shape)


def quantise_ranges(matrix):
    """As `quantise_groups` by the plain rule that training rounds by (`int4_rounded`)."""
    w = matrix.astype(np.float32).reshape(-1, GROUP)
    low, high = w.min(1, keepdims=True), w.max(1, keepdims=True)
    scale, least = half((high - low) / 15), half(low)
    q = np.clip(np.rint((w - least) / np.maximum(scale, 1e-8)), 0, 15).astype(np.uint8)
    q, shape = q.reshape(matrix.shape), (len(matrix), -1)
    packed = q[:, 0::2] | q[:, 1::2] << 4
    return packed, scale.astype(np.float16).reshape(shape), least.astype(np.float16).reshape(shape)


def refined(w, low, high):
    """Scale and minimum of a range, as given and fitted to the weights rounded to it; exact as
    halves."""
    scale, least = half((high - low) / 15), half(low)
    yield scale, least
    q = rounded(w, scale, least)
    mean_q, mean_w = q.mean(1, keepdims=True), w.mean(1, keepdims=True)
    spread = np.square(q - mean_q).sum(1, keepdims=True)
    fitted = ((q - mean_q) * (w - mean_w)).sum(1, keepdims=True) / np.maximum(spread, 1e-6)
    scale = half(np.where(spread > 0, fitted, scale))
    yield scale, half(mean_w - scale * mean_q)


def rounded(w, scale, least):
    return np.clip(np.rint((w - least) / np.maximum(scale, 1e-12)), 0, 15)


def half(x):
    return x.astype(np.float16).astype(np.float32)


def quantised(named, quantization, groups=None):
    tensors = {}
    for name, value in named.items():
        if value.ndim != 2:
            tensors[name] = np.ascontiguousarray(value)
        elif quantization == "int4" and name.startswith("model.layers.") and not value.shape[1] % GROUP:
            packed, scale, least = (groups or quantise_groups)(value)
            tensors |= {name: packed, name + "_scale": scale, name + "_min": least}
        else:
            tensors[name], tensors[name + "_scale"] = quantise(value)
    return tensors


def thinned(path):
    """The rows of a training log in which copying was measured, of one line of descent: where the
    steps go back, a run was started again from a checkpoint, and what follows that checkpoint in
    the log before is of weights that are gone."""
    rows = []
    with open(path) as f:
        for row in map(json.loads, f):
            if "step" in row:
                while rows and rows[-1]["step"] >= row["step"]:
                    rows.pop()
                rows.append(row)
    return [row for row in rows if "copy@1" in row]


def trained(*checkpoints):
    """The network of a checkpoint, or the mean of several that went on from the same weights: what
    each learned in its last stage, with less of its noise (model soups, Wortsman et al. 2022)."""
    states = [torch.load(checkpoint, map_location="cpu") for checkpoint in checkpoints]
    model = MaskedDiffusionTransformer(Config(**states[0].get("config", {})), torch.float32)
    alike = zip(*(state["model"].items() for state in states), strict=True)
    mean = {each[0][0]: sum(tensor.float() for _, tensor in each) / len(each) for each in alike}
    model.load_state_dict(mean)
    return model


def untrained():
    torch.manual_seed(0)
    model = MaskedDiffusionTransformer(Config(), torch.float32)
    for layer in model.layers:  # they start at zero, which would test nothing
        torch.nn.init.normal_(layer.o_proj, std=0.05)
        torch.nn.init.normal_(layer.down_proj, std=0.05)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", help="folder to write")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--log", help="training log, of which an extract goes beside the weights")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--checkpoint", nargs="+", help="one, or several whose weights are averaged")
    source.add_argument("--exported", help="folder with config.json and weights, in one file or in shards")
    source.add_argument("--random", action="store_true")
    parser.add_argument("--format", choices=QUANTIZATION, default="int8")
    parser.add_argument("--reads", choices=TEMPLATES, default="names",
                        help="what stands for a JSON Schema in the prompt: its names, or all of it")
    parser.add_argument("--rounded", action="store_true", help="int4 by the rule of the training's last stage")
    parser.add_argument("--shard-bytes", type=int, default=SHARD_BYTES)
    args = parser.parse_args()

    if args.exported:
        config, named = dequantised(args.exported)
    else:
        model = trained(*args.checkpoint) if args.checkpoint else untrained()
        config, named = model.c, weights(model)

    os.makedirs(args.output, exist_ok=True)
    with open(os.path.join(args.output, "config.json"), "w") as f:
        json.dump(config_json(config, args.format, args.reads), f, indent=2)
        f.write("\n")
    tokenizer = os.path.join(args.output, "tokenizer.json")
    if os.path.abspath(args.tokenizer) != os.path.abspath(tokenizer):
        shutil.copyfile(args.tokenizer, tokenizer)
    groups = quantise_ranges if args.rounded else quantise_groups
    write_weights(quantised(named, args.format, groups), args.output, args.shard_bytes)
    if args.log:
        with open(os.path.join(args.output, "training-log.jsonl"), "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in thinned(args.log))


if __name__ == "__main__":
    main()
