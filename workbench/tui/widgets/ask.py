"""One line to type an answer in, below a screen's lines; there only once something is asked."""

from __future__ import annotations

from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from workbench.tui.actions import bindings
from workbench.tui.inert import Inert
from workbench.tui.widgets.base import Field


class AskLine(Field):
    """``ask`` shows and focuses it; Enter posts Answered, Escape Left."""

    DEFAULT_CSS = """
    AskLine { display: none; dock: bottom; margin-bottom: 1; }
    AskLine.asking { display: block; }
    """
    BINDINGS = [*bindings("prompt")]

    name_asked = ""

    @classmethod
    def of(cls, screen: Screen[None]) -> AskLine:
        """The screen's, made when it is first asked for, as most screens never need it."""
        if not screen.query(cls):
            screen.mount(cls(id="ask"), before="FooterLine")
        return screen.query_one(cls)

    class Answered(Message):
        """A person typed ``value`` for ``name``."""

        def __init__(self, name: str, value: str) -> None:
            super().__init__()
            self.name = name
            self.value = value

    class Left(Message):
        """A person thought better of it."""

    def ask(self, name: str, hint: Inert, value: str = "") -> None:
        """Ask for what is called ``name``; ``value`` is there to be changed."""
        self.name_asked = name
        self.placeholder = hint.plain
        self.value = Inert.line(value).plain
        self.cursor_position = len(self.value)
        self.add_class("asking")
        self.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.remove_class("asking")
        self.post_message(self.Answered(self.name_asked, message.value))

    def action_close(self) -> None:
        self.remove_class("asking")
        self.post_message(self.Left())
