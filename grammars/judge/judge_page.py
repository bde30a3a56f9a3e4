"""Judges the page's schemas by Python's jsonschema, on random objects and mutants of them.

`x-spanOf` is no keyword of JSON Schema: the validator sees the list of all spans of the
request in its place, found here by looking at the two sides of every piece.

Needs: pip install jsonschema
"""

import copy
import json
import random
import re

import jsonschema

import judging

REQUESTS = {
    "contact": "email Ann Lee about the May trip",
    "flights": "fly me from Paris to New York on May 3rd, and back on May 9th",
    "restaurants": 'a table for two at "Chez Léa" in San Jose at 6 pm.',
    "snips": "play jazz by Nina Simone from 1964, not Ann's",
}


def begins(before, character):
    """Whether a span may begin with the character."""
    word = before == "" or before.isspace()
    run = character.isalnum() and not before.isalnum()
    return not character.isspace() and (word or run)


def spans(text):
    found = {}
    for start in range(len(text)):
        if not begins(text[start - 1 : start], text[start]):
            continue
        for end in range(start + 1, len(text) + 1):
            # An end is a beginning seen from the other side.
            if begins(text[end : end + 1], text[end - 1]):
                found[text[start:end]] = None
    return list(found)


def with_spans(schema, values):
    """The schema with `enum` in place of `x-spanOf`."""
    if isinstance(schema, list):
        return [with_spans(part, values) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: with_spans(part, values) for key, part in schema.items()}
    if schema.pop("x-spanOf", None):
        schema["enum"] = values
    return schema


def not_json(constant):
    raise ValueError(constant)


def repeats_a_key(text):
    twice = []

    def pairs(found):
        keys = [key for key, _ in found]
        twice.extend(key for key in keys if keys.count(key) > 1)
        return dict(found)

    json.loads(text, object_pairs_hook=pairs)
    return bool(twice)


def classify(text, judge):
    if judge and repeats_a_key(text):
        return "a key given twice, of which the last counts"
    if judge and re.search(r"\d[eE]|\d\.0*\b", text):
        return "a number in another spelling"
    return None


def value(rng, schema, root, spanned):
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].split("/")[-1]]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "x-spanOf" in schema:
        return rng.choice(spanned) if rng.random() < 0.9 else rng.choice(["Rome", "", " ", "Ann Le"])
    if "pattern" in schema:
        return rng.choice(["ann@lee.org", "bo@ab.com", "abcdefghij@xy.net", "a@lee.org", "x@y"])
    kind = schema.get("type")
    if kind == "integer":
        return rng.choice([18, 30, 120, 99, 17, 121, 30.5])
    if kind == "boolean":
        return rng.choice([True, False])
    if kind == "array":
        count = rng.randrange(schema.get("minItems", 0), schema.get("maxItems", 3) + 1)
        return [value(rng, schema["items"], root, spanned) for _ in range(count)]
    return made(rng, schema, root, spanned)


def made(rng, schema, root, spanned):
    """An object that is right but for what chance leaves out or adds."""
    if "anyOf" in schema:
        schema = rng.choice(schema["anyOf"])
    required = schema.get("required", [])
    names = [name for name in schema["properties"] if name in required or rng.random() < 0.4]
    if rng.random() < 0.1:
        names.pop(rng.randrange(len(names)))
    rng.shuffle(names)
    found = {name: value(rng, schema["properties"][name], root, spanned) for name in names}
    if rng.random() < 0.05:
        found["other"] = 1
    return found


def texts(name, schema, spanned):
    rng = random.Random(1)
    found = []
    for _ in range(250):
        style = rng.choice([{}, {}, {"separators": (",", ":")}, {"indent": 1}, {"ensure_ascii": False}])
        found.append(json.dumps(made(rng, schema, schema, spanned), **style))
    alphabet = list('{}[]:,"\\ \n0159ane.@') + ["null", "true", "\\u0041", "Ann", '"intent"', "é"]
    return judging.with_mutants(found, alphabet, 600)


def judge(name):
    schema = json.loads((judging.HERE.parent / f"{name}.schema.json").read_text())
    spanned = spans(REQUESTS[name])
    validator = jsonschema.Draft202012Validator(with_spans(copy.deepcopy(schema), spanned))

    def verdict(text):
        try:
            return validator.is_valid(json.loads(text, parse_constant=not_json))
        except ValueError:
            return False

    request = {"request": REQUESTS[name]}
    found = texts(name, schema, spanned)
    judging.judge(f"{name}.schema.json", found, verdict, classify, request)


for name in REQUESTS:
    judge(name)
