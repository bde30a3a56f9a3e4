"""All tasks of the general model, each with one prompt form; the answer is text.

| task | prompt (then the separator) | answer |
|---|---|---|
| extraction | `json {schema in notation}`, newline, request | compact JSON, properties in the schema's order |
| SNIPS | `snips`, newline, request | JSON: intent, then slots in alphabetical order |
| query | `sql column,column,...`, newline, question | SQLite over the table `t` |
| molecule | `molecule`, newline, facts | SMILES |

Infilling has no prompt form of its own: the answer's known cells stand in the canvas.
"""

import random
from dataclasses import dataclass, field

import data
import everyday
import molecules
import synthetic
import wikisql
from schema import compact, leaves, notation

# Copying has begun when half of the cells of random words are right, and is sound when somewhat
# more of the cells of held-out records are: these hold spelt-out numbers and dates, too.
BEGUN, SOUND = 0.5, 0.55
# From here on values are seldom swapped for others: which value is of which slot is learned from
# those that are.
FLUENT = 0.85

# Shares once copying is learned; before, molecules, which copy nothing, wait.
SHARES = {"snips": 0.25, "sgd": 0.23, "synthetic": 0.12, "everyday": 0.17, "sql": 0.21, "molecules": 0.02}
LESSON_SHARES = {"snips": 0.2, "sgd": 0.25, "synthetic": 0.4, "sql": 0.15}

OPTIONAL = ("molecules",)


@dataclass
class Sample:
    """`values` are (start, end) in `answer`: what must be found, not formed."""

    prompt: str
    answer: str
    values: list
    task: str = field(default="")


def json_sample(schema, request, value, task):
    answer = compact(value)
    return Sample(f"json {notation(schema)}\n{request}", answer, leaves(value), task)


def slot_schema(intents, slots):
    return synthetic.object_schema(
        {"intent": {"enum": list(intents)}, **{s: {"type": "string"} for s in slots}}, ["intent"]
    )


def present_slots(example, rng, whole=False):
    """A SNIPS or SGD example under a schema: the intents of its service, the slots it needs and
    others, all of them where `whole`."""
    needed = example.slots()
    if example.schema is None:
        intents = {example.intent, *rng.sample(data.SNIPS_INTENTS, rng.randint(0, 3))}
        intents, slots = sorted(intents), sorted(needed)
    else:
        intents, slots = list(example.schema[0]), list(example.schema[1])
    others = [s for s in slots if s not in needed]
    if not whole:
        others = rng.sample(others, rng.randint(0, len(others)))
    chosen = [*needed, *others]
    rng.shuffle(chosen)
    rng.shuffle(intents)
    answer = data.answer(example, chosen)
    sample = json_sample(slot_schema(intents, chosen), example.request, answer, "sgd")
    sample.values = sample.values[1:]  # the intent is chosen, not copied
    return sample


def present_snips(example):
    answer = data.answer(example, sorted(example.slots()))
    return Sample(f"{data.SNIPS_TASK}\n{example.request}", compact(answer), leaves(answer)[1:], "snips")


def present_question(question, rng):
    columns = list(question.columns)
    rng.shuffle(columns)
    answer = question.sql()
    values = []
    for text in dict.fromkeys(text for text, name in question.pieces if name):
        at = answer.find(wikisql.literal(text))
        if at >= 0:
            quote = wikisql.literal(text)[0] == "'"
            values.append((at + quote, at + len(wikisql.literal(text)) - quote))
    return Sample(f"sql {','.join(columns)}\n{question.text}", answer, values, "sql")


def swap_question(question, words, rng):
    """The same question about other things; numbers for numbers."""

    def other(text):
        if wikisql.NUMBER.fullmatch(text):
            return str(rng.choice((rng.randint(0, 30), rng.randint(0, 3000))))
        return words.value(rng, None)

    pieces = [(other(t), n) if n and rng.random() < 0.8 else (t, n) for t, n in question.pieces]
    return wikisql.Question(question.table, pieces, question.columns, question.picked,
                            question.aggregate, question.tests)  # fmt: skip


