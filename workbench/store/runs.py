"""Run folders and the listing over them."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from typing import Any

from workbench.records import (
    BadInput,
    Clock,
    DataPaths,
    Problem,
    RunPaths,
    RunPlan,
    RunRow,
    RunState,
    SystemClock,
    read_regular,
)
from workbench.store.files import atomic_write, private_folder, publish_folder
from workbench.store.index import COLUMNS, RUNS
from workbench.store.index_refresh import rebuild_index, refresh_index, run_names
from workbench.store.locks import FileLock, reserve_lock
from workbench.store.run_rows import state_of
from workbench.store.scratch import owned_name
from workbench.store.sqlite_index import with_index

GROUPS = (
    "task", "family", "condition", "schema_variant", "counterfactual", "source", "agent", "model", "trial",
    "cell", "state", "verdict", "demonstration",
)  # fmt: skip
"""What a listing can be grouped by."""

_MEASURES = """
    COUNT(*) AS runs,
    SUM(state = 'finished') AS finished,
    SUM(state = 'interrupted') AS interrupted,
    SUM(verdict = 'publishable') AS publishable,
    SUM(verdict = 'quarantined') AS quarantined,
    SUM(verdict = 'failed') AS failed,
    COUNT(reward) AS scored,
    AVG(reward) AS mean_reward,
    COALESCE(SUM(strict_pass), 0) AS strict_passes,
    SUM(warns) AS warns,
    SUM(fails) AS fails,
    AVG(wall_s) AS mean_wall_s,
    COALESCE(SUM(input_tokens), 0) AS input_tokens,
    COALESCE(SUM(output_tokens), 0) AS output_tokens
