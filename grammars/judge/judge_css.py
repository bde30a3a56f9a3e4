"""Judges css.lark by tinycss2.

Needs: pip install tinycss2
"""

import random
import re

import tinycss2

import judging

# The delimiters that values of properties are made of.
DELIMITERS = set(",/+-*?")


def everything(nodes):
    """The nodes and all that they hold."""
    for node in nodes:
        yield node
        for part in ("arguments", "content"):
            held = getattr(node, part, None)
            if isinstance(held, list):
                yield from everything(held)


def declarations(text):
    """The declarations of a text, or None if something else is in it."""
    nodes = tinycss2.parse_declaration_list(text, skip_whitespace=True)
    if any(node.type not in ("declaration", "comment") for node in nodes):
        return None
    return [node for node in nodes if node.type == "declaration"]


def verdict(text):
    """Whether all of the text is declarations with values, and no token in it is bad."""
    found = declarations(text)
    if found is None:
        return False
    return all(
        any(token.type not in ("whitespace", "comment") for token in declaration.value)
        and all(token.type != "error" for token in everything(declaration.value))
        for declaration in found
    )


def classify(text, judge):
    if "/*" in text:
        return "a comment"
    if "\0" in text or "\\" in text and re.search(r"\\$", text):
        return "a backslash or a zero byte at the end"
    if not judge:
        return None
    if re.search(r"![^;]*\\[^;]*$", text) or re.search(r"![^;]*\\[^;]*;", text):
        return "!important with an escape in it"
    tokens = list(everything(token for found in declarations(text) for token in found.value))
    rules = [
        (any(token.type == "literal" and token.value not in DELIMITERS for token in tokens),
         "a token that no property's value is made of"),
        (any(token.type in ("{} block", "at-keyword") for token in tokens), "braces or an @ word"),
        (any(token.type == "function" and token.lower_name == "url" for token in tokens),
         "a url with modifiers, or with its name escaped"),
        (open_at_end(text), "a string, url or bracket that only the end of the text closes"),
    ]  # fmt: skip
    return next((reason for holds, reason in rules if holds), None)


def open_at_end(text):
    """Whether more text would not begin a declaration of its own."""
    marker = ";lacuna-end:1"
    found = declarations(text + marker)
    return not found or found[-1].name != "lacuna-end"


VALUES = [
    "0", "-1.5em", "+.5e3px", "100%", "#fff", "#Ab12Cd", "red", "-webkit-box", "--accent", "'a\\'b'",
    '"x;y"', "url(a.png)", "url( 'b c.png' )", "URL(data:image/png;base64,iVBO+/=)", "U+0025-00FF", "u+4??",
    "calc(100% - (2 * var(--gap, 1px)) / 3)", "rgb(0 0 0 / 50%)", "[full-start]", "1fr", "é", "\\26 x",
    "translate(-50%, 10px)", "cubic-bezier(.1,.7,1,.1)", "f()", "1e3", "1e3s", "a,b", "12px/1.5", "()",
]  # fmt: skip
NAMES = ["color", "margin-left", "--x", "-moz-appearance", "GRID-area", "_a", "\\66 oo", "b\\:c", "--"]


def text_of(rng):
    parts = []
    for _ in range(rng.randrange(1, 5)):
        value = rng.choice(["", " "]).join([""] + [rng.choice(VALUES) for _ in range(1)])
        value = " ".join([value] + rng.sample(VALUES, rng.randrange(3)))
        colon = rng.choice([":", ": ", " : ", ":\n\t"])
        parts.append(rng.choice(NAMES) + colon + value + rng.choice(["", "", " !important", "! IMPORTANT "]))
    return rng.choice(["; ", ";", ";\n", ";;"]).join(parts) + rng.choice(["", ";", " "])


def texts():
    rng = random.Random(1)
    found = judging.shipped("css") + [text_of(rng) for _ in range(450)]
    pieces = list(":;,()[]{}'\"\\#.%!@+-*/? \n\t") + ["a", "1", "px", "url(", "!important", "é", "--"]
    return judging.with_mutants(found, pieces, 1500)


judging.judge("css.lark", texts(), verdict, classify)
