"""JSON Schemas in few tokens: how a schema stands in a prompt.

    {intent! "FindBus"|"BuyBusTicket",from_location,travelers int,stops [],seat {row int,window bool}}

A property is its name, `!` where it is required, and its type after a blank; a property without a
type is a string. Types: `int`, `num`, `bool`, `null`, `date`, `time`, `datetime`, a literal of an
enum as JSON, `[T]` for an array (`[]` of strings), `{...}` for an object, `any`, and alternatives
joined by `|`. A name that is not made of letters, digits, `_`, `-`, `$` and `.` stands as a JSON
string. What the notation has no word for (lengths, patterns, bounds) is left out: it guides the
model, and the grammar holds it to the schema.
"""

import argparse
import json
import re

PLAIN = re.compile(r"[\w$.-]+")
FORMATS = {"date": "date", "time": "time", "date-time": "datetime"}
SIMPLE = {"integer": "int", "number": "num", "boolean": "bool", "null": "null"}
DEPTH = 6


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def notation(schema):
    """The notation of a JSON Schema, any schema: what is not understood is `any`."""
    return kind(schema, schema, DEPTH) or "string"


def kind(schema, root, depth):
    """The type of a schema; nothing for a string."""
    if not isinstance(schema, dict) or depth == 0:
        return "any"
    if "$ref" in schema:
        return kind(resolved(root, schema["$ref"]), root, depth - 1)
    if "const" in schema:
        return compact(schema["const"])
    if "enum" in schema:
        return "|".join(compact(value) for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return "|".join(kind(s, root, depth - 1) or "string" for s in schema[word])
    if "allOf" in schema:
        return kind(merged(schema, root), root, depth - 1)
    name = schema.get("type", "object" if "properties" in schema else "any")
    if isinstance(name, list):
        return "|".join(kind({**schema, "type": n}, root, depth) or "string" for n in name)
    if name == "object":
        return properties(schema, root, depth)
    if name == "array":
        return f"[{kind(schema.get('items', {}), root, depth - 1)}]"
    if name == "string":
        return FORMATS.get(schema.get("format"), "")
    return SIMPLE.get(name, "any")


def properties(schema, root, depth):
    required = schema.get("required", ())
    parts = []
    for key, value in schema.get("properties", {}).items():
        name = key if PLAIN.fullmatch(key) else compact(key)
        mark = "!" if key in required else ""
        of = kind(value, root, depth - 1)
        parts.append(f"{name}{mark} {of}" if of else f"{name}{mark}")
    return "{" + ",".join(parts) + "}"


def resolved(root, pointer):
    """What a `$ref` within the same document points to, or nothing."""
    at = root
    for part in pointer.lstrip("#").split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        at = at.get(part) if isinstance(at, dict) else None
    return at


def merged(schema, root):
    """An `allOf` as one schema, properties and requirements together."""
    whole = {k: v for k, v in schema.items() if k != "allOf"}
    for part in schema["allOf"]:
        part = resolved(root, part["$ref"]) if "$ref" in part else part
        part = part or {}
        whole = {**part, **whole,
                 "properties": {**part.get("properties", {}), **whole.get("properties", {})},
                 "required": [*part.get("required", ()), *whole.get("required", ())]}  # fmt: skip
    return whole


def leaves(value):
    """Where the values stand in `compact(value)`, as (start, end), quotes of strings left out."""
    spans = []

    def walk(value, at):
        if isinstance(value, dict):
            at += 1
            for n, (key, inner) in enumerate(value.items()):
                at = walk(inner, at + (n > 0) + len(compact(key)) + 1)
            return at + 1
        if isinstance(value, list):
            at += 1
            for n, inner in enumerate(value):
                at = walk(inner, at + (n > 0))
            return at + 1
        size = len(compact(value))
        quotes = isinstance(value, str)
        spans.append((at + quotes, at + size - quotes))
        return at + size

    walk(value, 0)
    return spans


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schema", help="a JSON Schema; its task line is written")
    args = parser.parse_args()
    with open(args.schema) as f:
        print(f"json {notation(json.load(f))}")


if __name__ == "__main__":
    main()
