"""Widgets that take only ``Inert``: labels, paragraphs, a list of any length, one line of input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Input, Static

from workbench.records import BadInput
from workbench.tui.actions import bindings
from workbench.tui.inert import Inert
from workbench.tui.widgets.component_style import component_style
from workbench.tui.widgets.search import DRAW_S, Query


class Label(Static):
    """Text, as many lines as it needs."""

    DEFAULT_CSS = """
    Label { width: 1fr; height: auto; }
    """

    def __init__(
        self, text: Inert | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        self._text = text or Inert()
        super().__init__(self._text.content, markup=False, id=id, classes=classes)

    @property
    def text(self) -> Inert:
        """What it shows."""
        return self._text

    def say(self, text: Inert) -> None:
        """Show something else."""
        if text != self._text:
            self._text = text
            self.update(text.content)


class Field(Input):
    """One line to type in; what stands in it is inert because Input draws plain text."""

    DEFAULT_CSS = """
    Field { height: 1; border: none; padding: 0 1; background: $surface; }
    Field:focus { border: none; }
    Field > .input--placeholder { color: $secondary; }
    Field:ansi > .input--placeholder { color: $foreground; text-style: dim; }
    Field:ansi > .input--cursor {
        color: $input-cursor-foreground; background: $input-cursor-background;
        text-style: $input-cursor-text-style;
    }
    """
    BINDINGS = bindings("field")

    def __init__(self, value: str = "", *, hint: Inert | None = None, id: str | None = None) -> None:
        placeholder = (hint or Inert()).plain
        super().__init__(Inert.line(value).plain, placeholder=placeholder, id=id, compact=True)

    def on_mount(self) -> None:
        self.cursor_blink = False

    def action_select_left(self) -> None:
        self.action_cursor_left(select=True)

    def action_select_right(self) -> None:
        self.action_cursor_right(select=True)

    def action_select_home(self) -> None:
        self.action_home(select=True)

    def action_select_end(self) -> None:
        self.action_end(select=True)


@dataclass(frozen=True)
class ListItem:
    """A line of a list. ``key`` says what it stands for; one without is a heading and cannot be chosen.

    ``heading``: one with a key that heads the lines below it, too.
    """

    key: str
    text: Inert
    heading: bool = False


class ListPane(Widget, can_focus=True):
    """Lines with a cursor; only the visible ones are drawn, so there may be many thousands."""

    DEFAULT_CSS = """
    ListPane {
        width: 1fr; height: 1fr; background: $background; color: $foreground;
        & > .list--line { color: $foreground; }
        & > .list--heading { color: $foreground; text-style: bold; }
        & > .list--cursor {
            color: $block-cursor-foreground; background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--line", "list--cursor", "list--heading"}
    steady_parts: ClassVar[bool] = True
    BINDINGS = bindings("list")

    class Moved(Message):
        """The cursor is on another line."""

        def __init__(self, pane: ListPane, key: str) -> None:
            super().__init__()
            self.pane = pane
            self.key = key

        @property
        def control(self) -> ListPane:
            return self.pane

    class Chosen(Moved):
        """The line was opened."""

    class SearchWanted(Message):
        """A person wants to type what to search for."""

    class NotFound(Message):
        """No line has the ``text`` that was searched for."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Found(Message):
        """The cursor is on match ``at``, from 1, of ``count`` for ``text``; ``again``: from the other end."""

        def __init__(self, text: str, at: int, count: int, again: str) -> None:
            super().__init__()
            self.text, self.at, self.count, self.again = text, at, count, again

    def __init__(
        self, items: Sequence[ListItem] = (), *, empty: Inert | None = None, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._items: Sequence[ListItem] = items
        self._empty = empty or Inert.of("nothing here")
        self._cursor = self._nearest(0, 1)
        self._top = self._wished_top = 0
        self._wanted: Query | None = None

    @property
    def items(self) -> Sequence[ListItem]:
        return self._items

    @property
    def cursor(self) -> int:
        """Index of the line the cursor is on."""
        return self._cursor

    @property
    def chosen_key(self) -> str:
        """Key of the line the cursor is on; empty where there is none."""
        return self._items[self._cursor].key if self._cursor < len(self._items) else ""

    def fill(self, items: Sequence[ListItem], *, keep: bool = True, empty: Inert | None = None) -> None:
        """Show other lines; ``keep``: the cursor stays on the same key if it is still there; ``empty``: what
        is said from now on where there are none.
        """
        self._empty = empty or self._empty
        key = self.chosen_key
        self._items = items
        self._cursor = self._nearest(0, 1)
        self._top = self._wished_top = 0
        self.refresh()
        if not (keep and key and self.go_to(key)):
            self.post_message(self.Moved(self, self.chosen_key))

    def go_to(self, key: str) -> bool:
        """Put the cursor on the line of that key; False if there is none."""
        at = next((at for at, item in enumerate(self._items) if key and item.key == key), None)
        if at is None:
            return False
        self._move(at)
        return True

    def search(self, query: Query | None) -> None:
        """Mark what matches, and go to the nearest match, the cursor's own line first."""
        self._wanted = query
        self.refresh()
        self._find(range(self._cursor, self._cursor + len(self._items)))

    def _find(self, order: range) -> None:
        """To the first line with a key that matches, counted on from the other end."""
        query = self._wanted
        if query is None:
            return
        try:
            for at in order:
                if self._matches(query, at % len(self._items)):
                    matching = [at for at in range(len(self._items)) if self._matches(query, at)]
                    wrapped = not 0 <= at < len(self._items)
                    again = f"again from the {'top' if order.step > 0 else 'end'}" if wrapped else ""
                    self._move(at % len(self._items))
                    place = matching.index(self._cursor) + 1
                    self.post_message(self.Found(query.text, place, len(matching), again))
                    return
        except BadInput:  # a pattern that takes too long; it is marked nowhere either
            pass
        self.post_message(self.NotFound(query.text))

    def _matches(self, query: Query, at: int) -> bool:
        item = self._items[at]
        return bool(item.key) and query.matches(item.text.plain, DRAW_S)

    def render_line(self, y: int) -> Strip:
        width, at = self.size.width, self._top + y
        if not self._items and y == 0:
            return self._strip(Inert("  ") + self._empty, "list--line", width)
        if at >= len(self._items):
            return self._strip(Inert(), "list--line", width)
        item = self._items[at]
        text = item.text
        for start, end in self._wanted.spans(text.plain) if self._wanted is not None else ():
            text = text.styled("underline", start, end)
        if not item.key:
            return self._strip(text, "list--heading", width)
        here = at == self._cursor and self.has_focus
        return self._strip(
            Inert("> " if at == self._cursor else "  ") + text,
            "list--cursor" if here else "list--heading" if item.heading else "list--line",
            width,
        )

    def _strip(self, text: Inert, component: str, width: int) -> Strip:
        """One line; the cursor's colours reach only as far as its text, a whole line costs many bytes."""
        if width <= 0:
            return Strip.blank(0)
        style, blank = component_style(self, component), component_style(self, "list--line").rich_style
        shown = min(width, text.width + 1)
        content = (Inert(text.plain) if component == "list--cursor" else text).fit(shown).content
        strips = Visual.to_strips(self, content, shown, 1, style, apply_selection=False, pad=True)
        return strips[0].extend_cell_length(width, blank)

    def on_resize(self, event: events.Resize) -> None:
        """What a smaller screen scrolled away comes back."""
        before, self._top = self._top, self._wished_top
        self._scroll_to_cursor(event.size.height)
        if self._top != before:
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        at = self._top + event.y
        if at < len(self._items) and self._items[at].key:
            again = at == self._cursor
            self._move(at)
            if again:
                self.action_choose()

    def on_mouse_scroll_down(self) -> None:
        self._step(3)

    def on_mouse_scroll_up(self) -> None:
        self._step(-3)

    def action_up(self) -> None:
        self._step(-1)

    def action_down(self) -> None:
        self._step(1)

    def action_page_up(self) -> None:
        self._step(-max(1, self.size.height - 1))

    def action_page_down(self) -> None:
        self._step(max(1, self.size.height - 1))

    def action_first(self) -> None:
        self._step(-len(self._items))

    def action_last(self) -> None:
        self._step(len(self._items))

    def action_choose(self) -> None:
        if self.chosen_key:
            self.post_message(self.Chosen(self, self.chosen_key))

    def action_search(self) -> None:
        self.post_message(self.SearchWanted())

    def action_next_match(self) -> None:
        self._find(range(self._cursor + 1, self._cursor + 1 + len(self._items)))

    def action_previous_match(self) -> None:
        self._find(range(self._cursor - 1, self._cursor - 1 - len(self._items), -1))

    def _step(self, by: int) -> None:
        self._move(self._nearest(max(0, min(self._cursor + by, len(self._items) - 1)), 1 if by > 0 else -1))

    def _nearest(self, at: int, direction: int) -> int:
        """The nearest line with a key, first in ``direction``, then the other way."""
        for step in (direction, -direction):
            here = at
            while 0 <= here < len(self._items):
                if self._items[here].key:
                    return here
                here += step
        return 0

    def _move(self, at: int) -> None:
        before, top = self._cursor, self._top
        self._cursor = at
        self._scroll_to_cursor(self.size.height)
        self._wished_top = self._top
        if self._top != top:
            self.refresh()
        elif before != at:
            for line in (before, at):
                self.refresh(Region(0, line - self._top, self.size.width, 1))
        if before != at:
            self.post_message(self.Moved(self, self.chosen_key))

    def _scroll_to_cursor(self, height: int) -> None:
        """Least scrolling that shows the cursor, and a heading just above it."""
        first = self._cursor
        if first and (not self._items[first - 1].key or self._items[first - 1].heading):
            first -= 1
        last_top = max(0, len(self._items) - height)
        self._top = max(0, min(self._top, first if height > 1 else self._cursor, last_top))
        if height and self._cursor >= self._top + height:
            self._top = self._cursor - height + 1
