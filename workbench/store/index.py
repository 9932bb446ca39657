"""The SQLite index of runs: a copy of what the run folders say, made again whenever it is not usable."""

from __future__ import annotations

from workbench.records import RunRow
from workbench.store.sqlite_index import IndexLayout

VERSION = 9
"""Raised when the columns change."""

COLUMNS = tuple(RunRow.model_fields)

_TYPES = {
    "trial": "INTEGER", "attempt": "INTEGER", "reward": "REAL", "strict_pass": "INTEGER", "warns": "INTEGER",
    "fails": "INTEGER", "wall_s": "REAL", "input_tokens": "INTEGER", "output_tokens": "INTEGER",
    "demonstration": "INTEGER",
}  # fmt: skip
_FIELDS = ", ".join(f"{name} {_TYPES.get(name, 'TEXT')}" for name in COLUMNS)
_SCHEMA = (
    "DROP TABLE IF EXISTS runs",
    "DROP TABLE IF EXISTS problems",
    "DROP TABLE IF EXISTS seen",
    f"CREATE TABLE runs ({_FIELDS}, folder_ns INTEGER NOT NULL, result_stamp TEXT NOT NULL, "
    "canary TEXT NOT NULL, output_sha256 TEXT NOT NULL, lint INTEGER NOT NULL, "
    "PRIMARY KEY (created, run_id)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX runs_by_id ON runs (run_id)",
    "CREATE INDEX runs_linted ON runs (run_id, lint) WHERE lint > 0",
    "CREATE INDEX runs_by_family ON runs (family, source, created)",
    "CREATE INDEX runs_by_cell ON runs (cell, attempt)",
    "CREATE INDEX runs_open ON runs (run_id) WHERE folder_ns >= 0",
    "CREATE TABLE problems (run_id TEXT PRIMARY KEY, what TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE seen (runs_ns INTEGER NOT NULL)",
    "INSERT INTO seen VALUES (0)",
    "CREATE TRIGGER changed_by_others AFTER UPDATE ON runs BEGIN "
    "UPDATE runs SET folder_ns = 0 WHERE run_id = new.run_id; UPDATE seen SET runs_ns = 0; END",
    "CREATE TRIGGER removed_by_others AFTER DELETE ON runs BEGIN UPDATE seen SET runs_ns = 0; END",
)

RUNS = IndexLayout("runs", VERSION, _SCHEMA)
