"""The whole recipe on a tiny network: train, stop, resume, anneal, export, read back, decode."""

import contextlib
import functools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
from unittest import mock

import needs

needs.packages("torch", "tokenizers", "safetensors", "numpy", "faker")

import numpy as np
import torch

import evaluate
import export
import model as network
import pools
import quantization
import reference
import stages
import tasks
import vocabulary
from checkpoint import dequantised, load
from evaluate import decode, decode_rows, read
from model import Config, MaskedDiffusionTransformer, int4_rounded
from shards import write_weights
from tokenizer import MASK

compiles = unittest.skipUnless(hasattr(torch, "compile"), "torch before 2 compiles nothing")


def options(folder, **given):
    chosen = {"data": folder, "output": os.path.join(folder, "run"), "tokenizer": os.path.join(folder, "tokenizer.json"),
              "shape": "tiny", "start": None, "embeddings_only": False, "anneal": None, "minutes": 5.0, "steps": None,
              "chunk_tokens": 512, "chunks": 2, "muon_lr": 0.02, "adam_lr": 3e-3, "warmup": 4, "copying": 0.0,
              "save_minutes": 5, "probe_steps": 20, "threads": 1, "workers": 0, "compile": False, "tiny": True,
              "seed": 1, "stop_after": float("inf"), "without": ()}  # fmt: skip
    return type("Options", (), chosen | given)


@contextlib.contextmanager
def prepared(shape):
    """(folder, tokenizer) with what tiny runs read, `tiny` being of another shape meanwhile."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(stages.SHAPES, tiny=shape):
        made = pools.drawn(60)
        with pools.gzip.open(os.path.join(folder, "pools.json.gz"), "wt") as f:
            json.dump(made, f)
        texts = vocabulary.corpus(tasks.Sources(made), 400)
        tokenizer = vocabulary.build(texts, size=900, joined=150)
        tokenizer.save(os.path.join(folder, "tokenizer.json"))
        yield folder, tokenizer


def logged(folder):
    """The rows of a run's log that tell of steps."""
    with open(os.path.join(folder, "run", "log.jsonl")) as f:
        return [row for row in map(json.loads, f) if "loss" in row]


def kept(folder, name):
    return torch.load(os.path.join(folder, "run", name))


def told_at(step):
    """Has another process tell this one and those that prepare batches to end when a run comes to
    a step, as `timeout` tells a group."""
    update = stages.Run.update

    def told(run, rate):
        norm = update(run, rate)
        if run.step == step:
            group = [os.getpid(), *(child.pid for child in multiprocessing.active_children())]
            subprocess.run(["kill", *map(str, group)], check=True)
            time.sleep(0.2)  # until those that end by it have ended
        return norm

    return mock.patch.object(stages.Run, "update", told)


