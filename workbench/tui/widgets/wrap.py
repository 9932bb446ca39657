"""Rows of a width out of text, as character positions: of code and output, and of prose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rich.cells import cell_len, split_graphemes

MOST_CHARACTERS = 4
"""A row takes at most this many characters a cell: endless combining marks make a new row."""


_JOINTS = "-_/"
"""Within a word that is longer than a row, it is broken behind one of these."""


def cell_rows(text: str, width: int, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Rows of ``text[start:end]``; every line feed ends one and belongs to none, every other character
    belongs to one. Broken after a blank where there is one in the last third of a row, else anywhere.
    """
    for line_start, line_end in _lines(text, start, len(text) if end is None else end):
        yield from _chopped(text, line_start, line_end, max(width, 1))


def word_rows(text: str, width: int, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """As ``cell_rows``, broken at any space there is; the space at a break belongs to no row. A word that is
    longer than a row is broken behind a hyphen or the like, where it has one.
    """
    for line_start, line_end in _lines(text, start, len(text) if end is None else end):
        yield from _broken(text, line_start, line_end, max(width, 1))


def first_rows(rows: Iterator[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """At most ``most`` rows."""
    return list(islice(rows, most))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while True:
        feed = text.find("\n", start, end)
        if feed < 0:
            yield start, end
            return
        yield start, feed
        start = feed + 1


def _chopped(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """At least one row; a character wider than the width has a row of its own."""
    if end - start <= width and text[start:end].isascii():
        yield start, end
        return
    while end - start > 0:
        cut = _fitting(text, start, end, width)
        if cut < end:
            blank = text.rfind(" ", start + (cut - start) * 2 // 3, cut)
            if blank > start:
                cut = blank + 1
        yield start, cut
        start = cut


def _broken(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    if start == end:
        yield start, end
        return
    while start < end:
        cut = _fitting(text, start, end, width)
        if cut == end:
            yield start, end
            return
        space = cut if text[cut] == " " else text.rfind(" ", start, cut)
        if space <= start or text[start:space].isspace():
            joint = max(text.rfind(sign, start + 1, cut) for sign in _JOINTS) + 1
            cut = joint or cut
            yield start, cut
            start = cut
            continue
        yield start, space
        start = space
        while start < end and text[start] == " ":
            start += 1


def _fitting(text: str, start: int, end: int, width: int) -> int:
    """Where a row that begins at ``start`` must end; always after ``start``."""
    piece = text[start : min(end, start + width)]
    if piece.isascii():
        return start + len(piece)
    piece = text[start : min(end, start + width * MOST_CHARACTERS)]
    if cell_len(piece) <= width:
        return start + len(piece)
    graphemes, _ = split_graphemes(piece)
    cells = 0
    for first, _, size in graphemes:
        cells += size
        if cells > width:
            return start + max(first, 1)
    return start + len(piece)
