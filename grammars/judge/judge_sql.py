"""Judges sql.lark by SQLite, through Python's sqlite3: statements are prepared, not run.

The tables that the texts use are there (sql_tables.py), and errors that are not about syntax
(a column that is not there, say) do not count against a text.
"""

import random
import re

import judging
from sql_tables import complaint

# Messages of SQLite's that say that the text is no statement, if in other words.
ABOUT_SYNTAX = re.compile(
    'syntax error|incomplete input|unrecognized token|unknown join type|should come after'
    "|JOIN clause is required before|unknown table option|one statement at a time|null character"
)
# What has another meaning at the front of a statement.
OTHER_STATEMENTS = re.compile(
    r"\s*(EXPLAIN|QUERY|PRAGMA|BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|DETACH|VACUUM|"
    r"ANALYZE|REINDEX|ALTER|DROP|CREATE\s+(UNIQUE|INDEX|TRIGGER|VIEW|VIRTUAL|TEMP\w*\s+(VIEW|TRIGGER)))\b",
    re.I,
)
# Keywords that SQLite takes for names where they can be nothing else.
AS_NAMES = "OVER|FILTER|WINDOW|LEFT|END|CASE|BY|DESC|LIKE|CAST|NO|OF|ALL"


def verdict(text):
    if not text.strip() or OTHER_STATEMENTS.match(text):
        return False
    message = complaint(text)
    return message is None or not ABOUT_SYNTAX.search(message)


def classify(text, judge):
    bare = re.sub(r"""'([^']|'')*'|"([^"]|"")*"|`[^`]*`|\[[^\]]*\]""", "q", text)
    if judge:
        message = complaint(text)
        rules = [
            (re.search(r"--|/\*", bare), "a comment"),
            (message and not ABOUT_SYNTAX.search(message) and stops_early(message),
             "an error of meaning, found before the rest was read"),
            (message and re.search(r";\s*\S", bare),
             "an error of meaning, found before the rest was read"),
            (re.search(rf"\b({AS_NAMES})\s*(FROM|$|[,.)=-])|FROM\s+LEFT", bare, re.I)
             or re.search(r"(?<!PRIMARY)(?<!FOREIGN)\s+KEY\s*\(", bare, re.I),
             "a keyword as a name"),
        ]  # fmt: skip
    else:
        rules = [
            (re.search(r"from\b.*\bon\s+conflict", bare, re.I | re.S),
             "ON CONFLICT after FROM, where SQLite takes ON for the join's"),
        ]  # fmt: skip
    return next((reason for holds, reason in rules if holds), None)


def stops_early(message):
    return not re.match("no such (table|column|function)|ambiguous", message)


