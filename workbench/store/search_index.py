"""The SQLite index of the steps of all runs: words, tools, tables, and where each stands in its log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.store.sqlite_index import IndexLayout

SEARCH = IndexLayout(
    "words in runs",
    1,
    (
        "DROP TABLE IF EXISTS logs",
        "DROP TABLE IF EXISTS steps",
        "DROP TABLE IF EXISTS said",
        "DROP TABLE IF EXISTS words",
        "CREATE TABLE logs (log INTEGER PRIMARY KEY, run_id TEXT NOT NULL, live INTEGER NOT NULL, "
        "size INTEGER NOT NULL, changed_ns INTEGER NOT NULL, read_bytes INTEGER NOT NULL, "
        "digest TEXT NOT NULL, lint TEXT NOT NULL)",
        "CREATE UNIQUE INDEX logs_by_run ON logs (run_id) WHERE live",
        "CREATE TABLE steps (entry INTEGER PRIMARY KEY AUTOINCREMENT, log INTEGER NOT NULL, "
        "number INTEGER NOT NULL, offset INTEGER NOT NULL, bytes INTEGER NOT NULL, "
        "error INTEGER NOT NULL, sql INTEGER NOT NULL, "
        "accused INTEGER NOT NULL DEFAULT 0)",
        "CREATE INDEX steps_by_log ON steps (log, number)",
        "CREATE INDEX steps_with_errors ON steps (entry) WHERE error",
        "CREATE INDEX steps_with_sql ON steps (entry) WHERE sql",
        "CREATE INDEX steps_accused ON steps (entry) WHERE accused",
        "CREATE TABLE said (log INTEGER NOT NULL, number INTEGER NOT NULL, rule TEXT NOT NULL, "
        "level TEXT NOT NULL)",
        "CREATE INDEX said_by_step ON said (log, number)",
        "CREATE VIRTUAL TABLE words USING fts5(text, tool, tables, content='', "
        'tokenize="unicode61 remove_diacritics 0")',
    ),
)


@dataclass(frozen=True)
class IndexedLog:
    """A run's event log as far as it was read. ``digest``: of its begin and of what stands before
    ``read_bytes``; ``lint``: number of the re-lint that its violations are from, empty for the first lint."""

    log: int
    run_id: str
    size: int
    changed_ns: int
    read_bytes: int
    digest: str
    lint: str


@dataclass(frozen=True)
class IndexedStep:
    """A step as it is put in. ``offset``, ``bytes``: its line in the log."""

    number: int
    offset: int
    bytes: int
    error: bool
    sql: bool
    text: str
    tool: str
    tables: str


@dataclass(frozen=True)
class FoundStep:
    """A step that fits a search, and where to read it."""

    run_id: str
    number: int
    offset: int
    bytes: int
    rules: tuple[str, ...]


@dataclass(frozen=True)
class StepSearch:
    """What a step must fulfil. ``words``: an FTS5 expression, empty for any text."""

    words: str = ""
    sql: bool = False
    errors: bool = False
    violations: bool = False
    runs: Sequence[str] = ()


def indexed_stamps(index: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Size and time of change of the logs that are in the index, by run id."""
    found = index.execute("SELECT run_id, size, changed_ns FROM logs WHERE live")
    return {run_id: (size, changed_ns) for run_id, size, changed_ns in found}


def indexed_log(index: sqlite3.Connection, run_id: str) -> IndexedLog | None:
    """A run's log as far as it is in the index."""
    found = index.execute(
        "SELECT log, run_id, size, changed_ns, read_bytes, digest, lint FROM logs WHERE live AND run_id = ?",
        (run_id,),
    ).fetchone()
    return IndexedLog(*found) if found else None


def put_log(index: sqlite3.Connection, log: IndexedLog) -> int:
    """Note how far a log was read; a log numbered 0 is new. The log's number."""
    values = (log.run_id, log.size, log.changed_ns, log.read_bytes, log.digest, log.lint)
    if log.log:
        index.execute(
            "UPDATE logs SET run_id = ?, size = ?, changed_ns = ?, read_bytes = ?, digest = ?, lint = ? "
            "WHERE log = ?",
            (*values, log.log),
        )
        return log.log
    cursor = index.execute(
        "INSERT INTO logs (run_id, live, size, changed_ns, read_bytes, digest, lint) "
        "VALUES (?, 1, ?, ?, ?, ?, ?)",
        values,
    )
    return int(cursor.lastrowid or 0)


def forget_logs(index: sqlite3.Connection, logs: Iterable[int]) -> None:
    """Leave logs out from now on. Their words stay until the index is made anew: FTS keeps no texts."""
    for log in logs:
        index.execute("UPDATE logs SET live = 0 WHERE log = ?", (log,))
        index.execute("DELETE FROM steps WHERE log = ?", (log,))
        index.execute("DELETE FROM said WHERE log = ?", (log,))


