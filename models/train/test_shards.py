"""Weights in shards are read back as they were written, and as from one file."""

import json
import os
import tempfile
import unittest

import needs

needs.packages("safetensors", "numpy")

import numpy as np

from shards import INDEX, WEIGHTS, read_weights, write_weights

MINI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lacuna-mini")


class Shards(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.tensors = read_weights(MINI)

    def written(self, most):
        write_weights(self.tensors, self.folder, most)
        return sorted(os.listdir(self.folder))

    def assert_read(self):
        read = read_weights(self.folder)
        self.assertEqual(read.keys(), self.tensors.keys())
        for name, value in self.tensors.items():
            self.assertEqual(read[name].dtype, value.dtype)
            self.assertTrue(np.array_equal(read[name], value), name)

    def test_sizes_hold_and_others_take_their_place(self):
        for most in (600_000, 1_000_000, 16_000_000, 2_000_000):
            names = self.written(most)
            self.assertEqual(INDEX in names, most < 5_000_000)
            self.assertEqual(WEIGHTS in names, most > 5_000_000)
            for name in names:
                self.assertLessEqual(os.path.getsize(os.path.join(self.folder, name)), most)
            self.assert_read()

    def test_a_tensor_is_not_parted(self):
        self.assertEqual(len(self.written(1)), len(self.tensors) + 1)
        self.assert_read()

    def test_what_is_wrong_is_said(self):
        self.written(1_000_000)
        with open(os.path.join(self.folder, INDEX)) as f:
            index = json.load(f)
        shard = index["weight_map"]["model.norm.weight"]
        for name, file, words in (
            ("spare", shard, "spare is in no shard"),
            ("spare", "../" + shard, "no file beside it"),
            ("spare", "copy.safetensors", "in another shard, too"),
        ):
            os.link(os.path.join(self.folder, shard), os.path.join(self.folder, "copy.safetensors"))
            with open(os.path.join(self.folder, INDEX), "w") as f:
                json.dump({"weight_map": index["weight_map"] | {name: file}}, f)
            with self.assertRaisesRegex(ValueError, words):
                read_weights(self.folder)
            os.remove(os.path.join(self.folder, "copy.safetensors"))


if __name__ == "__main__":
    unittest.main()
