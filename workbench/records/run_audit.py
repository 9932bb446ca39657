"""What reviewers say of a run: labels, notes, kinds of failure. Beside the run, never in it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from workbench.records.base import Part, Record, UtcTime
from workbench.records.sign_off import Digest, ReviewerId

RunId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200)]
Label = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class FailureKind(StrEnum):
    """Why a derived value is wrong, or there is none."""

    WRONG_ITEM = "wrong-item"  # items or tables that are not meant, or meant ones left out
    WRONG_UNIT = "wrong-unit"
    WRONG_WINDOW = "wrong-window"  # times, open sides, shifts
    WRONG_THRESHOLD = "wrong-threshold"
    WRONG_AGGREGATION = "wrong-aggregation"  # worst, first, mean of what
    WRONG_GRAIN = "wrong-grain"  # rows per stay, patient or hour
    MISSING_DATA = "missing-data"  # what an absent value counts as
    OUTLIERS = "outliers"
    SKILL_NOT_FOLLOWED = "skill-not-followed"
    SKILL_MISLEADS = "skill-misleads"
    TASK_UNCLEAR = "task-unclear"
    REFERENCE_WRONG = "reference-wrong"
    SQL_FAULT = "sql-fault"
    GAVE_UP = "gave-up"
    ENVIRONMENT = "environment"  # tools, limits, sandbox
    SHORTCUT = "shortcut"  # not derived: copied, guessed, looked up
    OTHER = "other"


class RunMark(Part):
    """One label, note or failure; marks are added, never changed.

    ``trajectory``: SHA-256 of the log that was looked at; ``step``: which step it is about, from 1;
    ``allowed``: why numbers that look like identifiers are none.
    """

    kind: Literal["label", "note", "failure"]
    by: ReviewerId
    at: UtcTime
    trajectory: Digest
    label: Label | None = None
    failure: FailureKind | None = None
    step: int | None = Field(default=None, ge=1)
    text: str = Field(default="", max_length=20_000)
    allowed: str = Field(default="", max_length=2_000)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if (self.kind == "label") != (self.label is not None):
            raise ValueError("a label has a name, other marks have none")
        if (self.kind == "failure") != (self.failure is not None):
            raise ValueError("a failure has a kind, other marks have none")
        if self.kind == "note" and not self.text.strip():
            raise ValueError("a note has words")
        return self


class RunAudit(Record):
    """``audits/runs/<run-id>.toml``."""

    run: RunId
    marks: list[RunMark] = Field(default=[], max_length=10_000)
