"""Training examples: a task line and a request in, a flat JSON object out (or a molecule).

Every example is kept as the pieces of its request, some of which carry a slot name. Values are
therefore verbatim by construction, and can be swapped for others in request and answer at once,
which is what makes copying pay: a value that was never seen cannot be recited, only carried over.
"""

import collections
import gzip
import json
import os
import random
import re
import string
from dataclasses import dataclass

import molecules

SNIPS_INTENTS = (
    "AddToPlaylist",
    "BookRestaurant",
    "GetWeather",
    "PlayMusic",
    "RateBook",
    "SearchCreativeWork",
    "SearchScreeningEvent",
)
SNIPS_TASK = "snips"
MOLECULE_SHARE = 0.45


@dataclass
class Example:
    """`pieces` are (text, slot or None); `schema` is (intents, slots), or None for SNIPS."""

    intent: str
    pieces: list
    schema: tuple = None

    @property
    def request(self):
        return "".join(text for text, _ in self.pieces)

    def slots(self):
        """The first value of each slot, in the order of the request."""
        found = {}
        for text, slot in self.pieces:
            if slot is not None:
                found.setdefault(slot, text)
        return found


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def written(answer):
    """An answer as the model writes it: text as it is, an object as compact JSON."""
    return answer if isinstance(answer, str) else compact(answer)


def task_line(intents, slots):
    return " ".join(intents) + ": " + " ".join(slots)


def answer(example, slot_order):
    """The object expected for an example, its slots in the given order."""
    values = example.slots()
    return {"intent": example.intent, **{s: values[s] for s in slot_order if s in values}}


def usable(text):
    """Values that JSON would have to escape are left out: the answer must be the request's text."""
    return text != "" and compact(text) == f'"{text}"'


def read_text(path):
    raw = gzip.open(path).read()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:  # one of the published files is Latin-1
        return raw.decode("latin-1")


def snips_pieces(parts):
    """Pieces of a published SNIPS request; blanks at the edge of a value move outside it."""
    pieces = []
    for part in parts:
        text, slot = part["text"].replace("\n", " "), part.get("entity")
        if slot is None:
            pieces.append((text, None))
            continue
        core = text.strip()
        if not usable(core):
            return None
        lead, tail = text[: text.index(core)], text[text.index(core) + len(core) :]
        pieces += [(t, s) for t, s in ((lead, None), (core, slot), (tail, None)) if t]
    return pieces


def load_snips(folder, prefix=""):
    """All SNIPS examples under `folder`; `prefix` is "val_" for the validation split."""
    examples = []
    for intent in SNIPS_INTENTS:
        document = json.loads(read_text(os.path.join(folder, "snips", f"{prefix}{intent}.json.gz")))
        for row in document[intent]:
            pieces = snips_pieces(row["data"])
            if pieces is not None:
                examples.append(Example(intent, pieces))
    return examples


def locate(text, values):
    """Pieces of `text` with every value of `values` marked, or None where one does not stand
    alone (on word boundaries, clear of the others). The request's own casing is kept."""
    spans = []
    for slot, value in values.items():
        match = None
        for hit in re.finditer(r"(?<!\w)" + re.escape(value) + r"(?!\w)", text, re.IGNORECASE):
            if all(hit.end() <= s or e <= hit.start() for s, e, _ in spans):
                match = hit
                break
        if match is None or not usable(match.group()):
            return None
        spans.append((match.start(), match.end(), slot))
    pieces, at = [], 0
    for start, end, slot in sorted(spans):
        if start > at:
            pieces.append((text[at:start], None))
        pieces.append((text[start:end], slot))
        at = end
    if at < len(text):
        pieces.append((text[at:], None))
    return pieces


def load_sgd(folder, split):
    """SGD user turns of one split ("train" or "dev") that inform slots, each with its schema."""
    base = os.path.join(folder, "sgd", "sgd-train-dev")
    schemas = json.loads(read_text(base + ".schemas.json.gz"))[split]
    examples = []
    for line in read_text(base + ".jsonl.gz").splitlines():
        row = json.loads(line)
        if row["split"] != split:
            continue
        pieces = locate(row["text"].replace("\n", " "), row["slots"])
        if pieces is None:
            continue
        schema = schemas[row["service"]]
        names = ([i["name"] for i in schema["intents"]], [s["name"] for s in schema["slots"]])
        if row["intent"] in names[0] and set(row["slots"]) <= set(names[1]):
            examples.append(Example(row["intent"], pieces, names))
    return examples


class Words:
    """Where invented text comes from: words of the real requests and random letters."""

    def __init__(self, examples):
        counts = collections.Counter()
        self.values = collections.defaultdict(list)
        names = set()
        for example in examples:
            counts.update(re.findall(r"\w+", example.request))
            for slot, value in example.slots().items():
                self.values[slot].append(value)
                names.add(slot)
        self.words = sorted(counts)
        self.names = sorted(names)
        self.intents = sorted({e.intent for e in examples})
        self.all_values = [v for slot in self.names for v in self.values[slot]]

    def word(self, rng):
        if rng.random() < 0.75:
            return rng.choice(self.words)
        letters = "".join(rng.choice(string.ascii_lowercase) for _ in range(rng.randint(2, 7)))
        return letters.capitalize() if rng.random() < 0.3 else letters

    def phrase(self, rng):
        count = rng.choice((1, 1, 2, 2, 3, 4))
        return " ".join(self.word(rng) for _ in range(count))

    def value(self, rng, slot):
        """A value to put in the place of another: of the same slot, of any, or of no sense."""
        draw = rng.random()
        if draw < 0.55 and slot in self.values:
            return rng.choice(self.values[slot])
        if draw < 0.65:
            return rng.choice(self.all_values)
        return self.phrase(rng)


