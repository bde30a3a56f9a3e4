"""Judges bython.lark by Python's own parser, on texts turned into Python.

The texts are Python code of this repository with its blocks put into braces,
random programs, and mutants of both.
"""

import ast
import io
import random
import re
import tokenize
import warnings

import judging

warnings.simplefilter("ignore")

PREFIX = "(?:[rR]?[bB]|[bB][rR]|[uU]|[rR]?[fF]|[fF][rR]|[rR])?"
TOKEN = re.compile(
    rf'(?P<string>{PREFIX}(?:"""(?:[^"\\]|\\.|"(?!""))*"""|' + r"'''(?:[^'\\]|\\.|'(?!''))*'''|"
    r'"(?:[^"\\\r\n]|\\(?:\r\n|.))*"|' + r"'(?:[^'\\\r\n]|\\(?:\r\n|.))*'))"
    r"|(?P<number>\.?[0-9](?:[eE][-+]|[\w.])*)|(?P<name>\w+)|(?P<blank>[ \t\f\r\n]+)"
    r"|(?P<other>\.\.\.|.)",
    re.S,
)
COMPOUND = "if elif else while for try except finally with def class async".split()
KEYWORDS = set(
    "and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield".split()
)


def python(text):
    """The Python that a text stands for; None where braces and semicolons are wrong."""
    lines, line, brackets, indent = [], [], [], 0
    operand, lambdas = False, 0

    def flush(end):
        nonlocal line, lambdas
        lines.append("    " * indent + "".join(line).rstrip() + end)
        line, lambdas = [], 0

    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "blank":
            line += [" "] if line else []
            continue
        if token in ("'", '"', "\\"):
            return None
        in_block = not brackets or brackets[-1] == "block"
        if token == "{" and in_block and line:
            clause = "".join(line).rstrip() in ("else", "try", "finally", "except")
            if operand or clause:
                flush(":")
                brackets.append("block")
                indent += 1
                operand = False
                continue
        if token in ("(", "[", "{"):
            brackets.append(token)
        elif token in (")", "]", "}"):
            if not brackets:
                return None
            opened = brackets.pop()
            if opened == "block":
                if token != "}" or line:
                    return None
                indent -= 1
                operand = False
                continue
            if opened + token not in ("()", "[]", "{}"):
                return None
        elif token == ";" and in_block:
            if not line:
                return None
            flush("")
            operand = False
            continue
        elif token == "lambda" and in_block:
            lambdas += 1
        elif token == ":" and in_block:
            if line and line[0] in COMPOUND and not lambdas:
                return None
            lambdas = max(0, lambdas - 1)
        elif token in ("def", "class", "async") and line and line[0] == "@" and in_block:
            flush("")
        line.append(token)
        operand = (
            kind in ("string", "number")
            or kind == "name" and token not in KEYWORDS
            or token in (")", "]", "}", "...")
        )  # fmt: skip
    if brackets or line:
        return None
    return "\n".join(lines) + "\n"


def verdict(text):
    code = python(text)
    if code is None:
        return False
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


def classify(text, judge):
    strings = [m.group() for m in TOKEN.finditer(text) if m.lastgroup == "string"]
    bare = "".join('""' if m.lastgroup == "string" else m.group() for m in TOKEN.finditer(text))
    if not judge:
        return None
    rules = [
        ("#" in bare, "a comment"),
        (re.search(r"\b(match|case)\b", bare), "a match statement"),
        (re.search(r"[^\x00-\x7f]", bare), "a name beyond ASCII"),
        (any(re.match("[rR]?[fF]", s) or re.match("[fF][rR]", s) for s in strings), "an f-string that holds more"),
        (any(re.match("[rR][bB]|[bB][rR]|[bBrR]['\"]{3}", s) for s in strings), "a raw or bytes text of another form"),
        (any("\\N{" in s for s in strings), r"a character by its name, \N{…}"),
        (re.search(r"(?<![\w.])[0-9][\w.]*(if|else|and|or|in|is|for|not)\b", bare),
         "a keyword right behind a number"),
    ]  # fmt: skip
    return next((reason for holds, reason in rules if holds), None)


def bython(node):
    """A statement of Python with its block in braces."""
    code = ast.unparse(node)
    lines = code.splitlines(keepends=True)
    offsets = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    parts, start, end, depth = [], None, 0, 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.INDENT:
            parts[-1] = parts[-1].removesuffix(":;") + " {"
            depth += 1
        elif token.type == tokenize.DEDENT:
            depth -= 1
            parts.append("  " * depth + "}")
        elif token.type == tokenize.NEWLINE:
            decorates = code[start] == "@"
            parts.append("  " * depth + code[start:end] + ("" if decorates else ";"))
            start = None
        elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
            begin, end = (offsets[row - 1] + column for row, column in (token.start, token.end))
            start = begin if start is None else start
    return "\n".join(parts)


def collected():
    """The statements of the repository's own Python files."""
    for path in sorted(judging.ROOT.glob("grammars/judge/judg*.py")) + sorted(
        judging.ROOT.glob("models/**/*.py")
    ):
        for node in ast.parse(path.read_text()).body:
            text = bython(node)
            if len(text) < 900:
                yield text


