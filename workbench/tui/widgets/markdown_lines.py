"""Parsed Markdown as rows of a width, with an index of its sections."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len

from workbench.tui.inert import Inert
from workbench.tui.widgets.line_source import Line, Place, Span, Stop, Tone, find_row
from workbench.tui.widgets.markdown_parse import (
    Code,
    Flow,
    Heading,
    Inline,
    Paragraph,
    Rule,
    Table,
    parse_markdown,
)
from workbench.tui.widgets.search import Query
from workbench.tui.widgets.wrap import cell_rows, word_rows

WIDEST = 100
"""Prose is not wrapped wider than this."""
_BETWEEN = 2
_NARROWEST = 6


@dataclass(frozen=True)
class Section:
    """A heading. ``anchor`` is unique in the document; ``line`` is its line in the file."""

    title: str
    level: int
    anchor: str
    line: int


class MarkdownLines:
    """Rows of one document; ``section_rows`` are the rows of ``sections``."""

    def __init__(self, flow: Sequence[Flow], before: Sequence[Line] = ()) -> None:
        """``before``: rows above the document, such as frontmatter."""
        self.complete = True
        self.revision = 0
        self.sections = _sections(flow)
        self.section_rows: list[int] = []
        self._flow = flow
        self._before = list(before)
        self._lines: list[Line] = list(before)
        self._width = 0

    @classmethod
    def of(cls, text: str, first_line: int = 1, before: Sequence[Line] = ()) -> MarkdownLines:
        """Parse; takes a while for long documents: call it in a thread."""
        return cls(parse_markdown(text, first_line), before)

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, row: int) -> Line:
        return self._lines[row]

    def lay_out(self, width: int) -> None:
        if width == self._width:
            return
        self._width = width
        self._lines = list(self._before)
        self.section_rows = []
        for piece, after in zip_longest(self._flow, self._flow[1:]):
            if isinstance(piece, Heading):
                self.section_rows.append(len(self._lines))
            self._lines += piece_lines(
                piece, width if isinstance(piece, Table | Code) else min(width, WIDEST)
            )
            if not piece.tight:
                self._lines.append(Line(Inert(_shared(piece.rest, after.rest if after else "").rstrip())))
        self.revision += 1

    def section_at(self, row: int) -> int:
        """Index of the section a row is in; -1 above the first."""
        return bisect_right(self.section_rows, row) - 1

    def row_of_anchor(self, anchor: str) -> int | None:
        """The row of a heading."""
        for section, row in zip(self.sections, self.section_rows, strict=False):
            if section.anchor == anchor:
                return row
        return None

    def place(self, row: int) -> Place:
        """The file's line, and how many rows further."""
        if not self._lines:
            return Place(-1)
        row = min(row, len(self._lines) - 1)
        start = row
        while start and self._lines[start].origin is None:
            start -= 1
        origin = self._lines[start].origin or 0
        while start and self._lines[start - 1].origin == origin:
            start -= 1
        return Place(origin, row - start)

    def reveal(self, place: Place) -> int:
        """The row of a place; after another width, the nearest."""
        best = 0
        for row, line in enumerate(self._lines):
            if line.origin is not None and line.origin > place.major:
                break
            if line.origin == place.major:
                return min(row + place.minor, len(self._lines) - 1)
            if line.origin is not None:
                best = row
        return min(best, max(len(self._lines) - 1, 0))

    def row_of(self, number: int) -> int:
        """The row of line ``number`` of the file."""
        return self.reveal(Place(number))

    def find(
        self, query: Query, start: Place, *, backwards: bool = False, stop: Stop | None = None
    ) -> Place | None:
        lines = self._lines
        at = len(lines) if start.major >= 1 << 40 else -1 if start.major < 0 else self.reveal(start)
        found = find_row(
            query, Place(at), len(lines), lambda row: lines[row].text.plain, backwards=backwards, stop=stop
        )
        return None if found is None else self.place(found.major)


def piece_lines(piece: Flow, width: int) -> Iterator[Line]:
    """Rows of one piece."""
    room = max(width - max(len(piece.first), len(piece.rest)), 1)
    if isinstance(piece, Heading):
        mark = "#" * piece.level + " "
        inline = Inline(mark + piece.inline.text).toned(Tone.HEADING)
        yield from _inline_lines(piece, inline, room)
    elif isinstance(piece, Paragraph):
        yield from _inline_lines(piece, piece.inline, room)
    elif isinstance(piece, Code):
        yield from _code_lines(piece, room)
    elif isinstance(piece, Table):
        yield from _table_lines(piece, room)
    elif isinstance(piece, Rule):
        yield _row(piece, 0, "-" * room, [Span(0, room, Tone.DIM)])