class EndToEnd(unittest.TestCase):
    def test_trains_stops_resumes_ends_and_ships(self):
        with prepared(Config(900, 64, 2, 2, 32, 128)) as (folder, tokenizer):
            stages.train(options(folder, steps=30))
            stages.train(options(folder, steps=60))
            stages.train(options(folder, anneal=12_000, steps=66))
            stages.train(options(folder, anneal=12_000))
            rows = logged(folder)
            self.assertEqual([r["step"] for r in rows[:4]], [20, 30, 40, 60])
            self.assertLess(rows[-1]["loss"], rows[0]["loss"])
            # A last stage that was killed goes on: the rate falls on, and ends where it was to end.
            at = {r["step"]: r for r in rows}
            self.assertTrue(0.4 < at[66]["rate"] < 0.8 and 80 not in at)
            self.assertLess(abs(rows[-1]["tokens"] - at[60]["tokens"] - 12_000), 1100)
            self.assertLess(rows[-1]["rate"], 0.1)
            self.assertTrue(rows[-1]["rounding"] and not rows[0]["rounding"])

            model = export.trained(os.path.join(folder, "run", "annealed.pt"))
            # Several are averaged.
            run = [os.path.join(folder, "run", name) for name in ("annealed.pt", "checkpoint.pt")]
            mean, other = export.trained(*run).state_dict(), export.trained(run[1]).state_dict()
            for name, tensor in model.state_dict().items():
                self.assertTrue(torch.allclose(mean[name], (tensor + other[name]) / 2))
            tensors = export.quantised(export.weights(model), "int4", export.quantise_ranges)
            out = os.path.join(folder, "out")
            os.mkdir(out)
            write_weights(tensors, out, most=60_000)
            for name, text in (("config.json", json.dumps(export.config_json(model.c, "int4"))), ("tokenizer.json", tokenizer.to_str())):
                with open(os.path.join(out, name), "w") as f:
                    f.write(text)
            shards = [name for name in os.listdir(out) if "-of-" in name]
            self.assertGreater(len(shards), 2)
            self.assertTrue(all(os.path.getsize(os.path.join(out, name)) <= 60_000 for name in shards))

            # A shipped model is a start: its weights as they are, all else anew.
            on = options(folder, output=os.path.join(folder, "on"), start=out, steps=1, muon_lr=0.0, adam_lr=0.0)
            stages.train(on)
            again = export.trained(os.path.join(folder, "on", "checkpoint.pt"))
            for name, tensor in dict(load(dequantised(out), torch.float32).state_dict()).items():
                self.assertTrue(torch.allclose(again.state_dict()[name], tensor, atol=1e-6), name)

            shipped = load(dequantised(out), torch.float32)
            model.round_weights(True)
            ids = torch.tensor([[5, 300, MASK, 7, MASK, 0]])
            with torch.no_grad():
                self.assertLess(float((shipped(ids) - model(ids)).abs().max()), 1e-3)
            prompt = tokenizer.encode("json {a}\nfig").ids
            self.assertNotIn(MASK, decode(shipped, prompt, 12, 4))
            self.assertIsInstance(read(tokenizer, [MASK + 3]), str)


class CardForm(unittest.TestCase):
    """What the recipe for a graphics card asks for, on a processor."""

    def train(self, **given):
        with prepared(Config(900, 64, 2, 4, 16, 128, num_kv_heads=2)) as (folder, _):
            start = MaskedDiffusionTransformer(Config(900, 96, 1, 3, 32, 96), torch.float32)
            with open(os.path.join(folder, "config.json"), "w") as f:
                json.dump(export.config_json(start.c, "int8"), f)
            write_weights(export.quantised(export.weights(start), "int8"), folder)
            given |= {"start": folder, "embeddings_only": True, "workers": 2}
            stages.train(options(folder, steps=20, **given))
            stages.train(options(folder, anneal=4_000, **given))
            rows, ended = logged(folder), kept(folder, "annealed.pt")
        self.assertEqual(rows[0]["step"], 20)
        self.assertTrue(rows[-1]["rounding"] and rows[-1]["tokens"] > rows[0]["tokens"])
        self.assertEqual((ended["config"]["hidden_size"], ended["config"]["num_kv_heads"]), (64, 2))
        self.assertTrue(all(bool(t.isfinite().all()) for t in ended["model"].values()))

    def test_runs_with_shared_keys_a_starts_embeddings_and_workers(self):
        self.train()

    @compiles
    def test_runs_compiled(self):
        traced = functools.partial(torch.compile, backend="aot_eager")
        with mock.patch.object(torch, "compile", traced):
            self.train(compile=True)

    @unittest.skipIf(hasattr(torch, "compile"), "this torch compiles")
    def test_compiling_without_torch_2_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(SystemExit, "2.1 or later"):
            stages.train(options(folder, compile=True))


