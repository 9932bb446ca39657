"""Brings the search index up to what the runs' event logs hold: only what is new is read."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from workbench.records import BadInput, DataPaths, Progress, RunPaths, open_regular, silent
from workbench.sql import quick_reads
from workbench.store import (
    IndexedLog,
    IndexedStep,
    dead_share,
    forget_logs,
    indexed_lints,
    indexed_log,
    indexed_stamps,
    newest_lint,
    newest_lints,
    put_log,
    put_steps,
    put_violations,
    replace_violations,
    run_names,
    start_anew,
    writing_rows,
)
from workbench.trajectories.step_text import raw_code, raw_failed, raw_parts, raw_step_text
from workbench.trajectories.values import json_object, mapping_of, number_of, text_of

PIECE_BYTES = 4 * 1024 * 1024
"""Read and put in at a time."""
MOST_LINE_BYTES = 16 * 1024 * 1024
"""A longer line is passed over."""
MOST_DEAD = 0.5
"""Share of words of logs that are gone above which the index is made anew."""
_MARK_BYTES = 4096
T = TypeVar("T")
_EVENTS = RunPaths(Path()).events.name
_ACCUSING = ("fail", "quarantine", "warn", "not-run")


@dataclass
class _Batch:
    """What a stretch of whole lines of one log holds. ``log``: as it stands when that is in."""

    log: IndexedLog
    bytes: int = 0
    steps: list[IndexedStep] = field(default_factory=list)
    said: list[tuple[int, str, str]] = field(default_factory=list)


def fill_search_index(index: sqlite3.Connection, data: DataPaths, progress: Progress = silent) -> int:
    """Read what has come since the last time. How many bytes that was.

    A log that is gone or was written anew is left out first. Violations are those of a run's newest lint. It
    may be stopped at any time: what is in stays.
    Raises BadInput where the folder of runs cannot be read.
    """
    lints = newest_lints(data)
    _forget_lints(index, lints)
    stale = _stale(index, data)
    if dead_share(index) > MOST_DEAD:
        with writing_rows(index):
            start_anew(index)
        stale = _stale(index, data)
    total = sum(log.size - log.read_bytes for log in stale)
    done = 0
    for batches in _ahead(_groups(data, stale)):
        with writing_rows(index):
            for batch in batches:
                known = indexed_log(index, batch.log.run_id)
                log = put_log(index, replace(batch.log, log=known.log if known else 0, lint=""))
                put_steps(index, log, batch.steps)
                put_violations(index, log, batch.said)
        done += sum(batch.bytes for batch in batches)
        progress("reading runs for search", done, total, "bytes")
    _put_lints(index, data, lints)
    return done


def _forget_lints(index: sqlite3.Connection, lints: Mapping[str, int]) -> None:
    """Logs whose re-lint is gone are read again, with what was said of them first."""
    gone = [indexed_log(index, name) for name in indexed_lints(index).keys() - lints.keys()]
    if gone:
        with writing_rows(index):
            forget_logs(index, [log.log for log in gone if log is not None])


def _put_lints(index: sqlite3.Connection, data: DataPaths, lints: Mapping[str, int]) -> None:
    """What re-lints say, for the logs that are in with another lint."""
    known = indexed_lints(index)
    for run_id, number in lints.items():
        log = indexed_log(index, run_id) if known.get(run_id) != str(number) else None
        if log is None:
            continue
        try:
            lint = newest_lint(data.run(run_id))
        except BadInput:
            continue
        violations = lint.report.violations if lint else []
        said = [
            (item.place.step, item.rule, str(item.level))
            for item in violations
            if item.place.step is not None and item.level in _ACCUSING
        ]
        with writing_rows(index):
            replace_violations(index, log.log, str(number), said)


def _stale(index: sqlite3.Connection, data: DataPaths) -> list[IndexedLog]:
    """Logs that changed since they were read, as they are in the index with their new stamps."""
    known = indexed_stamps(index)
    stale: list[IndexedLog] = []
    forgotten: list[int] = []
    for name in sorted(run_names(data)):
        try:
            status = os.stat(f"{data.runs}/{name}/{_EVENTS}")  # noqa: PTH116 - of ten thousand paths
        except OSError:
            continue
        stamp = (status.st_size, status.st_mtime_ns)
        before = known.pop(name, None)
        if before == stamp:
            continue
        log = (indexed_log(index, name) if before else None) or IndexedLog(0, name, 0, 0, 0, "", "")
        if log.log and _digest(data.run(name).events, log.read_bytes) != log.digest:
            forgotten.append(log.log)
            log = replace(log, log=0, read_bytes=0)
        stale.append(replace(log, size=stamp[0], changed_ns=stamp[1]))
    gone = [indexed_log(index, name) for name in known]
    forgotten += [log.log for log in gone if log is not None]
    if forgotten:
        with writing_rows(index):
            forget_logs(index, forgotten)
    return stale


def _groups(data: DataPaths, stale: Iterable[IndexedLog]) -> Iterator[list[_Batch]]:
    """Stretches of some megabytes in all, of one log or of many small ones."""
    held: list[_Batch] = []
    held_bytes = 0
    for log in stale:
        for batch in _batches(data.run(log.run_id).events, log):
            held.append(batch)
            held_bytes += batch.bytes
            if held_bytes >= PIECE_BYTES:
                yield held
                held, held_bytes = [], 0
    if held:
        yield held


def _ahead(items: Iterator[T]) -> Iterator[T]:
    """The same; the next one is made while one is worked on."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def _digest(path: Path, end: int) -> str:
    """Of the begin of a log and of what stands before ``end``: two that agree are the same up to there."""
    hashed = hashlib.blake2b(digest_size=16)
    try:
        with open_regular(path) as file:
            hashed.update(file.read(min(_MARK_BYTES, end)))
            file.seek(max(end - _MARK_BYTES, 0))
            hashed.update(file.read(min(_MARK_BYTES, end)))
    except OSError:
        return ""
    return hashed.hexdigest()


