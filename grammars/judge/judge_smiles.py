"""Judges smiles.lark by RDKit's parser, on molecules of the MOSES data set and mutants of them.

RDKit parses without sanitising: valence and aromaticity are not judged.

Needs: pip install rdkit; pip install --no-deps molsets==0.3.1
"""

import csv
import gzip
import importlib.util
import pathlib
import random
import re

from rdkit import Chem, RDLogger

import judging

RDLogger.DisableLog("rdApp.*")
PARAMETERS = Chem.SmilesParserParams()
PARAMETERS.sanitize = False
PARAMETERS.removeHs = False
PARAMETERS.parseName = False
PARAMETERS.allowCXSMILES = False


def verdict(text):
    return Chem.MolFromSmiles(text, PARAMETERS) is not None


def depth(text):
    open_now = most = 0
    for character in text:
        open_now += {"(": 1, ")": -1}.get(character, 0)
        most = max(most, open_now)
    return most


def rings(text):
    """The ring numbers of a text, as written."""
    return re.findall(r"%\d\d|\d", re.sub(r"\[[^\]]*\]|%\(\d+\)", " ", text))


def bad_ring_bond(text):
    """What is wrong with a ring bond of a text that belongs to the grammar."""
    tokens = re.findall(r"\[[^\]]*\]|Cl|Br|%\d\d|\d|[-=#$:/\\]|[().]|.", text)
    atom, atoms, bond, branches = None, 0, "", []
    opened, bonds = {}, set()
    for token in tokens:
        if token == "(":
            branches.append(atom)
        elif token == ")":
            atom = branches.pop()
        elif token == ".":
            atom = None
        elif token in "-=#$:/\\":
            bond = token
        elif token.strip("%").isdigit():
            number = int(token.strip("%"))
            if number not in opened:
                opened[number] = (atom, bond)
            else:
                other, other_bond = opened.pop(number)
                if other == atom:
                    return "a ring bond from an atom to itself"
                if {atom, other} in bonds:
                    return "a ring bond between atoms that are bonded"
                if bond and other_bond and bond != other_bond:
                    return "a ring bond of two kinds"
                bonds.add(frozenset({atom, other}))
            bond = ""
        else:
            if atom is not None:
                bonds.add(frozenset({atom, atoms}))
            atom, atoms, bond = atoms, atoms + 1, ""
    return None


def classify(text, judge):
    if not judge:
        rules = [
            (re.search(r"%0", text), "a ring number with a zero before it, by OpenSMILES"),
            (re.search(r"\(\.", text), "a branch that begins with a dot, by OpenSMILES"),
            (bad_ring_bond(text), bad_ring_bond(text)),
        ]
    else:
        numbers = {int(number.strip("%")) for number in rings(text)}
        rules = [
            (text.strip() == "", "the empty text"),
            (text != text.strip(), "blanks around the text"),
            (numbers - {1, 2, 3, 4, 5, 6, 10} or "%(" in text, "another ring number"),
            (depth(text) > 6, "branches nested deeper"),
            (re.search(r"->|<-|~|\[#|\{|'|\[[^\]]*[A-Z]\d*[0-9]*q", text), "an extension of RDKit"),
            (re.search(r"\)[-=#$:/\\]?[\d%]", text), "a ring number after a branch"),
            (re.search(r"\[\d{4,}", text), "an isotope of more than three digits"),
            (re.search(r"\[[^\]]*H\d\d", text), "ten hydrogens or more"),
            (re.search(r"\[[^\]]*([-+]{3,}|[-+]\d\d|\+-|-\+)", text), "a charge spelt another way"),
            (re.search(r"\[[^\]]*@[A-Z@]*", text), "a chirality that OpenSMILES lacks"),
            (re.search(r"\[(te|si|al)|^(te|si)", text), "an aromatic element OpenSMILES lacks"),
        ]
    return next((reason for holds, reason in rules if holds), None)


def molecules(count):
    """Molecules of the data set's test part."""
    folder = pathlib.Path(importlib.util.find_spec("moses").submodule_search_locations[0])
    with gzip.open(folder / "dataset" / "data" / "test.csv.gz", "rt") as lines:
        found = [row["SMILES"] for row in csv.DictReader(lines)]
    return random.Random(1).sample(found, count)


def texts():
    found = judging.shipped("smiles") + molecules(500)
    pieces = list("CNOPSFIBcnops*()[]-=#$:/\\.@+%123456") + ["Cl", "Br", "[nH]", "%10", "(C)"]
    pieces += ["[C@@H]", "[O-]", "[13C]", "[N+]", "C1CC1", "[*:1]", "[se]", "[Fe+2]", "[C@TB3]"]
    return judging.with_mutants(found, pieces, 2000)


if __name__ == "__main__":
    judging.judge("smiles.lark", texts(), verdict, classify)
