"""What the small formats cost: mean log-likelihood of held-out cells, half of an answer masked, in
float, int8 and int4 (by the ranges that fit best, and by those that the last stage trains for)."""

import argparse
import json

import numpy as np
import torch
from tokenizers import Tokenizer

import export
import pools
import tasks
from checkpoint import fill, restored
from model import MaskedDiffusionTransformer
from stages import Probe
from tokenizer import MASK


def likelihoods(model, probe):
    """Set -> mean log-likelihood of a masked cell."""
    found = {}
    for name, (ids, starts, _) in probe.sets.items():
        draw = torch.rand(ids.shape, generator=torch.Generator().manual_seed(2))
        hidden = (draw < 0.5) & (torch.arange(ids.shape[1]) >= starts[:, None])
        with torch.no_grad():
            chances = model(ids.masked_fill(hidden, MASK)).log_softmax(-1)
        found[name] = float(chances.gather(2, ids[..., None])[..., 0][hidden].mean())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("checkpoint")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--count", type=int, default=100, help="samples a set")
    parser.add_argument("--without", nargs="+", choices=tasks.OPTIONAL, default=(), help="tasks to leave out")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    tokenizer = Tokenizer.from_file(args.tokenizer)
    sources = tasks.load(args.data, pools.load(args.data), args.without)
    probe = Probe(tokenizer, *sources, size=args.count, seed=11)
    model = export.trained(args.checkpoint)
    named = export.weights(model)
    ways = {"float": None, "int8": ("int8", None), "int4": ("int4", export.quantise_groups),
            "int4, trained for": ("int4", export.quantise_ranges)}  # fmt: skip
    for name, way in ways.items():
        if way:
            model = MaskedDiffusionTransformer(model.c, torch.float32)
            fill(model, restored(export.quantised(named, *way)))
        found = likelihoods(model, probe)
        row = {"format": name, "mean": round(float(np.mean(list(found.values()))), 4)}
        print(json.dumps({**row, **{k: round(v, 4) for k, v in found.items()}}), flush=True)


if __name__ == "__main__":
    main()
