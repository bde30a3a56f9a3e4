"""Whether two queries about one table give the same rows, on rows made for them.

The published tables' contents are not in the data. Each column gets the values that either query
compares it to, and a few around them, so that every test is true of some rows and false of
others; the rows are drawn from these by a fixed seed, and some of them pass all tests of one of the
queries.

    python3 execution.py COLUMN,COLUMN,... FILE

judges the texts that `lacuna eval --json FILE` wrote about a table of these columns.
"""

import json
import random
import re
import sqlite3
import sys
from collections import Counter

import wikisql

ROWS = 32
# The greatest of some rows may be that of all by chance, but not each time.
FILLINGS = 8
NAME = r'"(?:[^"]|"")*"|[A-Za-z_]\w*'
TEST = re.compile(rf"({NAME}) ([=<>]) ('(?:[^']|'')*'|-?[\d.]+)")
AGGREGATED = re.compile(rf"\b(?:MAX|MIN|SUM|AVG)\(({NAME})\)", re.I)
# Virtual machine steps of SQLite's, in thousands.
PATIENCE = 1000


def tests(query):
    """(column, operator, value) of every comparison with a literal."""
    found = []
    for name, operator, literal in TEST.findall(query):
        text = literal[1:-1].replace("''", "'") if literal[0] == "'" else literal
        found.append((name.strip('"').replace('""', '"').lower(), operator, text))
    return found


def near(text):
    """A value and others that an order or a spelling tells from it."""
    if wikisql.NUMBER.fullmatch(text):
        number = float(text) if "." in text else int(text)
        return [number, number - 1, number + 1, number * 2 + 3]
    return [text, text.upper(), text + " II", "A" + text]


def passing(operator, text):
    """A value of which a test is true."""
    value, less, more, _ = near(text)
    if isinstance(value, str):
        return {"=": value, "<": "", ">": value + " II"}[operator]
    return {"=": value, "<": less, ">": more}[operator]


def rows(columns, queries, seed):
    rng = random.Random(seed)
    found = [test for query in queries for test in tests(query)]
    counted = {name.strip('"').lower() for query in queries for name in AGGREGATED.findall(query)}
    counted |= {column for column, _, text in found if wikisql.NUMBER.fullmatch(text)}
    pools = {column: [value for c, _, text in found if c == column for value in near(text)] for column in columns}

    def value(column):
        if pools[column] and rng.random() < 0.7:
            return rng.choice(pools[column])
        # Of one kind in a column, so that the greatest and the least are not always the same.
        return rng.randint(-50, 500) if column in counted else f"Ada {rng.randrange(1000)}"

    made = [[value(column) for column in columns] for _ in range(ROWS)]
    for at, row in enumerate(made[: ROWS // 2]):
        for column, operator, text in tests(queries[at % len(queries)]):
            if column in pools:
                row[columns.index(column)] = passing(operator, text)
    return made


def results(columns, content, query):
    """The rows of a query as a bag; None where SQLite refuses it."""
    listed = ", ".join('"' + c.replace('"', '""') + '"' for c in columns)
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE {wikisql.TABLE} ({listed})")
        base.executemany(f"INSERT INTO {wikisql.TABLE} VALUES ({', '.join('?' * len(columns))})", content)
        steps = iter(range(PATIENCE))
        base.set_progress_handler(lambda: next(steps, None) is None, 1000)
        try:
            return Counter(base.execute(query).fetchall())
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return None


def agree(columns, query, reference):
    """Whether a query gives what the reference gives, on every filling of the table."""
    for seed in range(FILLINGS):
        content = rows(columns, [reference, query], seed)
        wanted = results(columns, content, reference)
        if wanted is None or results(columns, content, query) != wanted:
            return False
    return True


def main():
    """Shares of exact and of executed queries in the runs that `lacuna eval --json FILE` wrote."""
    columns, file = sys.argv[1].split(","), sys.argv[2]
    with open(file, encoding="utf-8") as opened:
        series = json.load(opened)
    print("| steps | method | exact | executed |\n|--:|---|--:|--:|")
    for one in series:
        runs = one["outputs"]
        exact = sum(run["exact"] for run in runs)
        executed = sum(agree(columns, run["text"], run["expected"]) for run in runs)
        shares = " | ".join(f"{100 * count / len(runs):.1f}" for count in (exact, executed))
        print(f"| {one['steps']} | {one['method']} | {shares} |")


if __name__ == "__main__":
    main()
