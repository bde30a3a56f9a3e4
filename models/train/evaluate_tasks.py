"""Held-out figures of the general model, judged from outside: JSON by a JSON Schema validator,
queries by SQLite with the table created, molecules by RDKit.

By default the model alone, in PyTorch, greedy, surest cells first or in another `--order`. With `--lacuna PROGRAM` the
project's command line writes the JSON within each request's own schema; with `--bound` plain
strings of the schema are then spans of the request (`x-spanOf`). Queries are then within
`query.lark` over the columns of their table, and their texts always such spans. Schemas of "records" are of the
held-out part; "executed" is the share of queries that give the reference's rows (`execution.py`);
no service of "sgd-unseen" and no table of "sql" is in any training example; SGD's
schemas are given whole. "In request" is the share of answers of which every string stands in the
request, enums apart.
"""

import argparse
import collections
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

import jsonschema_rs
import torch
from rdkit import Chem, RDLogger
from tokenizers import Tokenizer

import data
import execution
import molecules
import pools
import tasks
import wikisql
from checkpoint import dequantised, load
from evaluate import decode, decode_rows, read
from export import trained
from stages import encode
from synthetic import object_schema
from tokenizer import END, MASK
from train import BUCKET

CELLS = {"snips": 64, "sgd-seen": 64, "sgd-unseen": 64, "records": 96, "sql": 64, "molecules": 64}
ORDERS = ("confidence", "left-to-right")
QUERY_GRAMMAR = os.path.join(os.path.dirname(__file__), "..", "lacuna-small", "query.lark")
STRING = {"type": "string"}


def service(example):
    return tuple(example.schema[0]), tuple(example.schema[1])


def snips_schema(examples):
    slots = sorted({slot for example in examples for slot in example.slots()})
    intent = {"intent": {"enum": list(data.SNIPS_INTENTS)}}
    return object_schema({**intent, **{slot: STRING for slot in slots}}, ["intent"])


def json_cases(folder, made, count, seed=0):
    """Set -> (sample, schema, expected)."""
    rng = random.Random(seed)
    snips, dev = data.load_snips(folder, "val_"), data.load_sgd(folder, "dev")
    known, schema = {service(e) for e in data.load_sgd(folder, "train")}, snips_schema(snips)
    cases = {"snips": [(tasks.present_snips(e), schema) for e in rng.sample(snips, count)]}
    for name, seen in (("sgd-seen", True), ("sgd-unseen", False)):
        examples = rng.sample([e for e in dev if (service(e) in known) == seen], count)
        cases[name] = []
        for example in examples:
            sample = tasks.present_slots(example, rng, whole=True)
            listed = re.findall(r"[,{]([\w.-]+)", sample.prompt.split("\n")[0].split(" ", 1)[1])
            strings = {slot: STRING for slot in listed if slot != "intent"}
            intents = {"intent": {"enum": sorted(example.schema[0])}}
            cases[name].append((sample, object_schema({**intents, **strings}, ["intent"])))
    records = tasks.Sources(made, snips, dev).records
    drawn = [records.draw(rng, 5, evaluation=True) for _ in range(count)]
    cases["records"] = [(tasks.json_sample(s, request, value, "records"), s) for s, request, value in drawn]
    return cases


def bound(schema):
    """The schema with every plain string a run of words of the request."""
    if schema == STRING:
        return {**STRING, "x-spanOf": "request"}
    changed = dict(schema)
    if "properties" in schema:
        changed["properties"] = {k: bound(v) for k, v in schema["properties"].items()}
    if "items" in schema:
        changed["items"] = bound(schema["items"])
    return changed


def strings(value, schema):
    """The strings of a value that its schema leaves free."""
    if schema == STRING:
        return [value] if isinstance(value, str) else []
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        return [s for k, v in value.items() if k in inner for s in strings(v, inner[k])]
    if isinstance(value, list):
        return [s for v in value for s in strings(v, schema.get("items", {}))]
    return []


def judged_json(text, sample, schema):
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {"valid": False, "exact": False, "in request": False}
    valid = jsonschema_rs.is_valid(schema, value)
    request = sample.prompt.split("\n", 1)[1]
    return {"valid": valid, "exact": value == json.loads(sample.answer),
            "in request": valid and all(s in request for s in strings(value, schema))}  # fmt: skip


