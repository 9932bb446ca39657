"""A run's events for the live screen: as a trajectory, with its stages and its result drawn, too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from workbench.records import (
    FinishedEvent,
    NoteEvent,
    RunEvent,
    RunPaths,
    RunPlan,
    StageEvent,
    StepEvent,
    ViolationEvent,
)
from workbench.store import going_on, newest_lint
from workbench.tui.run_lines import result_blocks
from workbench.tui.step_blocks import violation_block
from workbench.tui.trajectory_feed import Arrival, ShownSteps, TrajectoryFeed
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import Sign, Tone

EXECUTE = "execute"
"""The stage in which the agent works."""


class LiveFeed(TrajectoryFeed):
    """Follows a run that is planned, going on, or over. ``stage``: the latest one; ``heard``: any event."""

    def __init__(self, run: RunPaths, plan: RunPlan, shown: ShownSteps | None = None) -> None:
        super().__init__(run.events, lambda: going_on(run), lint=newest_lint(run), shown=shown)
        self.plan = plan
        self.stage = ""
        self.heard = False
        self._began: datetime | None = None
        self._last: datetime | None = None
        self._agent_s: float | None = None

    def hear(self, event: RunEvent) -> None:
        self.heard = True
        if isinstance(event, StageEvent) and event.state == "begin":
            self.stage = event.stage
        if self.stage == EXECUTE:
            self._began = self._began or event.at
            self._last = event.at
        if isinstance(event, FinishedEvent) and event.result.sandbox is not None:
            self._agent_s = event.result.sandbox.wall_s
        self.put(*arrivals(event))

    def agent_s(self, now: datetime | None) -> float | None:
        """How long the agent worked, as every listing says it; None before it began. ``now``: while the run
        goes on.
        """
        if self._agent_s is not None or self._began is None or self._last is None:
            return self._agent_s
        until = now if now is not None and self.stage == EXECUTE else self._last
        return max(0.0, (until - self._began).total_seconds())


def arrivals(event: RunEvent) -> Iterator[Arrival]:
    """One event as what the screen draws; the last one as the run's result."""
    match event:
        case StepEvent(step=step):
            yield Arrival.of_step(step)
        case ViolationEvent(violation=violation):
            yield Arrival((violation_block(violation),), violation=violation)
        case NoteEvent(text=text):
            yield Arrival((_row(f"   note: {text}", Tone.DIM, Sign.NOTE),))
        case StageEvent(state="begin", stage=stage):
            yield Arrival((_row(f"-- {stage}", Tone.DIM),))
        case StageEvent(detail=detail) if detail:
            yield Arrival((_row(f"   {detail}", Tone.DIM),))
        case FinishedEvent(result=result):
            yield Arrival((_row("-- result", Tone.DIM), *result_blocks(result)))
            yield Arrival(verdict=result.verdict)


def _row(text: str, tone: Tone = Tone.PLAIN, sign: Sign = Sign.NONE) -> Block:
    return Block(body=text, rest=" " * 9, words=True, kept=6, tone=tone, sign=sign, key=-1)
