"""Runs to read, wherever they are kept: the local store, or later an evidence package."""

from __future__ import annotations

from typing import Any, Protocol

from workbench.records import (
    BadInput,
    LintRecord,
    RunEvent,
    RunIdentity,
    RunPlan,
    RunResult,
    RunRow,
    mark_length,
    read_regular,
)
from workbench.store.events import read_events
from workbench.store.lints import newest_lint
from workbench.store.run_documents import load_identity, load_plan, load_result
from workbench.store.runs import RunStore


class RunSource(Protocol):
    """Recorded runs, read only. Every method but ``rows`` raises BadInput for a run that is not there."""

    def rows(self, *, limit: int | None = None, **filters: Any) -> list[RunRow]:
        """Lines of a listing, newest first."""
        ...

    def plan(self, run_id: str) -> RunPlan:
        """What the run was to do."""
        ...

    def identity(self, run_id: str) -> RunIdentity | None:
        """What it was made of; None if it ended before that was known."""
        ...

    def result(self, run_id: str) -> RunResult | None:
        """How it ended; None while it runs, and after an interruption."""
        ...

    def lint(self, run_id: str) -> LintRecord | None:
        """Its newest re-lint; None where there is none."""
        ...

    def events(self, run_id: str) -> list[RunEvent]:
        """What it told, so far."""
        ...

    def trajectory(self, run_id: str) -> bytes:
        """What the agent printed, byte for byte, without the run's mark; empty if nothing."""
        ...


class LocalRuns:
    """The runs of a data directory as a RunSource."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    def rows(self, *, limit: int | None = None, **filters: Any) -> list[RunRow]:
        """Lines of a listing, newest first."""
        return self._store.rows(limit=limit, **filters)

    def plan(self, run_id: str) -> RunPlan:
        """What the run was to do."""
        return load_plan(self._store.paths(run_id))

    def identity(self, run_id: str) -> RunIdentity | None:
        """What it was made of; None if it ended before that was known."""
        return load_identity(self._store.paths(run_id))

    def result(self, run_id: str) -> RunResult | None:
        """How it ended; None while it runs, and after an interruption."""
        return load_result(self._store.paths(run_id))

    def lint(self, run_id: str) -> LintRecord | None:
        """Its newest re-lint; None where there is none."""
        return newest_lint(self._store.paths(run_id))

    def events(self, run_id: str) -> list[RunEvent]:
        """What it told, so far."""
        return read_events(self._store.paths(run_id).events)

    def trajectory(self, run_id: str) -> bytes:
        """What the agent printed, byte for byte, without the run's mark; empty if nothing."""
        path = self._store.paths(run_id).trajectory
        try:
            found = read_regular(path)
            return found[mark_length(found) :]
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise BadInput(f"cannot be read ({error.strerror})", where=str(path)) from error
