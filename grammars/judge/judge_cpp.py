"""Judges cpp.lark by g++ -std=c++17 -fsyntax-only.

The texts are the grammar's own, whole programs (written ones in cpp/programs.jsonl,
and others that cpp_generate makes), and mutants: lexemes left out, doubled, swapped,
put in or put elsewhere, and single characters besides. A compiler also refuses what
is no matter of grammar: its first message says so, and MEANING names it.
Long: every text is compiled.
"""

import concurrent.futures
import json
import os
import random
import re
import subprocess

import cpp_generate
import judging

LEXEME = re.compile(
    r"""R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\d[\w.']*|"""
    r"""\#[^\n]*|<<=|>>=|->|::|\+\+|--|<<|>>|[<>=!+*/%&|^-]=|&&|\|\||\.\.\.|\s+|."""
)
WORDS = (
    "( ) [ ] { } < > , ; : ? = == + - * / & && | ! ~ ++ -- -> . :: << >> ... int auto const 0 1.5 'c' "
    '"s" x if else for while do return class struct new delete template typename static operator this'
).split()

# Lexemes that can often stand for one another.
ALIKE = [
    "+ - * / % & | ^ < > <= >= == != && || and or << >> , .* ->* xor".split(),
    "= += -= *= /= %= <<= >>= &= |= ^= and_eq".split(),
    "int bool char double long auto unsigned short float void".split(),
    "if while switch".split(),
    "0 1 2 42 0x1F 0b1 017 1.5 .5f 1e3 'a' L'b' '\\\\n' true nullptr this 08 1'0 5u 0xFULL 1.f 2_x".split(),
    ["++", "--", "!", "~", "not ", "-", "*", "&"],
    ["break", "continue", "return", "throw", "goto done"],
    ["const", "static", "constexpr", "volatile", "inline", "extern", "virtual", "typename"],
    ["struct", "class", "union", "enum", "enum class"],
    [".", "->", "::"],
    ["(", "[", "{"],
    [")", "]", "}"],
    [";", ",", ":", ""],
]


def mutated(text, rng):
    for _ in range(rng.choice([1, 1, 1, 2])):
        parts = LEXEME.findall(text)
        places = [at for at, part in enumerate(parts) if not part.isspace()]
        at, other = rng.choice(places), rng.choice(places)
        kind = rng.randrange(11)
        if kind == 0:
            parts[at] = ""
        elif kind == 1:
            parts[at] += " " + parts[at]
        elif kind == 2:
            parts[at], parts[other] = parts[other], parts[at]
        elif kind == 3:
            parts[at] = rng.choice(WORDS)
        elif kind == 4:
            parts[at] += " " + rng.choice(WORDS) + " "
        elif kind == 5:
            following = places[min(places.index(at) + 1, len(places) - 1)]
            parts[at], parts[following] = parts[following], parts[at]
        elif kind == 6:
            brackets = [place for place in places if parts[place] in "()[]{}<>;,"]
            parts[rng.choice(brackets or places)] = ""
        elif kind == 7:
            parts[at] = parts[other]
        elif kind < 10:
            group = next((group for group in ALIKE if parts[at] in group), WORDS)
            parts[at] = rng.choice(group)
        else:
            middle = rng.randrange(len(parts[at]) + 1)
            parts[at] = parts[at][:middle] + rng.choice(" +-=<>0a.'\"") + parts[at][middle:]
        text = "".join(parts)
    return text


def texts():
    rng = random.Random(1)
    programs = (judging.HERE.parent / "cpp/programs.jsonl").read_text().split("\n")[:-1]
    programs = [json.loads(line)["text"] for line in programs]
    generated = [cpp_generate.program(seed) for seed in range(1000, 1100)]
    found = judging.shipped("cpp") + [text for text in programs + generated if len(text) < 1200]
    members = [text for text in found if "\n" not in text and "{" in text]
    short = [text for text in found if len(text) > 100]
    for sources, count in [(short, 600), (members, 300)]:
        found += [mutated(rng.choice(sources), rng) for _ in range(count)]
    return list(dict.fromkeys(found + programs))


