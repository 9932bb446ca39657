"""Whether a run's log is drawn as it is, and how it is drawn where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from workbench.records import Refused, Step
from workbench.store import LocalRuns, RunStore, shows_raw
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.trajectory_feed import ShownSteps

REMEDY = "If you may see the data: Settings (5), Data access, all."


def source_of(context: AppContext, run_id: str) -> str:
    """Whose data the run was over. Raises BadInput."""
    return LocalRuns(RunStore(context.data, context.clock)).plan(run_id).source


def how_shown(context: AppContext, source: str) -> ShownSteps | None:
    """None where its steps are drawn as they are."""
    if shows_raw(context.data, context.settings, source):
        return None

    @contextmanager
    def shown() -> Iterator[Callable[[Step], Step]]:
        from workbench import runs

        running = context.of_runs()
        with runs.shown_steps(running, source) as show:
            yield show

    return shown


def refuse_hidden(context: AppContext, run_id: str, what: str) -> None:
    """Raises Refused where ``what`` of the run holds what may not be shown."""
    if not shows_raw(context.data, context.settings, source_of(context, run_id)):
        raise Refused(f"{what} may hold patients' values; showing them is not configured", remedy=REMEDY)


def mark(context: AppContext, source: str) -> Inert:
    """What the header says of a log: nothing of synthetic data, whose values are nobody's."""
    from workbench.records import SYNTHETIC_NAME

    if SYNTHETIC_NAME.fullmatch(source):
        return Inert()
    if shows_raw(context.data, context.settings, source):
        return Inert.of("raw  ", "bold $warning")
    return Inert.of("redacted  ")
