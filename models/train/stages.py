"""Trains the general model in stages that stop and resume, on a graphics card or a processor.

    python3 stages.py DATA RUN --tokenizer T --shape small             # as long as wanted
    python3 stages.py DATA RUN --tokenizer T --shape small --anneal 3e6  # then to an end

The first stage runs at a constant rate, with no end in sight, and leaves RUN/checkpoint.pt every
few minutes. The second takes the newest of it, lets the rate fall to nothing, has the products see
weights rounded to int4 (the embedding to int8) over its second half, and leaves RUN/annealed.pt,
which is exported; stopped on the way, it goes on from what it left there when it is started again,
unless the first has gone on since. The first can then go on from where it was. Either saves what it
has when it is told to end (SIGTERM), and after `--stop-after`. The optimiser is that of `train.py`;
what is masked, and what it counts, is told in `masking.py`.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import time

import torch
from tokenizers import Tokenizer

import molecules
import pools
import tasks
from checkpoint import dequantised, load
from model import Config, MaskedDiffusionTransformer
from tokenizer import END, MASK, SEP
from masking import mask_cells
from train import BUCKET, Courtesy, Muon, keep_heap, save
from vocabulary import twins

LONGEST = 256
VOCABULARY = 4096
SHAPES = {
    "tiny": Config(vocab_size=VOCABULARY, hidden_size=64, num_layers=2, num_heads=2, head_dim=32,
                   intermediate_size=128),
    "small": Config(vocab_size=VOCABULARY, hidden_size=320, num_layers=6, num_heads=5, head_dim=64,
                    intermediate_size=896),
    "wide": Config(vocab_size=VOCABULARY, hidden_size=576, num_layers=4, num_heads=9, head_dim=64,
                   intermediate_size=1536, num_kv_heads=3, rope_theta=1e5),
    "base": Config(vocab_size=VOCABULARY, hidden_size=576, num_layers=16, num_heads=9, head_dim=64,
                   intermediate_size=1536, num_kv_heads=3, rope_theta=1e5),
}  # fmt: skip


def encode(tokenizer, sample):
    """(prompt ids, answer ids, which cells of the answer hold values)."""
    prompt = tokenizer.encode(sample.prompt, add_special_tokens=False).ids + [SEP]
    answer = tokenizer.encode(sample.answer, add_special_tokens=False)
    inside = [any(s < e and a < t for a, t in sample.values) for s, e in answer.offsets]
    return prompt, answer.ids, inside


class Batches(torch.utils.data.IterableDataset):
    """Endless (ids, masked, weight): rows of one exact length, so that nothing is padding; cells
    that an answer does not need hold the end token and teach its length. Mostly the canvas fits
    closely; a third of the time it is longer by up to 48 cells."""

    def __init__(self, sources, tokenizer, tokens, copying, seed):
        self.sources, self.tokenizer, self.tokens = sources, tokenizer, tokens
        self.copying, self.seed = copying, seed

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        seed = self.seed * 1000 + (worker.id if worker else 0)
        mixture = tasks.Mixture(self.sources, seed)
        rng, generator = random.Random(seed + 1), torch.Generator().manual_seed(seed + 2)
        waiting = {}
        while True:
            prompt, answer, _ = encode(self.tokenizer, mixture.draw(self.copying.value))
            need = len(prompt) + len(answer) + 1
            if rng.random() < 0.33:
                need += rng.randint(1, 48)
            length = -(-need // BUCKET) * BUCKET
            if length > LONGEST:
                continue
            ids = prompt + answer
            rows = waiting.setdefault(length, [])
            rows.append((ids + [END] * (length - len(ids)), len(prompt), len(ids)))
            if len(rows) >= self.tokens // length:
                ids, starts, ends = (torch.tensor(column) for column in zip(*rows))
                yield (ids, *mask_cells(ids, starts, ends, generator))
                waiting[length] = []


class CrossEntropy(torch.autograd.Function):
    """Of each row; keeps probabilities where PyTorch 1.13 computes them anew, slowly."""

    @staticmethod
    def forward(ctx, logits, target):
        log = logits.float().log_softmax(-1)
        each = -log.gather(1, target[:, None]).squeeze(1)
        ctx.save_for_backward(log.exp_(), target)
        ctx.dtype = logits.dtype
        return each

    @staticmethod
    def backward(ctx, grad):
        chances, target = ctx.saved_tensors
        chances[torch.arange(len(target), device=target.device), target] -= 1
        return (chances * grad[:, None]).to(ctx.dtype), None


def loss_of(model, ids, masked, weight):
    """Mean over rows of the weighted cross-entropy over masked cells."""
    noisy = ids.masked_fill(masked, MASK)
    by_position = masked.t()
    where = by_position.flatten().nonzero().squeeze(1)
    logits = model(noisy, where)
    each = CrossEntropy.apply(logits, ids.t()[by_position])
    return (each * weight.t()[by_position]).sum() / len(ids)


class Probe:
    """Accuracy on value cells of held-out samples, all cells masked and half of them."""

    def __init__(self, tokenizer, training, held_out, size=24, seed=7):
        rng = random.Random(seed)
        lessons = tasks.Mixture(training, seed)
        draws = {"copy": lessons.plain_copy, "records": lambda: tasks.json_sample(
            *training.records.draw(rng, 3, evaluation=True), "synthetic"),
                 "everyday": lambda: tasks.json_sample(
            *training.sentences.draw(rng, evaluation=True), "everyday")}  # fmt: skip
        if held_out.snips:
            draws["snips"] = lambda: tasks.present_snips(rng.choice(held_out.snips))
        if held_out.sgd:
            draws["sgd"] = lambda: tasks.present_slots(rng.choice(held_out.sgd), rng)
        if held_out.questions:
            draws["sql"] = lambda: tasks.present_question(rng.choice(held_out.questions), rng)
        if held_out.smiles:
            draws["molecules"] = lambda: tasks.present_molecule(rng.choice(held_out.smiles), rng, False)
        self.sets = {name: self.padded(tokenizer, draw, size) for name, draw in draws.items()}

    @staticmethod
    def padded(tokenizer, draw, size):
        """(ids, starts, cells with values): ends after the answer are canvas, too."""
        rows = []
        while len(rows) < size:
            prompt, answer, inside = encode(tokenizer, draw())
            if len(prompt) + len(answer) < 150:
                rows.append((prompt + answer, len(prompt), [False] * len(prompt) + inside))
        length = max(len(ids) for ids, _, _ in rows) + 4
        fill = lambda row, value: row + [value] * (length - len(row))  # noqa: E731
        return (torch.tensor([fill(r[0], END) for r in rows]), torch.tensor([r[1] for r in rows]),
                torch.tensor([fill(r[2], False) for r in rows]))  # fmt: skip

    @torch.no_grad()
    def __call__(self, model, device):
        found = {}
        for name, (ids, starts, inside) in self.sets.items():
            for t in (1.0, 0.5):
                draw = torch.rand(ids.shape, generator=torch.Generator().manual_seed(1))
                hidden = (draw < t) & (torch.arange(ids.shape[1]) >= starts[:, None])
                guess = model(ids.masked_fill(hidden, MASK).to(device)).argmax(-1).cpu()
                counted = hidden & inside
                right = int(((guess == ids) & counted).sum())
                found[f"{name}@{t:g}"] = round(right / max(1, int(counted.sum())), 3)
        return found


class Run:
    """Model, optimisers and counts: what a checkpoint holds."""

    def __init__(self, model, muon_lr, adam_lr):
        self.model, self.muon_lr, self.adam_lr = model, muon_lr, adam_lr
        self.muon = Muon([p for layer in model.layers for p in layer.parameters()])
        self.others = [model.embed_tokens, model.norm]
        self.adam = torch.optim.Adam(self.others, lr=adam_lr, betas=(0.9, 0.95))
        self.step = self.tokens = 0
        self.seconds = self.copying = 0.0
        self.annealing = None  # of a last stage under way: (tokens at its start, its minutes so far)

    def state(self):
        return {"config": vars(self.model.c), "model": self.model.state_dict(), "adam": self.adam.state_dict(),
                "muon": self.muon.buffers, "step": self.step, "tokens": self.tokens,
                "seconds": self.seconds, "copying": self.copying, "annealing": self.annealing}  # fmt: skip

    def resume(self, state):
        self.model.load_state_dict(state["model"])
        self.adam.load_state_dict(state["adam"])
        for buffer, saved in zip(self.muon.buffers, state["muon"]):
            buffer.copy_(saved)
        self.step, self.tokens = state["step"], state["tokens"]
        self.seconds, self.copying = state["seconds"], state["copying"]
        self.annealing = state.get("annealing")

    def update(self, rate):
        norm = torch.nn.utils.clip_grad_norm_(self.others, 1.0)
        for group in self.adam.param_groups:
            group["lr"] = self.adam_lr * rate
        self.adam.step()
        self.muon.step(self.muon_lr * rate)
        self.model.zero_grad(set_to_none=True)
        self.step += 1
        return float(norm)


def begun(args, tokenizer, device):
    """The network at its start: of a shape, with a start's embeddings, or with all of a start."""
    torch.manual_seed(args.seed)
    if args.start and not args.embeddings_only:
        model = load(dequantised(args.start), torch.bfloat16)
    else:
        model = MaskedDiffusionTransformer(SHAPES[args.shape])
        if args.start:
            _, named = dequantised(args.start)
            take_embeddings(model, torch.from_numpy(named["model.embed_tokens.weight"]), twins(tokenizer))
    return model.to(device)


