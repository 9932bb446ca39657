"""Two texts beside each other: lines that went and came, and in changed lines the words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_CELLS = 4_000_000
"""Lines times lines above which only equal lines at start and end are kept: the comparison is quadratic."""
_ALIKE = 0.4
"""Share of equal words from which two lines count as one line that was changed."""


class LineKind(StrEnum):
    """What became of a line."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True)
class Piece:
    """A stretch of a line; ``changed``: not in the line that it is held against."""

    text: str
    changed: bool


@dataclass(frozen=True)
class DiffLine:
    """A line; ``old`` and ``new`` are its numbers from 1, 0 where it is not; ``ended``: by a line feed."""

    kind: LineKind
    old: int
    new: int
    pieces: tuple[Piece, ...]
    ended: bool = True

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def diff_texts(old: str, new: str) -> list[DiffLine]:
    """All lines of both texts in order; equal ones once."""
    before, after = text_lines(old), text_lines(new)
    found: list[DiffLine] = []
    for kind, old_from, old_to, new_from, new_to in _opcodes(before, after):
        if kind == "equal":
            found += [
                _line(LineKind.SAME, old_from + at + 1, new_from + at + 1, line)
                for at, line in enumerate(before[old_from:old_to])
            ]
        else:
            found += _changed(before[old_from:old_to], after[new_from:new_to], old_from + 1, new_from + 1)
    return found


def text_lines(text: str) -> list[str]:
    """Lines as git counts them, each with its line feed: no other character ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _line(kind: LineKind, old: int, new: int, line: str, pieces: tuple[Piece, ...] = ()) -> DiffLine:
    text = line.removesuffix("\n")
    return DiffLine(kind, old, new, pieces or (Piece(text, kind != LineKind.SAME),), line.endswith("\n"))


def hunks(lines: Sequence[DiffLine], around: int = 3) -> list[list[DiffLine]]:
    """The changed lines with ``around`` equal ones before and after; what touches is one hunk."""
    kept: set[int] = set()
    for at, line in enumerate(lines):
        if line.kind != LineKind.SAME:
            kept.update(range(max(at - around, 0), min(at + around + 1, len(lines))))
    found: list[list[DiffLine]] = []
    for at in sorted(kept):
        if at - 1 not in kept:
            found.append([])
        found[-1].append(lines[at])
    return found


def _opcodes(before: list[str], after: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if start:
        yield "equal", 0, start, 0, start
    if old or new:
        if len(old) * len(new) > _MOST_CELLS:
            yield "replace", start, start + len(old), start, start + len(new)
        else:
            for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
                yield kind, a + start, b + start, c + start, d + start
    if end:
        yield "equal", len(before) - end, len(before), len(after) - end, len(after)


def _changed(old: list[str], new: list[str], old_at: int, new_at: int) -> Iterator[DiffLine]:
    """Lines of a changed stretch: first those that went, then those that came, each with its words."""
    pairs = dict(enumerate(range(len(new)))) if len(old) == len(new) else {0: 0} if old and new else {}
    words = {at: _words(old[at].removesuffix("\n"), new[to].removesuffix("\n")) for at, to in pairs.items()}
    for at, line in enumerate(old):
        yield _line(LineKind.REMOVED, old_at + at, 0, line, words[at][0] if at in words else ())
    back = {to: at for at, to in pairs.items()}
    for at, line in enumerate(new):
        yield _line(LineKind.ADDED, 0, new_at + at, line, words[back[at]][1] if at in back else ())


def _words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if len(before) * len(after) > _MOST_CELLS or matcher.ratio() < _ALIKE:
        return (Piece(old, True),), (Piece(new, True),)
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if b > a:
            left.append(Piece("".join(before[a:b]), kind != "equal"))
        if d > c:
            right.append(Piece("".join(after[c:d]), kind != "equal"))
    return tuple(left), tuple(right)
