"""What LineView draws from: lines by number, places to search and jump to, and lines held in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from workbench.tui.inert import Inert
from workbench.tui.widgets.search import Query

TAB_CELLS = 4


class Tone(StrEnum):
    """What a stretch of text is; themes give each a look (component classes ``line-view--<tone>``)."""

    PLAIN = "plain"
    DIM = "dim"
    STRONG = "strong"
    EMPHASIS = "emphasis"
    HEADING = "heading"
    CODE = "code"
    LINK = "link"
    GOOD = "good"
    WARNING = "warning"
    ERROR = "error"
    KEYWORD = "keyword"
    LITERAL = "literal"
    COMMENT = "comment"


class Sign(StrEnum):
    """The one-cell mark in the gutter. Its value is what is drawn; ASCII mode has a twin of each."""

    NONE = " "
    ERROR = "x"
    WARNING = "!"
    VIOLATION = "V"
    GOOD = "✓"
    NOTE = "i"
    RUNNING = "~"


SIGN_TONES = {
    Sign.NONE: Tone.PLAIN,
    Sign.ERROR: Tone.ERROR,
    Sign.WARNING: Tone.WARNING,
    Sign.VIOLATION: Tone.ERROR,
    Sign.GOOD: Tone.GOOD,
    Sign.NOTE: Tone.DIM,
    Sign.RUNNING: Tone.DIM,
}


class Span(NamedTuple):
    """Characters ``start`` to ``end`` (exclusive) of a line's plain text have a tone."""

    start: int
    end: int
    tone: Tone


class Fold(StrEnum):
    """Whether a line heads something that can be folded."""

    NONE = " "
    CLOSED = "+"
    OPEN = "-"


@dataclass(frozen=True, slots=True)
class Line:
    """One row. ``label`` is drawn by the gutter (a line number); ``origin`` is the 1-based line of the file
    the row comes from, where there is one."""

    text: Inert
    spans: tuple[Span, ...] = ()
    tone: Tone = Tone.PLAIN
    sign: Sign = Sign.NONE
    fold: Fold = Fold.NONE
    label: str = ""
    origin: int | None = None


class Place(NamedTuple):
    """A position that stays right while lines are folded or added: the source's own unit, and a character
    in it."""

    major: int
    minor: int = 0


BEFORE_ALL = Place(-1)
AFTER_ALL = Place(1 << 62)


class LineSource(Protocol):
    """Lines for a LineView. Rows are numbered from 0.

    ``len`` and ``line`` are called while drawing and must take microseconds. ``find`` is called in a thread.
    """

    @property
    def complete(self) -> bool:
        """No further line comes by itself."""
        ...

    @property
    def revision(self) -> int:
        """Grows when a line that could be read before may have changed (appended lines do not count)."""
        ...

    def __len__(self) -> int: ...

    def line(self, row: int) -> Line:
        """Raises IndexError outside."""
        ...

    def place(self, row: int) -> Place:
        """The place of a row's beginning."""
        ...

    def reveal(self, place: Place) -> int:
        """The row that shows a place; unfolds what hides it."""
        ...

    def find(
        self, query: Query, start: Place, *, backwards: bool = False, stop: Stop | None = None
    ) -> Place | None:
        """The nearest match in a row after (before) that of ``start``; None if there is none that way."""
        ...


class Stop(Protocol):
    """Asked now and then by long work (``threading.Event``)."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


@runtime_checkable
class Loading(Protocol):
    """A source that a thread fills."""

    def load(self, stop: threading.Event) -> None:
        """Read until all is known, or ``stop`` is set."""
        ...


@runtime_checkable
class LaidOut(Protocol):
    """A source whose rows depend on the width."""

    def lay_out(self, width: int) -> None:
        """Make rows of at most ``width`` cells."""
        ...


@runtime_checkable
class Foldable(Protocol):
    """A source with parts that open and close."""

    def toggle(self, row: int) -> int | None:
        """Open or close what ``row`` belongs to; the row of its head, or None if nothing folds there."""
        ...

    def fold_all(self, closed: bool) -> None:
        """Close or open everything."""
        ...

    def row_near(self, place: Place) -> int:
        """The row that shows a place, or the head of what hides it."""
        ...


@runtime_checkable
class Marked(Protocol):
    """A source that knows rows of some kind (``error``, ``sql``, ``violation``)."""

    def mark(self, kind: str, row: int, *, backwards: bool = False) -> Place | None:
        """The nearest one after (before) a row."""
        ...


@runtime_checkable
class Headed(Protocol):
    """A source with a heading that stays in view."""

    def header(self) -> Line: ...


@runtime_checkable
class Numbered(Protocol):
    """A source whose rows are lines of a file."""

    def row_of(self, number: int) -> int:
        """The row at which line ``number`` (from 1) begins, or the nearest known."""
        ...


def one_line(text: str) -> Inert:
    """Foreign text as one row: tabs widened, line feeds shown."""
    return Inert.of(text.expandtabs(TAB_CELLS).replace("\n", "␊"))


def as_line(text: str, tone: Tone = Tone.PLAIN) -> Line:
    """A row of foreign text in one tone."""
    return Line(one_line(text), tone=tone)


@dataclass
class TextLines:
    """Lines held in memory; more can be added at the end."""

    lines: list[Line] = field(default_factory=list)
    complete: bool = True
    revision: int = 0

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextLines:
        """Foreign texts, a row each."""
        return cls([as_line(text) for text in texts])

    def __len__(self) -> int:
        return len(self.lines)

    def line(self, row: int) -> Line:
        return self.lines[row]

    def add(self, lines: Iterable[Line]) -> None:
        """More rows at the end."""
        self.lines.extend(lines)

    def replace(self, lines: Sequence[Line]) -> None:
        """Other rows in place of all."""
        self.lines = list(lines)
        self.revision += 1

    def place(self, row: int) -> Place:
        return Place(row)

    def reveal(self, place: Place) -> int:
        return min(place.major, max(len(self) - 1, 0))

    def row_of(self, number: int) -> int:
        return min(max(number - 1, 0), max(len(self) - 1, 0))

    def find(
        self, query: Query, start: Place, *, backwards: bool = False, stop: Stop | None = None
    ) -> Place | None:
        return find_row(
            query,
            start,
            len(self.lines),
            lambda row: self.lines[row].text.plain,
            backwards=backwards,
            stop=stop,
        )


def find_row(
    query: Query, start: Place, count: int, text: Callable[[int], str], *, backwards: bool, stop: Stop | None
) -> Place | None:
    """The nearest row whose text matches, by looking at one after the other."""
    rows = range(min(start.major, count) - 1, -1, -1) if backwards else range(start.major + 1, count)
    for row in rows:
        if query.matches(text(row)):
            return Place(row)
        if stop is not None and row % 256 == 0 and stop.is_set():
            return None
    return None


def matching_places(query: Query, source: LineSource, most: int, stop: Stop) -> list[Place]:
    """Of the first ``most`` rows that match, in order. Raises BadInput: that takes too long."""
    places: list[Place] = []
    at = BEFORE_ALL
    while len(places) < most and not stop.is_set():
        found = source.find(query, at, stop=stop)
        if found is None or found <= at:
            break
        places.append(found)
        at = found
    return places