class Stopping(unittest.TestCase):
    def test_a_run_that_is_told_to_end_saves_and_goes_on(self):
        before = signal.getsignal(signal.SIGTERM)
        for workers in (0, 2):
            with prepared(Config(900, 32, 1, 2, 16, 32)) as (folder, _):
                with told_at(7):
                    stages.train(options(folder, workers=workers))
                self.assertEqual(kept(folder, "checkpoint.pt")["step"], 7)
                stages.train(options(folder, steps=9))
                self.assertEqual([row["step"] for row in logged(folder)], [7, 9])
        self.assertEqual(signal.getsignal(signal.SIGTERM), before)

    def test_a_call_that_stops_leaves_the_schedule_as_it_is(self):
        with prepared(Config(900, 32, 1, 2, 16, 32)) as (folder, _):
            stages.train(options(folder, steps=2))
            for _ in range(3):
                stages.train(options(folder, anneal=20_000, stop_after=0.0))
            rows, state = logged(folder), kept(folder, "annealed.pt")
            first = kept(folder, "checkpoint.pt")["tokens"]
        self.assertEqual([row["step"] for row in rows], [2, 3, 4, 5])
        self.assertEqual(state["annealing"][0], first)
        before = [row["tokens"] - first for row in rows[:-1]]
        for row, tokens in zip(rows[1:], before):
            self.assertAlmostEqual(row["rate"], 1 - tokens / 20_000, places=3)

    def test_an_end_is_of_the_newest_checkpoint(self):
        with prepared(Config(900, 32, 1, 2, 16, 32)) as (folder, _):
            stages.train(options(folder, steps=2))
            stages.train(options(folder, anneal=20_000, steps=6))
            self.assertEqual(stages.left(os.path.join(folder, "run"), True, "cpu")[0], "annealed.pt")
            self.assertEqual(stages.left(os.path.join(folder, "run"), False, "cpu")[0], "checkpoint.pt")
            # The first stage goes on, to fewer steps than the end left half-way had.
            stages.train(options(folder, steps=4))
            name, state = stages.left(os.path.join(folder, "run"), True, "cpu")
            self.assertEqual((name, state["step"]), ("checkpoint.pt", 4))

    def test_an_end_of_nothing_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(SystemExit, "--start"):
                stages.train(options(folder, anneal=1000))


class Log(unittest.TestCase):
    def test_an_extract_is_of_one_line_of_descent(self):
        # Killed at 160 and started again from the checkpoint of step 110.
        steps = [(100, 0.1), (120, 0.2), (140, 0.3), (160, 0.4), (120, None), (140, 0.5), (180, 0.6)]
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
            for step, copying in steps:
                measured = {} if copying is None else {"copy@1": copying}
                f.write(json.dumps({"step": step, **measured}) + "\n" + json.dumps({"parameters": 1}) + "\n")
            f.flush()
            rows = export.thinned(f.name)
        self.assertEqual([(r["step"], r["copy@1"]) for r in rows], [(100, 0.1), (140, 0.5), (180, 0.6)])


class Leaving(unittest.TestCase):
    """Molecules left out, or RDKit missing."""

    def setUp(self):
        sources = {"load_snips": lambda *_: [], "load_sgd": lambda *_: []}
        for patch in (mock.patch.multiple(tasks.data, **sources),
                      mock.patch.object(tasks.wikisql, "load", lambda *_: {"train": [], "dev": []})):  # fmt: skip
            patch.start()
            self.addCleanup(patch.stop)

    def test_a_run_without_molecules_needs_neither_data_nor_rdkit(self):
        with prepared(Config(900, 32, 1, 2, 16, 32)) as (folder, _), mock.patch.dict("sys.modules", rdkit=None):
            stages.train(options(folder, tiny=False, without=("molecules",), copying=0.9, steps=2))
            self.assertEqual(kept(folder, "checkpoint.pt")["step"], 2)

    def test_a_missing_rdkit_is_told_before_training(self):
        with prepared(Config(900, 32, 1, 2, 16, 32)) as (folder, _), mock.patch.dict("sys.modules", rdkit=None):
            with self.assertRaisesRegex(SystemExit, "pip install rdkit.*--without molecules"):
                stages.train(options(folder, tiny=False))
            words = ["vocabulary", folder, os.path.join(folder, "other.json")]
            with mock.patch.object(sys, "argv", words), self.assertRaisesRegex(SystemExit, "--without molecules"):
                vocabulary.main()


