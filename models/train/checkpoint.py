"""Reads an exported model back, so that what is measured is what ships: the quantised weights."""

import json
import os

import numpy as np
import torch

from model import Config, MaskedDiffusionTransformer
from shards import read_weights


def dequantised(folder):
    """(Config, Hugging Face name -> float32 array) of an exported folder."""
    with open(os.path.join(folder, "config.json")) as f:
        c = json.load(f)
    named = restored(read_weights(folder))
    config = Config(
        c["vocab_size"],
        c["hidden_size"],
        c["num_hidden_layers"],
        c["num_attention_heads"],
        c["head_dim"],
        c["intermediate_size"],
        c["rms_norm_eps"],
        c["rope_theta"],
        c["num_key_value_heads"],
    )
    return config, named


def restored(tensors):
    """Hugging Face name -> float32 array, of tensors as they are stored."""
    named = {}
    for name, value in tensors.items():
        if value.dtype == np.int8:
            named[name] = value.astype(np.float32) * tensors[name + "_scale"][:, None]
        elif value.dtype == np.uint8:
            scale, least = (tensors[name + part].astype(np.float32) for part in ("_scale", "_min"))
            q = np.stack([value & 15, value >> 4], 2).reshape(*scale.shape, -1)
            named[name] = (q * scale[..., None] + least[..., None]).reshape(len(value), -1)
        elif not name.endswith(("_scale", "_min")):
            named[name] = value
    return named


def load(exported, dtype):
    """The PyTorch model over exported weights; the layers' norms must be ones."""
    config, named = exported
    model = MaskedDiffusionTransformer(config, dtype)
    fill(model, named)
    return model


def fill(model, named):
    """Gives the model these weights; the layers' norms must be ones."""
    state = {
        "embed_tokens": named["model.embed_tokens.weight"],
        "norm": named["model.norm.weight"],
    }
    for n in range(model.c.num_layers):
        source, target = f"model.layers.{n}.", f"layers.{n}."
        attention = source + "self_attn."
        state[target + "qk_proj"] = np.concatenate(
            [named[attention + "q_proj.weight"], named[attention + "k_proj.weight"]]
        )
        for name in ("v_proj", "o_proj"):
            state[target + name] = named[f"{attention}{name}.weight"]
        for name in ("gate_proj", "up_proj", "down_proj"):
            state[target + name] = named[f"{source}mlp.{name}.weight"]
        for name in ("input_layernorm", "post_attention_layernorm"):
            assert (named[f"{source}{name}.weight"] == 1).all()
    model.load_state_dict({k: torch.from_numpy(v) for k, v in state.items()})
