"""The base of readers whose format is a log of lines, or the same as one JSON document."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.reader import LINE_LIMIT_BYTES
from workbench.trajectories.values import cut_json, json_object

_LINES, _DOCUMENT = "lines", "document"


class LinesOrDocument(LineReader):
    """A document is held to its end, at most 64 MiB of it, and read then as far as it goes.

    ``state`` has an attribute ``form``: empty until it shows which of the two a log is.
    """

    opener: ClassVar[bytes] = b"{"
    """How a document begins."""

    def __init__(self, *, counting: bool = False) -> None:
        super().__init__(counting=counting)
        self._held: list[bytes] = []
        self._held_bytes = 0

    @abstractmethod
    def document(self, value: object) -> None:
        """The document, its end perhaps missing."""

    def ended(self) -> None:
        held, self._held = self._held, []
        if held:
            value, whole = cut_json(b"\n".join(held))
            self.totals.damaged += not whole or self._held_bytes > LINE_LIMIT_BYTES
            self.document(value)

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
            self._hold(line)
        elif whole and isinstance(value, list):
            self.document(value)
        else:
            self.state.form = _LINES if json_object(line) is not None else ""
            super()._line(line)

    def _within(self, line: bytes) -> None:
        """Where a whole event follows the first line, that one was broken and this is a log of lines."""
        if len(self._held) == 1 and json_object(line) is not None:
            self.state.form = _LINES
            self.not_an_object(self._held.pop())
            super()._line(line)
        else:
            self._hold(line)

    def _hold(self, line: bytes) -> None:
        self._held_bytes += len(line) + 1
        if self._held_bytes <= LINE_LIMIT_BYTES:
            self._held.append(line)
