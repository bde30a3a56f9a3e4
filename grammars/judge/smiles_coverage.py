"""How many molecules of collections lie within the bounds of smiles.lark, and which do not.

Takes files of SMILES (a string first on each line; a header named SMILES, commas and .gz
will do), or without any the 5000 compounds of the NCI that come with RDKit. Those that
RDKit reads are asked for as they are given and as RDKit writes them; those that do not
belong go to smiles_coverage.jsonl by class, and one that no class explains stops it.

Needs: pip install rdkit
"""

import collections
import gzip
import json
import os
import pathlib
import re
import sys

from rdkit import Chem, RDConfig, RDLogger

import judging

RINGS = {"1", "2", "3", "4", "5", "6", "%01", "%02", "%03", "%04", "%05", "%06", "%10"}
NCI = os.path.join(RDConfig.RDDataDir, "NCI", "first_5K.smi")


def read(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as lines:
        words = [re.split(r"[\s,]", line)[0] for line in lines]
    return [word for word in words if word and word != "SMILES"]


def reason(text):
    bare = re.sub(r"\[[^\]]*\]", "A", text)
    numbers = set(re.findall(r"%\d\d|\d", bare)) - RINGS
    if numbers:
        return "left out: other ring numbers"
    depth = deepest = 0
    for character in bare:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return "left out: branches more than six deep" if deepest > 6 else None


RDLogger.DisableLog("rdApp.*")
rows = []
for path in sys.argv[1:] or [NCI]:
    molecules = [(text, Chem.MolFromSmiles(text)) for text in read(path)]
    valid = [(text, molecule) for text, molecule in molecules if molecule is not None]
    written = [Chem.MolToSmiles(molecule) for _, molecule in valid]
    for how, texts in [("as given", [text for text, _ in valid]), ("as RDKit writes them", written)]:
        lacuna = str(judging.ROOT / "target/release/lacuna")
        classes = collections.Counter()
        for text, belongs in zip(texts, judging.ours("smiles.lark", texts, lacuna, {})):
            if not belongs:
                why = reason(text) or sys.exit(f"unexplained: {text}")
                classes[why] += 1
                rows.append({"collection": pathlib.Path(path).name, "text": text, "class": why})
        print(f"{path}, {how}: {len(texts) - sum(classes.values())} of {len(texts)} belong, {dict(classes)}")
lines = (json.dumps(row) + "\n" for row in rows)
(judging.HERE / "outside" / "smiles_coverage.jsonl").write_text("".join(lines))