class Lengths(unittest.TestCase):
    LENGTHS = range(64, 160, 8)

    def chunk(self, length):
        g = torch.Generator().manual_seed(length)
        ids = torch.randint(3, 300, (6, length), generator=g)
        return ids, torch.rand(6, length, generator=g) < 0.5, torch.rand(6, length, generator=g)

    @compiles
    def test_all_compile_once_and_the_rounding_once_more(self):
        from torch._dynamo.testing import CompileCounter

        torch._dynamo.reset()
        self.addCleanup(torch._dynamo.reset)
        torch.manual_seed(0)
        model = MaskedDiffusionTransformer(Config(300, 64, 2, 4, 16, 96, num_kv_heads=2))
        counter = CompileCounter()
        compiled = torch.compile(model, dynamic=True, backend=counter)
        for rounding in (False, True):
            model.round_weights(rounding)
            for length in self.LENGTHS:
                found = []
                for way in (model, compiled):
                    loss = stages.loss_of(way, *self.chunk(length))
                    loss.backward()
                    found.append((loss.item(), [p.grad.clone() for p in model.parameters()]))
                    model.zero_grad()
                self.assertEqual(found[0][0], found[1][0])
                for plain, other in zip(found[0][1], found[1][1]):
                    self.assertTrue(torch.equal(plain, other))
            self.assertEqual(counter.frame_count, 1 + rounding)

    def test_rotations_are_of_no_checkpoint(self):
        model = MaskedDiffusionTransformer(Config(300, 64, 2, 2, 32, 96), torch.float32)
        self.assertEqual([name for name in model.state_dict() if "turn" in name], [])
        turns = network.rotations(40, 32, model.c.rope_theta)
        self.assertTrue(torch.equal(model.turns[:40], turns))

    def test_a_canvas_beyond_the_longest_is_refused(self):
        model = MaskedDiffusionTransformer(Config(300, 64, 1, 2, 32, 96), torch.float32)
        model(torch.zeros(1, network.POSITIONS, dtype=torch.long))
        with self.assertRaisesRegex(ValueError, "513 cells"):
            model(torch.zeros(1, network.POSITIONS + 1, dtype=torch.long))


@unittest.skipUnless(hasattr(torch.nn.functional, "scaled_dot_product_attention"), "torch before 2 has no fused attention")
class Fused(unittest.TestCase):
    def test_is_attention_as_written_out(self):
        for heads, shared in ((2, 2), (4, 2)):
            torch.manual_seed(0)
            model = MaskedDiffusionTransformer(Config(300, 64, 2, heads, 16, 96, num_kv_heads=shared), torch.float32)
            ids = torch.randint(0, 300, (3, 24))
            plain = model(ids)
            with mock.patch.object(network, "fused", lambda x: True):
                self.assertLess(float((model(ids) - plain).abs().max().detach()), 1e-5)

    def test_reaches_the_kernel(self):
        try:
            from torch.nn.attention import SDPBackend, sdpa_kernel
        except ImportError:
            self.skipTest("this torch cannot be held to one kernel")
        model = MaskedDiffusionTransformer(Config(300, 128, 2, 2, 64, 96))
        with mock.patch.object(network, "fused", lambda x: True), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            model(torch.randint(0, 300, (3, 24))).sum().backward()
            q = torch.randn(6, 24, 64, dtype=torch.bfloat16)
            with self.assertRaises(RuntimeError), warnings.catch_warnings(record=True):
                torch.nn.functional.scaled_dot_product_attention(q, q, q)


class Embeddings(unittest.TestCase):
    def test_a_token_and_its_twin_behind_a_blank_are_near(self):
        torch.manual_seed(0)
        model = MaskedDiffusionTransformer(Config(400, 64, 1, 2, 32, 64), torch.float32)
        twins = [(n, n + 200) for n in range(100)]
        stages.take_embeddings(model, torch.randn(400, 96), twins)
        table = model.embed_tokens.detach()
        table = torch.nn.functional.normalize(table - table.mean(0), dim=1)
        likeness = table[:100] @ table[200:300].t()
        self.assertGreater(float(likeness.diagonal().min()), 0.8)
        self.assertTrue(torch.equal(likeness.argmax(1), torch.arange(100)))


