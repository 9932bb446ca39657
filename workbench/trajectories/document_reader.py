"""The base of every reader of a format that is one JSON document: its steps as its bytes arrive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from workbench.records import Step, TrajectorySummary
from workbench.trajectories.json_elements import JsonElements, Piece
from workbench.trajectories.line_reader import TEXT_LINE
from workbench.trajectories.step_maker import StepMaker


class DocumentReader(StepMaker, ABC):
    """Bytes of one log to steps. What stands before damage is read; nothing of it is held longer than needed.

    A log may have several documents, one after another: each is a session.
    """

    format: ClassVar[str] = ""
    usage_order: ClassVar[tuple[str, ...]] = ()
    """Sources of token counts, the one to show first."""
    arrays: ClassVar[frozenset[str]] = frozenset()
    """Members of the document whose elements are read one by one."""
    skipped: ClassVar[frozenset[str]] = frozenset()
    """Members that say nothing that is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.elements = JsonElements(self.arrays, self.skipped)
        self._nth_document = 0
        self._ended_before = 0  # documents that had ended when it began
        self.document_began()

    def feed(self, data: bytes) -> list[Step]:
        """Steps that these bytes completed."""
        for piece in self.elements.feed(data):
            if self.elements.begun != self._nth_document:
                self._next_document()
            self.piece(piece)
        return self.taken()

    def close(self) -> list[Step]:
        """The log has ended: what was pending, as far as it got."""
        self.elements.close()
        self.document_ended(self.whole)
        return self.taken()

    def summary(self) -> TrajectorySummary:
        """What the log says so far."""
        summary = self.totals.summary(self.format, self.steps, self.usage_order)
        lines = self.elements.text_lines
        return summary.model_copy(
            update={
                "cost_usd": self._costs_told() if summary.cost_usd is None else summary.cost_usd,
                "damaged_lines": summary.damaged_lines + self.elements.damaged,
                "unknown_events": summary.unknown_events | ({TEXT_LINE: lines} if lines else {}),
            }
        )

    def name_document(self, name: str) -> None:
        """The document's session has that name, also where steps came before it."""
        self.main.session = name

    @abstractmethod
    def piece(self, piece: Piece) -> None:
        """One member of the document, or one element of an array in it."""

    @abstractmethod
    def document_ended(self, whole: bool) -> None:
        """Nothing of it comes any more; ``whole``: it ended as it should."""

    @abstractmethod
    def document_began(self) -> None:
        """What comes is of a document that nothing is known of yet."""

    @property
    def whole(self) -> bool:
        """Whether the document that was read ended as it should; one that had no piece may be behind it."""
        return self._nth_document > 0 and self.elements.documents > self._ended_before

    def _costs_told(self) -> float | None:
        """What the log costs by what it says, where it counts no tokens."""
        costs = [
            next((part.costs[source] for source in self.usage_order if source in part.costs), None)
            for part in self.totals.sessions
        ]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if known else None

    def _next_document(self) -> None:
        if self._nth_document:
            self.document_ended(self.whole)
            self.next_session()
        self._nth_document, self._ended_before = self.elements.begun, self.elements.documents
        self.document_began()
