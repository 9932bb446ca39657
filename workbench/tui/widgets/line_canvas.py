"""Draws the rows of a line source that are in view: gutter, cursor, selection, highlighted matches."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style as NamedStyle
from textual.timer import Timer

from workbench.tui.background import in_thread
from workbench.tui.widgets.line_source import (
    Foldable,
    Headed,
    LaidOut,
    Line,
    LineSource,
    Loading,
    Place,
    TextLines,
    Tone,
)
from workbench.tui.widgets.line_strip import columns_in_view, gutter_segments, text_segments, with_cursor
from workbench.tui.widgets.search import Query
from workbench.tui.widgets.seat import Seat, row_near
from workbench.tui.widgets.side_bar import SideBarView

KEPT_STRIPS = 1024
GROWTH_S = 0.25
"""How often a source that still grows is looked at."""


class LineCanvas(SideBarView, can_focus=True):
    """The drawing part of LineView: a source, a cursor, growth. It has no keys."""

    DEFAULT_CSS = """
    LineCanvas {
        width: 1fr; height: 1fr; background: $background; color: $foreground;
        overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
        & > .line-view--plain { color: $foreground; }
        & > .line-view--dim { text-style: dim; }
        & > .line-view--strong { text-style: bold; }
        & > .line-view--emphasis { text-style: italic; }
        & > .line-view--heading { color: $primary; text-style: bold; }
        & > .line-view--code { color: $accent; }
        & > .line-view--link { color: $secondary; text-style: underline; }
        & > .line-view--good { color: $success; }
        & > .line-view--warning { color: $warning; text-style: bold; }
        & > .line-view--error { color: $error; text-style: bold; }
        & > .line-view--keyword { color: $primary; text-style: bold; }
        & > .line-view--literal { color: $success; }
        & > .line-view--comment { text-style: italic dim; }
        & > .line-view--match { text-style: reverse bold underline; }
        & > .line-view--gutter { text-style: dim; }
        & > .line-view--selected { background: $panel; text-style: underline; }
        & > .line-view--cursor { background: $panel; }
        & > .line-view--cursor-focused {
            color: $block-cursor-foreground; background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"line-view--{tone}" for tone in Tone),
        "line-view--match",
        "line-view--gutter",
        "line-view--selected",
        "line-view--cursor",
        "line-view--cursor-focused",
    }
    ALLOW_SELECT = False
    steady_parts: ClassVar[bool] = True

    more_cursor = False
    """Whether the cursor covers a row's first columns, not only its very beginning."""

    cursor: reactive[int] = reactive(0, repaint=False)
    following: reactive[bool] = reactive(False, repaint=False)

    class CursorMoved(Message, namespace="line_view"):
        """The cursor is on another row, there are other rows, or no more will come."""

        def __init__(self, view: LineCanvas, row: int) -> None:
            super().__init__()
            self.set_sender(view)  # whoever moved it, the message goes all the way up
            self.view = view
            self.row = row

        @property
        def control(self) -> LineCanvas:
            return self.view

    def __init__(
        self, source: LineSource | None = None, *, numbers: bool = False, id: str | None = None
    ) -> None:
        """``numbers``: draw the lines' labels in the gutter."""
        super().__init__(id=id)
        self._source: LineSource = source if source is not None else TextLines()
        self._numbers = numbers
        self._wanted: Query | None = None
        self._column = 0
        self._anchor: int | None = None
        self._seat: Seat | None = None
        self._strips: LRUCache[tuple[int, ...], Strip] = LRUCache(KEPT_STRIPS)
        self._seen = (-1, -1, False)
        self._last: Line | None = None
        self._gutter_drawn = 0
        self._named: dict[str, Style] = {}
        self._stop = threading.Event()
        self._growth: Timer | None = None

    # --- what is shown ---------------------------------------------------------------------------

    @property
    def source(self) -> LineSource:
        return self._source

    @property
    def selected(self) -> range:
        """The selected rows; the cursor's row where nothing is selected."""
        if self._anchor is None:
            return range(self.cursor, min(self.cursor + 1, len(self._source)))
        first, last = sorted((self._anchor, self.cursor))
        return range(first, min(last + 1, len(self._source)))

    @property
    def wanted(self) -> Query | None:
        """What is searched for and highlighted."""
        return self._wanted

    @property
    def line(self) -> Line | None:
        """The line the cursor is on."""
        return self._source.line(self.cursor) if 0 <= self.cursor < len(self._source) else None

    def show(self, source: LineSource, *, row: int = 0) -> None:
        """Show another source; loading it begins in a thread."""
        self._stop.set()
        self._stop = threading.Event()
        self._source = source
        self._anchor = None
        self._column = 0
        self._lay_out()
        self.reload()
        self.set_reactive(LineCanvas.cursor, -1)
        self.scroll_to(y=0, animate=False)
        self.go_to(row)
        self._begin()

    def reload(self) -> None:
        """The source's rows are others than before."""
        self._strips.clear()
        self._seen = (-1, -1, False)
        self.grow()
        self.refresh()

    def go_to(self, row: int, *, middle: bool = False) -> None:
        """Put the cursor on a row, as near as there is one; ``middle``: not at the view's edge."""
        self._seat = None
        row = min(max(row, 0), max(len(self._source) - 1, 0))
        if middle and not self._in_view(row):
            self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)
        self.cursor = row

    def follow_row(self, row: int) -> None:
        """The row under the cursor has another number now: rows came above it."""
        moved = row - self.cursor
        self.set_reactive(LineCanvas.cursor, row)
        self.grow()
        self.scroll_to(y=self.scroll_offset.y + moved, animate=False)

    def go_to_place(self, place: Place) -> None:
        """Show a place, unfolding what hides it."""
        row = self._source.reveal(place)
        if isinstance(self._source, Foldable):
            self.reload()
        self.go_to(row, middle=True)

    # --- life ------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._lay_out()
        self.grow()
        self._begin()

    def on_unmount(self) -> None:
        self._stop.set()

    def _size_updated(self, size: Size, *more: Any, **named: Any) -> bool:
        """Textual's, which may scroll already; what was in view before is noted first."""
        if self._seat is None and size != self._size and self._size.area and len(self._source):
            self._seat = Seat.of(self._source, self.cursor, self.scroll_offset.y, self._room)
        return super()._size_updated(size, *more, **named)

    def on_resize(self, event: events.Resize) -> None:
        if self._lay_out():
            self.reload()
        if self._seat is not None and len(self._source):
            cursor, top = self._seat.rows_in(self._source, self._room)
            self.set_reactive(LineCanvas.cursor, cursor)
            self.scroll_to(y=top, animate=False)
        self._keep_in_view()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._named.clear()

    def _begin(self) -> None:
        source, stop = self._source, self._stop
        if self._growth is not None:
            self._growth.stop()
            self._growth = None
        if source.complete or not self.is_attached:
            return
        self._growth = self.set_interval(GROWTH_S, self.grow)
        if isinstance(source, Loading):
            loading = source

            async def run() -> None:
                await in_thread(partial(loading.load, stop))
                if self.is_attached and source is self._source:
                    self.grow()

            self.run_worker(run(), group="loading", exclusive=True)

    def _lay_out(self) -> bool:
        source = self._source
        if not isinstance(source, LaidOut) or not self.is_attached or self.size.width == 0:
            return False
        place = source.place(self.cursor) if len(source) else None
        source.lay_out(max(self._room, 1))
        if place is not None:
            self.set_reactive(LineCanvas.cursor, row_near(source, place))
        return True

    def grow(self) -> None:
        """Take up lines that have come, and lines that changed."""
        source = self._source
        count, revision, complete = len(source), source.revision, source.complete
        last = source.line(count - 1) if count and not complete else None
        if (count, revision, complete) == self._seen and last == self._last:
            return
        before, self._seen, self._last = self._seen, (count, revision, complete), last
        if revision != before[1] or count < before[0]:
            self._strips.clear()
            self.refresh()
        elif max(before[0] - 1, 0) < self.scroll_offset.y + self.size.height:
            self.refresh()
        if self._gutter_cells != self._gutter_drawn:
            self._gutter_drawn = self._gutter_cells
            self._strips.clear()
            self.refresh()
        if self.virtual_size.height != count:
            self.virtual_size = Size(1, count)
        if complete and self._growth is not None:
            self._growth.stop()
            self._growth = None
        if self.following or self.cursor >= count:
            self.cursor = max(count - 1, 0)
        if (before[0], before[2]) != (count, complete):
            self.post_message(self.CursorMoved(self, self.cursor))

    # --- drawing ---------------------------------------------------------------------------------

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width - self._gutter_cells

    @property
    def _gutter_cells(self) -> int:
        return 3 + (len(str(max(len(self._source), 1000))) + 1 if self._numbers else 0)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Without Textual's way over borders, padding and opacity, of which there are none."""
        background = self.background_colors[1]
        filters = self.get_line_filters()
        top, width, room = self.scroll_offset.y, self.size.width, self.scrollable_content_region.width
        strips = []
        for y in crop.line_range:
            strip = self._strip(top + y, width, room)
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, background)
            strips.append(strip.crop(*crop.column_span))
        return strips

    def render_line(self, y: int) -> Strip:
        return self._strip(self.scroll_offset.y + y, self.size.width, self.scrollable_content_region.width)

    def _strip(self, row: int, width: int, room: int) -> Strip:
        """A row as wide as the widget; ``room``: up to the scroll bar. The same object until it changes."""
        if row >= len(self._source):
            return Strip.blank(width, self._base(0))
        state = self._state(row)
        key = (row, state, self._column, width, room)
        strip = self._strips.get(key)
        if strip is None:
            base = self._base(state)
            strip = columns_in_view(
                self._draw(row, state), base, base + self._look("gutter"),
                gutter=self._gutter_cells, column=self._column, width=width, room=room,
            )  # fmt: skip
            if state >= 2:
                strip = self._with_cursor(strip, focused=state == 3)
            if self._source.complete or row < len(self._source) - 1:
                self._strips[key] = strip
        return strip

    def _with_cursor(self, strip: Strip, *, focused: bool) -> Strip:
        look = self._look("cursor-focused" if focused else "cursor") + Style(dim=False)
        return with_cursor(strip, look, focused=focused, more=self.more_cursor)

    def _state(self, row: int) -> int:
        """0 plain, 1 selected, 2 cursor, 3 cursor with focus."""
        if row == self.cursor:
            return 3 if self.has_focus else 2
        if self._anchor is not None and row in self.selected:
            return 1
        return 0

    def _base(self, state: int) -> Style:
        ground = self.visual_style.rich_style  # kept by the widget; its rich_style is made anew at each call
        return ground + self._look("selected") if state == 1 else ground

    def _draw(self, row: int, state: int) -> Strip:
        line = self._source.line(row)
        base = self._base(state)
        matches = self._wanted.spans(line.text.plain) if self._wanted is not None else []
        mark = " |>>"[state]
        segments = gutter_segments(line, base, self._look, mark=mark, label_cells=self._gutter_cells - 3)
        segments.extend(text_segments(line, base, self._look, matches))
        return Strip(segments)

    def heading_strip(self, width: int, base: Style) -> Strip:
        """The source's heading as a row, moved sideways like the text."""
        if not isinstance(self._source, Headed):
            return Strip.blank(width, base)
        self._lay_out()
        line = self._source.header()
        text = Strip(text_segments(line, base, self._look)).crop(self._column)
        return Strip([Segment(" " * self._gutter_cells, base), *text]).crop_extend(0, width, base)

    def _look(self, name: str) -> Style:
        """The style of a component, or of a style that a span of the text names."""
        component = f"line-view--{name}"
        if component in self.COMPONENT_CLASSES:
            return self.get_component_rich_style(component, partial=True)
        if name not in self._named:
            self._named[name] = NamedStyle.parse(name, self.app.theme_variables).rich_style
        return self._named[name]

    # --- moving ----------------------------------------------------------------------------------

    def watch_cursor(self, before: int, now: int) -> None:
        self._seat = None
        if not self.is_attached:
            return
        if self._anchor is not None:
            first, last = sorted((before, now))
            self._refresh_rows(first, last)
        else:
            self._refresh_rows(before, before)
            self._refresh_rows(now, now)
        self._keep_in_view()
        self.post_message(self.CursorMoved(self, now))

    def watch_has_focus(self, _has_focus: bool) -> None:
        super().watch_has_focus(_has_focus)
        self._refresh_rows(self.cursor, self.cursor)

    def _refresh_rows(self, first: int, last: int) -> None:
        top = self.scroll_offset.y
        shown = range(max(first, top), min(last, top + self.size.height) + 1)
        if shown:
            self.refresh(Region(0, shown.start - top, self.size.width, len(shown)))

    def _in_view(self, row: int) -> bool:
        return self.scroll_offset.y <= row < self.scroll_offset.y + self.scrollable_content_region.height

    def _keep_in_view(self) -> None:
        height = self.scrollable_content_region.height
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif height and self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)