def query_grammar(sample):
    """`query.lark` of lacuna-small with the columns of a prompt."""
    columns = sample.prompt.split("\n")[0].removeprefix("sql ").split(",")
    literals = " | ".join(json.dumps(wikisql.name_of(c)) for c in columns)
    with open(QUERY_GRAMMAR, encoding="utf-8") as f:
        return re.sub(r"(?m)^column: .*$", lambda _: f"column: {literals}", f.read())


def normalised(query):
    """A query regardless of the order of its tests and of the case of letters."""
    head, _, where = query.lower().partition(" where ")
    return " ".join(head.split()), frozenset(" ".join(t.split()) for t in where.split(" and "))


def judged_query(text, sample):
    columns = sample.prompt.split("\n")[0].removeprefix("sql ").split(",")
    listed = ", ".join(f'"{c}"' for c in columns)
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE {wikisql.TABLE} ({listed})")
        try:
            base.execute(text).fetchall()
            valid = text.lower().startswith("select")
        except (sqlite3.Error, sqlite3.Warning):
            valid = False
    executed = valid and execution.agree(columns, text, sample.answer)
    return {"valid": valid, "exact": normalised(text) == normalised(sample.answer), "executed": executed}


class Alone:
    """The model without a grammar."""

    def __init__(self, args):
        self.tokenizer = Tokenizer.from_file(os.path.join(args.model, "tokenizer.json"))
        if args.checkpoint:
            self.model = trained(args.checkpoint)
        else:
            self.model = load(dequantised(args.model), torch.float32)
        self.model.dtype, self.order = torch.bfloat16, args.order

    def write(self, samples, cells, steps, schemas=None, temperature=0.0):
        """Texts of the samples; those of about one length together, on canvases of `cells` and up
        to seven more."""
        groups, texts = collections.defaultdict(list), {}
        for n, sample in enumerate(samples):
            prompt = encode(self.tokenizer, sample)[0]
            groups[-(-(len(prompt) + cells) // BUCKET) * BUCKET].append((n, prompt))
        for length, group in groups.items():
            rows = [prompt + [MASK] * (length - len(prompt)) for _, prompt in group]
            for (n, prompt), ids in zip(group, decode_rows(self.model, rows, steps, temperature, self.order)):
                texts[n] = read(self.tokenizer, ids[len(prompt) :])
        return [texts[n] for n in range(len(samples))]


class Within:
    """The command line, within the schema. A model that reads only the names of schemas gets
    those from the command line itself."""

    def __init__(self, args):
        self.args = args
        with open(os.path.join(args.model, "config.json")) as f:
            self.reads_schemas = "{schema}" in json.load(f)["prompt"]["template"]

    def write(self, samples, cells, steps, schemas):
        return [self.one(sample, cells, steps, schema) for sample, schema in zip(samples, schemas)]

    def one(self, sample, cells, steps, schema):
        """The text within a schema, or within the text of a Lark grammar."""
        task, request = sample.prompt.split("\n", 1)
        name, text = "g.lark", schema
        if isinstance(schema, dict):
            name, text = "g.schema.json", json.dumps(bound(schema) if self.args.bound else schema)
        with tempfile.TemporaryDirectory() as folder:
            grammar = os.path.join(folder, name)
            with open(grammar, "w", encoding="utf-8") as f:
                f.write(text)
            options = {"model": self.args.model, "grammar": grammar, "prompt": request, "length": cells,
                       "steps": steps, "device": "cpu", "cell-order": self.args.order}  # fmt: skip
            if self.reads_schemas or not task.startswith("json "):
                options["task"] = task
            words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
            done = subprocess.run([self.args.lacuna, "generate", *words], capture_output=True, text=True)
        if done.returncode != 0:  # counted as an answer that is not valid, and not in silence
            print(f"{request!r}: {done.stderr.strip()}", file=sys.stderr, flush=True)
        return done.stdout.strip()


def report(name, steps, rows, samples, args):
    shares = {key: round(sum(r[key] for r in rows) / len(rows), 4) for key in rows[0]}
    grammar = "none" if not args.lacuna else "schema, values bound" if args.bound else "schema"
    print(json.dumps({"set": name, "grammar": grammar, "order": args.order, "steps": steps, "count": len(rows), **shares}), flush=True)
    for prompt, text, answer in samples[: args.samples]:
        print(json.dumps({"prompt": prompt, "text": text, "expected": answer}, ensure_ascii=False), flush=True)


def run_json(writer, args, made):
    for name, cases in json_cases(args.data, made, args.count).items():
        if name not in args.sets:
            continue
        for steps in args.steps:
            samples, schemas = zip(*cases)
            texts = writer.write(samples, CELLS[name], steps, schemas)
            rows = [judged_json(text, *case) for text, case in zip(texts, cases)]
            shown = [(s.prompt, text, s.answer) for s, text in zip(samples, texts)]
            report(name, steps, rows, shown, args)


def run_queries(writer, args):
    rng = random.Random(0)
    questions = rng.sample(wikisql.load(args.data, data.locate)["dev"], args.count)
    cases = [tasks.present_question(q, rng) for q in questions]
    for steps in args.steps:
        texts = writer.write(cases, CELLS["sql"], steps, [query_grammar(c) for c in cases])
        rows = [judged_query(text, sample) for text, sample in zip(texts, cases)]
        report("sql", steps, rows, [(c.prompt, t, c.answer) for c, t in zip(cases, texts)], args)


def run_molecules(writer, args):
    """Molecules from nothing but "any", at temperature 1; and a third of one taken out and filled
    in again, in one to three regions."""
    rng = random.Random(0)
    torch.manual_seed(0)
    RDLogger.DisableLog("rdApp.*")
    smiles = rng.sample(molecules.load(args.data, "test"), args.count)
    known = {Chem.CanonSmiles(s) for s in molecules.load(args.data, "train")[:100_000]}
    free = tasks.Sample(f"{molecules.TASK}\n{molecules.ANY}", "", [])
    for steps in args.steps:
        texts = writer.write([free] * len(smiles), CELLS["molecules"], steps, temperature=1.0)
        forms = [Chem.MolFromSmiles(t) if t else None for t in texts]
        found = [Chem.MolToSmiles(m) for m in forms if m is not None]
        rows = [{"valid": m is not None} for m in forms]
        report("molecules", steps, rows, [(free.prompt, t, "") for t in texts], args)
        print(json.dumps({"unique": len(set(found)), "new": sum(f not in known for f in found), "of": len(found)}))
        rows = [infilled(writer, s, steps, random.Random(n)) for n, s in enumerate(smiles)]
        report("molecules, filled in", steps, rows, [], args)


@torch.no_grad()
def infilled(writer, smiles, steps, rng):
    prompt, answer, _ = encode(writer.tokenizer, tasks.Sample(f"{molecules.TASK}\n{molecules.ANY}", smiles, []))
    runs = rng.randint(1, 3)
    size = max(1, len(answer) // 3 // runs)
    canvas = answer[:]
    for _ in range(runs):
        at = rng.randrange(len(answer) - size + 1)
        canvas[at : at + size] = [MASK] * size
    text = read(writer.tokenizer, decode(writer.model, prompt, 0, steps, canvas=canvas + [END] * 2))
    return {"valid": bool(text) and Chem.MolFromSmiles(text) is not None, "exact": text == smiles}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("model", help="folder of the exported model")
    parser.add_argument("--checkpoint", help="weights in float, in place of the exported ones")
    parser.add_argument("--sets", nargs="+", choices=CELLS, default=list(CELLS))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--steps", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--samples", type=int, default=0, help="show so many outputs a set")
    parser.add_argument("--lacuna", metavar="PROGRAM", help="the command line, built; JSON and queries")
    parser.add_argument("--bound", action="store_true", help="values are spans of the request")
    parser.add_argument("--order", choices=ORDERS, default="confidence", help="which cells come first")
    parser.add_argument("--threads", type=int, default=1, help="of the model alone")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    made = pools.load(args.data)
    writer = Within(args) if args.lacuna else Alone(args)
    if set(args.sets) - {"sql", "molecules"}:
        run_json(writer, args, made)
    if "sql" in args.sets:
        run_queries(writer, args)
    if "molecules" in args.sets and not args.lacuna:
        run_molecules(writer, args)


if __name__ == "__main__":
    main()
