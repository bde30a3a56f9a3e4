"""Requests and schemas of our own, unlike any data set, as a table for the model's card: what the
model writes within each schema, good and bad."""

import argparse
import json
import os

from evaluate_tasks import ORDERS, Within
from schema import compact
from tasks import json_sample

REQUESTS = os.path.join(os.path.dirname(__file__), "own-requests.jsonl")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="folder of the exported model")
    parser.add_argument("--lacuna", metavar="PROGRAM", required=True, help="the command line, built")
    parser.add_argument("--steps", type=int, default=32)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--bound", action="store_true", help="values are spans of the request")
    parser.add_argument("--order", choices=ORDERS, default="confidence", help="which cells come first")
    args = parser.parse_args()
    writer = Within(args)
    print("| request | schema, as it stands in the prompt | answer | right |\n|---|---|---|---|")
    with open(REQUESTS, encoding="utf-8") as f:
        for row in map(json.loads, f):
            sample = json_sample(row["schema"], row["request"], row["expected"], "own")
            text = writer.one(sample, args.cells, args.steps, row["schema"])
            right = "yes" if text == sample.answer else f"no: `{compact(row['expected'])}`"
            task = sample.prompt.split("\n")[0].removeprefix("json ")
            cells = [f"`{part}`".replace("|", "\\|") for part in (row["request"], task, text)]
            print("|", " | ".join([*cells, right.replace("|", "\\|")]), "|", flush=True)


if __name__ == "__main__":
    main()
