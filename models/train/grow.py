"""A trained model as the start of another with a larger vocabulary and, where asked, more layers.

    python3 grow.py ../lacuna-molecules tokenizer.json START --layers 8

What copies keeps copying. A token that the old vocabulary has keeps its embedding; one with a
blank before it has that of the token without, a step towards the blank; others begin near the
mean of the tokens that the old model spelled them with. New layers begin by adding nothing.
"""

import argparse
import json
import os

import numpy as np
import torch
from tokenizers import Tokenizer

from checkpoint import dequantised, load
from export import config_json, quantised, weights
from model import Config, Layer
from shards import write_weights
from tokenizer import SPECIAL
from vocabulary import BLANK

TOWARDS_BLANK = 0.3
OWN = 0.6  # how far a composed token is from the mean of its parts, against 0.8 of them


def unit(m):
    return m / np.sqrt(np.square(m).mean(-1, keepdims=True)).clip(1e-6)


def embeddings(table, old, new, seed=0):
    """[vocabulary, width] for the tokens of `new`, from the table of `old`."""
    rng = np.random.default_rng(seed)
    mean = table.mean(0)
    apart = table - mean
    scale = np.sqrt(np.square(apart).mean())
    known, decode = old.get_vocab(), new.decoder.decode
    found = np.zeros((new.get_vocab_size(), table.shape[1]), np.float32)
    composed = {}

    def of(token):
        """Of a token without a blank before it."""
        if token in known:
            return apart[known[token]]
        if token not in composed:
            parts = old.encode(decode([token]), add_special_tokens=False).ids
            parts = unit(apart[parts].mean(0)) if parts else 0
            own = rng.standard_normal(table.shape[1])
            composed[token] = unit(0.8 * parts + OWN * own) * scale
        return composed[token]

    for token, n in new.get_vocab().items():
        if token in SPECIAL or token == BLANK or not token.startswith(BLANK):
            found[n] = of(token)
        else:
            found[n] = of(token[len(BLANK) :]) + TOWARDS_BLANK * apart[known[BLANK]]
    return found + mean


@torch.no_grad()
def deeper(model, count):
    """Puts layers that add nothing evenly between those of the model, behind the first."""
    c = model.c
    added = count - c.num_layers
    after = [round((n + 1) * c.num_layers / (added + 1)) for n in range(added)]
    layers = []
    for n, layer in enumerate(model.layers):
        layers.append(layer)
        for _ in range(after.count(n + 1)):
            fresh = Layer(c)
            fresh.o_proj.zero_()
            layers.append(fresh)
    model.layers = torch.nn.ModuleList(layers)
    c.num_layers = count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="folder of the exported model to grow from")
    parser.add_argument("tokenizer", help="tokenizer.json of the model to be")
    parser.add_argument("output", help="folder to write, a start for stages.py")
    parser.add_argument("--layers", type=int, help="how many it is to have; as many as before unless said")
    args = parser.parse_args()

    torch.manual_seed(0)
    config, named = dequantised(args.model)
    old = Tokenizer.from_file(os.path.join(args.model, "tokenizer.json"))
    new = Tokenizer.from_file(args.tokenizer)
    model = load((config, named), torch.float32)
    if args.layers:
        deeper(model, args.layers)
    named = weights(model)
    named["model.embed_tokens.weight"] = embeddings(named["model.embed_tokens.weight"], old, new)
    config = Config(**{**vars(model.c), "vocab_size": new.get_vocab_size()})
    os.makedirs(args.output, exist_ok=True)
    with open(os.path.join(args.output, "config.json"), "w") as f:
        json.dump(config_json(config, "int8"), f, indent=2)
    write_weights(quantised(named, "int8"), args.output)


if __name__ == "__main__":
    main()
