"""Judges json.lark by Python's reader of JSON, in its strict mode."""

import json
import random

import judging


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def verdict(text):
    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def value(rng, depth):
    blank = lambda: rng.choice(["", "", " ", "\n\t", "\r\n"])
    kind = rng.randrange(6 if depth else 4)
    if kind == 0:
        return rng.choice(["true", "false", "null"])
    if kind == 1:
        numbers = ["0", "-0", "7", "120", "-3.25", "1e9", "2E-3", "0.5e+07", "-10.00", "98765432109876543210"]
        return rng.choice(numbers)
    if kind in (2, 3):
        pieces = ["a", "word", " ", "é", "名", "😀", "\\n", '\\"', "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "/", "{", "]"]
        return '"' + "".join(rng.choice(pieces) for _ in range(rng.randrange(5))) + '"'
    items = [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 4:
        return "[" + blank() + f"{blank()},{blank()}".join(items) + blank() + "]"
    members = [f'"{rng.choice("abcdé")}"{blank()}:{blank()}{item}' for item in items]
    return "{" + blank() + f"{blank()},{blank()}".join(members) + blank() + "}"


def texts():
    rng = random.Random(1)
    found = judging.shipped("json") + [value(rng, 3) for _ in range(300)]
    alphabet = list('{}[]:,"\\ \n\t\x0b\x00\'-+.eE0195utrfnal/é') + ["true", "null", "\\u", "\\x", "//", "NaN", "00"]
    return judging.with_mutants([text for text in found if text], alphabet, 1500)


judging.judge("json.lark", texts(), verdict, lambda text, judge: None)
