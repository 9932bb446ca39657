"""The frame of every screen: one header line, one footer line from the registry, more for a long notice."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.widget import Widget

from workbench.tui.actions import by_id, key_label, told_in
from workbench.tui.inert import Inert
from workbench.tui.widgets.wrap import word_rows

if TYPE_CHECKING:
    from workbench.tui.screens.base import WorkbenchScreen

NOTICE_ROWS = 3
"""Most of a notice; Messages shows all of a longer one."""
_LOW = 12
"""A screen of fewer rows gives a notice one."""


class HeaderLine(Widget):
    """``Workbench > Home`` at the left, the screen's status at the right."""

    DEFAULT_CSS = """
    HeaderLine { dock: top; height: 1; width: 100%; background: $panel; color: $foreground; }
    """

    status: Inert = Inert()

    def say(self, status: Inert) -> None:
        """Show ``status`` at the right, one line."""
        if status != self.status:
            self.status = status
            self.refresh()

    def render(self) -> Content:
        screen = cast("WorkbenchScreen", self.screen)
        width = self.size.width
        left = Inert.of(" Workbench", "bold") + " > " + screen.heading
        room = width - left.width - 4
        if room < 1 or not self.status:
            return left.fit(width).content
        status = self.status.fit(min(room, self.status.width))
        return (left.fit(width - status.width - 1) + status + " ").content


class FooterLine(Widget):
    """The shown actions of the focused widget, the screen and the app, as many as fit; or a notice."""

    DEFAULT_CSS = """
    FooterLine { dock: bottom; height: 1; width: 100%; background: $panel; color: $foreground; }
    """

    notice: Inert = Inert()

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def _bindings_updated(self, _: object) -> None:
        self.refresh()

    def say(self, notice: Inert) -> None:
        """Show ``notice`` instead of the keys; an empty one shows the keys again."""
        if notice != self.notice:
            self.notice = notice
            self.fit()
            self.refresh()

    def fit(self) -> None:
        """Take as many rows as the notice needs."""
        self.styles.height = max(1, len(self._notice_lines()))

    def _notice_lines(self) -> list[Inert]:
        """The notice in as many lines as it needs and may have."""
        width, text = self.app.size.width - 2, self.notice.plain
        if width < 1 or not text:
            return []
        most = NOTICE_ROWS if self.app.size.height >= _LOW else 1
        rows = list(islice(word_rows(text, width), most + 1))
        lines = [self.notice.part(start, end) for start, end in rows[:most]]
        if len(rows) > most:
            more = Inert.of(
                f"… {cast('WorkbenchScreen', self.screen).workbench.key_of('app.messages')}", "bold $accent"
            )
            more += " all of it"
            room = max(0, width - more.width)
            lines[-1] = lines[-1].part(0, _fitting(lines[-1], room)) + more if room else lines[-1].fit(width)
        return lines

    def render(self) -> Content:
        width = self.size.width
        if self.notice:
            return Inert.join(((Inert(" ") + line).fit(width) for line in self._notice_lines()), "\n").content
        pieces, last = self._pieces()
        room = width - 1 - (last.width + 2 if last else 0)
        line = Inert(" ")
        for piece in pieces:
            if line.width + piece.width > room:
                break
            line = line + piece + "  "
        return (line + last).fit(width).content

    def _pieces(self) -> tuple[list[Inert], Inert]:
        """The shown actions; apart from them those never left out: back, where a screen lies upon another,
        and help.
        """
        pieces, back, last, seen = [], Inert(), Inert(), set()
        upon = len(self.app.screen_stack) > 1
        scope = cast("WorkbenchScreen", self.screen).screen_name
        for key, active in self.screen.active_bindings.items():
            action = by_id(active.binding.id or "")
            if action is None or action.id in seen or not active.enabled:
                continue
            action = told_in(scope, action)
            if not action.shown:
                continue
            seen.add(action.id)
            piece = Inert.of(key_label(key), "bold $accent") + " " + action.title
            if action.id == "app.help":
                last = piece
            elif action.id == "app.back" and upon:
                back = piece + "  "
            else:
                pieces.append(piece)
        return pieces, back + last


def _fitting(text: Inert, cells: int) -> int:
    """How many characters of the text fit in."""
    _, end = next(word_rows(text.plain, cells), (0, 0))
    return end
