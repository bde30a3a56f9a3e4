"""Judges the texts that `lacuna eval --json FILE` wrote, by a tool from outside.

    python3 judge_tables.py sql|cpp|smiles FILE...

For each method and number of steps, in percent: the texts whose syntax the tool takes, before
recovery and after, and those that it takes altogether; for SQL also those that do what the
reference does, run on filled tables (sql_tables.py), of the references that run. What the tool
says otherwise than the grammar is then counted by classes: texts of one that are none of the
other, and texts whose syntax is right and that are refused for what they mean.

- sql: SQLite, the tables created.
- cpp: clang where it is installed (apt-get install clang), which names the category of its
  messages: syntax is what no "Parse Issue" or "Lexical or Preprocessor Issue" comes first in.
  Else g++, whose messages are told apart by their words. Both -std=c++17 -fsyntax-only.
- smiles: RDKit (pip install rdkit), without sanitising and with.
"""

import collections
import functools
import json
import os
import re
import shutil
import subprocess
import sys


class Sql:
    tool = "SQLite"

    def __init__(self):
        import judge_sql
        import sql_tables

        self.classify, self.about_syntax = judge_sql.classify, judge_sql.ABOUT_SYNTAX
        self.complaint, self.outcome = sql_tables.complaint, functools.cache(sql_tables.outcome)

    def __call__(self, text):
        """Whether the syntax is right, and what else is wrong, if anything."""
        message = self.complaint(text) if text.strip() else "incomplete input"
        meaning = message and re.sub(r":.*|\b\d+(st|nd|rd|th)? |\S+\(\)", "", message).strip()
        return not (message and self.about_syntax.search(message)), meaning

    def executed(self, text, reference):
        """Whether a text does what the reference does; None where that does nothing."""
        wanted = self.outcome(reference)
        return None if wanted is None else self.outcome(text) == wanted


class Cpp:
    clang = shutil.which("clang")
    tool = "clang" if clang else "g++"
    # Of g++, first messages that are about syntax.
    about_syntax = re.compile(
        r"expected (?!class-name|primary-expression before '(->|<)')|stray|missing terminating|unterminated"
        r"|does not name a type\b(?!;)|extraneous|unexpected|empty character|null directive|invalid preprocessing"
    )

    def __init__(self):
        import judge_cpp

        # Of texts that belong to the grammar only the message says what is wrong.
        self.classify = lambda text, judge: judge_cpp.classify(text, judge) if judge else None

    def __call__(self, text):
        own = ["-fno-caret-diagnostics", "-fdiagnostics-show-category=name"] if self.clang else ["-fno-diagnostics-show-caret"]
        command = [self.clang or "g++", "-std=c++17", "-fsyntax-only", "-w", *own, "-x", "c++", "-"]
        environment = {**os.environ, "LC_ALL": "C"}
        run = subprocess.run(command, input=text.encode(), capture_output=True, env=environment)
        message = re.search(r"error: (.*)", run.stderr.decode(errors="replace"))
        if message is None:
            return True, None
        plain = re.sub(r" *'[^']*'|; did you mean.*", "", re.sub(r" \[[^\]]*\]$", "", message[1])).strip()
        if self.clang:
            category = re.search(r"\[([^\]]*)\]$", message[1])
            return not re.match("Parse|Lexical", category[1] if category else ""), plain
        named = re.search(r"'\w+' (does not name a type|was not declared)", message[1])
        return bool(named) or not self.about_syntax.search(message[1]), plain


class Smiles:
    tool = "RDKit"

    def __init__(self):
        import judge_smiles
        from rdkit import Chem

        self.chem, self.parameters, self.judging = Chem, judge_smiles.PARAMETERS, judge_smiles

    def classify(self, text, judge):
        numbers = collections.Counter(self.judging.rings(text))
        if not judge and any(count % 2 for count in numbers.values()):
            return "a ring bond that is not closed"
        atoms = re.findall(r"\[[^\]]*\]", text)
        if not judge and any(self.chem.MolFromSmiles(atom, self.parameters) is None for atom in atoms):
            return "an atom that RDKit does not know"
        return self.judging.classify(text, judge)

    def __call__(self, text):
        found = self.chem.MolFromSmiles(text, self.parameters)
        if found is None:
            return False, "refused"
        if self.chem.MolFromSmiles(text) is not None:
            return True, None
        problems = self.chem.DetectChemistryProblems(found)
        return True, problems[0].GetType() if problems else "another"


def main(kind, files):
    judge = {"sql": Sql, "cpp": Cpp, "smiles": Smiles}[kind]()
    known = functools.cache(judge)
    rows, classes = {}, collections.Counter()
    for file in files:
        with open(file) as opened:
            series = json.load(opened)
        for one in series:
            row = rows.setdefault((one["steps"], one["method"]), [])
            for output in one["outputs"]:
                row.append(judged(judge, known, output))
                for kind_of in differences(judge, known, output):
                    classes[one["method"].startswith("lacuna"), *kind_of] += 1
    executes = hasattr(judge, "executed")
    print(f"Judged by {judge.tool}.\n")
    heads = ["runs", "member", "member before recovery", "syntax", "syntax before recovery", "accepted", "exact"]
    heads += ["executed"] * executes
    print("| steps | method |", " | ".join(heads), "|")
    print("|--:|---|" + "--:|" * len(heads))
    for (steps, method), row in rows.items():
        shares = [share(one[at] for one in row) for at in range(len(row[0]))]
        print(f"| {steps} | {method} |", " | ".join([str(len(row)), *shares]), "|")
    print("\n| difference | class | texts of others | of lacuna |\n|---|---|--:|--:|")
    for what, reason in sorted({key[1:] for key in classes}):
        print(f"| {what} | {reason} | {classes[False, what, reason]} | {classes[True, what, reason]} |")


def judged(judge, known, output):
    """The row's figures of one text."""
    syntax, meaning = known(output["text"])
    member, before = output["member"], not output["recovered"]
    figures = [member, member and before, syntax, syntax and before, syntax and meaning is None, output["exact"]]
    if hasattr(judge, "executed"):
        figures.append(judge.executed(output["text"], output["expected"]))
    return figures


def differences(judge, known, output):
    """Where grammar and tool differ, and of what class."""
    text, member = output["text"], output["member"]
    syntax, meaning = known(text)
    if member != syntax:
        what = "member, syntax refused" if member else "no member, syntax right"
        yield what, judge.classify(text, syntax) or (f"message: {meaning}" if member else "not classified")
    elif member and meaning:
        yield "member, meaning refused", meaning


def share(values):
    """In percent, of those that are not None."""
    values = [value for value in values if value is not None]
    return f"{100 * sum(values) / len(values):.1f}" if values else "–"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
