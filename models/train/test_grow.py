"""Tests of growing a model: what it could do it can do still."""

import unittest

import needs

needs.packages("torch", "tokenizers", "safetensors", "numpy")

import torch

import grow
import tokenizer
import vocabulary
from model import Config, MaskedDiffusionTransformer
from test_tasks import POOLS
import tasks

TEXTS = [text for text in vocabulary.corpus(tasks.Sources(POOLS), 300)]


def network():
    torch.manual_seed(0)
    model = MaskedDiffusionTransformer(Config(300, 64, 3, 2, 32, 96), torch.float32)
    for layer in model.layers:
        torch.nn.init.normal_(layer.down_proj, std=0.05)
    return model


class Deeper(unittest.TestCase):
    def test_new_layers_change_nothing_and_learn(self):
        model, ids = network(), torch.randint(0, 300, (2, 12))
        before = model(ids).detach()
        old = list(model.layers)
        grow.deeper(model, 5)
        self.assertEqual(len(model.layers), 5)
        self.assertEqual(model.c.num_layers, 5)
        self.assertTrue(torch.equal(model(ids), before))
        model(ids).logsumexp(-1).sum().backward()
        fresh = [layer for layer in model.layers if layer not in old]
        self.assertTrue(all(layer.o_proj.grad.abs().sum() > 0 for layer in fresh))
        self.assertIs(model.layers[0], old[0])


class Vocabulary(unittest.TestCase):
    def setUp(self):
        pieces = vocabulary.byte_level(tokenizer.PIECES, vocabulary.models.BPE())
        trainer = vocabulary.trainers.BpeTrainer(
            vocab_size=320, special_tokens=tokenizer.SPECIAL, show_progress=False,
            initial_alphabet=sorted(vocabulary.pre_tokenizers.ByteLevel.alphabet()))  # fmt: skip
        pieces.train_from_iterator(TEXTS, trainer)
        self.old, self.new = pieces, vocabulary.build(TEXTS, size=500, joined=100)
        table = torch.randn(320, 48, generator=torch.Generator().manual_seed(1)) + 2
        self.before = table.numpy()
        self.after = grow.embeddings(self.before, self.old, self.new)

    def test_known_tokens_keep_their_embedding(self):
        known, listed = self.old.get_vocab(), self.new.get_vocab()
        shared = [t for t in listed if t in known and not t.startswith("Ġ")]
        self.assertGreater(len(shared), 280)
        for token in shared:
            gap = abs(self.after[listed[token]] - self.before[known[token]]).max()
            self.assertLess(gap, 1e-5)

    def test_others_are_near_their_parts_and_twins_near_each_other(self):
        after = torch.from_numpy(self.after - self.before.mean(0))
        after = torch.nn.functional.normalize(after, dim=1)
        for alone, behind in vocabulary.twins(self.new):
            self.assertGreater(float(after[alone] @ after[behind]), 0.6)
        known, listed = self.old.get_vocab(), self.new.get_vocab()
        for token, n in listed.items():
            if token in known or token.startswith("Ġ"):
                continue
            parts = self.old.encode(self.new.decoder.decode([token])).ids
            mean = torch.from_numpy(self.before[parts].mean(0) - self.before.mean(0))
            near = torch.nn.functional.cosine_similarity(after[n], mean, dim=0)
            self.assertGreater(float(near), 0.4)


if __name__ == "__main__":
    unittest.main()
