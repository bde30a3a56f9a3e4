"""The byte-level BPE tokenizer: a word has the same tokens wherever it stands.

Blanks and punctuation are pieces of their own, so no merge crosses a word's edge, and a value
copied from the request into a JSON string keeps its tokens. Runs of JSON punctuation are one
piece, so that `":"` or `","` cost one cell.
"""

import argparse
import random

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import data

END, MASK, SEP = 0, 1, 2
SPECIAL = ["<|end|>", "<|mask|>", "<|sep|>"]
PIECES = r'[{}":,\[\]]+|\p{L}+|\p{N}|\s|[^\s\p{L}\p{N}]'
VOCAB_SIZE = 2048


def build(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        special_tokens=SPECIAL,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    check(tokenizer)
    return tokenizer


def check(tokenizer):
    """The promises that the engine builds on."""
    vocab = tokenizer.get_vocab()
    assert len(vocab) == VOCAB_SIZE
    assert [vocab[s] for s in SPECIAL] == [END, MASK, SEP]
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    assert {t for t, i in vocab.items() if 3 <= i < 259} == alphabet


def corpus(folder):
    """Requests as they stand, and answers and schema names in the shape the model sees them."""
    rng = random.Random(0)
    for example in data.load_snips(folder) + data.load_sgd(folder, "train"):
        prompt, answer = data.present(example, rng)
        yield prompt
        yield data.compact(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder that holds snips/ and sgd/")
    parser.add_argument("output", help="tokenizer.json to write")
    args = parser.parse_args()
    build(corpus(args.data)).save(args.output)


if __name__ == "__main__":
    main()
