"""A source made of blocks that open and close: a head line, and a body that is wrapped when it is shown."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import ClassVar

from workbench.patterns import visible
from workbench.tui.inert import Inert
from workbench.tui.widgets.line_source import TAB_CELLS, Fold, Line, Place, Sign, Span, Stop, Tone
from workbench.tui.widgets.search import Query
from workbench.tui.widgets.wrap import cell_rows, word_rows

MOST_CHARACTERS = 200_000
"""Of one body that are laid out and searched when it is open."""
FOLDED_CHARACTERS = 20_000
"""Of one body that are looked at while it is closed."""


@dataclass
class Block:
    """``head`` is one row that is always shown; ``body`` is foreign text of any length.

    ``kept``: rows of the body that stay while it is closed; a body of no more never folds. ``first`` and
    ``rest`` stand before its rows. ``spans`` are of the
    body as it is shown, in order and apart. ``kinds``: what it counts as for jumps. ``key``: what it belongs
    to.
    """

    head: Line | None = None
    body: str = ""
    tone: Tone = Tone.PLAIN
    sign: Sign = Sign.NONE
    first: str = ""
    rest: str = ""
    words: bool = False
    kept: int = 12
    spans: tuple[Span, ...] = ()
    kinds: frozenset[str] = frozenset()
    key: int = 0
    is_open: bool = False

    def __post_init__(self) -> None:
        self.characters = len(self.body)
        self.feeds = self.body.rstrip("\n").count("\n") if self.body.endswith("\n") else self.body.count("\n")

    def bound(self) -> None:
        """Let go of what is never laid out; ``characters`` and ``feeds`` stay those of all of it."""
        self.body = self.body[:MOST_CHARACTERS]

    def searchable(self) -> str:
        """Head and body as they are shown, with a line feed between."""
        head = "" if self.head is None else self.head.text.plain + "\n"
        return head + self.shown(MOST_CHARACTERS)

    def shown(self, most: int) -> str:
        """The body's first characters, made inert."""
        return visible(self.body[:most].rstrip("\n").expandtabs(TAB_CELLS))


@dataclass
class _Laid:
    """A block's rows at one width."""

    text: str
    starts: array[int]
    ends: array[int]
    note: str  # a last row of ours
    folds: bool

    @property
    def rows(self) -> int:
        return len(self.starts) + bool(self.note)


