"""Trains the masked diffusion model on a CPU, by the clock.

The objective is LLaDA's: the prompt is never masked; each cell of the answer is masked with
probability t, t uniform; the loss is cross-entropy on the masked cells weighted by 1/t. A quarter
of the examples mask contiguous runs of cells instead, which teaches filling in.
"""

import argparse
import ctypes
import json
import os
import random
import time

import torch
from tokenizers import Tokenizer
from torch.nn import functional as F

import data
import molecules
from model import Config, MaskedDiffusionTransformer
from tokenizer import END, MASK, SEP

BUCKET = 8
LONGEST = 208
LEAST_T = 0.05
SPAN_SHARE = 0.25


def keep_heap():
    """Keeps freed memory in the process: glibc would map and fault in every large activation
    anew, which costs a quarter of the step."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return
    for option, value in ((-4, 0), (-1, 2**31 - 1), (-2, 2**28)):  # mmap_max, trim, top_pad
        mallopt(option, value)


class Courtesy:
    """Two threads while the machine is ours, one while others compute on it.

    A thread that shares its core with someone else's work hardly moves, under `nice` least of
    all, and every parallel region waits for it: one thread alone is then several times faster."""

    def __init__(self, threads):
        self.threads, self.before = threads, self.ticks()

    @staticmethod
    def can_tell():
        """Whether this system says what others compute: Linux does."""
        return os.path.exists("/proc/stat")

    @staticmethod
    def ticks():
        """(what others spent at normal priority, all), in ticks of all cores."""
        with open("/proc/stat") as f:
            fields = [int(n) for n in f.readline().split()[1:]]
        ours = 0 if os.nice(0) else int(os.times().user * os.sysconf("SC_CLK_TCK"))
        return fields[0] - ours, sum(fields)

    def __call__(self):
        now = self.ticks()
        others, total = now[0] - self.before[0], now[1] - self.before[1]
        if total >= 20:
            self.before = now
            torch.set_num_threads(1 if others > 0.1 * total else self.threads)


def encode(tokenizer, prompt, answer):
    ids = tokenizer.encode(prompt, add_special_tokens=False).ids + [SEP]
    return ids, tokenizer.encode(data.written(answer), add_special_tokens=False).ids


def batches(mixture, tokenizer, tokens, copying):
    """Endless (ids, starts): rows of one exact length, so that nothing is padding; the cells
    that an answer does not need hold the end token and teach its length. Mostly the canvas fits
    closely; a third of the time it is longer by up to 48 cells."""
    waiting = {}
    rng = random.Random(mixture.rng.random())
    while True:
        prompt, answer = encode(tokenizer, *mixture.draw(copying()))
        need = len(prompt) + len(answer) + 1
        if rng.random() < 0.33:
            need += rng.randint(1, 48)
        length = -(-need // BUCKET) * BUCKET
        if length > LONGEST:
            continue
        ids = prompt + answer
        rows = waiting.setdefault(length, [])
        rows.append((ids + [END] * (length - len(ids)), len(prompt)))
        if len(rows) >= tokens // length:
            yield torch.tensor([r[0] for r in rows]), torch.tensor([r[1] for r in rows])
            waiting[length] = []


def mask_cells(ids, starts, generator):
    """(masked, weight): which cells to mask, and the weight of each row's cells in the loss."""
    rows, length = ids.shape
    cells = torch.arange(length) >= starts[:, None]
    room = cells.sum(1)
    # One t from each of `rows` equal strata: the same distribution with less noise.
    strata = (torch.randperm(rows, generator=generator) + torch.rand(rows, generator=generator)) / rows
    t = LEAST_T + (1 - LEAST_T) * strata
    masked = torch.rand(rows, length, generator=generator) < t[:, None]
    for row in torch.nonzero(torch.rand(rows, generator=generator) < SPAN_SHARE).flatten().tolist():
        masked[row] = False
        runs = int(torch.randint(1, 4, (1,), generator=generator))
        size = max(1, int(t[row] * room[row] / runs))
        for _ in range(runs):
            span = int(room[row]) - size + 1
            at = int(starts[row]) + int(torch.randint(span, (1,), generator=generator))
            masked[row, at : at + size] = True
    masked &= cells
    hit = masked.sum(1)
    return masked, 1.0 / hit.clamp(min=1)