def _row(piece: Flow, number: int, text: str, spans: Sequence[Span], origin: int | None = None) -> Line:
    before = piece.first if number == 0 else piece.rest
    moved = tuple(Span(span.start + len(before), span.end + len(before), span.tone) for span in spans)
    return Line(Inert(before + text), moved, origin=piece.line if origin is None else origin)


def _cut(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """The spans within a stretch, counted from its start."""
    return [
        Span(max(span.start, start) - start, min(span.end, end) - start, span.tone)
        for span in spans
        if span.start < end and span.end > start
    ]


def _inline_lines(piece: Flow, inline: Inline, room: int) -> Iterator[Line]:
    for number, (start, end) in enumerate(word_rows(inline.text, room)):
        yield _row(piece, number, inline.text[start:end], _cut(inline.spans, start, end))


def _code_lines(piece: Code, room: int) -> Iterator[Line]:
    from workbench.tui.widgets.highlight import sql_spans

    inner = max(room - 2, 1)
    spans = sql_spans(piece.text, [piece.text]) if piece.language in ("sql", "duckdb", "postgresql") else ()
    number = 0
    for at, line in enumerate(_line_bounds(piece.text)):
        for start, end in cell_rows(piece.text, inner, *line):
            shifted = [Span(span.start + 2, span.end + 2, span.tone) for span in _cut(spans, start, end)]
            if not spans:
                shifted = [Span(2, 2 + end - start, Tone.CODE)]
            yield _row(piece, number, "  " + piece.text[start:end], shifted, piece.line + at)
            number += 1


def _line_bounds(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _table_lines(piece: Table, room: int) -> Iterator[Line]:
    columns = max((len(row) for row in piece.rows), default=0)
    if not columns:
        return
    widths = _column_widths(piece, columns, room)
    number = 0
    for at, row in enumerate(piece.rows):
        cells = [*row, *([Inline()] * (columns - len(row)))]
        if at == 0:
            cells = [cell.toned(Tone.STRONG) for cell in cells]
        rows = [list(word_rows(cell.text, width)) for cell, width in zip(cells, widths, strict=True)]
        for part in range(max(len(item) for item in rows)):
            text, spans = "", list[Span]()
            for cell, width, parts in zip(cells, widths, rows, strict=True):
                start, end = parts[part] if part < len(parts) else (0, 0)
                shift = len(text)
                spans += [
                    Span(span.start + shift, span.end + shift, span.tone)
                    for span in _cut(cell.spans, start, end)
                ]
                shown = cell.text[start:end]
                text += shown + " " * (width - cell_len(shown) + _BETWEEN)
            yield _row(piece, number, text.rstrip(), spans, piece.line + at + (at > 0))
            number += 1
        if at == 0:
            rule = (" " * _BETWEEN).join("-" * width for width in widths)
            yield _row(piece, number, rule, [Span(0, len(rule), Tone.DIM)], piece.line + 1)
            number += 1


def _column_widths(piece: Table, columns: int, room: int) -> list[int]:
    """As wide as the widest cell; where that is too much, the widest columns give way: not below their
    longest word, if that can be.
    """
    cells = [[row[at].text for row in piece.rows if at < len(row)] for at in range(columns)]
    widths = [max(max(map(cell_len, texts), default=1), 1) for texts in cells]
    room -= _BETWEEN * (columns - 1)
    words = [max((cell_len(word) for text in texts for word in text.split()), default=1) for texts in cells]
    for least in (words, [_NARROWEST] * columns):
        narrowed = _narrowed(widths, least, room)
        if sum(narrowed) <= room:
            break
    return narrowed


def _narrowed(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widest columns made narrower until all fit, none below its least."""
    found = list(widths)
    while sum(found) > room:
        wide = [at for at, width in enumerate(found) if width > least[at]]
        if not wide:
            break
        widest = max(found[at] for at in wide)
        others = max((found[at] for at in wide if found[at] < widest), default=0)
        group = [at for at in wide if found[at] == widest]
        needed = -(-(sum(found) - room) // len(group))
        for at in group:
            found[at] = max(widest - needed, others, least[at])
    return found


def _shared(one: str, other: str) -> str:
    """The beginning that two prefixes have in common."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def _sections(flow: Sequence[Flow]) -> list[Section]:
    sections: list[Section] = []
    taken: dict[str, int] = {}
    for piece in flow:
        if isinstance(piece, Heading):
            slug = re.sub(r"[^\w]+", "-", piece.inline.text.lower()).strip("-") or "section"
            count = taken.get(slug, 0)
            taken[slug] = count + 1
            anchor = f"{slug}-{count}" if count else slug
            sections.append(Section(piece.inline.text, piece.level, anchor, piece.line))
    return sections