class Rounding(unittest.TestCase):
    def test_training_sees_what_is_shipped(self):
        w = np.random.default_rng(0).normal(size=(6, 64)).astype(np.float32)
        packed, scale, least = export.quantise_ranges(w)
        q = np.stack([packed & 15, packed >> 4], 2).reshape(6, 2, 32)
        shipped = (q * scale[..., None].astype(np.float32) + least[..., None].astype(np.float32)).reshape(6, 64)
        seen = int4_rounded(torch.from_numpy(w)).numpy()
        self.assertLess(np.abs(seen - shipped).max(), 1e-6)
        self.assertLess(np.abs(seen - w).max(), (w.max() - w.min()) / 15)

    def test_gradients_pass_straight_through(self):
        w = torch.randn(2, 32, requires_grad=True)
        (int4_rounded(w) * 3).sum().backward()
        self.assertTrue(torch.equal(w.grad, torch.full_like(w, 3)))


class SharedKeys(unittest.TestCase):
    def test_one_key_head_for_several_is_several_alike(self):
        torch.manual_seed(0)
        shared = MaskedDiffusionTransformer(Config(300, 64, 2, 4, 16, 96, num_kv_heads=2), torch.float32)
        own = MaskedDiffusionTransformer(Config(300, 64, 2, 4, 16, 96), torch.float32)
        state = shared.state_dict()
        for n in range(2):
            layer, at = shared.layers[n], f"layers.{n}."
            q, k = layer.qk_proj.detach().split((64, 32))
            state[at + "qk_proj"] = torch.cat([q, layer.per_query_head(k, 0)])
            state[at + "v_proj"] = layer.per_query_head(layer.v_proj.detach(), 0)
        own.load_state_dict(state)
        ids = torch.randint(0, 300, (2, 10))
        self.assertLess(float((shared(ids) - own(ids)).abs().max()), 1e-4)

    def test_the_reference_shares_them_alike(self):
        torch.manual_seed(0)
        model = MaskedDiffusionTransformer(Config(300, 96, 2, 6, 16, 96, num_kv_heads=2), torch.float32)
        for layer in model.layers:
            torch.nn.init.normal_(layer.down_proj, std=0.3)
        ids = torch.randint(0, 300, (10,)).tolist()
        logits = reference.forward(model.c, export.weights(model), ids)
        self.assertLess(np.abs(model(torch.tensor([ids]))[0].detach().numpy() - logits).max(), 1e-4)


class Threads(unittest.TestCase):
    def test_are_as_many_as_asked_for(self):
        class Enough(Exception):
            pass

        before = torch.get_num_threads()
        self.addCleanup(torch.set_num_threads, before)
        programs = [(evaluate, ["DATA", "MODEL"]), (quantization, ["DATA", "CHECKPOINT", "--tokenizer", "T"])]
        with contextlib.suppress(ImportError):  # its judges
            import evaluate_tasks

            programs.append((evaluate_tasks, ["DATA", "MODEL", "--sets", "sql"]))
        for program, words in programs:
            for asked, threads in (([], 1), (["--threads", "2"], 2)):
                tokenizers = mock.Mock(from_file=mock.Mock(side_effect=Enough))
                with mock.patch.object(sys, "argv", [program.__name__, *words, *asked]), \
                        mock.patch.object(program, "Tokenizer", tokenizers), \
                        mock.patch.object(pools, "load"), \
                        mock.patch.object(evaluate, "heldout_snips"), self.assertRaises(Enough):  # fmt: skip
                    program.main()
                self.assertEqual(torch.get_num_threads(), threads)


class Decoding(unittest.TestCase):
    def test_rows_together_are_as_each_alone(self):
        torch.manual_seed(2)
        model = MaskedDiffusionTransformer(Config(300, 64, 2, 2, 32, 96), torch.float32)
        for layer in model.layers:
            torch.nn.init.normal_(layer.down_proj, std=0.3)
        canvases = [[5, 6, 7] + [MASK] * 9, [9, 8] + [MASK] * 10, [4] * 5 + [MASK, 20] + [MASK] * 5]
        together = decode_rows(model, canvases, 4)
        self.assertFalse(any(MASK in row for row in together))
        self.assertEqual(together[2][6], 20)
        for canvas, row in zip(canvases, together):
            self.assertEqual(decode(model, [], 0, 4, canvas=canvas), row)
        filled = {i for c, row in zip(canvases, together) for a, i in zip(c, row) if a == MASK}
        self.assertGreater(len(filled), 2)


if __name__ == "__main__":
    unittest.main()