def present_molecule(smiles, rng, described=True):
    said = (molecules.described if described else molecules.facts)(smiles, rng)
    return Sample(f"{molecules.TASK}\n{said}", smiles, [(0, len(smiles))], "molecules")


class Sources:
    """What the samples are drawn from; without data sets, synthetic records alone."""

    def __init__(self, pools, snips=(), sgd=(), questions=(), smiles=()):
        self.snips, self.sgd, self.questions, self.smiles = snips, sgd, questions, smiles
        self.words = data.Words([*snips, *sgd])
        if not self.words.words:
            self.words.words = pools["word"]
            self.words.names = sorted({k for keys, _ in synthetic.TEXTS.values() for k in keys.split()})
            self.words.intents = ["Add", "Find", "Book"]
            self.words.all_values = pools["title"]
        self.records = synthetic.Records(pools, self.words.phrase)
        self.sentences = everyday.Everyday(pools, self.words.phrase)


def load(folder, pools, without=()):
    """(training sources, held-out sources) from the folder of data sets, less those of `OPTIONAL`
    that are to be left out: they need not be there."""
    sgd = {split: data.load_sgd(folder, split) for split in ("train", "dev")}
    questions = wikisql.load(folder, data.locate)
    smiles = {"train": (), "test": ()}
    if "molecules" not in without:
        smiles = {split: molecules.load(folder, split) for split in smiles}
    training = Sources(pools, data.load_snips(folder), sgd["train"], questions["train"], smiles["train"])
    held_out = Sources(pools, data.load_snips(folder, "val_"), sgd["dev"], questions["dev"], smiles["test"])
    return training, held_out


class Mixture:
    """An endless stream of samples. `copying`, the share of masked value cells that the model
    fills rightly, decides the lesson: plain copies until copying has begun, records that name
    their keys until it is sound, then all tasks."""

    def __init__(self, sources, seed):
        self.sources, self.rng = sources, random.Random(seed)

    def draw(self, copying):
        rng, sources = self.rng, self.sources
        plain = 0.7 if copying < BEGUN else 0.15 if copying < SOUND else 0.02
        if rng.random() < plain:
            return self.plain_copy()
        shares = SHARES if copying >= SOUND else LESSON_SHARES
        at_hand = {"snips": sources.snips, "sgd": sources.sgd, "synthetic": True, "everyday": True,
                   "sql": sources.questions, "molecules": sources.smiles}  # fmt: skip
        names = [n for n in shares if at_hand[n] and (n != "sql" or copying >= BEGUN)]
        name = rng.choices(names, [shares[n] for n in names])[0]
        return getattr(self, name)(copying)

    def plain_copy(self):
        rng, words = self.rng, self.sources.words
        key = rng.choice(words.names)
        phrase = " ".join(words.word(rng) for _ in range(rng.randint(1, 12)))
        schema = synthetic.object_schema({key: {"type": "string"}}, [])
        return json_sample(schema, phrase, {key: phrase}, "copy")

    def real(self, examples, copying):
        example, swapped = self.rng.choice(examples), 0.5 if copying < FLUENT else 0.2
        return data.swap_values(example, self.sources.words, self.rng) if self.rng.random() < swapped else example

    def snips(self, copying):
        example = self.real(self.sources.snips, copying)
        return present_snips(example) if self.rng.random() < 0.8 else present_slots(example, self.rng)

    def sgd(self, copying):
        return present_slots(self.real(self.sources.sgd, copying), self.rng)

    def synthetic(self, copying):
        most = 2 if copying < BEGUN else 4 if copying < SOUND else 7
        return json_sample(*self.sources.records.draw(self.rng, most), "synthetic")

    def everyday(self, copying):
        return json_sample(*self.sources.sentences.draw(self.rng), "everyday")

    def sql(self, copying):
        question = self.rng.choice(self.sources.questions)
        if self.rng.random() < (0.3 if copying < FLUENT else 0.15):
            question = swap_question(question, self.sources.words, self.rng)
        return present_question(question, self.rng)

    def molecules(self, copying):
        return present_molecule(self.rng.choice(self.sources.smiles), self.rng)
