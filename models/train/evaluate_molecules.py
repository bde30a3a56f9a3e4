"""Held-out figures of molecules: samples under facts of molecules never trained on.

By default the model alone, in PyTorch. With `--lacuna` the project's command line writes them,
within the grammar that `--grammar` names.

RDKit judges. "Parses" is RDKit without sanitisation: the grammar of SMILES, ring closures in
pairs. "Valid" adds valences and aromaticity. "Keeps" is that every stated fact is true of the
string. "New" is that the string's canonical form is not in the training set's first N.
"""

import argparse
import json
import os
import random
import subprocess

import torch
from rdkit import Chem, RDLogger
from tokenizers import Tokenizer

import molecules
from checkpoint import dequantised, load
from evaluate import decode, read
from tokenizer import SEP


def requests(folder, count):
    """Facts of molecules of the test split."""
    rng = random.Random(0)
    smiles = molecules.load(folder, "test")
    return [molecules.present(rng.choice(smiles), rng)[0] for _ in range(count)]


def judge(smiles, request):
    loose = Chem.MolFromSmiles(smiles, sanitize=False) if smiles else None
    strict = Chem.MolFromSmiles(smiles) if loose is not None else None
    return {
        "parses": loose is not None,
        "valid": strict is not None,
        "keeps": strict is not None and molecules.keeps(smiles, request),
        "canonical": Chem.MolToSmiles(strict) if strict is not None else None,
    }


class Alone:
    """The model without a grammar."""

    def __init__(self, args):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.args = args
        self.tokenizer = Tokenizer.from_file(os.path.join(args.model, "tokenizer.json"))
        self.model = load(dequantised(args.model), torch.bfloat16)

    def write(self, prompt, steps, seed):
        ids = self.tokenizer.encode(prompt, add_special_tokens=False).ids + [SEP]
        cells = decode(self.model, ids, self.args.cells, steps, self.args.temperature)
        return read(self.tokenizer, cells)


class Within:
    """The command line within a grammar."""

    def __init__(self, args):
        self.args = args

    def write(self, prompt, steps, seed):
        task, request = prompt.split("\n")
        options = {"model": self.args.model, "grammar": self.args.grammar, "task": task,
                   "prompt": request, "length": self.args.cells, "steps": steps, "seed": seed,
                   "temperature": self.args.temperature}  # fmt: skip
        options["device"] = "cpu"
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        command = [self.args.lacuna, "generate", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder that holds molsets/")
    parser.add_argument("model", help="folder of the exported model")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--steps", type=int, nargs="+", default=[16, 32, 64])
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--samples", action="store_true", help="show some outputs")
    parser.add_argument("--lacuna", metavar="PROGRAM", help="the command line, built")
    parser.add_argument("--grammar", metavar="FILE", help="what it writes within")
    args = parser.parse_args()

    RDLogger.DisableLog("rdApp.*")
    writer = Within(args) if args.lacuna else Alone(args)
    known = {Chem.CanonSmiles(s) for s in molecules.load(args.data, "train")[:100_000]}
    for steps in args.steps:
        rows = []
        for seed, prompt in enumerate(requests(args.data, args.count)):
            text = writer.write(prompt, steps, seed)
            rows.append({"prompt": prompt, "text": text, **judge(text, prompt.split("\n")[1])})
        shares = {k: sum(r[k] for r in rows) / len(rows) for k in ("parses", "valid", "keeps")}
        found = [r["canonical"] for r in rows if r["valid"]]
        shares["unique"] = len(set(found)) / max(1, len(found))
        shares["new"] = sum(c not in known for c in found) / max(1, len(found))
        setting = {"grammar": args.grammar, "cells": args.cells, "steps": steps, "temperature": args.temperature}
        print(json.dumps({"set": "molecules", **setting, "count": len(rows), **shares}), flush=True)
        if args.samples:
            for row in rows[:8]:
                print(json.dumps(row))


if __name__ == "__main__":
    main()
