"""Re-lints of recorded runs: kept beside the result; the newest one is shown in place of the first lint."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from workbench.records import (
    DataPaths,
    FinishedEvent,
    LintRecord,
    NoteEvent,
    RunEvent,
    RunPaths,
    StepEvent,
    Violation,
    ViolationEvent,
    relinted,
)
from workbench.store.files import atomic_write, private_folder
from workbench.store.index import RUNS
from workbench.store.index_refresh import refresh_index
from workbench.store.locks import FileLock
from workbench.store.run_documents import load_lint, newest_number
from workbench.store.runs import RunStore
from workbench.store.sqlite_index import with_index

_WAIT_S = 15.0


def newest_lint(paths: RunPaths) -> LintRecord | None:
    """The newest re-lint; None where there is none. Raises BadInput for a damaged one."""
    number = newest_number(paths)
    return load_lint(paths, number) if number else None


def keep_lint(data: DataPaths, lint: LintRecord) -> int:
    """Write a re-lint beside the run's result and bring the index up to date. Its number."""
    paths = data.run(lint.run_id)
    with FileLock(data.locks / "lints.lock", "the re-lints", wait_s=_WAIT_S):
        private_folder(paths.lints)
        number = newest_number(paths) + 1
        atomic_write(paths.lint(number), lint.to_json() + "\n")
    RunStore(data).refresh(lint.run_id)
    return number


def newest_lints(data: DataPaths) -> dict[str, int]:
    """Numbers of the newest re-lints by run, from the index; runs without one are left out."""

    def work(index: sqlite3.Connection) -> dict[str, int]:
        refresh_index(index, data)
        return dict(index.execute("SELECT run_id, lint FROM runs WHERE lint > 0").fetchall())

    return with_index(data.index, RUNS, work)


def events_of_lint(events: Iterable[RunEvent], lint: LintRecord | None) -> Iterator[RunEvent]:
    """A run's events as if the re-lint had been its lint: a note first, violations at their steps, those of
    no step before the result. The same events without one.
    """
    if lint is None:
        yield from events
        return
    waiting: dict[int, list[Violation]] = {}
    for violation in lint.report.violations:
        waiting.setdefault(violation.place.step or 0, []).append(violation)
    told = False
    for event in events:
        if not told:
            told = True
            yield NoteEvent(sequence=event.sequence, at=event.at, text=lint.said)
        if isinstance(event, ViolationEvent):
            continue
        if isinstance(event, FinishedEvent):
            left = [violation for step in sorted(waiting) for violation in waiting.pop(step)]
            yield from _said(event, left)
            event = event.model_copy(update={"result": relinted(event.result, lint)})
        yield event
        if isinstance(event, StepEvent):
            yield from _said(event, waiting.pop(event.step.number, []))


def _said(event: RunEvent, violations: Iterable[Violation]) -> Iterator[RunEvent]:
    for violation in violations:
        yield ViolationEvent(sequence=event.sequence, at=event.at, violation=violation)
