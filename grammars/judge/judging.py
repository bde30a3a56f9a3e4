"""What the judging scripts share: asking Lacuna, mutating texts, writing verdicts.

A script judge_NAME.py judges the grammar NAME by a tool from outside and writes
NAME.jsonl, a line a text:

    {"grammar": "sql.lark", "text": "…", "judge": true, "ours": true}

with "texts" where some were handed over with the grammar, and, where the two differ, "class": the reason, one of those that the script
knows. A difference that no class explains stops the script. A test replays the
lines without the tool.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def ours(grammar, texts, lacuna, handed_over):
    """Lacuna's verdicts: whether each text belongs to the grammar."""
    lines = "".join(json.dumps({"segments": [text]}) + "\n" for text in texts)
    command = [lacuna, "check", "--grammar", str(HERE.parent / grammar)]
    for name, text in handed_over.items():
        command += ["--text", f"{name}={text}"]
    out = subprocess.run(command, input=lines, capture_output=True, text=True)
    answers = [json.loads(line) for line in out.stdout.split("\n")[:-1]]
    if len(answers) != len(texts):
        sys.exit(f"lacuna answered {len(answers)} of {len(texts)} texts\n{out.stderr}")
    for text, answer in zip(texts, answers):
        if "error" in answer:
            sys.exit(f"{text!r}: {answer['error']}")
    return [answer["completable"] for answer in answers]


def mutated(text, alphabet, random):
    """The text with one to three small changes; the alphabet is of pieces."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        at = random.randrange(len(text) + 1)
        end = min(len(text), at + random.choice([1, 1, 1, 2, 4]))
        kind = random.randrange(5)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + random.choice(alphabet) + text[at:]
        elif kind == 2:
            text = text[:at] + random.choice(alphabet) + text[end:]
        elif kind == 3:
            text = text[:at] + text[at:end] + text[at:]
        else:
            other = random.randrange(len(text) + 1)
            text = text[:other] + text[at:end] + text[other:]
    return text


def with_mutants(texts, alphabet, count, seed=1):
    """The texts and mutants of them, each once, `count` in all."""
    rng = random.Random(seed)
    found = dict.fromkeys(texts)
    while len(found) < count:
        found[mutated(rng.choice(texts), alphabet, rng)] = None
    return list(found)


def shipped(stem):
    """The texts in the grammar's own folder, members and others."""
    folder = HERE.parent / stem
    lines = [
        line
        for name in ("members.jsonl", "others.jsonl")
        for line in (folder / name).read_text().split("\n")[:-1]
    ]
    return [json.loads(line)["text"] for line in lines]


def judge(grammar, texts, verdict, classify, handed_over={}):
    """Judges every text by `verdict` and by Lacuna and writes the file of verdicts.

    `classify(text, judge)` names the reason of a difference, or gives None;
    `handed_over` are texts by name that the grammar asks for.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--lacuna", default=str(ROOT / "target/release/lacuna"))
    lacuna = parser.parse_args().lacuna
    texts = list(dict.fromkeys(texts))
    rows, unexplained, classes = [], [], {}
    for text, mine in zip(texts, ours(grammar, texts, lacuna, handed_over)):
        theirs = verdict(text)
        row = {"grammar": grammar, "text": text, "judge": theirs, "ours": mine}
        if handed_over:
            row["texts"] = handed_over
        if theirs != mine:
            reason = classify(text, theirs)
            if reason is None:
                unexplained.append(row)
            row["class"] = reason
            classes[reason] = classes.get(reason, 0) + 1
        rows.append(row)
    both = sum(row["judge"] and row["ours"] for row in rows)
    neither = sum(not row["judge"] and not row["ours"] for row in rows)
    print(f"{grammar}: {len(rows)} texts, {both} taken by both, {neither} by neither")
    for reason, number in sorted(classes.items(), key=lambda item: str(item[0])):
        print(f"  {number} {reason}")
    for row in unexplained[:40]:
        print("unexplained:", json.dumps(row, ensure_ascii=False))
    if unexplained:
        sys.exit(1)
    name = grammar.split(".")[0]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (HERE / f"{name}.jsonl").write_text("".join(lines))
