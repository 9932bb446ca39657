"""Terminal cells as numbers, and the shortest text that turns one screen into another."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import ne

from rich.cells import split_graphemes
from rich.color import ColorSystem
from rich.segment import Segment
from textual.strip import Strip

Row = array  # of cell numbers, one a column

UNKNOWN = -1
"""Nobody knows what the terminal shows there."""
CONTINUED = 0
"""The right half of a wide character."""

_SEEN_ON_BLANKS = frozenset({"4", "5", "6", "7", "9", "21", "51", "52", "53"})
"""Attributes that show on a blank cell: lines, blinking, reverse, frames. Its foreground does not."""
_GAP = 4
"""So many unchanged cells are written again rather than jumped over."""
_ERASE = 8
"""So many blank cells up to the end of a line are worth an erase."""
_MAX_SCROLL_ROWS = 400
_KEPT_STRIPS = 512


@dataclass(frozen=True)
class Pen:
    """Graphic rendition: codes of attributes, foreground, background; empty is the terminal's own."""

    attributes: frozenset[str] = frozenset()
    foreground: str = ""
    background: str = ""

    @property
    def plain(self) -> bool:
        return not self.attributes and not self.background


DEFAULT_PEN = Pen()


class CellTable:
    """Numbers for cells: equal text and pen have the same number."""

    def __init__(self) -> None:
        self.texts: list[str] = ["", " "]
        self.pens: list[Pen] = [DEFAULT_PEN, DEFAULT_PEN]
        self._of_pen: dict[Pen, dict[str, int]] = {DEFAULT_PEN: {" ": 1}}
        self._strips: dict[int, tuple[Strip, Row[int]]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def strip(self, strip: Strip, colours: ColorSystem) -> Row[int]:
        """The cells of a strip, which never changes: one that is drawn again was worked out before."""
        known = self._strips.get(id(strip))
        if known is None:
            if len(self._strips) >= _KEPT_STRIPS:
                self._strips.clear()
            known = self._strips[id(strip)] = (strip, array("l", self.row(strip, colours)))
        return known[1]

    def row(self, segments: Iterable[Segment], colours: ColorSystem) -> list[int]:
        """The cells of one row. Control segments and links leave none: nothing from outside reaches the
        terminal but characters.
        """
        cells: list[int] = []
        for text, style, control in segments:
            if control or not text:
                continue
            pen = pen_of(Strip.render_ansi(style, colours)) if style is not None else DEFAULT_PEN
            known = self._of_pen.get(pen)
            if known is None:
                known = self._of_pen[pen] = {}
            if text.isascii() and text.isprintable():
                try:
                    cells += [known[character] for character in text]
                except KeyError:
                    cells += [self._number(character, pen, known) for character in text]
                continue
            for start, end, width in split_graphemes(text)[0]:
                grapheme = text[start:end]
                if not grapheme.isprintable() and not _joined(grapheme):
                    grapheme, width = "?", max(1, width)
                if width == 0:
                    continue
                cells.append(self._number(grapheme, pen, known))
                cells += [CONTINUED] * (width - 1)
        return cells

    def _number(self, text: str, pen: Pen, known: dict[str, int]) -> int:
        number = known.get(text)
        if number is not None:
            return number
        if text == " " and not pen.attributes & _SEEN_ON_BLANKS and (pen.foreground or pen.attributes):
            bare = Pen(background=pen.background)
            number = self._number(text, bare, self._of_pen.setdefault(bare, {}))
        else:
            number = len(self.texts)
            self.texts.append(text)
            self.pens.append(pen)
        known[text] = number
        return number


def _joined(grapheme: str) -> bool:
    """Whether only joiners and variation selectors keep the grapheme from being printable."""
    return len(grapheme) > 1 and all(sign.isprintable() or sign in "\u200d\ufe0e\ufe0f" for sign in grapheme)


@lru_cache(maxsize=16384)
def pen_of(codes: str) -> Pen:
    """The pen that SGR codes (``1;38;2;1;2;3``) set, starting from the default."""
    attributes, foreground, background = set(), "", ""
    left = iter(codes.split(";")) if codes else iter(())
    for code in left:
        number = int(code)
        if number in (38, 48):
            kind = next(left, "5")
            values = [code, kind] + [next(left, "0") for _ in range(3 if kind == "2" else 1)]
            if number == 38:
                foreground = ";".join(values)
            else:
                background = ";".join(values)
        elif 30 <= number <= 39 or 90 <= number <= 97:
            foreground = "" if number == 39 else code
        elif 40 <= number <= 49 or 100 <= number <= 107:
            background = "" if number == 49 else code
        else:
            attributes.add(code)
    return Pen(frozenset(attributes), foreground, background)


@lru_cache(maxsize=16384)
def change_pen(old: Pen, new: Pen) -> str:
    """The shortest sequence from one pen to the other."""
    if old == new:
        return ""
    full = sorted(new.attributes, key=int) + [code for code in (new.foreground, new.background) if code]
    if not full:
        return "\x1b[m"
    whole = ";".join(["0", *full] if old != DEFAULT_PEN else full)
    if old.attributes - new.attributes:
        return f"\x1b[{whole}m"
    codes = sorted(new.attributes - old.attributes, key=int)
    if new.foreground != old.foreground:
        codes.append(new.foreground or "39")
    if new.background != old.background:
        codes.append(new.background or "49")
    part = ";".join(codes)
    return f"\x1b[{part if len(part) <= len(whole) else whole}m"


class Difference:
    """Writes what turns the screen ``shown`` into ``wanted``; ``shown`` is changed on the way."""

    def __init__(
        self, table: CellTable, shown: list[Row[int]], wanted: Sequence[Row[int]], width: int
    ) -> None:
        self._table = table
        self._shown = shown
        self._wanted = wanted
        self._width = width
        self._out: list[str] = []
        self._pen = DEFAULT_PEN
        self._at: tuple[int, int] | None = None  # column and row of the cursor, where known

    def text(self) -> tuple[str, tuple[int, int] | None]:
        """The sequence, starting and ending with the default pen, and where it leaves the cursor."""
        changed = [y for y, row in enumerate(self._wanted) if row != self._shown[y]]
        if len(changed) > 2:
            changed = self._scroll(changed)
        for y in changed:
            self._row(y)
        self._use(DEFAULT_PEN)
        return "".join(self._out), self._at

    def _row(self, y: int) -> None:
        old, new, width = self._shown[y], self._wanted[y], self._width
        x = 0
        while x < width:
            if new[x] in (old[x], UNKNOWN):
                x += 1
                continue
            start = x
            end = self._run_end(old, new, x)
            while start and new[start] == CONTINUED:
                start -= 1
            x = self._write(y, start, end)
        self._shown[y] = array(
            "l", (was if now == UNKNOWN else now for was, now in zip(old, new, strict=True))
        )

    def _run_end(self, old: Row[int], new: Row[int], x: int) -> int:
        """Where the run of cells to write ends: short gaps in the same pen are written along."""
        pens, width = self._table.pens, self._width
        end = x + 1
        while end < width:
            if new[end] != old[end] and new[end] != UNKNOWN:
                end += 1
                continue
            gap = end
            while gap < width and gap - end <= _GAP and (new[gap] == old[gap] or new[gap] == UNKNOWN):
                gap += 1
            if gap >= width or gap - end > _GAP or UNKNOWN in new[end:gap]:
                break
            pen = pens[new[end - 1]]
            if not all(pens[cell] is pen or self._blank_in(cell, pen) for cell in new[end:gap]):
                break
            end = gap
        while end < width and new[end] == CONTINUED:
            end += 1
        return end

    def _write(self, y: int, start: int, end: int) -> int:
        texts, pens, new = self._table.texts, self._table.pens, self._wanted[y]
        out = self._out
        blank = self._blank_from(new, end)
        x = start
        self._go(start, y)
        while x < end:
            cell = new[x]
            if x >= blank:
                self._use(pens[cell])
                out.append("\x1b[K")
                self._at = (x, y)
                return self._width
            if not self._blank_in(cell, self._pen):
                self._use(pens[cell])
            text = texts[cell]
            after = x + 1
            while after < end and new[after] == CONTINUED:
                after += 1
            if len(text) > 1 and after - x > 1:
                out.append(" " * (after - x) + f"\x1b[{after - x}D")
            out.append(text)
            self._at = (after, y) if text.isascii() and after < self._width else None
            x = after
            if self._at is None and x < end:
                self._go(x, y)
        return end

    def _blank_from(self, new: Row[int], end: int) -> int:
        """The column from which the line is blank in the terminal's own colours, if erasing it pays."""
        width = self._width
        if end < width:
            return width
        pens, texts = self._table.pens, self._table.texts
        blank = width
        while blank and new[blank - 1] > 0 and texts[new[blank - 1]] == " " and pens[new[blank - 1]].plain:
            blank -= 1
        return blank if width - blank >= _ERASE else width

    def _go(self, x: int, y: int) -> None:
        if self._at == (x, y):
            return
        if self._at is not None and self._at[1] == y and x > self._at[0]:
            by = x - self._at[0]
            self._out.append(f"\x1b[{by}C" if by > 1 else "\x1b[C")
        else:
            self._out.append(f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H" if y else "\x1b[H")
        self._at = (x, y)

    def _use(self, pen: Pen) -> None:
        if pen is not self._pen and pen != self._pen:
            self._out.append(change_pen(self._pen, pen))
            self._pen = pen

    def _blank_in(self, cell: int, pen: Pen) -> bool:
        """Whether the cell is blank and looks the same written with ``pen``."""
        own = self._table.pens[cell]
        return (
            self._table.texts[cell] == " "
            and not own.attributes
            and own.background == pen.background
            and not pen.attributes & _SEEN_ON_BLANKS
        )

    def _scroll(self, changed: list[int]) -> list[int]:
        """Move whole rows within the terminal where that leaves less to write; the rows still different."""
        top, bottom = changed[0], changed[-1]
        by = self._shift(top, bottom)
        if not by or bottom - top > _MAX_SCROLL_ROWS:
            return changed
        shown = self._shown
        if any(UNKNOWN in row for row in shown[top : bottom + 1]):
            return changed
        blank = [array("l", [UNKNOWN]) * self._width for _ in range(abs(by))]
        moved = shown[top + by : bottom + 1] + blank if by > 0 else blank + shown[top : bottom + 1 + by]
        wanted = self._wanted[top : bottom + 1]
        saved = _cells_different(shown[top : bottom + 1], wanted) - _cells_different(moved, wanted)
        if saved < 40 or any(UNKNOWN in row for row in wanted):
            return changed
        self._out.append(
            f"\x1b[{top + 1};{bottom + 1}r\x1b[{top + 1}H\x1b[{abs(by)}{'M' if by > 0 else 'L'}\x1b[r"
        )
        self._at = None
        shown[top : bottom + 1] = moved
        return [y for y, row in enumerate(self._wanted) if row != shown[y]]

    def _shift(self, top: int, bottom: int) -> int:
        """By how many rows most rows seem to have moved up (down: negative); 0 for not at all."""
        places: dict[bytes, int] = {}
        for y in range(top, bottom + 1):
            key = self._shown[y].tobytes()
            places[key] = -1 if key in places else y
        votes: dict[int, int] = {}
        for y in range(top, bottom + 1):
            was = places.get(self._wanted[y].tobytes(), -1)
            if was >= 0 and was != y:
                votes[was - y] = votes.get(was - y, 0) + 1
        if not votes:
            return 0
        by = max(votes, key=lambda shift: votes[shift])
        return by if votes[by] >= 2 else 0


def _cells_different(old: Sequence[Row[int]], new: Sequence[Row[int]]) -> int:
    return sum(sum(map(ne, was, now)) for was, now in zip(old, new, strict=True) if was != now)
