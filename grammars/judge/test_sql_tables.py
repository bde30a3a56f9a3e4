"""Tests of what statements do: python3 -m unittest, in this folder."""

import json
import pathlib
import unittest

from sql_tables import complaint, outcome

MEMBERS = pathlib.Path(__file__).resolve().parent.parent / "sql" / "members.jsonl"


def members():
    return [json.loads(line)["text"] for line in MEMBERS.read_text().splitlines()]


class Outcomes(unittest.TestCase):
    def same(self, one, other):
        self.assertIsNotNone(outcome(one), one)
        self.assertEqual(outcome(one), outcome(other))

    def differ(self, one, other):
        self.assertIsNotNone(outcome(one), one)
        self.assertNotEqual(outcome(one), outcome(other))

    def test_rows_count_and_not_their_spelling(self):
        self.same("SELECT a FROM t WHERE a > 2 AND b > 1", "select t.a from t where 1 < b and not a <= 2;")
        self.same("SELECT a FROM t", "SELECT a FROM t AS s WHERE 1")
        self.same("SELECT 2.0", "SELECT 2")
        self.differ("SELECT 2", "SELECT '2'")
        self.differ("SELECT a FROM t", "SELECT DISTINCT a FROM t UNION ALL SELECT 1")
        self.differ("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a = 2")

    def test_order_counts_where_it_is_asked_for(self):
        self.differ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC")
        self.same("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY 1 ASC")
        self.same("SELECT a FROM (SELECT a FROM t ORDER BY a DESC)", "SELECT a FROM t")

    def test_statements_that_change_tables_are_told_apart(self):
        self.differ("DELETE FROM t WHERE a = 1", "DELETE FROM t WHERE a = 2")
        self.same("DELETE FROM t WHERE a = 1", "DELETE FROM t WHERE a IN (1)")
        self.differ("INSERT INTO w VALUES (1, 2)", "INSERT INTO w VALUES (2, 1)")
        self.differ("CREATE TABLE n (a)", "CREATE TABLE n (b)")
        self.differ("CREATE TABLE n (a)", "CREATE TABLE m (a)")
        # What one statement did is not there for the next.
        self.differ("SELECT count(*) FROM w", "SELECT 0")

    def test_what_is_refused_or_does_not_end_does_nothing(self):
        self.assertIsNone(outcome("SELECT nowhere FROM t"))
        self.assertIsNone(outcome("SELECT"))
        self.assertIsNone(outcome(""))
        self.assertIsNone(outcome("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) FROM n"))
        self.assertIn("no such column", complaint("SELECT nowhere FROM t"))

    def test_the_grammars_own_statements_run_and_find_rows(self):
        """A statement that finds nothing would be as good as any other that finds nothing."""
        refused = 0
        for text in members():
            found = outcome(text)
            if complaint(text) is not None:
                # A column that is not there, say.
                self.assertIsNone(found, text)
                refused += 1
                continue
            self.assertIsNotNone(found, text)
            reads = text.upper().startswith(("SELECT", "WITH", "VALUES")) and "DELETE" not in text
            for one, before in zip(found, outcome("SELECT 1")):
                if one and (one[0] if reads else one[1] != before[1]):
                    break
            else:
                self.fail(text)
        self.assertLess(refused, 6)


if __name__ == "__main__":
    unittest.main()
