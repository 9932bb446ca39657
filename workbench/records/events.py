"""What a run appends to ``events.jsonl``; command, app and streaming lint follow it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from workbench.records.base import Record, UtcTime
from workbench.records.run import RunResult
from workbench.records.trajectory import Step
from workbench.records.violation import Violation


class _Event(Record):
    sequence: int = Field(ge=1)
    at: UtcTime


class StageEvent(_Event):
    """A stage begins or ends: prepare, execute, collect, score, lint, record."""

    kind: Literal["stage"] = "stage"
    stage: str
    state: Literal["begin", "end"]
    detail: str = ""


class StepEvent(_Event):
    """The agent completed a step."""

    kind: Literal["step"] = "step"
    step: Step


class ViolationEvent(_Event):
    """The lint says something, at its step while it streams or at the end."""

    kind: Literal["violation"] = "violation"
    violation: Violation


class NoteEvent(_Event):
    """Something a person should see: a limit reached, a degraded sandbox."""

    kind: Literal["note"] = "note"
    text: str


class FinishedEvent(_Event):
    """The last event."""

    kind: Literal["finished"] = "finished"
    result: RunResult


RunEvent = Annotated[
    StageEvent | StepEvent | ViolationEvent | NoteEvent | FinishedEvent, Field(discriminator="kind")
]
