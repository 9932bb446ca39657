"""Big tables as lines: columns that fit the width, sorted and filtered, drawn only where they are seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from workbench.tui.inert import Inert
from workbench.tui.widgets.line_source import Line, Place, Stop, Tone, find_row, one_line
from workbench.tui.widgets.search import Query

Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """``text``: the cell's foreign text, which filters and searches look at; ``look``: drawn in its place.

    ``width``: cells it needs; ``stretch``: it takes what is left over. Columns with the highest ``drop`` go
    first where the screen is narrow; 0 stays, and gives way down to ``least`` cells. ``sort``: what it is
    ordered by (None comes last), ``text`` where it is not given.
    """

    title: str
    text: Callable[[Row], str]
    width: int
    stretch: bool = False
    right: bool = False
    drop: int = 0
    least: int = 0
    look: Callable[[Row], Inert] | None = None
    sort: Callable[[Row], Any] | None = None


class TableLines(Generic[Row]):
    """A LineSource over rows of any kind. ``key`` names a row for good."""

    def __init__(
        self, columns: Sequence[Column[Row]], key: Callable[[Row], str], rows: Sequence[Row] = ()
    ) -> None:
        self.complete = True
        self.revision = 0
        self.columns = columns
        self.sorted_by = ""
        self.descending = False
        self.filtered_by = ""
        self._key = key
        self._all: Sequence[Row] = rows
        self._shown: list[Row] = list(rows)
        self._texts: dict[str, str] = {}
        self._width = 80
        self._fitting: list[tuple[Column[Row], int]] = []

    def __len__(self) -> int:
        return len(self._shown)

    @property
    def total(self) -> int:
        """Rows there are, filtered out or not."""
        return len(self._all)

    @property
    def in_view(self) -> list[str]:
        """Titles of the columns that fit."""
        return [column.title for column, _ in self._widths()]

    def fill(self, rows: Sequence[Row]) -> None:
        """Other rows, under the same order and filter."""
        self._all = rows
        self._texts = {}
        self._arrange()

    def sort(self, title: str, descending: bool = False) -> None:
        """Order by a column; an empty title gives back the order the rows came in."""
        self.sorted_by, self.descending = title, descending
        self._arrange()

    def filter(self, words: str) -> None:
        """Only rows in which every word occurs somewhere, whatever its case."""
        self.filtered_by = words
        self._arrange()

    def row_at(self, row: int) -> Row | None:
        """What a row stands for."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def row_of_key(self, key: str) -> int | None:
        """Where the thing of that name stands now."""
        return next((at for at, row in enumerate(self._shown) if self._key(row) == key), None)

    def lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self._fitting = []
            self.revision += 1

    def header(self) -> Line:
        """Titles; ``v`` and ``^`` mark the one the rows are ordered by."""
        pieces = []
        for column, width in self._widths():
            mark = ("v" if self.descending else "^") if column.title == self.sorted_by else ""
            pieces.append(Inert.of(f"{column.title}{mark}").fit(width, right=column.right))
        return Line(Inert.join(pieces, " "), tone=Tone.STRONG)

    def line(self, row: int) -> Line:
        item = self._shown[row]
        pieces = []
        for column, width in self._widths():
            cell = column.look(item) if column.look is not None else one_line(column.text(item)[: width + 1])
            pieces.append(cell.fit(width, right=column.right))
        return Line(Inert.join(pieces, " "))

    def place(self, row: int) -> Place:
        return Place(row)

    def reveal(self, place: Place) -> int:
        return min(max(place.major, 0), max(len(self) - 1, 0))

    def find(
        self, query: Query, start: Place, *, backwards: bool = False, stop: Stop | None = None
    ) -> Place | None:
        rows = self._shown
        return find_row(
            query, start, len(rows), lambda row: self._text(rows[row]), backwards=backwards, stop=stop
        )

    def _arrange(self) -> None:
        words = self.filtered_by.lower().split()
        rows = list(self._all)
        if words:
            rows = [row for row in rows if all(word in self._text(row).lower() for word in words)]
        column = next((item for item in self.columns if item.title == self.sorted_by), None)
        if column is not None:
            value = column.sort or column.text
            known = [row for row in rows if value(row) is not None]
            unknown = [row for row in rows if value(row) is None]
            rows = sorted(known, key=value, reverse=self.descending) + unknown
        self._shown = rows
        self.revision += 1

    def _text(self, row: Row) -> str:
        key = self._key(row)
        if key not in self._texts:
            self._texts[key] = " ".join(column.text(row) for column in self.columns)
        return self._texts[key]

    def _widths(self) -> list[tuple[Column[Row], int]]:
        """The columns that fit and their cells."""
        self._fitting = self._fitting or self._fit()
        return self._fitting

    def _fit(self) -> list[tuple[Column[Row], int]]:
        kept = list(self.columns)
        while len(kept) > 1 and sum(column.width + 1 for column in kept) - 1 > self._width:
            dropped = max((column for column in kept), key=lambda column: column.drop)
            if dropped.drop == 0:
                break
            kept.remove(dropped)
        over = sum(column.width + 1 for column in kept) - 1 - self._width
        least = {}
        for column in kept:
            given = min(over, column.width - column.least) if column.least and over > 0 else 0
            least[column.title] = column.width - given
            over -= given
        spare = max(self._width - sum(column.width + 1 for column in kept) + 1, 0)
        stretching = [column for column in kept if column.stretch]
        share, rest = divmod(spare, len(stretching)) if stretching else (0, 0)
        widths = []
        for column in kept:
            more = share + (rest if stretching and column is stretching[0] else 0) if column.stretch else 0
            widths.append((column, least[column.title] + more))
        return widths
