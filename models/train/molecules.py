"""Molecules: a line of facts in, a SMILES string out.

The strings are those of MOSES (ZINC's clean leads). The facts are read off the string itself, so
that whether an answer keeps to them can be checked without chemistry: how many rings, which
elements are there, which are not.
"""

import csv
import gzip
import os
import re

TASK = "molecule"
ANY = "any"
ELEMENTS = ("N", "O", "S", "F", "Cl", "Br")
ATOM = re.compile(r"\[[^\]]*?([A-Z][a-z]?|[a-z])[^\]]*\]|(Cl|Br|[A-Z]|[cnops])")
RING = re.compile(r"%\d\d|\d")


def load(folder, split):
    """The SMILES strings of one split ("train" or "test"), from `folder/molsets/SPLIT.csv.gz`."""
    with gzip.open(os.path.join(folder, "molsets", f"{split}.csv.gz"), "rt") as f:
        return [row["SMILES"] for row in csv.DictReader(f)]


def elements(smiles):
    return {(a or b).capitalize() for a, b in ATOM.findall(smiles)}


def rings(smiles):
    """Independent rings: every closure is written twice. Digits in brackets close nothing."""
    return len(RING.findall(re.sub(r"\[[^\]]*\]", "", smiles))) // 2


def facts(smiles, rng):
    """Some true statements about a molecule: `2 rings, F, no S`, or `any` for none."""
    said = []
    if rng.random() < 0.5:
        count = rings(smiles)
        said.append(f"{count} ring" + "s" * (count != 1))
    held = elements(smiles)
    for element in rng.sample(ELEMENTS, rng.choice((0, 0, 1, 1, 2, 3))):
        said.append(element if element in held else f"no {element}")
    return ", ".join(said) or ANY


def require():
    """Ends where RDKit is missing: the first molecule, drawn when copying is learned, comes late."""
    try:
        from rdkit.Chem import Crippen, Descriptors, rdMolDescriptors  # noqa: F401
    except ImportError as error:
        raise SystemExit(
            f"molecules are described by RDKit ({error}): pip install rdkit, or leave them out, --without molecules"
        ) from None


def properties(smiles):
    """Name -> value of what RDKit computes, rounded as it stands in prompts."""
    from rdkit import Chem
    from rdkit.Chem import Crippen, Descriptors, rdMolDescriptors

    mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return {}
    return {
        "weight": round(Descriptors.MolWt(mol) / 10) * 10,
        "logp": round(Crippen.MolLogP(mol) * 2) / 2,
        "tpsa": round(rdMolDescriptors.CalcTPSA(mol) / 10) * 10,
    }


def described(smiles, rng):
    """Facts, and in two of five cases one or two properties: `2 rings, F, logp 2.5`."""
    said = facts(smiles, rng)
    if rng.random() < 0.4:
        found = properties(smiles)
        names = rng.sample(sorted(found), min(len(found), rng.randint(1, 2)))
        stated = [f"{name} {found[name]}" for name in names]
        said = ", ".join(stated if said == ANY else [said, *stated])
    return said


def keeps(smiles, request):
    """Whether a molecule is as the facts say."""
    held = elements(smiles)
    for fact in request.split(", "):
        first, _, second = fact.partition(" ")
        if fact == ANY:
            kept = True
        elif first == "no":
            kept = second not in held
        elif second:
            kept = rings(smiles) == int(first)
        else:
            kept = first in held
        if not kept:
            return False
    return True


def present(smiles, rng):
    """(prompt text, answer text) of a molecule as the model meets it."""
    return f"{TASK}\n{facts(smiles, rng)}", smiles
