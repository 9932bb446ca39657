"""What is known of other runs when one is prepared, from the index alone: no run's folder is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.records import DataPaths, RunPlan, utc_text
from workbench.store.index import RUNS
from workbench.store.index_refresh import refresh_index
from workbench.store.sqlite_index import with_index

_EARLIER = """
    SELECT run_id, condition, agent, demonstration, output_sha256, reward, strict_pass FROM runs
    WHERE family = ? AND source = ? AND schema_variant = ? AND state = 'finished'
        AND (created, run_id) < (?, ?)
    ORDER BY created, run_id
"""


@dataclass(frozen=True)
class KnownRun:
    """A finished run. ``output_sha256``: empty without an output; ``reward``: None where not scored."""

    run_id: str
    condition: str
    agent: str
    demonstration: bool
    output_sha256: str
    reward: float | None
    strict_pass: bool | None


@dataclass(frozen=True)
class KnownRuns:
    """``earlier``: finished, of the same family, source and schema variant, oldest first; ``canaries``: the
    tokens of all other runs."""

    earlier: Sequence[KnownRun]
    canaries: frozenset[str]


def known_runs(data: DataPaths, plan: RunPlan) -> KnownRuns:
    """What is known beside the run of ``plan``. Raises BadInput, Unavailable."""
    asked = (plan.family, plan.source, plan.schema_variant, utc_text(plan.created), plan.run_id)

    def work(index: sqlite3.Connection) -> KnownRuns:
        refresh_index(index, data)
        found = index.execute(_EARLIER, asked).fetchall()
        tokens = index.execute(
            "SELECT canary FROM runs WHERE canary != '' AND run_id != ?", (plan.run_id,)
        ).fetchall()
        return KnownRuns([_known(*item) for item in found], frozenset(token for (token,) in tokens))

    return with_index(data.index, RUNS, work)


def _known(
    run_id: str,
    condition: str,
    agent: str,
    demonstration: int,
    output_sha256: str,
    reward: float | None,
    strict_pass: int | None,
) -> KnownRun:
    strict = None if strict_pass is None else bool(strict_pass)
    return KnownRun(run_id, condition, agent, bool(demonstration), output_sha256, reward, strict)
