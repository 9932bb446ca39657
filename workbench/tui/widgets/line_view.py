"""One widget for text of any length: LineCanvas with keys, selection, folding, search, jumps, following."""

from __future__ import annotations

import threading
from bisect import bisect_left
from functools import partial

from textual import events
from textual.message import Message

from workbench.records import WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.background import in_thread
from workbench.tui.inert import Inert
from workbench.tui.widgets.folding import OpenLines
from workbench.tui.widgets.line_canvas import LineCanvas
from workbench.tui.widgets.line_source import (
    AFTER_ALL,
    BEFORE_ALL,
    Foldable,
    LineSource,
    Marked,
    Numbered,
    Place,
    matching_places,
)
from workbench.tui.widgets.search import DRAW_S, Query

SIDEWAYS_CELLS = 8
MOST_COUNTED = 200
"""Rows with a match that are counted."""
COPY_BYTES = 74_000
"""More than this, terminals drop."""


class LineView(LineCanvas):
    """Rows of a LineSource that a person moves in. Its actions are those of the scope ``lines``."""

    BINDINGS = [*bindings("lines")]

    opens = True
    """Whether Enter means something to the screen."""

    class Chosen(LineCanvas.CursorMoved, namespace="line_view"):
        """Enter on a row that does not fold."""

    class SearchEnded(Message):
        """A search found its ``row``, or nothing; ``note`` says more."""

        def __init__(self, view: LineView, row: int | None, note: str = "") -> None:
            super().__init__()
            self.set_sender(view)
            self.view = view
            self.row = row
            self.note = note

    class Counted(Message):
        """How many rows match, and the how manyth the cursor is on; ``note``: in words."""

        def __init__(self, view: LineView, note: str) -> None:
            super().__init__()
            self.set_sender(view)
            self.view = view
            self.note = note

    class PromptWanted(Message):
        """A person wants to type what to search for (``search``) or where to go (``jump``)."""

        def __init__(self, view: LineView, kind: str) -> None:
            super().__init__()
            self.set_sender(view)
            self.view = view
            self.kind = kind

    class SaveWanted(Message):
        """A person wants the selected rows, or all, in a file."""

        def __init__(self, view: LineView) -> None:
            super().__init__()
            self.set_sender(view)
            self.view = view

    class Told(Message):
        """Something a person should read, for the screen to show."""

        def __init__(self, view: LineView, text: Inert) -> None:
            super().__init__()
            self.set_sender(view)
            self.view = view
            self.text = text

    def search(self, query: Query | None, *, backwards: bool = False, again: bool = False) -> None:
        """Highlight, and go to the nearest match in a thread; from the other end where there is none.

        Without ``again`` a match in the cursor's own row counts. Posts SearchEnded, and Counted where
        the rows with a match can be counted.
        """
        self._wanted = query
        self._strips.clear()
        self.refresh()
        if query is None:
            return
        source, stop = self._source, self._stop
        start = source.place(self.cursor) if len(source) else BEFORE_ALL
        try:
            here = not again and query.matches(self.line.text.plain if self.line else "", DRAW_S)
        except WorkbenchError as error:
            self.post_message(self.SearchEnded(self, None, error.what))
            return
        if here:
            self.post_message(self.SearchEnded(self, self.cursor))

        async def run() -> None:
            if here:
                await self._count(query)
                return
            try:
                found, wrapped = await in_thread(partial(_find, source, query, start, backwards, stop))
            except WorkbenchError as error:
                self.post_message(self.SearchEnded(self, None, error.what))
                return
            if not self.is_attached or source is not self._source:
                return
            if found is None:
                self.post_message(self.SearchEnded(self, None, "not found"))
                return
            self.go_to_place(found)
            again = f"again from the {'end' if backwards else 'top'}" if wrapped else ""
            self.post_message(self.SearchEnded(self, self.cursor, again))
            await self._count(query, again)

        self.run_worker(run(), group="search", exclusive=True)

    async def _count(self, query: Query, again: str = "") -> None:
        """Say the how manyth match the cursor is on; ``again``: what else is said."""
        source, stop = self._source, self._stop
        place = source.place(self.cursor)
        try:
            places = await in_thread(partial(matching_places, query, source, MOST_COUNTED, stop))
        except WorkbenchError:  # a pattern that takes too long elsewhere
            return
        if not self.is_attached or source is not self._source:
            return
        at, full = bisect_left(places, place) + 1, len(places) == MOST_COUNTED
        count = f"more than {len(places)}" if full else str(len(places))
        note = f"one of {count}" if at > len(places) else f"{at} of {count}"
        self.post_message(self.Counted(self, f"{note}, {again}" if again else note))

    def go_to_mark(self, kind: str, *, backwards: bool = False) -> bool:
        """To the next row of some kind; False if the source knows none that way."""
        source = self._source
        if not isinstance(source, Marked):
            return False
        place = source.mark(kind, self.cursor, backwards=backwards)
        if place is None:
            return False
        self.go_to_place(place)
        return True

    def selected_text(self) -> str:
        """The selected rows as inert text."""
        return "\n".join(self._source.line(row).text.plain for row in self.selected)

    def _move(self, by: int, *, select: bool = False) -> None:
        if select and self._anchor is None:
            self._anchor = self.cursor
        elif not select and self._anchor is not None:
            self._anchor = None
            self.refresh()
        self.following = False
        self.go_to(self.cursor + by)

    def action_up(self) -> None:
        self._move(-1)

    def action_down(self) -> None:
        self._move(1)

    def action_page_up(self) -> None:
        self._page(-1)

    def action_page_down(self) -> None:
        self._page(1)

    def _page(self, direction: int) -> None:
        rows = max(1, self.scrollable_content_region.height - 1)
        self.scroll_to(y=self.scroll_offset.y + direction * rows, animate=False)
        self._move(direction * rows)

    def action_first(self) -> None:
        self._move(-len(self._source))

    def action_last(self) -> None:
        self._move(len(self._source))
        self.following = not self._source.complete

    def action_sideways(self, cells: int) -> None:
        """Show columns further right (left, if negative)."""
        column = max(0, self._column + cells)
        if column != self._column:
            self._column = column
            self.refresh()

    def action_right(self) -> None:
        self.action_sideways(SIDEWAYS_CELLS)

    def action_left(self) -> None:
        self.action_sideways(-SIDEWAYS_CELLS)

    def action_select_up(self) -> None:
        self._move(-1, select=True)

    def action_select_down(self) -> None:
        self._move(1, select=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        folds = isinstance(self._source, Foldable) and not isinstance(self._source, OpenLines)
        return self.opens or folds if action == "choose" else True

    def action_choose(self) -> None:
        if not self._toggle() and len(self._source):
            self.post_message(self.Chosen(self, self.cursor))

    def _toggle(self) -> bool:
        if not isinstance(self._source, Foldable) or not len(self._source):
            return False
        head = self._source.toggle(self.cursor)
        if head is None:
            return False
        self.reload()
        self.go_to(head, middle=True)
        return True

    def action_fold_all(self) -> None:
        self._fold_all(closed=True)

    def action_unfold_all(self) -> None:
        self._fold_all(closed=False)

    def _fold_all(self, *, closed: bool) -> None:
        source = self._source
        if isinstance(source, Foldable) and len(source):
            place = source.place(self.cursor)
            source.fold_all(closed)
            self.set_reactive(LineView.cursor, -1)
            self.reload()
            self.go_to(source.row_near(place), middle=True)

    def action_follow(self) -> None:
        self.following = not self.following
        if self.following:
            self.go_to(len(self._source))

    def action_search(self) -> None:
        self.post_message(self.PromptWanted(self, "search"))

    def action_jump(self) -> None:
        self.post_message(self.PromptWanted(self, "jump"))

    def action_next_match(self) -> None:
        if self._wanted is not None:
            self.search(self._wanted, again=True)

    def action_previous_match(self) -> None:
        if self._wanted is not None:
            self.search(self._wanted, again=True, backwards=True)

    def jump_to_number(self, number: int) -> None:
        """To a line of the file, or a row, from 1."""
        source = self._source
        self.following = False
        self.go_to(source.row_of(number) if isinstance(source, Numbered) else number - 1, middle=True)

    def action_copy(self) -> None:
        text = self.selected_text()
        if len(text.encode()) > COPY_BYTES:
            self.post_message(
                self.Told(
                    self, Inert.of("too much for the clipboard: select fewer lines, or save them to a file")
                )
            )
            return
        self.app.copy_to_clipboard(text)
        rows = len(self.selected)
        lines = f"{rows} line{'s' if rows != 1 else ''}"
        self.post_message(self.Told(self, Inert.of(f"{lines} offered to the terminal's clipboard")))

    def action_save(self) -> None:
        self.post_message(self.SaveWanted(self))

    def on_mouse_scroll_up(self) -> None:
        self.following = False
        self._seat = None

    def on_mouse_scroll_down(self) -> None:
        self._seat = None

    def on_click(self, event: events.Click) -> None:
        row = self.scroll_offset.y + event.y
        if row < len(self._source):
            again = row == self.cursor
            self._move(row - self.cursor)
            if again:
                self.action_choose()


def _find(
    source: LineSource, query: Query, start: Place, backwards: bool, stop: threading.Event
) -> tuple[Place | None, bool]:
    """The nearest match, and whether it was found from the other end."""
    found = source.find(query, start, backwards=backwards, stop=stop)
    if found is not None or stop.is_set():
        return found, False
    other = AFTER_ALL if backwards else BEFORE_ALL
    return source.find(query, other, backwards=backwards, stop=stop), True
