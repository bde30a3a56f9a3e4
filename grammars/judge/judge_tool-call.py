"""Judges tool-call.schema.json by Python's jsonschema, on random calls and mutants of them.

Needs: pip install jsonschema
"""

import json
import random
import re

import jsonschema

import judging

SCHEMA = json.loads((judging.HERE.parent / "tool-call.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def not_json(constant):
    raise ValueError(constant)


def verdict(text):
    try:
        value = json.loads(text, parse_constant=not_json)
    except ValueError:
        return False
    return VALIDATOR.is_valid(value)


def repeats_a_key(text):
    """Whether some object of the text has a key twice."""
    twice = []

    def pairs(found):
        keys = [key for key, _ in found]
        twice.extend(key for key in keys if keys.count(key) > 1)
        return dict(found)

    json.loads(text, object_pairs_hook=pairs)
    return bool(twice)


def classify(text, judge):
    if not judge:
        return None
    if repeats_a_key(text):
        return "a key given twice, of which the last counts"
    if re.search(r"\d[eE]|\d\.0*\b", text):
        return "a number in another spelling"
    if re.search(r"\\u[dD][89a-fA-F]", text):
        return "half a surrogate pair"
    return None


def call(rng):
    """A call that is right but for what chance makes wrong, now and then."""
    pick = lambda right, wrong: rng.choice(wrong if rng.random() < 0.08 else right)
    letters = lambda length: "".join(rng.choices('abé "\\/', k=length))
    condition = {
        "column": pick(["age", "unit_price"], ["Age"]),
        "is": pick(["<", "like"], ["!="]),
        "value": pick([1, "x", None, True, 2.5], [[1]]),
    }
    arguments = {
        "get_weather": {
            "city": letters(pick([1, 2, 9], [0])),
            "unit": pick(["celsius", "fahrenheit"], ["kelvin", 1]),
            "days": pick([1, 5, 14, 3.0], [15, 0, 2.5, "3"]),
        },
        "search_flights": {
            "from": pick(["SFO", "OSL"], ["sfo", "SF"]),
            "to": "JFK",
            "date": pick(["2026-07-04", "2099-12-31"], ["2026-13-04", "2026-7-4"]),
            "passengers": pick([1, 2, 9], [0, 10, 1.5]),
            "cabin": pick(["first", "economy"], ["last"]),
            "max_price": pick([0, 99.5, 20000, 19999.999], [20001, -1, 20000.5]),
        },
        "send_message": {
            "to": ["ann@example.org"] * pick([1, 2, 5], [0, 6]),
            "subject": pick([None, "hi"], ["", 3]),
            "body": letters(rng.randrange(9)),
            "urgent": pick([True, False], ["no"]),
        },
        "set_timer": {
            "at": pick(["07:30", "23:59", {"minutes": 90}], ["24:00", {"minutes": 0}, {}]),
            "label": letters(pick([0, 7, 20], [21])),
        },
        "list_files": pick([{}], [{"path": "/"}]),
        "query_records": {
            "table": pick(["orders", "customers"], ["users"]),
            "limit": pick([1, 1000], [0, 1001]),
            "where": pick([condition, {"any_of": [condition] * 2}], [{"any_of": [condition]}]),
        },
    }
    name = rng.choice(list(arguments))
    kept = [(key, value) for key, value in arguments[name].items() if rng.random() < 0.92]
    rng.shuffle(kept)
    whole = [("name", name), ("arguments", dict(kept))]
    rng.shuffle(whole)
    style = rng.choice([{"indent": 2}, {"separators": (",", ":")}, {}, {"ensure_ascii": False}])
    return json.dumps(dict(whole), **style)


def texts():
    rng = random.Random(1)
    found = judging.shipped("tool-call") + [call(rng) for _ in range(450)]
    pieces = list('{}[]",:0123.e-\\ \n') + ["null", "true", '"name"', '"limit": 5', '"to"', "1.0"]
    return judging.with_mutants(found, pieces, 1200)


judging.judge("tool-call.schema.json", texts(), verdict, classify)
