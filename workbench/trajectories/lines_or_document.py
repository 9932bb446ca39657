"""The base of readers whose format is a log of lines, or the same as one JSON document."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from workbench.records import Step
from workbench.trajectories.json_elements import JsonElements, Piece
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.values import cut_json, json_object

_LINES, _DOCUMENT = "lines", "document"


class LinesOrDocument(LineReader):
    """A document is read piece by piece, as far as it goes.

    ``state`` has an attribute ``form``: empty until it shows which of the two a log is.
    """

    opener: ClassVar[bytes] = b"{"
    """How a document begins."""
    arrays: ClassVar[frozenset[str]] = frozenset()
    """Members of a document whose elements are read one by one."""

    def __init__(self, *, counting: bool = False) -> None:
        super().__init__(counting=counting)
        self._elements = JsonElements(self.arrays)
        self._opening: bytes | None = None  # the first line of what is a document if the second shows it

    @abstractmethod
    def piece(self, piece: Piece) -> None:
        """A member of the document, or an element of an array in it."""

    def feed(self, data: bytes) -> list[Step]:
        """Steps that these bytes completed; in a document, lines no longer matter."""
        if self.state.form != _DOCUMENT or self._opening is not None:
            return super().feed(data)
        for line in self._lines.close():
            self._pieces(line)
        self._pieces(data)
        return self._taken()

    def ended(self) -> None:
        if self.state.form == _DOCUMENT:
            self._go_on(b"")
            self._elements.close()
            self.totals.damaged += bool(self._elements.damaged)

    def mark(self, *, totals: bool = False) -> dict[str, Any] | None:
        """None inside a document."""
        return None if self.state.form == _DOCUMENT else super().mark(totals=totals)

    def _line(self, line: bytes) -> None:
        if self.state.form == _LINES:
            super()._line(line)
        elif self.state.form == _DOCUMENT:
            self._within(line)
        else:
            self._first_line(line)

    def _first_line(self, line: bytes) -> None:
        """Until it shows what a log is; other text may come before, also such that begins with a bracket."""
        begin = line.strip()
        value, whole = cut_json(line) if begin[:1] == self.opener else (None, False)
        first = value[0] if isinstance(value, list) and value else value
        if not whole and (begin == self.opener or (first and isinstance(first, dict))):
            self.state.form = _DOCUMENT
            self._opening = line
        elif whole and isinstance(value, list):
            for element in value:
                self.piece(Piece("", element, True))
        else:
            self.state.form = _LINES if json_object(line) is not None else ""
            super()._line(line)

    def _within(self, line: bytes) -> None:
        """Where a whole event follows the first line, that one was broken and this is a log of lines."""
        if self._opening is not None and json_object(line) is not None:
            broken, self._opening = self._opening, None
            self.state.form = _LINES
            self.not_an_object(broken)
            super()._line(line)
        else:
            self._go_on(line)

    def _go_on(self, line: bytes) -> None:
        opening, self._opening = self._opening, None
        if opening is not None:
            self._pieces(opening + b"\n")
        self._pieces(line + b"\n")

    def _pieces(self, data: bytes) -> None:
        for piece in self._elements.feed(data):
            self.piece(piece)
