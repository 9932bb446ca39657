"""Bring the index up to what the run folders say, looking at as few of them as is safe."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workbench.records import DataPaths
from workbench.store.index import COLUMNS, writing_rows
from workbench.store.run_rows import RACY_NS, read_run

_INSERT = f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"
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
    if run_id is None and runs_ns == _seen_ns(index):
        stale, gone = _changed(index, data), set()
    else:
        names = run_names(data)
        known = {name for (name,) in index.execute("SELECT run_id FROM runs")}
        gone = known - names
        stale = {run_id} & names if run_id else (_changed(index, data) & names) | (names - known)
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


def _changed(index: sqlite3.Connection, data: DataPaths) -> set[str]:
    """Of the indexed runs that are not settled, those whose folder is not as it was seen."""
    found = index.execute("SELECT run_id, folder_ns FROM runs WHERE folder_ns >= 0")
    return {name for name, seen_ns in found if seen_ns == 0 or _modified_ns(data.runs / name) != seen_ns}


def _read(data: DataPaths, names: Iterable[str], now_ns: int) -> Iterator[_Reading]:
    for name in names:
        try:
            reading = read_run(data.run(name), now_ns)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if reading.row is not None and reading.row.run_id != name:
            yield name, (), "plan.json names another run"
            continue
        values = (*dict(reading.row).values(), reading.folder_ns) if reading.row else ()
        yield name, tuple(values), reading.problem


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