def loss_of(model, ids, starts, generator):
    """Mean over rows of the row's mean cross-entropy over masked cells: 1/(t * length) with
    t as it fell out, which has less variance than t as drawn."""
    masked, weight = mask_cells(ids, starts, generator)
    noisy = ids.masked_fill(masked, MASK)
    by_position = masked.t()
    where = by_position.flatten().nonzero().squeeze(1)
    logits = model(noisy, where)
    each = F.cross_entropy(logits.float(), ids.t()[by_position], reduction="none")
    return (each * weight.expand(ids.shape[1], -1)[by_position]).sum() / len(ids)


def orthogonalise(m, steps=5):
    """Muon's Newton-Schulz iteration in bf16: pushes all singular values of each matrix of a
    stack to about 1."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = m.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.transpose(-1, -2).contiguous()
    x = x / (x.flatten(1).float().norm(dim=1)[:, None, None].bfloat16() + 1e-7)
    for _ in range(steps):
        s = x @ x.transpose(-1, -2)
        x = a * x + (b * s + c * (s @ s)) @ x
    return (x.transpose(-1, -2) if tall else x).float()


class Muon:
    """Muon over stacks of equally shaped matrices, so that one layer's worth of small products
    becomes a few larger ones."""

    def __init__(self, params, momentum=0.95, decay=0.02):
        self.momentum, self.decay = momentum, decay
        groups = {}
        for p in params:
            groups.setdefault(tuple(p.shape), []).append(p)
        self.groups = list(groups.values())
        self.buffers = [g[0].new_zeros(len(g), *g[0].shape) for g in self.groups]

    @torch.no_grad()
    def step(self, lr):
        for group, buffer in zip(self.groups, self.buffers):
            grad = torch.stack([p.grad for p in group])
            buffer.lerp_(grad, 1 - self.momentum)
            update = orthogonalise(grad.lerp_(buffer, self.momentum))
            scale = max(1.0, buffer.shape[1] / buffer.shape[2]) ** 0.5
            for p, u in zip(group, update):
                p.mul_(1 - lr * self.decay).add_(u, alpha=-lr * scale)


def learning_rate(progress, step, warmup=100, decay_from=0.5):
    """Warm-up by steps, a plateau, and a linear descent that ends with the time."""
    fall = min(1.0, (1 - progress) / (1 - decay_from))
    return min(1.0, (step + 1) / warmup) * max(0.02, fall)


def value_spans(answer):
    """Where the values stand in an answer as it is written."""
    text = data.written(answer)
    if isinstance(answer, str):
        return [(0, len(text))]
    spans, at = [], text.index('"', 10)
    for slot, value in list(answer.items())[1:]:
        at = text.index(f'"{slot}":"{value}"', at) + len(slot) + 4
        spans.append((at, at + len(value)))
    return spans


class Probe:
    """Accuracy on value cells of held-out examples: does the model copy? Of a molecule, which is
    no object, every cell counts."""

    def __init__(self, tokenizer, sets, seed=7, size=48):
        rng = random.Random(seed)
        self.sets = {}
        for name, draw in sets.items():
            rows = []
            for _ in range(size):
                prompt, answer = draw(rng)
                head, body = encode(tokenizer, prompt, answer)
                spans = value_spans(answer)
                offsets = tokenizer.encode(data.written(answer), add_special_tokens=False).offsets
                inside = [any(s <= o[0] and o[1] <= e for s, e in spans) for o in offsets]
                rows.append((head, body, inside))
            self.sets[name] = rows

    @torch.no_grad()
    def __call__(self, model):
        result = {}
        for name, rows in self.sets.items():
            for t in (1.0, 0.5):
                generator = torch.Generator().manual_seed(1)
                right = total = 0
                for head, body, inside in rows:
                    ids = torch.tensor([head + body + [END] * 8])
                    hide = torch.rand(len(body) + 8, generator=generator) < t
                    noisy = ids.clone()
                    noisy[0, len(head) :][hide] = MASK
                    guess = model(noisy)[0, len(head) :][: len(body)].argmax(-1)
                    count = hide[: len(body)] & torch.tensor(inside)
                    right += int(((guess == torch.tensor(body)) & count).sum())
                    total += int(count.sum())
                result[f"{name}@{t:g}"] = round(right / max(1, total), 3)
        return result


def save(path, state):
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder that holds snips/, sgd/ and molsets/")
    parser.add_argument("output", help="folder for checkpoint.pt and log.jsonl")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--minutes", type=float, default=80)
    parser.add_argument("--tokens", type=int, default=4096, help="tokens a step")
    parser.add_argument("--muon-lr", type=float, default=0.02)
    parser.add_argument("--adam-lr", type=float, default=3e-3)
    parser.add_argument("--save-minutes", type=float, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    keep_heap()
    torch.set_num_threads(args.threads)
    courtesy = Courtesy(args.threads) if Courtesy.can_tell() else lambda: None
    torch.manual_seed(args.seed)
    os.makedirs(args.output, exist_ok=True)
    checkpoint = os.path.join(args.output, "checkpoint.pt")
    tokenizer = Tokenizer.from_file(args.tokenizer)
    snips, sgd = data.load_snips(args.data), data.load_sgd(args.data, "train")
    words = data.Words(snips + sgd)
    smiles = molecules.load(args.data, "train")

    model = MaskedDiffusionTransformer(Config())
    matrices = [p for layer in model.layers for p in layer.parameters()]
    muon = Muon(matrices)
    others = [model.embed_tokens, model.norm]
    adam = torch.optim.Adam(others, lr=args.adam_lr, betas=(0.9, 0.95))
    step, spent, tokens, copying = 0, 0.0, 0, 0.0
    if os.path.exists(checkpoint):
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        adam.load_state_dict(state["adam"])
        muon.buffers = state["muon"]
        step, spent, tokens = state["step"], state["spent"], state["tokens"]
        copying = state["copying"]

    budget = args.minutes * 60
    began = time.monotonic() - spent
    progress = lambda: min(1.0, (time.monotonic() - began) / budget)  # noqa: E731
    generator = torch.Generator().manual_seed(args.seed + step)
    mixture = data.Mixture(snips, sgd, words, args.seed + step, smiles)
    stream = batches(mixture, tokenizer, args.tokens, lambda: copying)
    val_snips, val_sgd = data.load_snips(args.data, "val_"), data.load_sgd(args.data, "dev")
    val_smiles = molecules.load(args.data, "test")
    probe = Probe(
        tokenizer,
        {
            "copy": lambda r: data.present(data.plain_copy(words, r), r),
            "words": lambda r: data.present(data.synthetic(words, r, 0.3), r),
            "snips": lambda r: data.present(r.choice(val_snips), r, 0),
            "sgd": lambda r: data.present(r.choice(val_sgd), r),
            "molecules": lambda r: molecules.present(r.choice(val_smiles), r),
        },
    )
    log = open(os.path.join(args.output, "log.jsonl"), "a", buffering=1)
    print(json.dumps({"parameters": sum(p.numel() for p in model.parameters())}), file=log)

    recent, saved = [], time.monotonic()
    while progress() < 1.0:
        courtesy()
        ids, starts = next(stream)
        loss = loss_of(model, ids, starts, generator)
        model.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(others, 1.0)
        rate = learning_rate(progress(), step)
        for group in adam.param_groups:
            group["lr"] = args.adam_lr * rate
        adam.step()
        muon.step(args.muon_lr * rate)
        step, tokens = step + 1, tokens + ids.numel()
        recent.append(loss.item())
        if step % 20 == 0:
            seconds = time.monotonic() - began
            row = {"step": step, "seconds": round(seconds), "tokens": tokens,
                   "loss": round(sum(recent) / len(recent), 4), "rate": round(rate, 4),
                   "norm": round(float(norm), 3), "threads": torch.get_num_threads()}  # fmt: skip
            recent = []
            if step % (100 if copying < 0.7 else 400) == 0:
                found = probe(model)
                row.update(found)
                mastered = found["copy@0.5"] if copying < 0.5 else found["words@0.5"]
                copying = max(copying, mastered)  # a lesson learned is not gone back to
            print(json.dumps(row), file=log)
        last = progress() >= 1.0
        if last or time.monotonic() - saved > args.save_minutes * 60:
            saved = time.monotonic()
            state = {"model": model.state_dict(), "adam": adam.state_dict(), "muon": muon.buffers,
                     "step": step, "spent": saved - began, "tokens": tokens, "copying": copying}  # fmt: skip
            save(checkpoint, state)


if __name__ == "__main__":
    main()
