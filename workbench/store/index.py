"""The SQLite index of runs: a copy of what the run folders say, made again whenever it is not usable."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from workbench.records import RunRow, Unavailable, WorkbenchError
from workbench.store.files import private_folder
from workbench.store.locks import FileLock

VERSION = 7
"""Raised when the columns change; an index of another version is thrown away."""

COLUMNS = tuple(RunRow.model_fields)

_BUSY_S = 15.0
_MAPPED_BYTES = 256 * 1024**2
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
    "PRIMARY KEY (created, run_id)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX runs_by_id ON runs (run_id)",
    "CREATE INDEX runs_by_cell ON runs (cell, attempt)",
    "CREATE INDEX runs_open ON runs (run_id) WHERE folder_ns >= 0",
    "CREATE TABLE problems (run_id TEXT PRIMARY KEY, what TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE seen (runs_ns INTEGER NOT NULL)",
    "INSERT INTO seen VALUES (0)",
    "CREATE TRIGGER changed_by_others AFTER UPDATE ON runs BEGIN "
    "UPDATE runs SET folder_ns = 0 WHERE run_id = new.run_id; UPDATE seen SET runs_ns = 0; END",
    "CREATE TRIGGER removed_by_others AFTER DELETE ON runs BEGIN UPDATE seen SET runs_ns = 0; END",
)
_DAMAGED = {
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_MISMATCH,
}  # fmt: skip
_UNWRITABLE = {
    sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM,
}  # fmt: skip

T = TypeVar("T")


def with_index(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """Run ``work`` on the index at ``path``; it may be run a second time, on an empty index.

    A missing, damaged or old index starts empty. Where it cannot be written, it lives in memory for this
    call. Raises Unavailable where another process keeps it locked.
    """
    seen = _inode(path)
    for first in (True, False):
        try:
            with _opened(str(path)) as connection:
                return work(connection)
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in _UNWRITABLE:
                break
            if not first or code not in _DAMAGED:
                raise Unavailable(
                    f"the index of runs cannot be used ({error})",
                    where=str(path),
                    remedy="Try again; it may be deleted: it is made again from the run folders.",
                ) from error
        try:
            _discard(path, seen)
        except (OSError, WorkbenchError):
            break
    with _opened(":memory:") as connection:
        return work(connection)


@contextlib.contextmanager
def writing_rows(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction that waits for other writers instead of failing half-way."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextlib.contextmanager
def _opened(place: str) -> Iterator[sqlite3.Connection]:
    if place != ":memory:":
        with contextlib.suppress(WorkbenchError):
            private_folder(Path(place).parent)
    connection = sqlite3.connect(place, timeout=_BUSY_S, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        if _version(connection) != VERSION:
            with writing_rows(connection):
                if _version(connection) != VERSION:
                    for statement in _SCHEMA:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {VERSION}")
        yield connection
    finally:
        connection.close()


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _discard(path: Path, seen: int) -> None:
    """Remove the index and its companions, unless another process has just made it anew."""
    with FileLock(path.with_name(f"{path.name}.lock"), "the index of runs", wait_s=_BUSY_S):
        if _inode(path) == seen:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
