"""Bring the index up to what the run folders say, looking at as few of them as is safe."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from workbench.records import DataPaths
from workbench.store.index import COLUMNS, writing_rows
from workbench.store.run_rows import RACY_NS, RESULT_NAME, read_run, result_stamp, row_digest

_INSERT = f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * (len(COLUMNS) + 3))})"
_Reading = tuple[str, tuple[Any, ...], str]
"""Run id, values of its row (none where its plan is damaged), problem."""


def run_names(data: DataPaths) -> set[str]:
    """What lies in the folder of runs."""
    try:
        with os.scandir(data.runs) as entries:
            return {entry.name for entry in entries if not entry.name.startswith(".")}
    except FileNotFoundError:
        return set()


def refresh_index(index: sqlite3.Connection, data: DataPaths, run_id: str | None = None) -> None:
    """Read runs that are new, gone, or may have changed since they were seen; or ``run_id`` for certain."""
    now_ns = time.time_ns()
    runs_ns = _modified_ns(data.runs)
    changed, untrue = _checked(index, data) if run_id is None else (set(), set())
    if run_id is None and not untrue and runs_ns == _seen_ns(index):
        stale, gone = changed, set()
    else:
        names = run_names(data)
        rows = {name for (name,) in index.execute("SELECT run_id FROM runs")}
        problems = {name for (name,) in index.execute("SELECT run_id FROM problems")}
        gone = ((rows | problems) - names) | untrue
        stale = {run_id} & names if run_id else (changed & names) | (names - (rows - untrue))
    settled = run_id is None and runs_ns is not None and now_ns - runs_ns > RACY_NS
    if stale or gone or (settled and runs_ns != _seen_ns(index)):
        readings = list(_read(data, stale, now_ns))
        with writing_rows(index):
            index.executemany("DELETE FROM runs WHERE run_id = ?", [(name,) for name in gone])
            index.executemany("DELETE FROM problems WHERE run_id = ?", [(name,) for name in gone | stale])
            _insert(index, readings)
            if settled:
                index.execute("UPDATE seen SET runs_ns = ?", (runs_ns,))


def rebuild_index(index: sqlite3.Connection, data: DataPaths) -> None:
    """Read every run folder again."""
    readings = list(_read(data, run_names(data), time.time_ns()))
    with writing_rows(index):
        index.execute("DELETE FROM runs")
        index.execute("DELETE FROM problems")
        index.execute("UPDATE seen SET runs_ns = 0")
        _insert(index, readings)


def _seen_ns(index: sqlite3.Connection) -> int:
    """Change time of the folder of runs when all in it were known and sound; 0 to look at them again."""
    (problems,) = index.execute("SELECT EXISTS (SELECT 1 FROM problems)").fetchone()
    (seen_ns,) = index.execute("SELECT runs_ns FROM seen").fetchone()
    return 0 if problems else int(seen_ns)


def _checked(index: sqlite3.Connection, data: DataPaths) -> tuple[set[str], set[str]]:
    """Of the indexed runs: those whose folder or result is not as it was seen, and those whose row is not as
    it was written (changed in the index by another program)."""
    changed, untrue = set(), set()
    runs = str(data.runs)
    for found in index.execute("SELECT * FROM runs"):
        name, folder_ns, stamp = found[0], found[-3], found[-2]
        if row_digest(found[:-1]) != found[-1]:
            untrue.add(name)
        elif folder_ns < 0:
            if result_stamp(f"{runs}/{name}/{RESULT_NAME}") != stamp:
                changed.add(name)
        elif folder_ns == 0 or _modified_ns(data.runs / name) != folder_ns:
            changed.add(name)
    return changed, untrue


def _read(data: DataPaths, names: Iterable[str], now_ns: int) -> Iterator[_Reading]:
    for name in names:
        try:
            reading = read_run(data.run(name), now_ns)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield name, (), f"cannot be read ({error.strerror})"
            continue
        values: tuple[Any, ...] = ()
        if reading.row:
            values = (*map(_stored, dict(reading.row).values()), reading.folder_ns, reading.result_stamp)
            values += (row_digest(values),)
        yield name, values, reading.problem


def _stored(value: Any) -> Any:
    """As SQLite gives it back: plain text for a name, 0 or 1 for no and yes."""
    if isinstance(value, StrEnum):
        return value.value
    return int(value) if isinstance(value, bool) else value


def _insert(index: sqlite3.Connection, readings: Iterable[_Reading]) -> None:
    for name, values, problem in readings:
        if values:
            index.execute(_INSERT, values)
        if problem:
            index.execute("INSERT OR REPLACE INTO problems VALUES (?, ?)", (name, problem))


def _modified_ns(folder: Path) -> int | None:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return None
