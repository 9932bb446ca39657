"""Review sessions: who sat together, on what, what was decided, how long it took."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from workbench.records.base import Part, Record, UtcTime
from workbench.records.sign_off import ReviewerId

LONGEST_GAP_S = 600.0
"""So much at most counts between two events: nobody writes down that he went for a walk."""
SessionName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class SessionAct(StrEnum):
    """What an event of a session is."""

    OPEN = "open"
    RESUME = "resume"
    NOTE = "note"
    DECIDE = "decide"
    CLOSE = "close"


class SessionEvent(Part):
    """One event; events are added, never changed. ``subject``: what was decided on."""

    act: SessionAct
    by: ReviewerId
    at: UtcTime
    subject: str = Field(default="", max_length=200)
    text: str = Field(default="", max_length=20_000)
    allowed: str = Field(default="", max_length=2_000)


class ReviewSession(Record):
    """``audits/sessions/<id>.toml``; ``id`` is the file's name."""

    id: SessionName
    participants: list[ReviewerId] = Field(min_length=1)
    agenda: list[Annotated[str, StringConstraints(min_length=1, max_length=400)]] = []
    events: list[SessionEvent] = Field(min_length=1)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.events[0].act != SessionAct.OPEN:
            raise ValueError("the first event opens the session")
        if any(event.by not in self.participants for event in self.events):
            raise ValueError("an event is by somebody who is no participant")
        return self

    @property
    def is_open(self) -> bool:
        """Whether it goes on."""
        return self.events[-1].act != SessionAct.CLOSE

    @property
    def minutes(self) -> float:
        """From event to event; a pause before a resumption and all beyond the longest gap count nothing."""
        spent = 0.0
        for before, after in pairwise(self.events):
            if after.act != SessionAct.RESUME:
                spent += min(max((after.at - before.at).total_seconds(), 0.0), LONGEST_GAP_S)
        return round(spent / 60, 1)

    @property
    def decisions(self) -> list[SessionEvent]:
        """What was decided, in order."""
        return [event for event in self.events if event.act == SessionAct.DECIDE]
