"""Writes reference.json: logits that any other forward pass over these weights must come to.

The forward pass here is written out in plain numpy from the exported file alone, in the
published convention (rotate_half, per-tensor projections), not with the training model: so it
checks the export too. `main` compares it with the training model before it writes.
"""

import argparse
import json
import os

import numpy as np
import torch
from tokenizers import Tokenizer

from checkpoint import dequantised, load
from tokenizer import END, MASK, SEP

REQUESTS = (
    ("snips", "play Yo Ho from Zyx Qulm", '{"intent":"PlayMusic","artist":"Zyx Qulm"}', 3, 8),
    ("snips", "rate this book 4 out of 6", '{"intent":"RateBook","best_rating":"6"}', 2, 32),
    (
        "FindRestaurants ReserveRestaurant: city cuisine time",
        "I want Thai food in San Jose at 11:30 am, please.",
        '{"intent":"FindRestaurants","city":"San Jose","cuisine":"Thai"}',
        4,
        48,
    ),
    (
        "FindBus BuyBusTicket: from_location to_location leaving_date travelers",
        "I need a bus from Fresno to San Diego on the 4th of March for three people, and please "
        "make it one that leaves in the early morning if there is one.",
        '{"intent":"FindBus","from_location":"Fresno","to_location":"San Diego"}',
        2,
        46,
    ),
)
SHORT = [9, 77, 300, MASK, 1500, MASK, 2047, 40, MASK, 259, 3, 258, MASK, MASK, 1024, SEP, MASK, 0, MASK, 12]


def rms_norm(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(eps)) * weight


def forward(config, named, ids):
    """Logits [length, vocabulary] in float32."""
    head, shared = config.head_dim, config.num_heads // config.num_kv_heads
    length = len(ids)
    half = head // 2
    angles = np.outer(np.arange(length), config.rope_theta ** (-np.arange(half) / half))
    cos, sin = (np.tile(f(angles), 2).astype(np.float32)[:, None] for f in (np.cos, np.sin))

    def heads(x, rotate):
        x = x.reshape(length, -1, head)
        if rotate:
            x = x * cos + np.concatenate([-x[..., half:], x[..., :half]], -1) * sin
        return x.transpose(1, 0, 2)

    table = named["model.embed_tokens.weight"]
    x = table[ids]
    for n in range(config.num_layers):
        w = {k: named[f"model.layers.{n}.{k}.weight"] for k in (
            "input_layernorm", "post_attention_layernorm", "self_attn.q_proj", "self_attn.k_proj",
            "self_attn.v_proj", "self_attn.o_proj", "mlp.gate_proj", "mlp.up_proj",
            "mlp.down_proj")}  # fmt: skip
        h = rms_norm(x, w["input_layernorm"], config.rms_norm_eps)
        q = heads(h @ w["self_attn.q_proj"].T, True)
        k = heads(h @ w["self_attn.k_proj"].T, True).repeat(shared, 0)
        v = heads(h @ w["self_attn.v_proj"].T, False).repeat(shared, 0)
        scores = q @ k.transpose(0, 2, 1) / np.float32(head**0.5)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = scores / scores.sum(-1, keepdims=True) @ v
        mixed = mixed.transpose(1, 0, 2).reshape(length, -1)
        x = x + mixed @ w["self_attn.o_proj"].T
        h = rms_norm(x, w["post_attention_layernorm"], config.rms_norm_eps)
        gate = h @ w["mlp.gate_proj"].T
        silu = gate / (1 + np.exp(-gate))
        x = x + (silu * (h @ w["mlp.up_proj"].T)) @ w["mlp.down_proj"].T
    return rms_norm(x, named["model.norm.weight"], config.rms_norm_eps) @ table.T


def inputs(tokenizer):
    """Short arbitrary ids, then prompts with answers of which every n-th cell is masked and whose
    canvas is padded with masks and ends."""
    yield SHORT
    for task, request, answer, every, cells in REQUESTS:
        prompt = tokenizer.encode(f"{task}\n{request}", add_special_tokens=False).ids + [SEP]
        body = tokenizer.encode(answer, add_special_tokens=False).ids
        body = [MASK if n % every == 1 else i for n, i in enumerate(body)]
        body += [MASK if n % every == 0 else END for n in range(max(0, cells - len(body)))]
        yield prompt + body


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="folder of the exported model; reference.json goes there")
    args = parser.parse_args()
    tokenizer = Tokenizer.from_file(os.path.join(args.model, "tokenizer.json"))
    config, named = dequantised(args.model)
    model = load((config, named), torch.float32)
    rng = np.random.default_rng(0)
    cases = []
    for ids in list(inputs(tokenizer)):
        logits = forward(config, named, ids)
        with torch.no_grad():
            gap = np.abs(model(torch.tensor([ids]))[0].numpy() - logits).max()
        assert gap < 1e-3, gap
        probed = np.sort(rng.choice(config.vocab_size, 16, replace=False))
        rows = []
        for at in [n for n, i in enumerate(ids) if i == MASK]:
            row = logits[at].astype(np.float64)
            top = row.max()
            rows.append({
                "position": at,
                "argmax": int(row.argmax()),
                "max": round(float(top), 5),
                "logsumexp": round(float(top + np.log(np.exp(row - top).sum())), 5),
                "logits": [round(float(v), 5) for v in row[probed]],
            })  # fmt: skip
        print(f"{len(ids)} ids, {len(rows)} masked, training model differs by {gap:.1e}")
        cases.append({"ids": ids, "vocabulary_ids": probed.tolist(), "rows": rows})
    with open(os.path.join(args.model, "reference.json"), "w") as f:
        json.dump({"weights": "model.safetensors, dequantised, float32", "cases": cases}, f)
        f.write("\n")


if __name__ == "__main__":
    main()