class Programs:
    """Random programs."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *options):
        return self.rng.choice(options)

    def some(self, make, low=1, high=3, between=", "):
        return between.join(make() for _ in range(self.rng.randint(low, high)))

    def expr(self, depth=2):
        if depth == 0:
            return self.pick(
                "x", "y", "self", "1", "0x1F", "1.5e-3", "2j", "1_000", "'s'", '"é\\n"', "b'\\x00'", "r'\\d'",
                'f"{x.y!r:>4} {{}}"', "None", "True", "...", "'a' 'b'", '"""long\n"text" """',
            )  # fmt: skip
        e = lambda: self.expr(depth - 1)
        return self.rng.choice([
            lambda: f"{e()} {self.pick('+', '-', '*', '**', '//', '@', '<<', '|', '%')} {e()}",
            lambda: f"{e()} {self.pick('and', 'or', '==', '<', 'is not', 'not in', 'in', '!=')} {e()}",
            lambda: f"{self.pick('-', '~', 'not ')}{e()}",
            lambda: f"({e()})",
            lambda: f"{e()} if {e()} else {e()}",
            lambda: f"lambda {self.pick('', 'x', 'x, *y, z=1', '*, k')}: {e()}",
            lambda: f"{self.pick('f', 'x.y', 'self.g()')}({self.arguments(depth - 1)})",
            lambda: f"{self.pick('x', 'f()', '(1)')}[{self.pick(e(), '1:2', '::-1', ':, ...', e() + ', ' + e())}]",
            lambda: f"[{self.pick('', self.some(e), f'{e()} for x in {e()} if {e()}', '*x, y')}]",
            lambda: "{" + self.pick("", self.some(e), f"{e()}: {e()}", "**x, 'a': 1", f"{e()}: {e()} for k, v in y") + "}",
            lambda: f"({e()}, {self.pick('', e())})",
            lambda: f"(x := {e()})",
            lambda: f"await {self.pick('x', 'f(x)')}",
        ])()  # fmt: skip

    def arguments(self, depth):
        e = lambda: self.expr(depth)
        return self.pick(
            "", self.some(e), f"{e()}, k={e()}", "*x, **y", f"k={e()}, *x", f"{e()} for x in y", "x,"
        )  # fmt: skip

    def simple(self):
        e = lambda: self.expr(2)
        return self.rng.choice([
            e, e,
            lambda: f"{self.pick('x', 'x.y', 'x[0]', 'x, y', '(x, *y)', '[a, b]', 'x = y')} = {e()}",
            lambda: f"{self.pick('x', 'x.y', 'x[1:]')} {self.pick('+=', '//=', '**=', '>>=')} {e()}",
            lambda: f"x: {self.pick('int', 'list[int]')}{self.pick('', ' = ' + e())}",
            lambda: f"return {self.pick('', e())}",
            lambda: self.pick("pass", "break", "continue", "raise", "global x, y", "nonlocal z"),
            lambda: f"raise {e()} from {e()}",
            lambda: f"del {self.pick('x', 'x.y, x[0]', '(x, y)')}",
            lambda: f"assert {e()}, 'why'",
            lambda: self.pick("import a.b as c, d", "from . import x", "from ..a import (b as c, d,)", "from a import *"),
            lambda: f"yield {self.pick('', e(), 'from x')}",
        ])() + ";"  # fmt: skip

    def block(self, depth):
        return "{ " + self.some(lambda: self.statement(depth), 1, 3, " ") + " }"

    def statement(self, depth):
        if depth == 0 or self.rng.random() < 0.5:
            return self.simple()
        b, e = lambda: self.block(depth - 1), lambda: self.expr(1)
        return self.rng.choice([
            lambda: f"if {e()} {b()} {self.pick('', f'elif {e()} {b()}')} {self.pick('', f'else {b()}')}",
            lambda: f"for {self.pick('x', 'k, v')} in {e()} {b()}{self.pick('', f' else {b()}')}",
            lambda: f"while {e()} {b()}",
            lambda: f"with {self.pick('x', 'f() as y', 'a as b, c', '(a as b, c)')} {b()}",
            lambda: f"try {b()} {self.pick(f'except {b()}', f'except E as e {b()} else {b()}', f'finally {b()}', f'except* E {b()}')}",
            lambda: f"{self.pick('', 'async ')}def f({self.pick('', 'a, b=1', 'a, /, b: int, *c, d=2, **e', '*, k', 'self,')}){self.pick('', ' -> int')} {b()}",
            lambda: f"{self.pick('', '@dataclass ', '@a.b(1) @c ')}class C{self.pick('', '(B, k=1)', '()')} {b()}",
        ])()  # fmt: skip


def texts():
    programs = Programs(1)
    written = [programs.some(lambda: programs.statement(2), 1, 4, "\n") for _ in range(450)]
    found = judging.shipped("bython") + list(collected()) + written
    short = [text for text in found if len(text) < 300]
    pieces = list("(){}[];:,.=*+-'\"\\@ \nx1") + [
        f" {word} "
        for word in "if else for in is not and or lambda return def class try except with as del "
        "yield await async import from pass None := ** -> == += ... f'{x}' # *a **k".split()
    ]
    return found + judging.with_mutants(short, pieces, 1200, seed=2)


if __name__ == "__main__":
    judging.judge("bython.lark", texts(), verdict, classify)
