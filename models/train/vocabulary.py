"""The general model's tokenizer: byte-level BPE in which a word keeps its tokens behind a blank.

A word's tokens are those it has alone; a blank before it is then joined to the first of them,
where the vocabulary has that token with a blank, and else stays a token of its own. This is
plain BPE: the merges of a blank with a token rank behind all others. So `Nina` in a request and
in a JSON string are the same tokens up to the blank, which copying wants, and blanks cost next to
no cells. JSON punctuation comes in runs, so that `":"` or `","` are one cell.
"""

import argparse
import collections
import json
import random

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import molecules
import pools
import tasks
from tokenizer import END, MASK, SEP, SPECIAL

PIECES = r' ?[{}":,\[\]]+| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|\s'
PIECES_APART = r'[{}":,\[\]]+|\p{L}+|\p{N}|\s|[^\s\p{L}\p{N}]'
VOCAB_SIZE = 4096
JOINED = 1200
BLANK = "Ġ"


def byte_level(pieces, model):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pieces), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def build(texts, size=VOCAB_SIZE, joined=JOINED):
    texts = list(texts)
    apart = byte_level(PIECES_APART, models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=size - joined,
        special_tokens=SPECIAL,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    apart.train_from_iterator(texts, trainer)
    trained = json.loads(apart.to_str())["model"]
    vocab, merges = trained["vocab"], [tuple(m) for m in trained["merges"]]
    for token in first_tokens(apart, texts):
        if len(vocab) == size:
            break
        if BLANK + token not in vocab:
            vocab[BLANK + token] = len(vocab)
            merges.append((BLANK, token))
    tokenizer = byte_level(PIECES, models.BPE(vocab, merges))
    tokenizer.add_special_tokens(SPECIAL)
    check(tokenizer)
    return tokenizer


def first_tokens(apart, texts):
    """Tokens that stand behind a blank, the commonest first."""
    counts = collections.Counter()
    for text in texts:
        tokens = apart.encode(text, add_special_tokens=False).tokens
        counts.update(b for a, b in zip(tokens, tokens[1:]) if a == BLANK and b[0] not in "ĠĊ")
    return [token for token, _ in counts.most_common()]


def twins(tokenizer):
    """(id, id of the same token behind a blank), for all that have both."""
    vocab = tokenizer.get_vocab()
    return [(n, vocab[BLANK + token]) for token, n in vocab.items() if BLANK + token in vocab]


def check(tokenizer):
    """The promises that the engine builds on."""
    vocab = tokenizer.get_vocab()
    assert sorted(vocab.values()) == list(range(len(vocab)))
    assert [vocab[s] for s in SPECIAL] == [END, MASK, SEP]
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    assert {t for t, i in vocab.items() if 3 <= i < 259} == alphabet


def corpus(sources, count=60_000, seed=0):
    """Prompts and answers as the model meets them, all tasks."""
    mixture = tasks.Mixture(sources, seed)
    rng = random.Random(seed)
    for _ in range(count):
        sample = mixture.draw(rng.choice((0.6, 1.0, 1.0)))
        if sample.task == "molecules" and rng.random() < 0.7:
            continue  # few words make up all molecules
        yield sample.prompt
        yield sample.answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("output", help="tokenizer.json to write")
    parser.add_argument("--without", nargs="+", choices=tasks.OPTIONAL, default=(), help="tasks to leave out")
    args = parser.parse_args()
    if "molecules" not in args.without:
        molecules.require()
    training, _ = tasks.load(args.data, pools.load(args.data), args.without)
    build(corpus(training)).save(args.output)


if __name__ == "__main__":
    main()
