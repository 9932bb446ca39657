"""Textual's editor with the keys of the registry, text that a terminal cannot act on, and few bytes a key."""

from __future__ import annotations

from textual.geometry import Size
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from workbench.patterns import visible
from workbench.tui.actions import bindings
from workbench.tui.inert import Inert

MOST_UNDO = 500


class TextEditor(TextArea):
    """Markdown. What is typed or pasted is spelled out where a terminal would act on it; a text that holds
    such characters from the start is shown spelled out and cannot be changed here.
    """

    DEFAULT_CSS = """
    TextEditor, TextEditor:focus { border: none; padding: 0; background: $background; }
    TextEditor > .text-area--gutter { color: $secondary; }
    TextEditor:ansi > .text-area--gutter { color: $foreground; text-style: dim; }
    """
    BINDINGS = bindings("editor")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(
            id=id,
            show_line_numbers=True,
            highlight_cursor_line=False,
            max_checkpoints=MOST_UNDO,
            compact=True,
        )
        self._seat = (Size(0, 0), 0)

    def on_mount(self) -> None:
        self.cursor_blink = False
        self.match_cursor_bracket = False

    def on_text_area_selection_changed(self) -> None:
        self._seat = (self.size, self.scroll_offset.y)

    def on_resize(self) -> None:
        """The size one came from looks as before; any other shows the cursor."""
        self.scroll_cursor_visible()
        size, top = self._seat
        if size == self.size:
            self.call_after_refresh(self.scroll_to, y=top, animate=False, immediate=True)

    def open_text(self, text: str) -> bool:
        """Show a text; whether it can be changed."""
        shown = visible(text)
        self.read_only = shown != text
        self.load_text(shown)
        return not self.read_only

    def edit(self, edit: Edit) -> EditResult:
        edit.text = Inert.of(edit.text).plain
        return super().edit(edit)

    def put(self, text: str) -> None:
        """Another text in place of all, which can be undone."""
        at = self.cursor_location
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor(self.clamp_visitable(at))

    def go_to_line(self, number: int) -> None:
        """To a line, from 1."""
        self.move_cursor(self.clamp_visitable((number - 1, 0)), center=True)

    def find(self, wanted: str, *, again: bool = False) -> bool:
        """To the next place that has ``wanted``, whatever its case, from the top again after the last."""
        text, low = self.text.lower(), wanted.lower()
        row, column = self.cursor_location
        lines = self.text.split("\n")
        here = sum(len(line) + 1 for line in lines[:row]) + column + (1 if again else 0)
        at = text.find(low, here)
        at = at if at >= 0 else text.find(low)
        if at < 0 or not low:
            return False
        before = text[:at]
        self.move_cursor((before.count("\n"), at - (before.rfind("\n") + 1)), center=True)
        return True

    def action_select_up(self) -> None:
        self.action_cursor_up(select=True)

    def action_select_down(self) -> None:
        self.action_cursor_down(select=True)

    def action_select_left(self) -> None:
        self.action_cursor_left(select=True)

    def action_select_right(self) -> None:
        self.action_cursor_right(select=True)
