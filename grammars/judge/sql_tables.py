"""The databases that statements of sql.lark are judged in, and what a statement does there.

The tables are those that the grammar's own texts use. Their rows are fixed, and made so
that a condition of those texts is true of some and false of others: two statements that
mean different things should do different things. Values of several types stand in a
column, as SQLite allows, and some are missing. There are two fillings, because one in
which a row is found is another than one in which the same row may be put in.
"""

import re
import sqlite3

TABLES = """
CREATE TABLE t (a, b, c); CREATE TABLE u (x, y, z); CREATE TABLE v (a, b, x); CREATE TABLE w (a, y);
CREATE INDEX i ON t (a); CREATE UNIQUE INDEX j ON t (a); CREATE UNIQUE INDEX k ON t (b);
"""

# In t no value of a or b may occur twice; NULL may.
FILLINGS = (
    {
        "t": [
            (1, 2, 3), (2, 5, None), (3, -4, 8), (4, 7, "b"), (5, 12, "q"), (6, None, 2), (7, None, 4),
            (8, 1.5, 1), (9, "y", 5), (10, "x1", 6), (11, "x2", None), (12, "x3", "a"), (13, "x4", 2.5),
            (14, "x5", 0), (15, "x6", -1), (16, "x7", 9), (0, 0, 0), (None, 9, 7), ("s", 3, "zz"),
            ("it's", 4, 10), (20, 8, '{"x": {"y": 1}}'), (21, 10, "zebra"), (22, 6, "c"),
        ],
        "u": [
            (2, 7, 1), (4, 12, 2), (30, 1, 3), (31, 2, None), (1, 40, "k"), (None, 0, 4), (-5, 5, 5),
            (3, "n", 6), (20, 8, 7),
        ],
        "v": [(2, 5, 30), (4, 7, 20), (20, 8, 2), (40, 1, 1), (3, None, 2), (9, "y", 31)],
        "w": [(2, 7), (4, 12), (20, 8), (2, 99), (50, 1), (None, None)],
    },
    {
        "t": [
            (2, 3, "b"), (3, 20, 1), (5, None, 4), (6, 8, None), (9, 15, 2), (10, 9, 2),
            ('{"x": {"y": 1}}', 30, "k"), (None, -2, 0),
        ],
        "u": [(7, 100, 1), (2, 101, 5), (6, 102, "k"), (9, 103, 3), (-1, 5, 8)],
        "v": [(2, 3, 1), (6, 8, 4), (7, 1, 2)],
        "w": [(2, 101), (6, 7), (3, 1)],
    },
)  # fmt: skip

# Virtual machine steps of SQLite's, in thousands, after which a statement is stopped.
PATIENCE = 2000


def database(filling={}):
    """The tables in memory, with these rows."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(TABLES)
    for table, rows in filling.items():
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    return connection


def run(connection, text):
    """The cursor of a statement; every parameter is 1, however it is written."""
    try:
        return connection.execute(text, {name: 1 for name in "nmk"})
    except sqlite3.ProgrammingError as error:
        # Without a name it is one of a list.
        if not re.search("no name|did not supply a value", str(error)):
            raise
    try:
        return connection.execute(text)
    except sqlite3.ProgrammingError as error:
        wanted = re.search(r"statement uses (\d+)", str(error))
        if not wanted:
            raise
        return connection.execute(text, [1] * int(wanted[1]))


def complaint(text):
    """What SQLite has against a statement over the tables, or None; it is not run."""
    connection = database()
    try:
        run(connection, "EXPLAIN " + text)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        return str(error)
    finally:
        connection.close()
    return None


def outcome(text):
    """What a statement does to the tables, by filling: its rows, and all tables after it.
    None for a filling in which it fails or does not end, and for all if it does in each.

    Rows are a bag, unless the statement orders them.
    """
    if not text.strip(" \t\r\n;"):
        return None
    found = [outcome_of(text, filling) for filling in FILLINGS]
    return found if any(found) else None


def outcome_of(text, filling):
    connection = database(filling)
    budget = [PATIENCE]

    def stop():
        budget[0] -= 1
        return budget[0] < 0

    connection.set_progress_handler(stop, 1000)
    try:
        rows = [tuple(map(typed, row)) for row in run(connection, text).fetchall()]
        names = connection.execute(
            "SELECT name, sql FROM (SELECT * FROM sqlite_schema UNION ALL SELECT * FROM sqlite_temp_schema)"
            " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1"
        ).fetchall()
        after = []
        for name, _ in names:
            content = connection.execute('SELECT * FROM "' + name.replace('"', '""') + '"')
            columns = tuple(column[0] for column in content.description)
            after.append((name, columns, sorted(tuple(map(typed, row)) for row in content)))
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError):
        return None
    finally:
        connection.close()
    return rows if ordered(text) else sorted(rows), after


def typed(value):
    """A value that can be compared to any other: 1 and 1.0 are alike, 1 and '1' are not."""
    if value is None:
        return ("", "")
    if isinstance(value, (int, float)):
        return ("number", f"{value:.12g}" if isinstance(value, float) else str(value))
    return (type(value).__name__, repr(value))


def ordered(text):
    """Whether the statement itself, and not a part in parentheses, has an ORDER BY."""
    bare = re.sub(r"""'([^']|'')*'|"([^"]|"")*"|`[^`]*`|\[[^\]]*\]""", "q", text)
    while True:
        less = re.sub(r"\([^()]*\)", "q", bare)
        if less == bare:
            return bool(re.search(r"\border\s+by\b", bare, re.I))
        bare = less
