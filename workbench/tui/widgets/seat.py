"""Where a person left a view, so that making the screen smaller and larger again comes back to it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.tui.widgets.line_source import Foldable, LineSource, Place


@dataclass(frozen=True)
class Seat:
    """Cursor and first row in view, as places and as rows of a layout ``room`` cells wide."""

    cursor: Place
    top: Place
    rows: tuple[int, int]
    room: int
    count: int

    @classmethod
    def of(cls, source: LineSource, cursor: int, top: int, room: int) -> Seat:
        """``source`` must have rows."""
        last = len(source) - 1
        cursor, top = min(max(cursor, 0), last), min(max(top, 0), last)
        return cls(source.place(cursor), source.place(top), (cursor, top), room, last + 1)

    def rows_in(self, source: LineSource, room: int) -> tuple[int, int]:
        """Cursor and first row now."""
        if (room, len(source)) == (self.room, self.count):
            return self.rows
        return row_near(source, self.cursor), row_near(source, self.top)


def row_near(source: LineSource, place: Place) -> int:
    """The row of a place, nothing unfolded for it."""
    return source.row_near(place) if isinstance(source, Foldable) else source.reveal(place)
