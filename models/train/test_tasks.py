"""Tests of the general model's data code that need none of the data sets."""

import json
import os
import random
import re
import sqlite3
import unittest

import data
import everyday
import execution
import molecules
import needs
import schema
import synthetic
import tasks
import wikisql

POOLS = {kind: ["Nina Simone", "Åland", "o'Hara Ltd.", "B-52"] for kind in synthetic.TEXTS}
QUERY = 'SELECT MAX TABLEalias0.WINS_(TOTAL)_FIELD FROM TABLE AS TABLEalias0 WHERE TABLEalias0.TO_FIELD = "var0" AND NO._FIELD < var1 ;'


def question():
    picked, aggregate, tests = wikisql.parsed(QUERY)
    pieces = data.locate("most wins to O'Hara under 7", {"var0": "o'hara", "var1": "7"})
    return wikisql.Question("1", pieces, ["wins_total", "to", "no"], picked, aggregate, tests)


class Notation(unittest.TestCase):
    def test_is_what_the_engine_writes(self):
        with open(os.path.join(os.path.dirname(__file__), "notation-cases.json"), encoding="utf-8") as f:
            cases = json.load(f)
        self.assertGreater(len(cases), 10)
        for case in cases:
            self.assertEqual(schema.notation(case["schema"]), case["notation"])

    def test_finds_values_where_they_stand(self):
        value = {"a": "x", "b": [1, {"c": True}], "d": {}, "é": [["y"], 2.5]}
        text = schema.compact(value)
        self.assertEqual([text[s:e] for s, e in schema.leaves(value)], ["x", "1", "true", "y", "2.5"])


class Valid:
    """What holds for all records: `drawn(evaluation)` gives (schema, request, value)."""

    def test_values_are_of_their_schema(self):
        kinds = {"integer": int, "number": (int, float), "boolean": bool, "string": str}

        def check(value, of):
            if "enum" in of:
                self.assertIn(value, of["enum"])
            elif of["type"] == "object":
                self.assertLessEqual(set(of["required"]), set(value))
                for key, inner in value.items():
                    check(inner, of["properties"][key])
            elif of["type"] == "array":
                for inner in value:
                    check(inner, of["items"])
            else:
                self.assertIsInstance(value, kinds[of["type"]])

        for of, _, value in self.drawn(False):
            check(value, of)

    def test_strings_stand_in_the_request(self):
        for of, request, value in self.drawn(False):
            for key, inner in value.items():
                if of["properties"][key] == {"type": "string"}:
                    self.assertIn(inner.lower(), request.lower())

    def test_no_schema_is_both_trained_on_and_held_out(self):
        trained, kept = ({schema.notation(s) for s, _, _ in self.drawn(e)} for e in (False, True))
        self.assertFalse(trained & kept)
        self.assertGreater(len(trained), 200)


class Records(Valid, unittest.TestCase):
    def drawn(self, evaluation):
        return synthetic.sample(POOLS, lambda rng: "zyx qua", 3, 300, evaluation)


class Everyday(Valid, unittest.TestCase):
    def drawn(self, evaluation):
        rng, source = random.Random(3), everyday.Everyday(POOLS, lambda rng: "zyx qua")
        return [source.draw(rng, evaluation) for _ in range(300)]

    def test_every_sentence_can_be_said(self):
        rng, source = random.Random(5), everyday.Everyday(POOLS, lambda rng: "zyx qua")
        self.assertGreater(len(set(everyday.SENTENCES)), 100)
        for sentence in everyday.SENTENCES:
            said = [source.said(rng, sentence, properties := {}, value := {}, str) for _ in range(20)]
            self.assertTrue(any(said), sentence)
            self.assertTrue(properties and value, sentence)
            for text in filter(None, said):
                self.assertNotRegex(text, r"[{}\[\]<>]")

    def test_none_of_them_is_of_the_own_requests(self):
        with open(os.path.join(os.path.dirname(__file__), "own-requests.jsonl"), encoding="utf-8") as f:
            own = {schema.notation(row["schema"]) for row in map(json.loads, f)}
        self.assertFalse(own & {schema.notation(of) for of, _, _ in self.drawn(False)})


class Queries(unittest.TestCase):
    def test_are_plain_sqlite(self):
        q = question()
        self.assertEqual(q.sql(), """SELECT MAX(wins_total) FROM t WHERE "to" = 'O''Hara' AND no < 7""")
        with sqlite3.connect(":memory:") as base:
            base.execute('CREATE TABLE t (wins_total, "to", no)')
            base.execute("INSERT INTO t VALUES (3, 'O''Hara', 5)")
            self.assertEqual(base.execute(q.sql()).fetchall(), [(3,)])

    def test_another_form_is_refused(self):
        self.assertIsNone(wikisql.parsed("SELECT a FROM b ;"))

    def test_values_are_marked_in_the_answer(self):
        sample = tasks.present_question(question(), random.Random(1))
        self.assertEqual([sample.answer[s:e] for s, e in sample.values], ["O''Hara", "7"])

    def test_swapped_values_stand_in_both(self):
        words = tasks.Sources(POOLS | {"word": ["fig", "elm"]}).words
        other = tasks.swap_question(question(), words, random.Random(2))
        values = [text for text, name in other.pieces if name]
        self.assertTrue(all(wikisql.literal(v) in other.sql() and v in other.text for v in values))