"""
_LOCK_WAIT_S = 15.0
_PICKLED = {
    "__pydantic_fields_set__": frozenset(COLUMNS),
    "__pydantic_extra__": None,
    "__pydantic_private__": None,
}


class RunStore:
    """All runs of one data directory. Listings look at the folders first, so they are never behind."""

    def __init__(self, data: DataPaths, clock: Clock | None = None) -> None:
        self.data = data
        self._clock = clock or SystemClock()

    def create(self, plan: RunPlan) -> RunPaths:
        """Make the run's folder with its plan, complete or not at all.

        The run counts as planned while this process lives, until another takes the run's lock. Raises
        BadInput if the id is taken.
        """
        paths = self.data.run(plan.run_id)
        for folder in (self.data.root, self.data.runs, self.data.scratch):
            private_folder(folder)
        made = private_folder(self.data.scratch / owned_name(f"run-{plan.run_id}"))
        try:
            if paths.folder.exists():
                raise BadInput("a run of that id exists", where=str(paths.folder))
            atomic_write(RunPaths(made).plan, plan.to_json() + "\n")
            reserve_lock(RunPaths(made).lock, f"run {plan.run_id}", clock=self._clock)
            publish_folder(made, paths.folder)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
        return paths

    def state(self, run_id: str) -> RunState:
        """Where the run stands now. Raises BadInput if there is no such run."""
        paths = self._existing(run_id)
        return state_of(paths)

    def paths(self, run_id: str) -> RunPaths:
        """The run's folder. Raises BadInput if there is no such run."""
        return self._existing(run_id)

    def rows(self, *, limit: int | None = None, **filters: Any) -> list[RunRow]:
        """Runs, newest first. A filter names a column; its value is one value or several.

        Raises BadInput for a filter that is no column.
        """
        condition, values = _condition(filters)
        query = f"SELECT {', '.join(COLUMNS)} FROM runs{condition} ORDER BY created DESC, run_id DESC"
        if limit is not None:
            query += " LIMIT ?"
            values.append(limit)

        def work(index: sqlite3.Connection) -> list[RunRow]:
            refresh_index(index, self.data)
            return [_restored(found) for found in index.execute(query, values)]

        return with_index(self.data.index, RUNS, work)

    def aggregate(self, by: Sequence[str], **filters: Any) -> list[dict[str, Any]]:
        """Counts, mean reward and totals a group; with nothing to group by, one row over all.

        ``mean_reward`` is over the ``scored`` runs and None where there are none. Raises BadInput.
        """
        for name in by:
            if name not in GROUPS:
                raise BadInput(f"cannot group by {name!r}", remedy=f"Known: {', '.join(GROUPS)}.")
        condition, values = _condition(filters)
        groups = ", ".join(by)
        query = f"SELECT {groups + ', ' if by else ''}{_MEASURES} FROM runs{condition}"
        if by:
            query += f" GROUP BY {groups} ORDER BY {groups}"

        def work(index: sqlite3.Connection) -> list[dict[str, Any]]:
            refresh_index(index, self.data)
            cursor = index.execute(query, values)
            names = [item[0] for item in cursor.description]
            return [dict(zip(names, found, strict=True)) for found in cursor]

        return with_index(self.data.index, RUNS, work)

    def problems(self) -> list[Problem]:
        """Run folders with a damaged document."""

        def work(index: sqlite3.Connection) -> list[Problem]:
            refresh_index(index, self.data)
            found = index.execute("SELECT run_id, what FROM problems ORDER BY run_id")
            return [Problem(what=what, where=run_id) for run_id, what in found]

        return with_index(self.data.index, RUNS, work)

    def refresh(self, run_id: str | None = None) -> None:
        """Bring the index up to date: all that may have changed, or one run for certain."""
        with_index(self.data.index, RUNS, lambda index: refresh_index(index, self.data, run_id))

    def rebuild(self) -> None:
        """Make the whole index again from the folders."""

        with_index(self.data.index, RUNS, lambda index: rebuild_index(index, self.data))

    def next_attempt(self, cell: str) -> int:
        """The number of the next attempt of ``cell``; no number is given twice, whoever asks at once."""
        with FileLock(self.data.locks / "attempts.lock", "the count of attempts", wait_s=_LOCK_WAIT_S):
            counter = private_folder(self.data.locks / "attempts") / cell
            given = int(read_regular(counter)) if counter.exists() else 0

            def recorded(index: sqlite3.Connection) -> int:
                refresh_index(index, self.data)
                found = index.execute("SELECT MAX(attempt) FROM runs WHERE cell = ?", (cell,)).fetchone()
                return int(found[0] or 0)

            attempt = max(given, with_index(self.data.index, RUNS, recorded)) + 1
            atomic_write(counter, str(attempt))
        return attempt

    def find(self, prefix: str) -> str:
        """The one run id that starts with ``prefix``. Raises BadInput if there is none, or several."""
        names = run_names(self.data)
        found = [prefix] if prefix in names else sorted(name for name in names if name.startswith(prefix))
        if len(found) == 1 and prefix:
            return found[0]
        if not found:
            raise BadInput(f"no run starts with {prefix!r}", remedy="`workbench runs list` shows all.")
        raise BadInput(
            f"{len(found)} runs start with {prefix!r}",
            remedy=f"Give more of the id: {', '.join(found[:5])}{' …' if len(found) > 5 else ''}",
        )

    def _existing(self, run_id: str) -> RunPaths:
        paths = self.data.run(run_id)
        if "/" in run_id or not paths.plan.exists():
            raise BadInput(f"no run {run_id!r}", remedy="`workbench runs list` shows all.")
        return paths


def _restored(found: tuple[Any, ...]) -> RunRow:
    """A row that was validated when it was indexed, brought back as from a pickle: not validated again."""
    values = dict(zip(COLUMNS, found, strict=False))
    strict_pass = values["strict_pass"]
    values["strict_pass"] = None if strict_pass is None else bool(strict_pass)
    values["demonstration"] = bool(values["demonstration"])
    row = RunRow.__new__(RunRow)
    row.__setstate__({"__dict__": values, **_PICKLED})
    return row


def _condition(filters: dict[str, Any]) -> tuple[str, list[Any]]:
    pieces, values = [], []
    for name, value in filters.items():
        if name not in COLUMNS:
            raise BadInput(f"runs have no column {name!r}", remedy=f"Known: {', '.join(COLUMNS)}.")
        if value is None:
            continue
        several = [value] if isinstance(value, str | int | float) else list(value)
        pieces.append(f"{name} IN ({', '.join('?' * len(several))})")
        values.extend(several)
    return (f" WHERE {' AND '.join(pieces)}" if pieces else ""), values
