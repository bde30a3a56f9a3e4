"""Judges the texts that `lacuna eval --json FILE` wrote, by a tool from outside.

    python3 judge_tables.py sql|cpp|smiles FILE

Two figures for each method and number of steps: the share of texts whose syntax the tool
takes, and of those that it takes altogether. The rest of the difference is no matter of
grammar: for SQLite, tables and columns that are not there; for g++ -std=c++17, names and
types; for RDKit, what sanitising refuses (valences, aromaticity).

smiles needs: pip install rdkit
"""

import json
import os
import re
import sqlite3
import subprocess
import sys

# First messages that are about syntax.
SQL = re.compile(
    "syntax error|incomplete input|unrecognized token|unknown join type|should come after"
    "|JOIN clause is required before|unknown table option|one statement at a time"
)
CPP = re.compile(
    r"expected (?!class-name|primary-expression before '(->|<)')|stray|missing terminating|unterminated"
    r"|does not name a type\b(?!;)|extraneous|unexpected|empty character|null directive|invalid preprocessing"
)


def sql(text):
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("EXPLAIN " + text, {name: 1 for name in "nmk"})
    except (sqlite3.Error, sqlite3.Warning) as error:
        return not SQL.search(str(error)), False
    finally:
        connection.close()
    return True, True


def cpp(text):
    command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-fno-diagnostics-show-caret", "-x", "c++", "-"]
    environment = {**os.environ, "LC_ALL": "C"}
    run = subprocess.run(command, input=text.encode(), capture_output=True, env=environment)
    message = re.search(r"error: (.*)", run.stderr.decode())
    if message is None:
        return True, True
    named = re.search(r"'\w+' (does not name a type|was not declared)", message[1])
    return bool(named) or not CPP.search(message[1]), False


def smiles(text):
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    parameters = Chem.SmilesParserParams()
    parameters.sanitize = parameters.removeHs = False
    return Chem.MolFromSmiles(text, parameters) is not None, Chem.MolFromSmiles(text) is not None


judge = {"sql": sql, "cpp": cpp, "smiles": smiles}[sys.argv[1]]
with open(sys.argv[2]) as file:
    series = json.load(file)
rows, known = {}, {}
for one in series:
    row = rows.setdefault((one["steps"], one["method"]), [])
    for output in one["outputs"]:
        text = output["text"]
        if text not in known:
            known[text] = judge(text)
        row.append((*known[text], output["member"]))
print("| steps | method | member | syntax | accepted | members whose syntax is refused |")
print("|--:|---|--:|--:|--:|--:|")
for (steps, method), row in rows.items():
    share = lambda at: f"{100 * sum(one[at] for one in row) / len(row):.1f}"
    refused = sum(member and not syntax for syntax, _, member in row)
    print(f"| {steps} | {method} | {share(2)} | {share(0)} | {share(1)} | {refused} |")