class Execution(unittest.TestCase):
    COLUMNS = ["player", "team", "points", "no_"]

    def agree(self, query, reference):
        return execution.agree(self.COLUMNS, query, reference)

    def test_queries_that_mean_the_same_agree(self):
        reference = "SELECT player FROM t WHERE team = 'O''Hara' AND points < 7"
        self.assertTrue(self.agree(reference, reference))
        self.assertTrue(self.agree("select player from t where points < 7.0 and 'O''Hara' = team", reference))

    def test_queries_that_mean_another_thing_do_not(self):
        """Each part of a query changed, alone."""
        for query, others in {
            "SELECT player FROM t WHERE team = 'Boston' AND points > 7": [
                "SELECT team FROM t WHERE team = 'Boston' AND points > 7",
                "SELECT player FROM t WHERE team = 'boston' AND points > 7",
                "SELECT player FROM t WHERE team = 'Boston' AND points < 7",
                "SELECT player FROM t WHERE team = 'Boston' AND points = 7",
                "SELECT player FROM t WHERE team = 'Boston' AND points > 8",
                "SELECT player FROM t WHERE team = 'Boston' AND no_ > 7",
                "SELECT player FROM t WHERE team = 'Boston'",
                "SELECT COUNT(player) FROM t WHERE team = 'Boston' AND points > 7",
                "SELECT nobody FROM t WHERE team = 'Boston' AND points > 7",
                "SELECT",
            ],
            "SELECT MAX(points) FROM t WHERE no_ = 3": [
                "SELECT MIN(points) FROM t WHERE no_ = 3",
                "SELECT SUM(points) FROM t WHERE no_ = 3",
                "SELECT AVG(points) FROM t WHERE no_ = 3",
                "SELECT MAX(points) FROM t WHERE no_ < 3",
                "SELECT MAX(points) FROM t",
                "SELECT MAX(no_) FROM t WHERE no_ = 3",
            ],
        }.items():
            for other in others:
                self.assertFalse(self.agree(other, query), other)

    def test_a_reference_that_does_not_run_agrees_with_nothing(self):
        self.assertFalse(self.agree("SELECT nobody FROM t", "SELECT nobody FROM t"))


class Samples(unittest.TestCase):
    def setUp(self):
        self.sources = tasks.Sources(POOLS | {"word": ["fig", "elm", "oak", "ash"]})

    def test_lessons_need_no_data_sets(self):
        mixture = tasks.Mixture(self.sources, 1)
        for copying in (0.0, 0.6, 0.9):
            for _ in range(50):
                sample = mixture.draw(copying)
                self.assertRegex(sample.prompt, r"^json \{.*\}\n")
                json.loads(sample.answer)

    def test_slots_answer_in_the_order_of_the_schema(self):
        example = data.Example("Go", [("to ", None), ("Bern", "city"), (" at ", None), ("9", "time")], (["Go", "Stay"], ["time", "city", "who"]))
        for seed in range(20):
            sample = tasks.present_slots(example, random.Random(seed))
            keys = re.findall(r"[{,](\w+)", sample.prompt.split("\n")[0])
            answered = list(json.loads(sample.answer))
            self.assertEqual(answered, [k for k in keys if k in answered])
            self.assertEqual({sample.answer[s:e] for s, e in sample.values}, {"Bern", "9"})

    def test_properties_of_a_molecule_are_rounded(self):
        try:
            import rdkit  # noqa: F401
        except ImportError:
            self.skipTest("rdkit is not installed")
        self.assertEqual(molecules.properties("c1ccccc1"), {"weight": 80, "logp": 1.5, "tpsa": 0})


class Vocabulary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needs.packages("tokenizers")

    def test_a_word_has_the_same_tokens_behind_a_blank(self):
        sources = tasks.Sources(POOLS | {"word": ["fig", "elm", "oak", "ash"]})
        import vocabulary

        tokenizer = vocabulary.build(vocabulary.corpus(sources, 300), size=700, joined=100)
        encode = lambda text: tokenizer.encode(text, add_special_tokens=False)  # noqa: E731
        self.assertTrue(any(t.startswith("Ġ") and len(t) > 2 for t in tokenizer.get_vocab()))
        for word in ("Simone", "vegetarian", "Zyxqua", "Åland", "7"):
            alone = encode(word).tokens
            behind = encode(f"to {word}").tokens[len(encode("to").tokens) :]
            self.assertEqual("".join(behind), "Ġ" + "".join(alone))
            self.assertEqual(behind[-len(alone) + 1 :] if len(alone) > 1 else [], alone[1:])
        for text in ('{"a":[1,2.5],"b":"ü — x"}', "CC(=O)Nc1ccc(S)cc1", "a  b\tc\n"):
            self.assertEqual(tokenizer.decode(encode(text).ids), text)


if __name__ == "__main__":
    unittest.main()
