"""Judges arithmetic.gbnf by Python's parser, held to sums of numbers with operators and parentheses."""

import ast
import random
import re
import warnings

import judging

NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Constant,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.USub,
    ast.UAdd,
)


def verdict(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    nodes = list(ast.walk(tree))
    numbers = [node.value for node in nodes if isinstance(node, ast.Constant)]
    plain = all(type(number) in (int, float) for number in numbers)
    return plain and all(isinstance(node, NODES) for node in nodes)


def classify(text, judge):
    if not judge:
        if re.search(r"(?<![\d.])0\d", text):
            return "a zero before a whole number"
        if re.match(r" ", text):
            return "blanks at the beginning, which are indentation to Python"
        return None
    if re.search(r"[\t\f\r\n\\#]", text):
        return "left out: other blanks and comments"
    if re.search(r"(?<!\d)\.\d|\d\.(?!\d)", text):
        return "left out: a point without digits on both sides"
    if re.search(r"\d_\d|\d[eE]|0[xXoObB]", text):
        return "left out: other notations of numbers"
    if re.search(r"(^|[-+*/(]) *\+", text):
        return "left out: a plus sign"
    if re.search(r"^ | $", text):
        return "left out: blanks around the text"
    if re.search(r"- +", text) or re.search(r"\( ", text):
        return "left out: blanks behind a sign"
    return None


def number(rng):
    whole = str(rng.choice([0, 1, 7, 10, 42, 365, 10**12]))
    return whole + rng.choice(["", "", "", ".5", ".25", ".0"])


def expression(rng, depth):
    kind = rng.randrange(6 if depth else 1)
    blank = rng.choice(["", "", " ", "  "])
    if kind < 2:
        return number(rng)
    if kind == 2:
        return "-" + expression(rng, depth - 1)
    if kind == 3:
        return "(" + blank + expression(rng, depth - 1) + blank + ")"
    operator = rng.choice("+-*/")
    return expression(rng, depth - 1) + blank + operator + blank + expression(rng, depth - 1)


def texts():
    rng = random.Random(1)
    found = judging.shipped("arithmetic") + [expression(rng, 4) for _ in range(300)]
    alphabet = list("0123456789.+-*/() ") + ["**", "//", "..", "1.", ".5", "e5", "%", "x"]
    return judging.with_mutants([text for text in found if text], alphabet, 1200)


judging.judge("arithmetic.gbnf", texts(), verdict, classify)
