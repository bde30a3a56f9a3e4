"""Judges csv.gbnf by Python's reader of CSV, in its strict mode."""

import csv
import io
import random
import re

import judging

csv.field_size_limit(1 << 20)


def verdict(text):
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return False
    return True


def classify(text, judge):
    outside = re.sub('(^|(?<=[,\r\n]))"([^"]|"")*"', "quoted", text)
    if judge and '"' in outside:
        return "a quote inside a field that is not quoted"
    if judge and re.search("\r(?!\n)", outside):
        return "a carriage return alone ends a line"
    return None


def field(rng):
    words = ["", "a", "Zoë", "12", "-3.5", "two words", "x;y", "名", "'", "#", " padded "]
    quoted = ["", "a,b", "line\nline", 'say ""no""', "\r\n", ",", '""', "é"]
    return rng.choice([rng.choice(words), f'"{rng.choice(quoted)}"'])


def texts():
    rng = random.Random(1)
    found = judging.shipped("csv")
    for _ in range(250):
        records = (
            ",".join(field(rng) for _ in range(rng.randrange(1, 5)))
            for _ in range(rng.randrange(1, 5))
        )
        end = rng.choice(["\n", "\r\n"])
        found.append(end.join(records) + rng.choice(["", end]))
    return judging.with_mutants(found, ['"', '""', ",", "\n", "\r\n", "\r", "a", "é", " "], 1200)


judging.judge("csv.gbnf", texts(), verdict, classify)
