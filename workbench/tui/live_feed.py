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
from workbench.store import going_on
from workbench.tui.run_lines import result_blocks
from workbench.tui.step_blocks import step_blocks, violation_block
from workbench.tui.trajectory_feed import Arrival, TrajectoryFeed
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import Sign, Tone


class LiveFeed(TrajectoryFeed):
    """Follows a run that is planned, going on, or over. ``stage``, ``began`` and ``steps`` are the latest."""

    def __init__(self, run: RunPaths) -> None:
        super().__init__(run.events, lambda: going_on(run))
        self.plan = RunPlan.load(run.plan)
        self.stage = ""
        self.began: datetime | None = None
        self.last: datetime | None = None

    def hear(self, event: RunEvent) -> None:
        if self.began is None:
            self.began = event.at
        self.last = event.at
        if isinstance(event, StageEvent) and event.state == "begin":
            self.stage = event.stage
        self.put(*arrivals(event))


def arrivals(event: RunEvent) -> Iterator[Arrival]:
    """One event as what the screen draws; the last one as the run's result."""
    match event:
        case StepEvent(step=step):
            yield Arrival(tuple(step_blocks(step)), step=step)
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
