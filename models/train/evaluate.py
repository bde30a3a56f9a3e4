"""Held-out figures: unconstrained decoding of requests the model was not trained on.

Cells are filled in order of confidence, a quota a step, as in LLaDA, or from the left: nothing keeps
the text to a grammar, so these are the figures of the model alone.
"""

import argparse
import json
import os
import random

import torch
from tokenizers import Tokenizer

import data
from checkpoint import dequantised, load
from tokenizer import END, MASK
from train import encode


def decode(model, prompt, cells, steps, temperature=0.0, canvas=None):
    """Token ids of a canvas of `cells` after the prompt, filled in `steps`: surest cells first,
    each with its likeliest token, or with one drawn at a temperature. A `canvas` that is given
    keeps what stands in it already."""
    row = prompt + ([MASK] * cells if canvas is None else canvas)
    return decode_rows(model, [row], steps, temperature)[0][len(prompt) :]


@torch.no_grad()
def decode_rows(model, rows, steps, temperature=0.0, order="confidence"):
    """The same of several rows of ids, masks among them, that are of one length; in order of
    `confidence` or `left-to-right`."""
    ids = torch.tensor(rows)
    for step in range(steps):
        hidden = ids == MASK
        if not hidden.any():
            break
        logits = model(ids, hidden.t().flatten().nonzero().squeeze(1)).float()
        logits[:, MASK] = -torch.inf
        chances = logits.softmax(-1)
        if temperature > 0:
            noise = -torch.log(-torch.log(torch.rand_like(logits)))
            token = (logits / temperature + noise).argmax(-1)
            chance = chances.gather(1, token[:, None]).squeeze(1)
        else:
            chance, token = chances.max(-1)
        if order == "left-to-right":
            chance = -hidden.t().nonzero()[:, 0].float()
        # Answers are in the order of cells, rows within.
        sure, tokens = torch.full(ids.t().shape, -torch.inf), ids.t().clone()
        sure[hidden.t()], tokens[hidden.t()] = chance, token
        for row, open_cells in enumerate(hidden.sum(1).tolist()):
            best = sure[:, row].topk(-(-open_cells // (steps - step))).indices
            ids[row, best] = tokens[best, row]
    return ids.tolist()


def read(tokenizer, ids):
    """The text up to the first end token."""
    return tokenizer.decode(ids[: ids.index(END)] if END in ids else ids, skip_special_tokens=False)


def score(model, tokenizer, presented, cells, steps):
    """Shares of outputs that are JSON, name the right intent, and are the expected object; and
    the first few outputs, to look at."""
    valid = intent = exact = 0
    samples = []
    for prompt, expected in presented:
        ids = encode(tokenizer, prompt, expected)[0]
        text = read(tokenizer, decode(model, ids, cells, steps))
        try:
            found = json.loads(text)
        except json.JSONDecodeError:
            found = None
        valid += found is not None
        intent += isinstance(found, dict) and found.get("intent") == expected["intent"]
        exact += found == expected
        if len(samples) < 8:
            samples.append({"prompt": prompt, "text": text, "expected": data.compact(expected)})
    count = len(presented)
    shares = {"json": valid / count, "intent": intent / count, "exact": exact / count}
    return {"count": count, **{k: round(v, 4) for k, v in shares.items()}}, samples


def heldout_snips(folder, count):
    """(prompt, expected) of validation requests, evenly over the intents."""
    rng = random.Random(0)
    by_intent = {}
    for example in data.load_snips(folder, "val_"):
        by_intent.setdefault(example.intent, []).append(example)
    for examples in by_intent.values():
        rng.shuffle(examples)
    names = sorted(by_intent)
    picked = [by_intent[names[n % len(names)]][n // len(names)] for n in range(count)]
    return [data.present(e, rng, snips_as_schema=0) for e in picked]


def heldout_sgd(folder, count):
    """(prompt, expected) of dev turns, whose services partly have schemas never trained on."""
    rng = random.Random(0)
    return [data.present(e, rng) for e in rng.sample(data.load_sgd(folder, "dev"), count)]


def write_heldout(presented, path):
    with open(path, "w") as f:
        for n, (prompt, expected) in enumerate(presented):
            request = prompt.split("\n", 1)[1]
            row = {"id": f"snips-val-{n:03}", "request": request, "expected": expected}
            f.write(json.dumps(row, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder that holds snips/ and sgd/")
    parser.add_argument("model", help="folder of the exported model")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--steps", type=int, nargs="+", default=[16, 32])
    parser.add_argument("--write-heldout", metavar="FILE", help="only write the SNIPS requests")
    parser.add_argument("--samples", action="store_true", help="show some outputs")
    parser.add_argument("--threads", type=int, default=1, help="one row at a time is too little for two")
    args = parser.parse_args()

    snips = heldout_snips(args.data, args.count)
    if args.write_heldout:
        write_heldout(snips, args.write_heldout)
        return
    torch.set_num_threads(args.threads)
    tokenizer = Tokenizer.from_file(os.path.join(args.model, "tokenizer.json"))
    model = load(dequantised(args.model), torch.bfloat16)
    for name, presented in (("snips", snips), ("sgd", heldout_sgd(args.data, args.count))):
        for steps in args.steps:
            setting = {"cells": args.cells, "steps": steps}
            figures, samples = score(model, tokenizer, presented, **setting)
            print(json.dumps({"set": name, **setting, **figures}), flush=True)
        if args.samples:
            for sample in samples:
                print(json.dumps(sample, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
