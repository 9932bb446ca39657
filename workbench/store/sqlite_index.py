"""An index in SQLite: a copy of what files say, made again whenever it is not usable."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from workbench.records import Unavailable, WorkbenchError
from workbench.store.files import private_folder
from workbench.store.locks import FileLock

_BUSY_S = 15.0
_MAPPED_BYTES = 256 * 1024**2
_DAMAGED = {
    sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_MISMATCH,
}  # fmt: skip
_UNWRITABLE = {
    sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM,
}  # fmt: skip

T = TypeVar("T")


@dataclass(frozen=True)
class IndexLayout:
    """``what`` it is an index of; ``schema`` drops and makes its tables. An index of another version is
    thrown away."""

    what: str
    version: int
    schema: Sequence[str]


def with_index(path: Path, layout: IndexLayout, work: Callable[[sqlite3.Connection], T]) -> T:
    """Run ``work`` on the index at ``path``; it may be run a second time, on an empty index.

    A missing, damaged or old index starts empty. Where it cannot be written, it lives in memory for this
    call. Raises Unavailable where another process keeps it locked.
    """
    seen = _inode(path)
    for first in (True, False):
        try:
            with _opened(str(path), layout) as connection:
                return work(connection)
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in _UNWRITABLE:
                break
            if not first or code not in _DAMAGED:
                raise Unavailable(
                    f"the index of {layout.what} cannot be used ({error})",
                    where=str(path),
                    remedy="Try again; it may be deleted: it is made again from the run folders.",
                ) from error
        try:
            _discard(path, layout, seen)
        except (OSError, WorkbenchError):
            break
    with _opened(":memory:", layout) as connection:
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
def _opened(place: str, layout: IndexLayout) -> Iterator[sqlite3.Connection]:
    if place != ":memory:":
        with contextlib.suppress(WorkbenchError):
            private_folder(Path(place).parent)
    connection = sqlite3.connect(place, timeout=_BUSY_S, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        if _version(connection) != layout.version:
            with writing_rows(connection):
                if _version(connection) != layout.version:
                    for statement in layout.schema:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {layout.version}")
        yield connection
    finally:
        connection.close()


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _discard(path: Path, layout: IndexLayout, seen: int) -> None:
    """Remove the index and its companions, unless another process has just made it anew."""
    with FileLock(path.with_name(f"{path.name}.lock"), f"the index of {layout.what}", wait_s=_BUSY_S):
        if _inode(path) == seen:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
