"""What screens of text share: a pane of lines, where one is in it, and a list of its parts beside it."""

from __future__ import annotations

from collections.abc import Iterable

from textual.containers import Horizontal
from textual.widget import Widget

from workbench.records import BadInput, WorkbenchError
from workbench.tui.editor import edit, private_copy, shown_text
from workbench.tui.inert import Inert
from workbench.tui.screens.saving import SavingScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.folding import BlockLines
from workbench.tui.widgets.line_pane import HINTS, LinePane, do_asked
from workbench.tui.widgets.line_source import TextLines
from workbench.tui.widgets.line_view import LineView

BESIDE_WIDTH = 110
"""From this width on, the list of parts stands beside the text by itself."""


class TextScreen(SavingScreen):
    """One ``LinePane``; notices go to the footer, the position to the header."""

    numbers = False

    def body(self) -> Iterable[Widget]:
        opens = hasattr(self, "on_line_view_chosen")
        yield LinePane(numbers=self.numbers, opens=opens, id="text")

    @property
    def pane(self) -> LinePane:
        return self.query_one("#text", LinePane)

    @property
    def view(self) -> LineView:
        return self.pane.view

    def position(self) -> Inert:
        """What the header says at its right."""
        source = self.view.source
        more = "" if source.complete else " and more coming"
        following = ", following" if self.view.following else ""
        return Inert.of(f"line {min(self.view.cursor + 1, len(source))} of {len(source)}{more}{following}")

    def moved(self) -> None:
        """The cursor is elsewhere, or there are other lines."""
        self.status(self.position())

    def action_editor(self) -> None:
        """A copy of the text in the user's editor; what is changed there is not kept."""
        text, line = shown_text(self.view)
        try:
            with private_copy(self.workbench.data, f"{self.screen_name}.txt", text) as file:
                self.tell(edit(self.workbench, file, line))
        except WorkbenchError as error:
            self.failed(error)

    def go_to_mark(self, kind: str, word: str, *, keys_of: str, backwards: bool = False) -> None:
        """To the next line of some kind, or say where there is one; ``keys_of``: the scope of the keys."""
        view = self.view
        view.following = False
        if view.go_to_mark(kind, backwards=backwards):
            return
        source = view.source
        if not isinstance(source, BlockLines) or not any(kind in block.kinds for block in source.blocks):
            self.tell(Inert.of(f"no {word} in this run" + ("" if source.complete else " yet")))
            return
        where, way, back = ("before", "next", "on") if backwards else ("after", "previous", "back")
        key = self.workbench.key_of(f"{keys_of}.{way}-{word.lower()}")
        self.tell(Inert.of(f"no {word} {where} this line; {key} goes {back}"))

    def on_line_view_cursor_moved(self, message: LineView.CursorMoved) -> None:
        if message.view is self.view:
            self.moved()

    def on_line_view_told(self, message: LineView.Told) -> None:
        self.tell(message.text)

    def on_line_view_search_ended(self, message: LineView.SearchEnded) -> None:
        if message.row is None:
            self._tell_of_search(message.view, message.note)

    def on_line_view_counted(self, message: LineView.Counted) -> None:
        self._tell_of_search(message.view, message.note)

    def _tell_of_search(self, view: LineView, note: str) -> None:
        text = "" if view.wanted is None else f"{view.wanted.text}: "
        self.tell(Inert.line(text + note))


class OutlinedScreen(TextScreen):
    """A TextScreen with a list of parts: beside the text where there is room, else in its place."""

    AUTO_FOCUS = "#text LineView"  # not the list, which would lead the text to its own first part
    DEFAULT_CSS = """
    OutlinedScreen {
        & #outline { display: none; width: 34; background: $surface; }
        &.with-outline #outline { display: block; }
        &.with-outline.narrow #outline { width: 1fr; }
        &.with-outline.narrow #text { display: none; }
    }
    """

    def body(self) -> Iterable[Widget]:
        with Horizontal():
            yield LineView(TextLines(), id="outline")
            yield LinePane(numbers=self.numbers, opens=False, id="text")

    @property
    def outline(self) -> LineView:
        return self.query_one("#outline", LineView)

    def part_at(self, row: int) -> int:
        """The part, as a row of the outline, that a row of the text is in; -1 for none."""
        raise NotImplementedError

    def row_of_part(self, part: int) -> int:
        """The row of the text at which a part begins."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.set_class(self.size.width >= BESIDE_WIDTH, "with-outline")
        self.set_class(self.size.width < BESIDE_WIDTH, "narrow")
        self.view.focus()

    def on_resize(self) -> None:
        self.set_class(self.size.width < BESIDE_WIDTH, "narrow")

    def action_outline(self) -> None:
        """Show it, go into it, hide it: in this order."""
        if not self.has_class("with-outline"):
            self.add_class("with-outline")
            self.outline.focus()
        elif not self.outline.has_focus:
            self.outline.focus()
        else:
            self.remove_class("with-outline")
            self.view.focus()

    def leave_part(self) -> bool:
        """From the list of parts to the text; where the list has the text's place, it closes."""
        covered = self.has_class("with-outline") and self.has_class("narrow")
        if not covered and not self.outline.has_focus:
            return False
        if covered:
            self.remove_class("with-outline")
        self.view.focus()
        return True

    def moved(self) -> None:
        super().moved()
        part = self.part_at(self.view.cursor)
        if part >= 0 and not self.outline.has_focus and part != self.outline.cursor:
            self.outline.go_to(part, middle=True)

    def on_line_view_cursor_moved(self, message: LineView.CursorMoved) -> None:
        if message.view is self.outline and self.outline.has_focus and len(self.outline.source):
            self.view.following = False
            self.view.go_to(self.row_of_part(message.row), middle=True)

    def on_line_view_prompt_wanted(self, message: LineView.PromptWanted) -> None:
        """The list of parts has no prompt of its own, as it is seldom asked for one."""
        AskLine.of(self).ask(message.kind, Inert.of(HINTS[message.kind]))

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name not in HINTS:
            return
        self.outline.focus()
        try:
            do_asked(self.outline, message.name, message.value)
        except BadInput as error:
            self.tell(Inert.line(f"{error.what}. {error.remedy}"))

    def on_ask_line_left(self) -> None:
        if AskLine.of(self).name_asked in HINTS:
            self.outline.focus()

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        if message.view is self.outline:
            row = self.row_of_part(message.row)
            if self.has_class("narrow"):
                self.remove_class("with-outline")
            self.view.focus()
            self.call_after_refresh(self.view.go_to, row, middle=True)

    def go_to_part(self, by: int) -> None:
        """To the part after (before) the one the cursor is in; from inside one, back to its begin."""
        here = self.part_at(self.view.cursor)
        if by < 0 and here >= 0 and self.row_of_part(here) < self.view.cursor:
            by = 0
        part = here + by
        if 0 <= part < len(self.outline.source):
            self.view.following = False
            self.view.go_to(self.row_of_part(part), middle=True)
