"""Bring the index up to what the run folders say, looking at as few of them as is safe."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workbench.records import BadInput, DataPaths
from workbench.store.index import COLUMNS
from workbench.store.run_rows import RACY_NS, RESULT_NAME, read_run, result_stamp
from workbench.store.sqlite_index import writing_rows

_INSERT = f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * (len(COLUMNS) + 5))})"
_Reading = tuple[str, tuple[Any, ...], str]
"""Run id, values of its row (none where its plan is damaged), problem."""


def run_names(data: DataPaths) -> set[str]:
    """What lies in the folder of runs, names that are not UTF-8 left out. Raises BadInput."""
    return _names(data)[0]


def _names(data: DataPaths) -> tuple[set[str], set[str]]:
    """Names, and those that are not UTF-8, spelled out."""
    try:
        with os.scandir(data.runs) as entries:
            found = {entry.name for entry in entries if not entry.name.startswith(".")}
    except FileNotFoundError:
        return set(), set()
    except OSError as error:
        remedy = "Put a folder there, or move away what is there now: a folder is then made."
        what = f"the folder of runs cannot be read ({error.strerror})"
        raise BadInput(what, where=str(data.runs), remedy=remedy) from None
    odd = {name for name in found if any("\ud800" <= character <= "\udfff" for character in name)}
    return found - odd, {os.fsencode(name).decode("utf-8", "backslashreplace") for name in odd}


def refresh_index(index: sqlite3.Connection, data: DataPaths, run_id: str | None = None) -> None:
    """Read runs that are new, gone, or may have changed since they were seen; or ``run_id`` for certain."""
    now_ns = time.time_ns()
    runs_ns = _modified_ns(data.runs)
    changed = _changed(index, data) if run_id is None else set()
    odd: set[str] = set()
    if run_id is None and runs_ns == _seen_ns(index):
        stale, gone = changed, set()
    else:
        names, odd = _names(data)
        rows = {name for (name,) in index.execute("SELECT run_id FROM runs")}
        problems = {name for (name,) in index.execute("SELECT run_id FROM problems")}
        gone = (rows | problems) - names - odd
        stale = {run_id} & names if run_id else (changed & names) | (names - rows)
    settled = run_id is None and runs_ns is not None and now_ns - runs_ns > RACY_NS
    if stale or gone or odd or (settled and runs_ns != _seen_ns(index)):
        readings = list(_read(data, stale, now_ns))
        with writing_rows(index):
            index.executemany("DELETE FROM runs WHERE run_id = ?", [(name,) for name in gone])
            index.executemany(
                "DELETE FROM problems WHERE run_id = ?", [(name,) for name in gone | stale | odd]
            )
            _insert(index, readings + _unnamed(odd))
            if settled:
                index.execute("UPDATE seen SET runs_ns = ?", (runs_ns,))


def rebuild_index(index: sqlite3.Connection, data: DataPaths) -> None:
    """Read every run folder again."""
    names, odd = _names(data)
    readings = [*_read(data, names, time.time_ns()), *_unnamed(odd)]
    with writing_rows(index):
        index.execute("DELETE FROM runs")
        index.execute("DELETE FROM problems")
        index.execute("UPDATE seen SET runs_ns = 0")
        _insert(index, readings)


def _unnamed(odd: Iterable[str]) -> list[_Reading]:
    return [(name, (), "its name is not UTF-8: rename or remove it") for name in odd]


def _seen_ns(index: sqlite3.Connection) -> int:
    """Change time of the folder of runs when all in it were known and sound; 0 to look at them again."""
    (problems,) = index.execute("SELECT EXISTS (SELECT 1 FROM problems)").fetchone()
    (seen_ns,) = index.execute("SELECT runs_ns FROM seen").fetchone()
    return 0 if problems else int(seen_ns)


def _changed(index: sqlite3.Connection, data: DataPaths) -> set[str]:
    """The indexed runs whose folder or result is not as it was seen, and rows that another program changed
    (a trigger of the index marks them: the workbench only inserts and deletes)."""
    changed = set()
    runs = str(data.runs)
    for name, folder_ns, stamp in index.execute("SELECT run_id, folder_ns, result_stamp FROM runs"):
        if folder_ns < 0:
            if result_stamp(f"{runs}/{name}/{RESULT_NAME}") != stamp:
                changed.add(name)
        elif folder_ns == 0 or _modified_ns(data.runs / name) != folder_ns:
            changed.add(name)
    return changed


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
            further = (reading.folder_ns, reading.result_stamp, reading.canary, reading.output_sha256)
            values = (*dict(reading.row).values(), *further, reading.lint)
        yield name, values, reading.problem


def _insert(index: sqlite3.Connection, readings: Iterable[_Reading]) -> None:
    for name, values, problem in readings:
        if values:
            try:
                index.execute(_INSERT, values)
            except (OverflowError, UnicodeError, sqlite3.InterfaceError, sqlite3.DataError):
                problem = problem or "its documents hold what no index can hold"
        if problem:
            index.execute("INSERT OR REPLACE INTO problems VALUES (?, ?)", (name, problem))


def _modified_ns(folder: Path) -> int | None:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return None
