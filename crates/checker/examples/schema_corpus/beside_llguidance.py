"""Compiles the schemas of a folder with llguidance, beside what `schema_corpus` took.

    pip install llguidance==1.9.1
    cargo run --release -p lacuna-checker --example schema_corpus -- FOLDER \
        --witnesses 0 --quiet --times TIMES
    python beside_llguidance.py FOLDER TIMES TOKENIZER

`TIMES` is the file that the second line writes, `TOKENIZER` a `tokenizer.json`. The folder
holds schemas alone, one a file. Both times are of one thread's processor, the best of
three, on the same machine; what takes more than 200 ms is done once. llguidance's runs
until it has the mask of the first token, for it makes its lexer's states as they are
needed; its white space is compact, as it is here for writing.
"""

import json
import sys
import time
from pathlib import Path

ROUNDS = 3
LONG = 0.2
QUANTILES = [("middle", 0.5), ("slowest tenth from", 0.9), ("slowest hundredth from", 0.99)]


def peer_time(schema, tokenizer):
    """Milliseconds until the first mask, or none where the schema is refused."""
    from llguidance import LLMatcher

    best = None
    for _ in range(ROUNDS):
        start = time.thread_time()
        try:
            grammar = LLMatcher.grammar_from_json_schema(
                schema, overrides={"whitespace_flexible": False}
            )
            matcher = LLMatcher(tokenizer, grammar, log_level=0)
            if matcher.get_error():
                return None
            matcher.compute_logit_bias()
            if matcher.get_error():
                return None
        except ValueError:
            return None
        taken = time.thread_time() - start
        best = taken if best is None else min(best, taken)
        if taken > LONG:
            break
    return best * 1e3


def quantile(times, part):
    return sorted(times)[min(int(len(times) * part), len(times) - 1)]


def row(name, times):
    shown = " | ".join(f"{quantile(times, part):.2f}" for _, part in QUANTILES)
    print(f"| {name} | {len(times)} | {shown} | {max(times):.0f} |")


def compare(peer, ours):
    heads = " | ".join(name for name, _ in QUANTILES)
    print(f"| milliseconds | schemas | {heads} | slowest |")
    print("|---|" + "--:|" * (len(QUANTILES) + 2))
    row("llguidance, all that it takes", list(peer.values()))
    for kind in ["writing", "ready to write", "judging", "ready to judge"]:
        row(f"here, {kind}, all that are taken", list(ours[kind].values()))
    both = {kind: sorted(peer.keys() & ours[kind].keys()) for kind in ours}
    row("llguidance, of those that both take", [peer[name] for name in both["ready to write"]])
    for kind, names in both.items():
        if names:
            row(f"here, {kind}, of those", [ours[kind][name] for name in names])


def main(folder, times, tokenizer_file):
    from llguidance import LLTokenizer

    tokenizer = LLTokenizer(Path(tokenizer_file).read_text(encoding="utf-8"))
    measured = json.loads(Path(times).read_text(encoding="utf-8"))
    ours = {
        kind: {it["name"]: it["milliseconds"] for it in listed if it["taken"]}
        for kind, listed in measured.items()
    }
    names = [it["name"] for it in measured["writing"]]
    peer = {}
    for done, name in enumerate(names):
        schema = Path(folder, name).read_text(encoding="utf-8-sig")
        found = peer_time(schema, tokenizer)
        if found is not None:
            peer[name] = found
        if sys.stderr.isatty():
            print(f"\r{done + 1} of {len(names)}", end="", file=sys.stderr)
    print(f"{len(names)} schemas; llguidance takes {len(peer)}, ", end="")
    print(f"here {len(ours['ready to write'])} have a grammar and a checker to write by")
    compare(peer, ours)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
