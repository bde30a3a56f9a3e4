"""Tests of the molecules' facts: python3 -m unittest, no data sets needed."""

import random
import unittest

import data
import molecules

CAFFEINE = "Cn1c(=O)c2c(ncn2C)n(C)c1=O"
SALT = "CC(=O)Nc1ccc(Cl)cc1[N+](=O)[O-]"


class FactsTest(unittest.TestCase):
    def test_elements_are_read_from_organic_and_bracket_atoms(self):
        self.assertEqual(molecules.elements(CAFFEINE), {"C", "N", "O"})
        self.assertEqual(molecules.elements(SALT), {"C", "O", "N", "Cl"})
        self.assertEqual(molecules.elements("c1cc[nH]c1Br"), {"C", "N", "Br"})

    def test_rings_are_pairs_of_closures_outside_brackets(self):
        self.assertEqual(molecules.rings("CCO"), 0)
        self.assertEqual(molecules.rings(CAFFEINE), 2)
        self.assertEqual(molecules.rings("C%10CCCC%10[13CH3]"), 1)

    def test_facts_are_true_and_checked(self):
        rng = random.Random(0)
        said = set()
        for _ in range(200):
            prompt, answer = molecules.present(CAFFEINE, rng)
            task, request = prompt.split("\n")
            self.assertEqual((task, answer), ("molecule", CAFFEINE))
            self.assertTrue(molecules.keeps(CAFFEINE, request), request)
            said.add(request)
        self.assertIn("any", said)
        self.assertGreater(len(said), 20)
        for wrong in ("1 ring", "3 rings", "F", "no N", "2 rings, S", "N, no O"):
            self.assertFalse(molecules.keeps(CAFFEINE, wrong), wrong)

    def test_a_molecule_is_written_as_it_is(self):
        self.assertEqual(data.written(CAFFEINE), CAFFEINE)
        self.assertEqual(data.written({"intent": "X"}), '{"intent":"X"}')


if __name__ == "__main__":
    unittest.main()
