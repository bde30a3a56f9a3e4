"""Judges texts with Lark, for `against_lark.rs`.

    pip install lark==1.3.1 llguidance==1.9.1
    python against_lark.py > cases/lark/against-lark.jsonl

For each grammar in `cases/lark/against` it samples texts from the grammar,
damages some, and writes a line for each:

    {"grammar": ..., "text": ..., "lark": ..., "munch": ..., "why": ...}

`lark` is the verdict of Lark's Earley parser behind Lark's own basic lexer;
`munch` that of the same parser behind the lexer below, which follows the rule
that Lacuna documents and shares no code with it. Where the two differ, `why`
names the first lexeme's reason:

- `priority-first`: Lark took a terminal of higher priority, although another
  one matches more;
- `width-first`: Lark took the terminal whose longest text is the longest,
  although another one matches more here;
- `first-alternative`: inside one terminal Lark took an alternative that comes
  first, although a later one matches more;
- `tie`: both took the same text, Lark for another terminal (it looks at the
  length of patterns and at names, and not at the order of definition).

`llguidance` is llguidance's verdict, where it reads the grammar (it knows
neither priorities nor templates nor `%override`). Where it differs from `munch`,
`llguidance_why` says in what its lexer differs, by grammar:

- `contextual`: only what the parser can use next is lexed, so that a keyword
  can be a name where no keyword can stand;
- `ties-open`: of two terminals that match the same text, both are tried;
- `lazy-as-greedy`: lazy quantifiers are taken for greedy ones;
- `no-way-back`: a longer lexeme that was begun and cannot be finished is an
  error, where the shorter one before it would have done.
"""

import json
import random
import re
import sys
from pathlib import Path

try:
    from re import _parser as sre
except ImportError:  # Python before 3.11
    import sre_parse as sre

from lark import Lark
from llguidance import LLMatcher, LLTokenizer
from lark.exceptions import LarkError, UnexpectedCharacters
from lark.lexer import Lexer, PatternStr, Token

SAMPLED, DAMAGED, SHUFFLED = 30, 36, 12
LLGUIDANCE_REASONS = {
    "comments": "lazy-as-greedy",
    "defined_first": "ties-open",
    "greek": "no-way-back",
    "keywords": "contextual",
    "lazy_strings": "lazy-as-greedy",
    "no_case": "contextual",
    "numbers": "no-way-back",
}
LAZY = re.compile(r"(?<!\\)(?:[*+?]|\{\d*,?\d*\})\?")


class Munch(Lexer):
    """The longest match; then priority, literals, order of definition."""

    def __init__(self, conf):
        self.ignored = set(conf.ignore)
        ranked = enumerate(conf.terminals)
        key = lambda it: (-it[1].priority, not isinstance(it[1].pattern, PatternStr), it[0])
        self.terminals = [
            (terminal, re.compile(terminal.pattern.to_regexp()))
            for _, terminal in sorted(ranked, key=key)
        ]

    def longest(self, terminal, pattern, text, start):
        if not isinstance(terminal.pattern, PatternStr) and LAZY.search(terminal.pattern.value):
            found = pattern.match(text, start)
            return found.end() if found else start
        ends = range(len(text), start, -1)
        return next((end for end in ends if pattern.fullmatch(text[start:end])), start)

    def cut(self, text):
        at = 0
        while at < len(text):
            ends = [(self.longest(t, p, text, at), t.name) for t, p in self.terminals]
            end, name = max(ends, key=lambda it: it[0])
            if end == at:
                raise UnexpectedCharacters(text, at, 1, at)
            yield name, text[at:end]
            at = end

    def lex(self, text):
        for name, value in self.cut(getattr(text, "text", text)):
            if name not in self.ignored:
                yield Token(name, value)


def member(parser, text):
    try:
        parser.parse(text)
        return True
    except LarkError:
        return False


class LLGuidance:
    """Bytes one at a time; ignored text may come first, as in Lark."""

    def __init__(self, grammar):
        self.tokenizer = LLTokenizer("byte")
        options = '%llguidance {"allow_initial_skip": true}\n'
        self.grammar = LLMatcher.grammar_from_lark(options + grammar)
        self.reads = not LLMatcher(self.tokenizer, self.grammar, log_level=0).get_error()

    def member(self, text):
        matcher = LLMatcher(self.tokenizer, self.grammar, log_level=0)
        tokens = self.tokenizer.tokenize_str(text)
        return all(matcher.consume_token(token) for token in tokens) and matcher.is_accepting()


def own_lexemes(parser, text):
    """What Lark's basic lexer cuts, ignored ones too, up to its error."""
    scanner, at = parser.parser.lexer.scanner, 0
    callbacks = parser.parser.lexer.callback
    while at < len(text):
        found = parser.parser.lexer.match(parser_text(text), at)
        if not found:
            return
        value, name = found
        if name in callbacks:
            name = callbacks[name](Token(name, value)).type
        yield name, value
        at += len(value)


def parser_text(text):
    from lark.utils import TextSlice

    return TextSlice.cast_from(text)


def reason(parser, munch, text):
    priorities = {terminal.name: terminal.priority for terminal in parser.terminals}
    lexer = Munch(parser.parser.lexer_conf)
    theirs, ours = own_lexemes(parser, text), lexer.cut(text)
    while True:
        left = next(theirs, None)
        try:
            right = next(ours, None)
        except UnexpectedCharacters:
            right = None
        if left == right:
            if left is None:
                return "parser"
            continue
        if left is None or right is None:
            return "no-lexeme"
        if left[1] == right[1]:
            return "tie"
        if left[0] == right[0]:
            return "first-alternative"
        if priorities[left[0]] > priorities[right[0]]:
            return "priority-first"
        return "width-first"