def swap_values(example, words, rng):
    """The same request about other things."""
    pieces = [
        (words.value(rng, slot), slot) if slot is not None and rng.random() < 0.8 else (text, slot)
        for text, slot in example.pieces
    ]
    return Example(example.intent, pieces, example.schema)


KEYED = ("{k} {v}", "set {k} to {v}", "{k} is {v}", "with {k} {v}", "the {k} {v}", "{k}: {v}",
         "{v} as {k}", "{v} is the {k}", "make {v} the {k}", "use {v} for {k}")  # fmt: skip
OPENINGS = ("{i}", "{i}", "please {i}", "I want to {i}", "can you {i}", "{i} now", "do {i}")
JOINTS = (" ", ", ", " and ", ". ")


def spoken(name):
    """A name as people say it: `party_size` or `RateBook` in words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def synthetic(words, rng, hard=1.0):
    """A request that says outright which words belong to which key. `hard` in 0..1 lengthens it
    from one key with one phrase to several keys among distractors."""
    keys = set()
    wanted = 1 + int(rng.random() * (1 + 2.99 * hard))
    while len(keys) < wanted + int(rng.random() * 3 * hard):
        keys.add(rng.choice(words.names) if rng.random() < 0.6 else words.word(rng))
    listed = sorted(keys)
    rng.shuffle(listed)
    used = rng.sample(listed, wanted)
    intents = rng.sample(words.intents, 1 + int(rng.random() * 2))
    intent = rng.choice(intents)
    pieces = []
    if len(intents) > 1 or rng.random() < 0.5:
        pieces.append((rng.choice(OPENINGS).format(i=spoken(intent)) + rng.choice(JOINTS), None))
    for n, key in enumerate(used):
        joint = rng.choice(JOINTS) if n else ""
        before, after = rng.choice(KEYED).replace("{k}", spoken(key)).split("{v}")
        pieces += [(joint + before, None), (words.phrase(rng), key), (after, None)]
    return Example(intent, [(t, s) for t, s in pieces if t], (intents, listed))


def plain_copy(words, rng):
    """The first lesson: the whole request is the value, long enough to be mostly copying."""
    key = rng.choice(words.names)
    intent = rng.choice(words.intents)
    phrase = " ".join(words.word(rng) for _ in range(rng.randint(1, 12)))
    return Example(intent, [(phrase, key)], ([intent], [key]))


def present(example, rng, snips_as_schema=0.15):
    """(prompt text, answer) of an example as the model meets it: schemas in random order, with
    the slots that are needed and a few that are not."""
    needed = example.slots()
    if example.schema is None:
        if rng.random() >= snips_as_schema:
            return f"{SNIPS_TASK}\n{example.request}", answer(example, sorted(needed))
        intents, slots = [example.intent], sorted(needed)
    else:
        intents, slots = list(example.schema[0]), list(example.schema[1])
    others = [s for s in slots if s not in needed]
    chosen = list(needed) + rng.sample(others, min(len(others), rng.randint(0, 5)))
    rng.shuffle(chosen)
    rng.shuffle(intents)
    prompt = f"{task_line(intents, chosen)}\n{example.request}"
    return prompt, answer(example, chosen)


class Mixture:
    """An endless stream of presented examples. `copying`, the share of masked value cells that
    the model fills rightly, decides the lesson: plain copies until copying has begun, requests
    that name their keys until it is sound, then mostly real ones, and molecules beside them."""

    def __init__(self, snips, sgd, words, seed, smiles=()):
        self.snips, self.sgd, self.words, self.smiles = snips, sgd, words, smiles
        self.rng = random.Random(seed)

    def shares(self, copying):
        """(plain copies, synthetic requests); the rest is real."""
        if copying < 0.5:
            return 0.75, 0.15
        if copying < 0.7:
            return 0.2, 0.4
        return 0.02, 0.1

    def draw(self, copying):
        rng = self.rng
        if self.smiles and copying >= 0.7 and rng.random() < MOLECULE_SHARE:
            return molecules.present(rng.choice(self.smiles), rng)
        plain, invented = self.shares(copying)
        lot = rng.random()
        if lot < plain:
            example = plain_copy(self.words, rng)
        elif lot < plain + invented:
            example = synthetic(self.words, rng, hard=0.3 + 0.7 * (copying >= 0.7))
        else:
            example = rng.choice(self.snips if rng.random() < 0.55 else self.sgd)
            if rng.random() < 0.5:
                example = swap_values(example, self.words, rng)
        return present(example, rng)