def put_steps(index: sqlite3.Connection, log: int, steps: Sequence[IndexedStep]) -> None:
    """Add steps to a log."""
    numbered = list(enumerate(steps, _entries(index) + 1))
    index.executemany(
        "INSERT INTO steps (entry, log, number, offset, bytes, error, sql) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(at, log, s.number, s.offset, s.bytes, s.error, s.sql) for at, s in numbered],
    )
    index.executemany(
        "INSERT INTO words (rowid, text, tool, tables) VALUES (?, ?, ?, ?)",
        [(at, s.text, s.tool, s.tables) for at, s in numbered],
    )


def put_violations(index: sqlite3.Connection, log: int, said: Sequence[tuple[int, str, str]]) -> None:
    """Add violations of steps that are in: step number, rule, level."""
    index.executemany("INSERT INTO said VALUES (?, ?, ?, ?)", [(log, *item) for item in said])
    index.executemany(
        "UPDATE steps SET accused = 1 WHERE log = ? AND number = ?", [(log, item[0]) for item in said]
    )


def indexed_lints(index: sqlite3.Connection) -> dict[str, str]:
    """Numbers of the re-lints that violations are from, by run; logs with those of the first are left out."""
    return dict(index.execute("SELECT run_id, lint FROM logs WHERE live AND lint != ''").fetchall())


def replace_violations(
    index: sqlite3.Connection, log: int, lint: str, said: Sequence[tuple[int, str, str]]
) -> None:
    """Let a log have the violations of a re-lint and no others."""
    index.execute("DELETE FROM said WHERE log = ?", (log,))
    index.execute("UPDATE steps SET accused = 0 WHERE log = ? AND accused", (log,))
    put_violations(index, log, said)
    index.execute("UPDATE logs SET lint = ? WHERE log = ?", (lint, log))


def found_steps(
    index: sqlite3.Connection, search: StepSearch, limit: int | None = None, offset: int = 0
) -> list[FoundStep]:
    """Steps that fit, the ones put in last first."""
    tables, conditions, values = _conditions(search)
    query = (
        f"SELECT logs.run_id, steps.number, steps.offset, steps.bytes, steps.log FROM {tables} "
        f"WHERE {conditions} ORDER BY {'words.rowid' if search.words else 'steps.entry'} DESC "
        f"LIMIT {-1 if limit is None else int(limit)} OFFSET {int(offset)}"
    )
    found = index.execute(query, values).fetchall()
    return [
        FoundStep(run_id, number, at, size, _rules(index, log, number))
        for run_id, number, at, size, log in found
    ]


def count_steps(index: sqlite3.Connection, search: StepSearch) -> int:
    """How many steps fit."""
    tables, conditions, values = _conditions(search)
    return int(index.execute(f"SELECT count(*) FROM {tables} WHERE {conditions}", values).fetchone()[0])


def indexed_words(index: sqlite3.Connection, column: str) -> list[str]:
    """Every word of a column (``text``, ``tool`` or ``tables``) in small letters, those of logs that are left
    out, too."""
    index.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, col)")
    found = index.execute("SELECT term FROM temp.vocabulary WHERE col = ?", (column,))
    return [str(term) for (term,) in found]


def start_anew(index: sqlite3.Connection) -> None:
    """Empty the index."""
    for statement in SEARCH.schema:
        index.execute(statement)


def dead_share(index: sqlite3.Connection) -> float:
    """Which share of the words in the index belongs to logs that are left out."""
    words = _entries(index)
    steps = int(index.execute("SELECT count(*) FROM steps").fetchone()[0])
    return 1 - steps / words if words else 0.0


def _entries(index: sqlite3.Connection) -> int:
    """How many steps were ever put in."""
    found = index.execute("SELECT seq FROM sqlite_sequence WHERE name = 'steps'").fetchone()
    return int(found[0]) if found else 0


def _conditions(search: StepSearch) -> tuple[str, str, list[str]]:
    values: list[str] = []
    conditions = ["logs.live"]
    tables = "steps CROSS JOIN logs ON logs.log = steps.log"
    if search.words:
        tables = f"words CROSS JOIN steps ON steps.entry = words.rowid {tables.removeprefix('steps ')}"
        conditions.append("words MATCH ?")
        values.append(search.words)
    if search.sql:
        conditions.append("steps.sql")
    if search.errors:
        conditions.append("steps.error")
    if search.violations:
        conditions.append("steps.accused")
    if search.runs:
        conditions.append(f"logs.run_id IN ({', '.join('?' * len(search.runs))})")
        values += search.runs
    return tables, " AND ".join(conditions), values


def _rules(index: sqlite3.Connection, log: int, number: int) -> tuple[str, ...]:
    found = index.execute(
        "SELECT DISTINCT rule FROM said WHERE log = ? AND number = ? ORDER BY rule", (log, number)
    )
    return tuple(rule for (rule,) in found)