@dataclass
class BlockLines:
    """Rows of blocks; ``add`` more at the end."""

    blocks: list[Block] = field(default_factory=list)
    complete: bool = True
    revision: int = 0
    for_the_rest: ClassVar[str] = ""
    """What to do to read what is more than ``MOST_CHARACTERS`` of a body."""

    def __post_init__(self) -> None:
        self._width = 80
        self._laid: list[_Laid] = []
        self._starts: list[int] = [0]
        blocks, self.blocks = self.blocks, []
        self.add(blocks)

    def __len__(self) -> int:
        return self._starts[-1]

    def add(self, blocks: Iterable[Block]) -> None:
        """More blocks at the end."""
        for block in blocks:
            laid = self._lay(block)
            self.blocks.append(block)
            self._laid.append(laid)
            self._starts.append(self._starts[-1] + laid.rows + (block.head is not None))

    def insert(self, at: int, blocks: Iterable[Block]) -> None:
        """More blocks before block ``at``."""
        added = list(blocks)
        self.blocks[at:at] = added
        self._laid[at:at] = [self._lay(block) for block in added]
        self._count()

    def lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self._laid = [self._lay(block) for block in self.blocks]
            self._count()

    def block_at(self, row: int) -> int:
        """The block a row belongs to."""
        return min(bisect_right(self._starts, row) - 1, len(self.blocks) - 1)

    def row_of_block(self, block: int) -> int:
        """Its first row."""
        return self._starts[block]

    def line(self, row: int) -> Line:
        if not 0 <= row < len(self):
            raise IndexError(row)
        at = self.block_at(row)
        block, laid = self.blocks[at], self._laid[at]
        part = row - self._starts[at]
        fold = Fold.NONE if not laid.folds or part else Fold.OPEN if block.is_open else Fold.CLOSED
        if block.head is not None:
            if part == 0:
                head = block.head
                return Line(head.text, head.spans, head.tone, head.sign, fold, head.label, head.origin)
            part -= 1
        if part >= len(laid.starts):
            return Line(Inert.of(block.rest + laid.note), tone=Tone.DIM)
        sign = block.sign if part == 0 and block.head is None else Sign.NONE
        return self._body_line(block, laid, part, sign, fold)

    def at_rest(self, row: int) -> bool:
        """Whether the row says that there is more of its block than can be laid out."""
        at = self.block_at(row)
        if not 0 <= at < len(self._laid):
            return False
        block = self.blocks[at]
        last = row + 1 == self._starts[at + 1]
        return block.is_open and last and block.characters > MOST_CHARACTERS

    def toggle(self, row: int) -> int | None:
        at = self.block_at(row)
        if not 0 <= at < len(self._laid) or not self._laid[at].folds or self.at_rest(row):
            return None
        self._set_open(at, not self.blocks[at].is_open)
        return self._starts[at]

    def fold_all(self, closed: bool) -> None:
        for block in self.blocks:
            block.is_open = not closed
        self._laid = [
            self._lay(block) if laid.folds else laid
            for block, laid in zip(self.blocks, self._laid, strict=True)
        ]
        self._count()

    def place(self, row: int) -> Place:
        """Block, and the character of ``searchable`` at which the row begins."""
        if not self.blocks:
            return Place(-1)
        at = self.block_at(row)
        block, laid = self.blocks[at], self._laid[at]
        part = row - self._starts[at]
        offset = 0
        if block.head is not None:
            if part == 0:
                return Place(at, 0)
            offset = len(block.head.text.plain) + 1
            part -= 1
        if part >= len(laid.starts):
            return Place(at, offset + (laid.ends[-1] if laid.ends else 0))
        return Place(at, offset + laid.starts[part])

    def reveal(self, place: Place) -> int:
        if not self.blocks:
            return 0
        at = min(max(place.major, 0), len(self.blocks) - 1)
        row = self._row_in(at, place.minor)
        if row is None:
            self._set_open(at, True)
            row = self._row_in(at, place.minor)
        return self._starts[at] + (row or 0)

    def row_near(self, place: Place) -> int:
        if not self.blocks:
            return 0
        at = min(max(place.major, 0), len(self.blocks) - 1)
        return self._starts[at] + (self._row_in(at, place.minor) or 0)

    def find(
        self, query: Query, start: Place, *, backwards: bool = False, stop: Stop | None = None
    ) -> Place | None:
        count = len(self.blocks)
        first = min(max(start.major, 0), count - 1)
        for at in range(first, -1, -1) if backwards else range(first, count):
            if stop is not None and stop.is_set():
                return None
            text = self.blocks[at].searchable()
            lowest, highest = 0, len(text)
            if at == start.major:
                if backwards:
                    highest = min(start.minor, highest)
                else:
                    lowest = self._row_end(at, start.minor, text)
            found = query.starts(text, lowest, highest)
            matches = list(found if backwards else islice(found, 1))
            if matches:
                return Place(at, matches[-1] if backwards else matches[0])
        return None

    def mark(self, kind: str, row: int, *, backwards: bool = False) -> Place | None:
        if not self.blocks:
            return None
        here = self.block_at(row)
        inside = row > self._starts[here]
        if backwards:
            order = range(here if inside else here - 1, -1, -1)
        else:
            order = range(here + 1, len(self.blocks))
        return next((Place(at) for at in order if kind in self.blocks[at].kinds), None)

    # --- rows of one block -----------------------------------------------------------------------

    def _lay(self, block: Block) -> _Laid:
        if not block.body:
            return _Laid("", array("Q"), array("Q"), "", False)
        width = self._width - max(len(block.first), len(block.rest))
        wrap = word_rows if block.words else cell_rows
        start = block.shown(FOLDED_CHARACTERS)
        rows = list(islice(wrap(start, width), block.kept + 1))
        folds = len(rows) > block.kept or block.characters > FOLDED_CHARACTERS
        note = ""
        text = start
        if folds and not block.is_open:
            rows = rows[: block.kept]
            left = block.feeds - start[: rows[-1][1] if rows else 0].count("\n")
            note = f"… {left} more line{'s' if left != 1 else ''}" if left > 0 else "… more"
        elif folds:
            text = block.shown(MOST_CHARACTERS)
            rows = list(wrap(text, width))
            if block.characters > MOST_CHARACTERS:
                note = f"… {block.characters - MOST_CHARACTERS:,} more characters{self.for_the_rest}"
        starts, ends = zip(*rows, strict=True) if rows else ((), ())
        return _Laid(text, array("Q", starts), array("Q", ends), note, folds)

    def _body_line(self, block: Block, laid: _Laid, part: int, sign: Sign, fold: Fold) -> Line:
        start, end = laid.starts[part], laid.ends[part]
        before = block.first if part == 0 else block.rest
        shift = len(before) - start
        spans = [Span(0, len(before), Tone.DIM)] if before else []
        at = max(bisect_right(block.spans, start, key=lambda span: span.start) - 1, 0)
        for span in islice(block.spans, at, None):
            if span.start >= end:
                break
            if span.end > start:
                spans.append(Span(max(span.start, start) + shift, min(span.end, end) + shift, span.tone))
        return Line(Inert(before + laid.text[start:end]), tuple(spans), block.tone, sign, fold)

    def _row_in(self, at: int, offset: int) -> int | None:
        """The row, within the block, that shows a character of ``searchable``; None if it is folded away."""
        block, laid = self.blocks[at], self._laid[at]
        before = 0
        if block.head is not None:
            before = 1
            offset -= len(block.head.text.plain) + 1
            if offset < 0:
                return 0
        if not laid.starts:
            return 0
        if not block.is_open and laid.folds and offset >= laid.ends[-1]:
            return None
        return before + max(bisect_right(laid.starts, offset) - 1, 0)

    def _row_end(self, at: int, offset: int, text: str) -> int:
        """Where the row that begins at ``offset`` ends, as far as it is known."""
        block, laid = self.blocks[at], self._laid[at]
        shift = 0 if block.head is None else len(block.head.text.plain) + 1
        if offset < shift:
            return shift
        part = bisect_right(laid.starts, offset - shift) - 1
        if 0 <= part < len(laid.ends):
            end = laid.ends[part] + shift
            return end if offset <= end else offset + 1  # one that is folded away is a row of its own
        return min(offset, len(text))

    def _set_open(self, at: int, is_open: bool) -> None:
        self.blocks[at].is_open = is_open
        self._laid[at] = self._lay(self.blocks[at])
        self._count()

    def _count(self) -> None:
        sizes = (
            laid.rows + (block.head is not None) for block, laid in zip(self.blocks, self._laid, strict=True)
        )
        self._starts = list(accumulate(sizes, initial=0))
        self.revision += 1


class OpenLines(BlockLines):
    """Rows of blocks none of which folds: they are only wrapped."""