def compiled(text):
    command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-fno-diagnostics-show-caret", "-x", "c++", "-"]
    environment = {**os.environ, "LC_ALL": "C"}
    run = subprocess.run(command, input=text.encode(), capture_output=True, env=environment)
    message = re.search(r"error: (.*)", run.stderr.decode())
    return run.returncode == 0, message[1] if message else ""


# What is valid and left out, as the head of the grammar says.
LEFT_OUT = [
    (r"//|/\*", "left out: comments"),
    (r"\\[^'\"?\\abfnrtv0-7xuU\n]", "left out: escapes that the standard does not know"),
    (r"(?m)^ *#.*[>\"] +\S|^ *#.*[>\"]\S", "left out: text behind the end of a directive"),
    (r"(?m)[^;}\s]\s*\n\s*#", "left out: directives in the middle of a declaration"),
    (r"(^|[\n;{}])\s*main\s*\(", "left out: functions without a return type"),
    (
        r"\b(int|long|unsigned|double|char|bool|auto|float) (typedef|static|inline|constexpr|extern|virtual|mutable)\b",
        "left out: typedef, static and so on behind the type",
    ),
]

# What the first message of the compiler is about, where it is not about grammar.
UNKNOWN = "a name that is not declared, or is not what it is used as"
TYPES = "types that do not fit"
TOGETHER = "words that a declaration cannot have together"
MEANING = [
    (r"not declared|not been declared|does not name a type|no '.*' declared|has no member named", UNKNOWN),
    (r"does not have any field|is not a (member|class|type|template|namespace|base)", UNKNOWN),
    (r"cannot be used as a (function|member pointer)|used but not defined|No such file", UNKNOWN),
    (r"expected class-name|unable to find \w+ literal operator", UNKNOWN),
    # The name of a namespace as if it were a value's.
    (r"expected primary-expression before '(->|<)' token", UNKNOWN),
    (r"no match|could not convert|cannot (convert|bind|declare|initialize|deduce|resolve|delete)", TYPES),
    (r"invalid (conversion|operands|initialization|use|cast|'\w+' from|array|type)|conversion from", TYPES),
    (r"different types|not an integer", TYPES),
    (r"lvalue required|request for member|wrong type argument|wrong number of template arguments", TYPES),
    (r"template argument \d+ is invalid|type/value mismatch|incomplete type|return-statement|return type", TYPES),
    (r"is not a constant|not captured|void|too (many|few)|discards qualifiers|read-only|from integer", TYPES),
    (r"is (protected|private)|base operand|unable to deduce|initializer|ambiguous|must (take|have|be)", TYPES),
    (r"redefinition|redeclar|conflicting declaration|previously declared|duplicate case|overloaded with", "a name declared twice"),
    (r"break statement|continue statement|case label|not within", "a jump out of place"),
    (r"duplicate '|declared '(virtual|inline|static|auto)|specified|storage class|conflicts with", TOGETHER),
    (r"(cannot|can only) be (declared|specified|virtual|defaulted|'?\w+'?)|pure|friend|explicit|mutable|typedef", TOGETHER),
    (r"with no type", "a function without a type, which might be a constructor"),
    (r"template class without a name", "too wide: a template of a class without a name"),
]

# A compiler that knows a name for a type expects other lexemes behind it than behind a
# value. Its message is then that of a wrong grammar, so each such text was read.
READ = [
    "vector<=std::thread", "animal and_eq duck", "Direction+::South", "p p[i]",
    # Casts to a reference and to an array, if the names were types.
    "(x18 & )x18", "(items4[total2])  std::endl",
]


def classify(text, judge):
    if judge:
        return next((reason for pattern, reason in LEFT_OUT if re.search(pattern, text)), None)
    message = VERDICTS[text][1]
    if message.startswith("expected") and any(part in text for part in READ):
        return UNKNOWN
    patterns = (entry for entry in MEANING if not message.startswith("expected") or entry[0].startswith("expected"))
    return next((reason for pattern, reason in patterns if re.search(pattern, message)), None)


# By text, whether it compiles, and the first message.
VERDICTS = {}

if __name__ == "__main__":
    ALL = texts()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        VERDICTS.update(zip(ALL, pool.map(compiled, ALL)))
    judging.judge("cpp.lark", ALL, lambda text: VERDICTS[text][0], classify)