class Sampler:
    """Texts of a grammar, as Lark has compiled it."""

    def __init__(self, parser, rng):
        self.rng = rng
        self.patterns = {t.name: sre.parse(t.pattern.to_regexp()) for t in parser.terminals}
        self.blanks = list(parser.ignore_tokens)
        self.rules = {}
        for rule in parser.rules:
            self.rules.setdefault(rule.origin.name, []).append(rule.expansion)
        self.depth = {name: 1000 for name in self.rules}
        for _ in range(50):
            for name, bodies in self.rules.items():
                self.depth[name] = min(1 + self.deepest(body) for body in bodies)

    def deepest(self, body):
        return max([0] + [self.depth[s.name] for s in body if not s.is_term])

    def names(self, rule, budget):
        bodies = self.rules[rule]
        fitting = [body for body in bodies if self.deepest(body) < budget]
        shallow = min(bodies, key=self.deepest)
        for symbol in self.rng.choice(fitting or [shallow]):
            if symbol.is_term:
                yield symbol.name
            else:
                yield from self.names(symbol.name, budget - 1)

    def text(self, names):
        pieces = []
        for name in names:
            if self.blanks and self.rng.random() < 0.6:
                pieces.append(self.lexeme(self.rng.choice(self.blanks)))
            pieces.append(self.lexeme(name))
        return "".join(pieces)

    def lexeme(self, name):
        return self.matched(self.patterns[name])

    def matched(self, parsed):
        return "".join(self.one(op, argument) for op, argument in parsed)

    def one(self, op, argument):
        rng, op = self.rng, str(op)
        if op == "LITERAL":
            return rng.choice([chr(argument), chr(argument)])
        if op == "NOT_LITERAL":
            return rng.choice([c for c in "ab \"1" if c != chr(argument)])
        if op == "ANY":
            return rng.choice("abc \"*/1é")
        if op == "IN":
            if str(argument[0][0]) == "NEGATE" or str(argument[0][0]) == "CATEGORY":
                pattern = re.compile(in_class(argument))
                return rng.choice([c for c in "abcxyz \"'*/19_é[]\n\\" if pattern.match(c)])
            kind, value = rng.choice(argument)
            if str(kind) == "RANGE":
                return chr(rng.randint(*value) if rng.random() < 0.5 else min(value[0] + 1, value[1]))
            return self.one("IN", [(kind, value)]) if str(kind) == "CATEGORY" else chr(value)
        if op in ("MAX_REPEAT", "MIN_REPEAT"):
            low, high, inside = argument
            count = rng.randint(low, min(int(high), low + 3))
            return "".join(self.matched(inside) for _ in range(count))
        if op == "BRANCH":
            return self.matched(rng.choice(argument[1]))
        if op == "SUBPATTERN":
            text = self.matched(argument[-1])
            return text.upper() if argument[1] & re.I and rng.random() < 0.3 else text
        return ""  # assertions


def in_class(items):
    names = {"CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w"}
    names |= {name.replace("Y_", "Y_NOT_", 1): c.upper() for name, c in list(names.items())}
    written = ""
    for kind, value in items:
        match str(kind):
            case "NEGATE":
                written += "^"
            case "CATEGORY":
                written += names[str(value)]
            case "RANGE":
                written += f"\\U{value[0]:08x}-\\U{value[1]:08x}"
            case _:
                written += f"\\U{value:08x}"
    return f"[{written}]"


def damaged(text, others, rng):
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(text))
        to = min(len(text), at + rng.randint(0, 3))
        other = rng.choice(others) or " "
        start = rng.randrange(len(other))
        piece = other[start : start + rng.randint(0, 3)]
        text = rng.choice([text[:at] + text[to:], text[:at] + piece + text[to:], text[:to] + text[at:]])
    return text


def main():
    folder = Path(__file__).parent / "cases" / "lark" / "against"
    for path in sorted(folder.glob("*.lark")):
        rng = random.Random(path.stem)
        grammar = path.read_text(encoding="utf8")
        parser = Lark(grammar, parser="earley", lexer="basic", keep_all_tokens=True)
        munch = Lark(grammar, parser="earley", lexer=Munch, keep_all_tokens=True)
        guidance = LLGuidance(grammar)
        sampler = Sampler(parser, rng)
        names = [terminal.name for terminal in parser.terminals]
        texts = [sampler.text(sampler.names("start", rng.randint(2, 9))) for _ in range(SAMPLED)]
        texts = [text for text in texts if len(text) < 120] or [""]
        texts += [damaged(rng.choice(texts), texts, rng) for _ in range(DAMAGED)]
        texts += [sampler.text(rng.choices(names, k=rng.randint(1, 5))) for _ in range(SHUFFLED)]
        for text in dict.fromkeys(texts):
            line = {"grammar": path.stem, "text": text}
            line["lark"], line["munch"] = member(parser, text), member(munch, text)
            if line["lark"] != line["munch"]:
                line["why"] = reason(parser, munch, text)
            if guidance.reads:
                line["llguidance"] = guidance.member(text)
                if line["llguidance"] != line["munch"]:
                    line["llguidance_why"] = LLGUIDANCE_REASONS[path.stem]
            print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf8")
    main()
