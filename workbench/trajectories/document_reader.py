"""The base of every reader of a format that is one JSON document: its steps as its bytes arrive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from workbench.records import Step, StepSource, TrajectorySummary
from workbench.trajectories.json_elements import JsonElements, Piece
from workbench.trajectories.line_reader import TEXT_LINE
from workbench.trajectories.totals import SessionTotals, Totals


class DocumentReader(ABC):
    """Bytes of one log to steps. What stands before damage is read; nothing of it is held longer than needed.

    A document that does not end as it should leaves its session incomplete.
    """

    format: ClassVar[str] = ""
    usage_order: ClassVar[tuple[str, ...]] = ()
    """Sources of token counts, the one to show first."""
    arrays: ClassVar[frozenset[str]] = frozenset()
    """Members of the document whose elements are read one by one."""
    skipped: ClassVar[frozenset[str]] = frozenset()
    """Members that say nothing that is wanted."""

    def __init__(self) -> None:
        self.steps = 0
        self.totals = Totals()
        self.now: SessionTotals = self.totals.sessions[0]
        self.elements = JsonElements(self.arrays, self.skipped)
        self._made: list[Step] = []

    def feed(self, data: bytes) -> list[Step]:
        """Steps that these bytes completed."""
        for piece in self.elements.feed(data):
            self.piece(piece)
        return self.taken()

    def close(self) -> list[Step]:
        """The log has ended: what was pending, as far as it got."""
        whole = self.elements.documents > 0 and not self.elements.open
        self.elements.close()
        self.ended(whole)
        return self.taken()

    def summary(self) -> TrajectorySummary:
        """What the log says so far."""
        summary = self.totals.summary(self.format, self.steps, self.usage_order)
        lines = self.elements.text_lines
        return summary.model_copy(
            update={
                "damaged_lines": summary.damaged_lines + self.elements.damaged,
                "unknown_events": summary.unknown_events | ({TEXT_LINE: lines} if lines else {}),
            }
        )

    def put(self, **fields: Any) -> None:
        """One more step of the current session; all its fields but number and session."""
        self.steps += 1
        self.now.steps += 1
        step = Step(number=self.steps, session=self.now.session, **fields)
        self.totals.calls += len(step.calls)
        if step.source is StepSource.AGENT and step.message and not step.agent:
            self.now.final = step.message
        self._made.append(step)

    def in_session(self, name: str) -> None:
        """What comes belongs to that session."""
        if name != self.now.session:
            self.now = self.totals.session_named(name, self.steps + 1)

    def name_session(self, name: str) -> None:
        """The document's one session has that name, also where steps came before it."""
        self.totals.sessions[0].session = name

    def taken(self) -> list[Step]:
        """The steps made since this was asked last."""
        made, self._made = self._made, []
        return made

    @abstractmethod
    def piece(self, piece: Piece) -> None:
        """One member of the document, or one element of an array in it."""

    @abstractmethod
    def ended(self, whole: bool) -> None:
        """Nothing comes any more; ``whole``: the document ended as it should."""