def _batches(path: Path, log: IndexedLog) -> Iterator[_Batch]:
    """Whole lines that have come, some megabytes at a time; one at least, so that its stamp is kept."""
    at, rest, found = log.read_bytes, b"", False
    try:
        with open_regular(path) as file:
            head = file.read(_MARK_BYTES)
            file.seek(at)
            while piece := file.read(PIECE_BYTES):
                held = rest + piece
                whole = held.rfind(b"\n") + 1
                if not whole and len(held) > MOST_LINE_BYTES:
                    at, rest = at + len(held), b""
                    continue
                rest = held[whole:]
                if whole:
                    before = _before(file, at + whole, held[:whole])
                    digest = hashlib.blake2b(head[: at + whole] + before, digest_size=16).hexdigest()
                    yield _batch(held[:whole], at, replace(log, read_bytes=at + whole, digest=digest))
                    at, found = at + whole, True
    except OSError:
        return
    if not found:
        yield _Batch(replace(log, read_bytes=at, digest=_digest(path, at)))


def _before(file: Any, end: int, held: bytes) -> bytes:
    """The last bytes before ``end``, of which ``held`` is read already."""
    if len(held) >= _MARK_BYTES or len(held) == end:
        return held[-_MARK_BYTES:]
    here = file.tell()
    file.seek(max(end - _MARK_BYTES, 0))
    found: bytes = file.read(min(_MARK_BYTES, end))
    file.seek(here)
    return found


def _batch(data: bytes, at: int, log: IndexedLog) -> _Batch:
    batch = _Batch(log, len(data))
    for line in data.split(b"\n"):
        if b'"step"' in line or b'"violation"' in line:
            event = json_object(line)
            if event is not None:
                _take(event, at, len(line), batch)
        at += len(line) + 1
    return batch


def _take(event: dict[str, Any], offset: int, size: int, batch: _Batch) -> None:
    if event.get("kind") == "step":
        step = mapping_of(event.get("step"))
        number = number_of(step.get("number"))
        if number is not None:
            code = raw_code(step)
            tables = {name for text in code for name in quick_reads(text)}
            tool = " ".join(
                f"{text_of(call.get('name'))} {text_of(call.get('kind'))}"
                for call in raw_parts(step, "calls")
            )
            batch.steps.append(
                IndexedStep(
                    number=number,
                    offset=offset,
                    bytes=size,
                    error=raw_failed(step),
                    sql=bool(tables),
                    text=raw_step_text(step),
                    tool=tool,
                    tables=" ".join(sorted(tables)),
                )
            )
    elif event.get("kind") == "violation":
        said = mapping_of(event.get("violation"))
        number = number_of(mapping_of(said.get("place")).get("step"))
        if number is not None and said.get("level") in _ACCUSING:
            batch.said.append((number, text_of(said.get("rule")), text_of(said.get("level"))))
