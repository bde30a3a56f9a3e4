"""Judges iso8601.regex by the readers of python-dateutil, aniso8601 and Python itself.

Needs: pip install python-dateutil aniso8601
"""

import datetime
import random
import re

import aniso8601
from dateutil.parser import isoparser

import judging

READERS = [
    isoparser().isoparse,
    aniso8601.parse_date,
    aniso8601.parse_datetime,
    datetime.datetime.fromisoformat,
]


EXTENDED_DATE = "[0-9]{4}-(W?[0-9]{2}-[0-9]{1,2}|[0-9]{3})"
EXTENDED_TIME = "[0-9]{2}:[0-9:]*[.,]?[0-9]*"
BASIC_TIME = "([0-9]{4}|[0-9]{6})([.,][0-9]+)?"
MIXED = (
    f"^{EXTENDED_DATE}T({BASIC_TIME}([-+Z]|$)|.*[-+][0-9]{{4}}$)"
    f"|^[0-9]{{4}}(W?[0-9]{{3}}|[0-9]{{4}})T.*:"
    f"|^(T|.*T)?{EXTENDED_TIME}[-+][0-9]{{4}}$"
    f"|T{BASIC_TIME}[-+][0-9]{{2}}:"
    f"|^[0-9]{{4}}(-W[0-9]{{3}}|W[0-9]{{2}}-[0-9])(T|$)"
)


# What the parts look like, whatever their values.
DATE_SHAPE = r"\d{4}(-?\d{2}-?\d{2}|-?\d{3}|-\d{2}|-?W\d{2}(-?\d)?)?"
TIME_SHAPE = r"\d{2}(:?\d{2}(:?\d{2})?)?([.,]\d+)?(Z|[-+]\d{2}(:?\d{2})?)?"
SHAPE = f"({DATE_SHAPE})(T{TIME_SHAPE})?|T{TIME_SHAPE}|(?=..:){TIME_SHAPE}"


def accepts(reader, text):
    try:
        reader(text)
    except (ValueError, NotImplementedError, ArithmeticError):
        return False
    return True


def verdict(text):
    """A time alone is judged on a day that is known to be good."""
    if re.match("T|[0-9]{2}:", text):
        text = "2024-02-28T" + text.removeprefix("T")
    return any(accepts(reader, text) for reader in READERS)


def classify(text, judge):
    """Why one of the readers takes a text that is left out, or none takes one that is in."""
    if not judge:
        rules = [
            ("^0000", "year 0000, which Python's calendar lacks"),
            ("^9999", "after the end of Python's calendar, once in UTC"),
        ]
    else:
        rules = [
            (":60|[0-9]{4}60", "leap second"),
            ("[^0-9WTZ:.,+-]", "a separator or a letter that ISO 8601 lacks"),
            ("-00(:?00)?$", "offset -00:00"),
            ("W53", "week 53 of a year that has 52, read as week 1 of the next"),
            ("[.,]([^0-9]|$)", "a fraction without digits"),
            ("^[0-9]{1,3}$", "century or decade"),
            ("^[0-9]{4}(-[0-9]{2})?(-?W[0-9]{2})?T", "a time after less than a whole date"),
            (MIXED, "basic and extended format mixed"),
        ]
    for pattern, reason in rules:
        if re.search(pattern, text):
            return reason
    if judge and not re.fullmatch(SHAPE, text):
        return "a part with the wrong number of digits"
    return None


def dates(rng):
    year = rng.choice([0, 4, 1583, 1900, 2000, 2020, 2023, 2024, 2026, 9999, rng.randrange(10000)])
    day = rng.choice([1, 28, 29, 30, 31, 32, rng.randrange(35)])
    month, week = rng.randrange(14), rng.choice([0, 1, 52, 53, 54, rng.randrange(60)])
    ordinal = rng.choice([0, 1, 365, 366, 367, rng.randrange(400)])
    return rng.choice([
        f"{year:04}-{month:02}-{day:02}", f"{year:04}{month:02}{day:02}",
        f"{year:04}-W{week:02}-{rng.randrange(9)}", f"{year:04}W{week:02}{rng.randrange(9)}",
        f"{year:04}-{ordinal:03}", f"{year:04}{ordinal:03}",
    ])  # fmt: skip


def times(rng):
    hour, minute, second = rng.choice([0, 9, 23, 24, 25]), rng.randrange(62), rng.randrange(62)
    fraction = rng.choice(["", "", ".5", ",25", ".123456", "."])
    zone = rng.choice(["", "", "Z", "+02", "-05:30", "+0530", "+24:00", "-00:00", "z"])
    return rng.choice([
        f"{hour:02}:{minute:02}:{second:02}", f"{hour:02}:{minute:02}", f"{hour:02}",
        f"{hour:02}{minute:02}{second:02}", f"{hour:02}{minute:02}", "24:00:00", "2400",
    ]) + fraction + zone  # fmt: skip


def texts():
    rng = random.Random(1)
    found = judging.shipped("iso8601")
    for _ in range(300):
        found += [dates(rng), "T" + times(rng), dates(rng) + "T" + times(rng)]
    pieces = ["0", "1", "2", "9", "-", ":", "T", "W", "Z", "+", ".", "53", "366", "-02-29", " "]
    return judging.with_mutants(found, pieces, 1600)


judging.judge("iso8601.regex", texts(), verdict, classify)