class Statements:
    """Random statements over these tables."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *options):
        return self.rng.choice(options)

    def maybe(self, text, chance=0.4):
        return text() if self.rng.random() < chance else ""

    def some(self, make, low=1, high=3):
        return ", ".join(make() for _ in range(self.rng.randint(low, high)))

    def name(self):
        return self.pick("a", "b", "c", "x", "t.a", "u.x", '"y"', "[z]", "`a`", "rowid", "main.t.b")

    def expr(self, depth=2):
        if depth == 0:
            return self.pick(
                "1", "2.5", "'s'", "NULL", "?", ":n", "x'0f'", "1e3", ".5", "0x1F", "current_date",
                self.name(), self.name(), self.name(),
            )  # fmt: skip
        e = lambda: self.expr(depth - 1)
        return self.rng.choice([
            lambda: f"{e()} {self.pick('+', '-', '*', '/', '||', '=', '==', '<>', '<', '>=', '<<', '&')} {e()}",
            lambda: f"{e()} {self.pick('AND', 'OR', 'and', 'IS', 'IS NOT', 'LIKE', 'NOT LIKE', 'GLOB')} {e()}",
            lambda: f"({e()})",
            lambda: f"{self.pick('-', '+', '~', 'NOT ', '- -')}{e()}",
            lambda: f"{e()} {self.pick('', 'NOT ')}BETWEEN {e()} AND {e()}",
            lambda: f"{e()} {self.pick('', 'NOT ')}IN ({self.pick(self.some(e), '', self.select(0))})",
            lambda: f"{self.pick('abs', 'coalesce', 'max', 'f', 'replace')}({self.some(e)})",
            lambda: f"count({self.pick('*', 'DISTINCT ' + e(), e())}) {self.maybe(self.filter)}",
            lambda: f"sum({e()}) OVER {self.pick('w', self.frame())}",
            lambda: f"CASE {self.maybe(e)} WHEN {e()} THEN {e()} {self.maybe(lambda: 'ELSE ' + e())} END",
            lambda: f"CAST({e()} AS {self.pick('INT', 'VARCHAR(20)', 'DECIMAL(5, 2)', 'big int', '')})",
            lambda: f"{e()} {self.pick('ISNULL', 'NOTNULL', 'NOT NULL', 'COLLATE NOCASE', 'IN t')}",
            lambda: f"{self.pick('', 'NOT ')}EXISTS ({self.select(0)})",
            lambda: f"({self.select(0)})",
            lambda: self.name(),
        ])()  # fmt: skip

    def filter(self):
        return f"FILTER (WHERE {self.expr(1)})"

    def frame(self):
        bound = lambda: self.pick("1 PRECEDING", "CURRENT ROW", "2 FOLLOWING")
        extent = lambda: (
            self.pick("ROWS ", "RANGE ", "GROUPS ")
            + self.pick(bound(), f"BETWEEN UNBOUNDED PRECEDING AND {bound()}", f"BETWEEN {bound()} AND UNBOUNDED FOLLOWING")
            + self.pick("", " EXCLUDE NO OTHERS", " EXCLUDE CURRENT ROW")
        )  # fmt: skip
        partition = self.maybe(lambda: f"PARTITION BY {self.expr(0)} ")
        return f"({partition}{self.maybe(self.order)} {self.maybe(extent)})"

    def order(self):
        return "ORDER BY " + self.some(
            lambda: self.expr(1) + self.pick("", " ASC", " DESC", " DESC NULLS LAST"), 1, 2
        )

    def source(self, depth):
        table = self.pick("t", "u", "v", "w", "main.t") + self.pick("", "", " AS s", " s")
        return self.pick(table, table, f"({self.select(depth - 1)})" if depth else table)

    def core(self, depth):
        join = lambda: (
            self.pick(", ", " JOIN ", " LEFT JOIN ", " NATURAL JOIN ", " CROSS JOIN ")
            + self.source(depth)
            + self.pick("", " ON " + self.expr(1), " USING (a)")
        )
        parts = [
            "SELECT", self.pick("", "", "DISTINCT"),
            self.some(lambda: self.pick("*", "t.*", self.expr(depth) + self.pick("", " AS n", " n"))),
            self.maybe(lambda: f"FROM {self.source(depth)}{self.maybe(join)}{self.maybe(join)}", 0.8),
            self.maybe(lambda: "WHERE " + self.expr(depth)),
            self.maybe(lambda: f"GROUP BY {self.expr(0)} {self.maybe(lambda: 'HAVING ' + self.expr(1))}", 0.2),
            self.maybe(lambda: f"WINDOW w AS {self.frame()}", 0.2),
        ]  # fmt: skip
        return " ".join(parts)

    def select(self, depth):
        compound = lambda: self.pick("UNION", "UNION ALL", "EXCEPT", "INTERSECT") + " "
        before = self.maybe(lambda: self.pick(self.core(0), "VALUES (1), (2)") + " " + compound(), 0.2)
        limit = lambda: "LIMIT " + self.pick("1", "1 OFFSET 2", "1, 2")
        return f"{before}{self.core(depth)} {self.maybe(self.order)} {self.maybe(limit, 0.3)}"

    def with_(self):
        one = lambda: f"{self.pick('p', 'q(a)')} AS {self.pick('', 'MATERIALIZED ')}({self.select(0)})"
        return f"WITH {self.pick('', 'RECURSIVE ')}{self.some(one, 1, 2)} "

    def change(self):
        values = f"VALUES ({self.some(lambda: self.expr(1))})"
        set_ = "SET " + self.some(lambda: f"{self.pick('a', 'b', '(a, b)')} = {self.expr(1)}", 1, 2)
        where = self.maybe(lambda: "WHERE " + self.expr(1))
        returning = self.maybe(lambda: "RETURNING " + self.pick("*", "a, b AS n"), 0.2)
        upsert = self.maybe(lambda: f"ON CONFLICT {self.pick('', '(a) ')}DO {self.pick('NOTHING', 'UPDATE ' + set_)}")
        action = self.pick("", "", "OR IGNORE ", "OR ROLLBACK ")
        return self.pick(
            f"INSERT {action}INTO t {self.pick('', '(a, b) ')}{values} {upsert} {returning}",
            f"REPLACE INTO t {self.select(1)} {returning}",
            f"UPDATE {action}t {set_} {self.pick('', 'FROM u ')}{where} {returning}",
            f"DELETE FROM t {self.pick('', 'AS s ')}{where} {returning}",
        )  # fmt: skip

    def create(self):
        property = lambda: self.pick(
            "NOT NULL", "UNIQUE", "DEFAULT 1", "DEFAULT (1 + 2)", "DEFAULT -1", "CHECK (a > 0)",
            "COLLATE NOCASE", "REFERENCES t (a) ON DELETE SET NULL", "CONSTRAINT c NULL",
            "GENERATED ALWAYS AS (a) VIRTUAL", "UNIQUE ON CONFLICT FAIL",
        )  # fmt: skip
        names = iter(self.rng.sample(["d", "e", '"f"', "g", "h"], 5))
        column = lambda: (
            next(names)
            + self.pick("", " INT", " TEXT", " VARCHAR(10)", " DOUBLE PRECISION")
            + "".join(" " + property() for _ in range(self.rng.randrange(3)))
        )
        constraint = self.pick("PRIMARY KEY (1)", "CHECK (1)", "CONSTRAINT k CHECK (2)", "CHECK (0) CHECK (1)")
        more = self.maybe(lambda: ", " + constraint)
        return f"CREATE {self.pick('', 'TEMP ')}TABLE n ({self.some(column)}{more}){self.pick('', ' STRICT', ' WITHOUT ROWID')}"

    def statement(self):
        kind = self.rng.random()
        text = self.create() if kind < 0.15 else self.change() if kind < 0.4 else self.select(2)
        if kind >= 0.15 and self.rng.random() < 0.15:
            text = self.with_() + text
        text = re.sub(" +", " ", text).strip() + self.pick("", "", ";")
        return text


def texts():
    statements = Statements(1)
    found = judging.shipped("sql") + [statements.statement() for _ in range(600)]
    short = [text for text in found if len(text) < 160]
    pieces = list("()',;.*=<>+-\"1ax ") + [
        f" {word} "
        for word in (
            "SELECT FROM WHERE AND OR NOT IN AS ON NULL BETWEEN GROUP ORDER BY LIMIT VALUES SET INTO "
            "JOIN LEFT UNION CASE WHEN THEN ELSE END IS EXISTS DISTINCT TABLE PRIMARY KEY DEFAULT "
            "a t 1 's' OVER DESC ALL WITH"
        ).split()
    ]  # fmt: skip
    controls = [f"SELECT {quoted}" for quoted in ("'a\0'", '"\0a"', "[a\0]", "`\0`", "'a\1'", '"\x1f"')]
    return found + controls + judging.with_mutants(short, pieces, 1200, seed=2)


if __name__ == "__main__":
    judging.judge("sql.lark", texts(), verdict, classify)
