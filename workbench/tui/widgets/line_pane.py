"""A LineView with what belongs to it: a heading that stays in view, and a prompt for search and jumps."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from workbench.records import BadInput
from workbench.tui.actions import bindings
from workbench.tui.inert import Inert
from workbench.tui.widgets.base import Field
from workbench.tui.widgets.line_source import Headed, LineSource
from workbench.tui.widgets.line_view import LineView
from workbench.tui.widgets.search import REGEX_PREFIX, Query

HINTS = {"search": f"search; {REGEX_PREFIX} for a regular expression", "jump": "line number"}
"""What is said of each kind of question."""


class Prompt(Field):
    """One line to type in, below the text; made when it is first asked for, as most panes never need it."""

    DEFAULT_CSS = """
    Prompt { display: none; }
    Prompt.asking { display: block; }
    """
    BINDINGS = [*bindings("prompt")]

    kind = ""

    def ask(self, kind: str) -> None:
        """Show and focus it."""
        self.kind = kind
        self.value = ""
        self.placeholder = HINTS[kind]
        self.add_class("asking")
        self.focus()

    def done(self) -> None:
        """Hide it."""
        self.remove_class("asking")

    def action_close(self) -> None:
        pane = self.parent
        self.done()
        if isinstance(pane, LinePane):
            pane.view.focus()


class HeadingRow(Widget):
    """The heading of a source that has one."""

    DEFAULT_CSS = """
    HeadingRow { height: 1; width: 1fr; background: $surface; display: none; }
    HeadingRow.has-heading { display: block; }
    """

    def render_line(self, y: int) -> Strip:
        pane = self.parent
        if not isinstance(pane, LinePane):
            return Strip.blank(self.size.width, self.rich_style)
        return pane.view.heading_strip(self.size.width, self.rich_style)


class LinePane(Vertical):
    """Heading, text, prompt. Its messages are those of its LineView."""

    DEFAULT_CSS = """
    LinePane { width: 1fr; height: 1fr; }
    """

    def __init__(
        self,
        source: LineSource | None = None,
        *,
        numbers: bool = False,
        opens: bool = True,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.view = LineView(source, numbers=numbers)
        self.view.opens = opens

    def compose(self) -> ComposeResult:
        yield HeadingRow()
        yield self.view

    def on_mount(self) -> None:
        self._show_heading()

    def show(self, source: LineSource, *, row: int = 0) -> None:
        """Show another source."""
        self.view.show(source, row=row)
        self._show_heading()

    def reload(self) -> None:
        """The source's rows, or its heading, are others than before."""
        self.view.reload()
        self._show_heading()

    def _show_heading(self) -> None:
        heading = self.query_one(HeadingRow)
        heading.set_class(isinstance(self.view.source, Headed), "has-heading")
        heading.refresh()

    def on_line_view_prompt_wanted(self, message: LineView.PromptWanted) -> None:
        message.stop()
        if not self.query(Prompt):
            self.mount(Prompt())
        self.query_one(Prompt).ask(message.kind)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        prompt = self.query_one(Prompt)
        prompt.done()
        self.view.focus()
        try:
            do_asked(self.view, prompt.kind, message.value)
        except BadInput as error:
            self.view.post_message(LineView.Told(self.view, Inert.line(f"{error.what}. {error.remedy}")))


def do_asked(view: LineView, kind: str, typed: str) -> None:
    """Search or jump in ``view``. Raises BadInput."""
    if kind == "search":
        view.search(Query.of(typed) if typed else None)
        return
    number = typed.strip()
    if number.isdecimal() and len(number) < 12:
        view.jump_to_number(int(number))
    elif number:
        raise BadInput("that is not a line number", remedy="Type a whole number.")
