"""Names given to select runs: each must be known here or stand in a recorded run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.cli.session import Session
from workbench.records import BadInput

if TYPE_CHECKING:
    from workbench.store import RunStore


def check_filters(
    session: Session, runs: RunStore, *, task: str | None, family: str | None, agent: str | None
) -> None:
    """Raises BadInput for a task, family or agent that neither the catalog nor a run knows."""
    for kind, name in (("task", task), ("family", family), ("agent", agent)):
        if name is None or runs.rows(limit=1, **{kind: name}):
            continue
        known = set(_known(session, kind))
        if name not in known:
            raise _unknown(kind, name, known | {getattr(row, kind) for row in runs.rows()})


def _known(session: Session, kind: str) -> Iterable[str]:
    if kind == "agent":
        from workbench.agents import AGENTS

        return AGENTS
    tasks, _ = session.content.readable_tasks()
    return [task.id if kind == "task" else task.family for task in tasks]


def _unknown(kind: str, name: str, known: Iterable[str]) -> BadInput:
    from workbench.catalog import did_you_mean

    everything = f"Known: {', '.join(sorted(known))}."
    return BadInput(
        f"no {kind} {name!r} here, nor in a recorded run", remedy=did_you_mean(name, known, everything)
    )