@torch.no_grad()
def take_embeddings(model, table, twins):
    """Puts what another model's embeddings say about each other in the place of most of the
    noise, at the scale and with the shared direction that the initialisation counts on. A wider
    table is cut to the directions that hold most of it.

    `twins` are (token, token with a blank before it): they get one embedding, apart from a step
    in a direction that says which is which, so that to find one is to find the other. A word
    stands with a blank in the request and without in JSON; copying rests on this."""
    table = table - table.mean(0)
    width = model.c.hidden_size
    if table.shape[1] > width:
        table = table @ torch.linalg.svd(table, full_matrices=False)[2][:width].t()
    noise = model.embed_tokens - model.embed_tokens.mean(0)
    unit = lambda m: m / m.square().mean(-1, keepdim=True).sqrt().clamp(min=1e-6)  # noqa: E731
    mixed = 0.8 * unit(table) + 0.6 * unit(noise)
    step = unit(torch.randn(width)) * 0.2
    alone, behind = torch.tensor(twins).t()
    common = unit(mixed[alone] + mixed[behind])
    mixed = unit(mixed)
    mixed[alone], mixed[behind] = common - step, common + step
    model.embed_tokens.add_(0.3 * mixed - noise)


def rate_at(run, args, annealed, minutes):
    """(learning rate as a share of its highest, whether weights are rounded). The last stage is
    as far as its tokens or its minutes are, whichever end first."""
    if args.anneal is None:
        return min(1.0, (run.step + 1) / args.warmup), False
    part = min(1.0, max(annealed / args.anneal, minutes / args.minutes))
    return max(0.01, 1.0 - part), part >= 0.5


