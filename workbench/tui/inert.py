"""The one type for text that came from outside: it carries no markup and nothing a terminal acts on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.patterns.control import visible

if TYPE_CHECKING:
    from textual.content import Content


@dataclass(frozen=True)
class Span:
    """A style on the characters ``start`` up to ``end`` of an ``Inert``.

    ``style`` is ours, never from outside: ``bold``, ``$error``, ``reverse $warning``.
    """

    start: int
    end: int
    style: str


@dataclass(frozen=True)
class Inert:
    """Text that does nothing wherever it is shown.

    Whatever way it is made, control and escape sequences, direction marks and invisible characters in it
    are spelled out. Widgets take only this; it has no markup, so ``[bold]`` is six letters.
    """

    plain: str = ""
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", visible(self.plain))

    @classmethod
    def of(cls, text: object, style: str = "") -> Inert:
        """Any value as text, all of it in ``style``."""
        plain = visible(str(text))
        return cls(plain, (Span(0, len(plain), style),) if style and plain else ())

    @classmethod
    def line(cls, text: object, style: str = "") -> Inert:
        """As ``of``, on one line: line feeds and tabs become ``⏎`` and a space."""
        return cls.of(str(text).replace("\r\n", "\n").replace("\n", "⏎").replace("\t", " "), style)

    @classmethod
    def join(cls, pieces: Iterable[Inert], between: str = "") -> Inert:
        """All pieces behind each other with their styles."""
        joined = cls()
        for at, piece in enumerate(pieces):
            joined = joined + between + piece if at and between else joined + piece
        return joined

    def __add__(self, other: Inert | str) -> Inert:
        added = other if isinstance(other, Inert) else Inert.of(other)
        shift = len(self.plain)
        moved = tuple(Span(span.start + shift, span.end + shift, span.style) for span in added.spans)
        return Inert(self.plain + added.plain, self.spans + moved)

    def __bool__(self) -> bool:
        return bool(self.plain)

    def styled(self, style: str, start: int = 0, end: int | None = None) -> Inert:
        """With ``style`` on characters ``start`` up to ``end``."""
        stop = len(self.plain) if end is None else min(end, len(self.plain))
        if start >= stop:
            return self
        return Inert(self.plain, (*self.spans, Span(start, stop, style)))

    def part(self, start: int, end: int) -> Inert:
        """Characters ``start`` up to ``end`` with their styles."""
        spans = tuple(
            Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
            for span in self.spans
            if span.start < end and span.end > start
        )
        return Inert(self.plain[start:end], spans)

    @property
    def width(self) -> int:
        """Cells on a terminal."""
        from rich.cells import cell_len

        return cell_len(self.plain)

    def fit(self, width: int, *, right: bool = False) -> Inert:
        """Exactly ``width`` cells: cut with ``…``, or filled with spaces (before it if ``right``)."""
        missing = width - self.width
        if missing >= 0:
            filling = Inert(" " * missing)
            return filling + self if right else self + filling
        if width <= 0:
            return Inert()
        from rich.cells import cell_len, set_cell_size

        kept = set_cell_size(self.plain, width - 1)
        length = len(kept.rstrip(" ")) if cell_len(kept) != width - 1 else len(kept)
        spans = tuple(
            Span(span.start, min(span.end, length), span.style) for span in self.spans if span.start < length
        )
        return Inert(kept + "…", spans)

    @property
    def content(self) -> Content:
        """What Textual widgets draw."""
        from textual.content import Content
        from textual.content import Span as ContentSpan

        return Content(self.plain, [ContentSpan(span.start, span.end, span.style) for span in self.spans])
