"""WikiSQL as questions about one table: its columns and a question in, a plain SQLite query out.

The table is called `t`. Columns are the published names in lower case, other characters than
letters and digits as `_`. Values are numbers, or quoted text as it stands in the question.
Published column lists are absent here: a table's columns are those that any question about it
names, so train and dev, which share no table, share none of these lists either.
"""

import bz2
import collections
import json
import os
import re
from dataclasses import dataclass

TABLE = "t"
QUERY = re.compile(r"SELECT (?:(COUNT|MAX|MIN|SUM|AVG) )?(.+?) FROM TABLE AS TABLEalias0(?: WHERE (.+))? ;")
COLUMN = re.compile(r"(?:TABLEalias0\.)?(.+)_FIELD")
TEST = re.compile(r'(.+?_FIELD) (=|<|>) "?(var\d+)"?')
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
# Words of SQLite that cannot be a column's name as they are.
RESERVED = frozenset(
    "add all alter and as autoincrement between case check collate commit constraint create default deferrable "
    "delete distinct drop else escape except exists foreign from group having if in index insert intersect into "
    "is isnull join limit not notnull null on or order primary references returning select set table then to "
    "transaction union unique update using values when where".split()
)


@dataclass
class Question:
    """`pieces` are (text, variable or None); `tests` are (column, operator, variable)."""

    table: str
    pieces: list
    columns: list
    picked: str
    aggregate: str
    tests: list

    @property
    def text(self):
        return "".join(text for text, _ in self.pieces)

    def sql(self):
        values = {name: text for text, name in self.pieces if name}
        picked = name_of(self.picked)
        picked = f"{self.aggregate}({picked})" if self.aggregate else picked
        query = f"SELECT {picked} FROM {TABLE}"
        tests = [f"{name_of(c)} {o} {literal(values[v])}" for c, o, v in self.tests]
        return query + (" WHERE " + " AND ".join(tests) if tests else "")


def column(published):
    return re.sub(r"[^a-z0-9]+", "_", published.lower()).strip("_")


def name_of(name):
    """A column in a query; quoted where SQLite asks for it."""
    plain = re.fullmatch(r"[a-z_]\w*", name) and name not in RESERVED
    return name if plain else f'"{name}"'


def literal(text):
    return text if NUMBER.fullmatch(text) else "'" + text.replace("'", "''") + "'"


def parsed(query):
    """(column, aggregate, tests) of a published query, or None where it is none of the form."""
    match = QUERY.fullmatch(query)
    if not match:
        return None
    aggregate, picked, where = match.groups()
    tests = []
    for part in re.split(r" AND (?=\S*?(?:TABLEalias0\.|_FIELD))", where) if where else ():
        found = TEST.fullmatch(part)
        if not found:
            return None
        tests.append((found[1], found[2], found[3]))
    columns = [COLUMN.fullmatch(c) for c in (picked, *(t[0] for t in tests))]
    if not all(columns):
        return None
    names = [column(c[1]) for c in columns]
    if not all(names):
        return None
    return names[0], aggregate, [(n, o, v) for n, (_, o, v) in zip(names[1:], tests)]


def load(folder, locate):
    """Split ("train" or "dev") -> questions whose values stand in them; `locate` marks them."""
    with bz2.open(os.path.join(folder, "wikisql", "wikisql-train-dev.json.bz2"), "rt") as f:
        entries = json.load(f)
    columns, found = collections.defaultdict(dict), collections.defaultdict(list)
    for entry in entries:
        query = parsed(entry["sql"][0])
        if query is None:
            continue
        picked, aggregate, tests = query
        for sentence in entry["sentences"]:
            listed = columns[sentence["table-id"]]
            listed.update(dict.fromkeys((picked, *(t[0] for t in tests))))
            text = " ".join(sentence["original"].split())
            pieces = locate(text, {t[2]: sentence["variables"].get(t[2], "") for t in tests})
            if pieces is not None:
                question = Question(sentence["table-id"], pieces, listed, picked, aggregate, tests)
                found[sentence["question-split"]].append(question)
    return found