def left(folder, annealing, device):
    """What a stage goes on from: (name of the file, its state). A last stage under way is gone on
    with while the checkpoint that it began from is the newest."""
    found = {}
    for name in ("checkpoint.pt", "annealed.pt") if annealing else ("checkpoint.pt",):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            found[name] = torch.load(path, map_location=device)
    newest, halfway = found.get("checkpoint.pt"), found.get("annealed.pt")
    if halfway and halfway.get("annealing") and (not newest or newest["tokens"] == halfway["annealing"][0]):
        return "annealed.pt", halfway
    return ("checkpoint.pt", newest) if newest else (None, None)


class Ending:
    """Whether the process was told to end, within a `with`; the step under way is ended first."""

    def __enter__(self):
        self.told = False
        self.before = signal.signal(signal.SIGTERM, self.tell)
        return self

    def tell(self, *_):
        self.told = True

    def __exit__(self, *_):
        signal.signal(signal.SIGTERM, self.before)


def outlive(_):
    """In a process that prepares batches: who ends a whole group means the training, which needs
    them for its last step and then ends them."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder of the data sets; with --tiny only pools.json.gz is read")
    parser.add_argument("output", help="folder for checkpoints and log.jsonl")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--shape", choices=SHAPES, default="small",
                        help="small is 6 MB as it ships, wide (SmolLM2's width) 11 MB, base 38 MB")
    parser.add_argument("--start", help="folder that grow.py or smollm2.py wrote, to begin from")
    parser.add_argument("--embeddings-only", action="store_true", help="take only the start's embeddings")
    parser.add_argument("--anneal", type=float, metavar="TOKENS", help="the last stage, and its length")
    parser.add_argument("--minutes", type=float, default=float("inf"),
                        help="stop after so long; with --anneal the stage's length, over all calls together")
    parser.add_argument("--stop-after", type=float, default=float("inf"), metavar="MINUTES",
                        help="save and end when this call has taken so long, to go on in another")
    parser.add_argument("--steps", type=int, help="stop after so many")
    parser.add_argument("--chunk-tokens", type=int, default=4096, help="tokens of one forward pass")
    parser.add_argument("--chunks", type=int, default=1, help="passes a step")
    parser.add_argument("--muon-lr", type=float, default=0.02)
    parser.add_argument("--adam-lr", type=float, default=3e-3)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--copying", type=float, default=0.0, help="skip lessons up to this mastery")
    parser.add_argument("--save-minutes", type=float, default=5)
    parser.add_argument("--probe-steps", type=int, default=200)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0, help="processes that prepare batches")
    parser.add_argument("--compile", action="store_true", help="torch.compile, from torch 2 on")
    parser.add_argument("--without", nargs="+", choices=tasks.OPTIONAL, default=(), help="tasks to leave out")
    parser.add_argument("--tiny", action="store_true", help="a small network on synthetic records only")
    parser.add_argument("--seed", type=int, default=1)
    train(parser.parse_args())


def train(args):
    called = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if (device == "cuda" or args.compile) and not hasattr(torch, "compile"):
        raise SystemExit(f"torch {torch.__version__} is for processors: a graphics card and --compile need 2.1 or later")
    if device == "cpu":
        keep_heap()
    torch.set_num_threads(args.threads)
    shares = args.threads > 1 and device == "cpu" and Courtesy.can_tell()
    courtesy = Courtesy(args.threads) if shares else lambda: None
    os.makedirs(args.output, exist_ok=True)
    source, state = left(args.output, args.anneal is not None, device)
    if args.anneal is not None and not state and not args.start:
        raise SystemExit(f"--anneal takes a checkpoint to its end, and {args.output} has none; --start names other weights")
    tokenizer, made = Tokenizer.from_file(args.tokenizer), pools.load(args.data)
    if args.tiny:
        args.shape, training = "tiny", tasks.Sources(made)
        held_out = training
    else:
        if "molecules" not in args.without:
            molecules.require()
        training, held_out = tasks.load(args.data, made, args.without)

    target = os.path.join(args.output, "checkpoint.pt" if args.anneal is None else "annealed.pt")
    model = MaskedDiffusionTransformer(Config(**state["config"])).to(device) if state else begun(args, tokenizer, device)
    run = Run(model, args.muon_lr, args.adam_lr)
    if state:
        run.resume(state)
    run.copying = max(run.copying, args.copying)
    first, minutes_before = run.annealing or (run.tokens, 0)
    began = time.monotonic() - run.seconds
    stage_began = time.monotonic() - minutes_before * 60

    copying = multiprocessing.Value("d", run.copying)
    batches = Batches(training, tokenizer, args.chunk_tokens, copying, args.seed + run.step)
    stream = iter(torch.utils.data.DataLoader(batches, batch_size=None, num_workers=args.workers, worker_init_fn=outlive))
    probe = Probe(tokenizer, training, held_out)
    passing = torch.compile(model, dynamic=True) if args.compile else model
    about = {"parameters": sum(p.numel() for p in model.parameters()), "device": device,
             "anneal": args.anneal, "from": source or args.start, **vars(model.c)}  # fmt: skip

    def ended():
        return (
            time.monotonic() - stage_began > args.minutes * 60
            or args.anneal is not None and run.tokens - first >= args.anneal
        )

    losses, saved = [], time.monotonic()
    with open(os.path.join(args.output, "log.jsonl"), "a", buffering=1) as log, Ending() as ending:
        print(json.dumps(about), file=log)
        while True:
            courtesy()
            minutes = (time.monotonic() - stage_began) / 60
            rate, rounding = rate_at(run, args, run.tokens - first, minutes)
            model.round_weights(rounding)
            for _ in range(args.chunks):
                chunk = [part.to(device, non_blocking=True) for part in next(stream)]
                loss = loss_of(passing, *chunk) / args.chunks
                loss.backward()
                losses.append(loss.detach())
                run.tokens += chunk[0].numel()
            norm = run.update(rate)
            run.seconds = time.monotonic() - began
            last = ended() or args.steps is not None and run.step >= args.steps
            stopped = ending.told or time.monotonic() - called > args.stop_after * 60
            if run.step % 20 == 0 or last or stopped:
                row = {"step": run.step, "seconds": round(run.seconds), "tokens": run.tokens,
                       "loss": round(float(sum(losses)) / len(losses) * args.chunks, 4), "rate": round(rate, 4),
                       "rounding": rounding, "norm": round(norm, 3)}  # fmt: skip
                losses = []
                probing = last or run.step % (args.probe_steps if run.copying >= tasks.SOUND else 100) == 0
                if probing and not stopped:  # who is told to end has little time
                    found = probe(model, device)
                    row.update(found)
                    copies = run.copying >= tasks.BEGUN
                    mastered = found["records@0.5"] if copies else min(tasks.BEGUN, found["copy@0.5"])
                    run.copying = copying.value = max(run.copying, mastered)  # a lesson learned is not gone back to
                print(json.dumps(row), file=log)
            if last or stopped or time.monotonic() - saved > args.save_minutes * 60:
                saved = time.monotonic()
                run.annealing = None if args.anneal is None or ended() else (first, minutes)
                save(target, run.state())
            if last or stopped:
                break
    if not last:
        print(f"stopped at step {run.step}; the same command goes on from there")


if __name__ == "__main__":
    main()
