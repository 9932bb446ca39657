"""The frame of every screen: one header line, one footer line from the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.content import Content
from textual.widget import Widget

from workbench.tui.actions import by_id, key_label
from workbench.tui.inert import Inert

if TYPE_CHECKING:
    from workbench.tui.screens.base import WorkbenchScreen


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
        room = width - left.width - 2
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
            self.refresh()

    def render(self) -> Content:
        width = self.size.width
        if self.notice:
            return (Inert(" ") + self.notice).fit(width).content
        pieces, last = self._pieces()
        room = width - 1 - (last.width + 2 if last else 0)
        line = Inert(" ")
        for piece in pieces:
            if line.width + piece.width > room:
                break
            line = line + piece + "  "
        return (line + last).fit(width).content

    def _pieces(self) -> tuple[list[Inert], Inert]:
        """The shown actions; apart from them the last one, help, which is never left out."""
        pieces, last, seen = [], Inert(), set()
        for key, active in self.screen.active_bindings.items():
            action = by_id(active.binding.id or "")
            if action is None or action.id in seen or not action.shown or not active.enabled:
                continue
            seen.add(action.id)
            piece = Inert.of(key_label(key), "bold $accent") + " " + action.title
            if action.id == "app.help":
                last = piece
            else:
                pieces.append(piece)
        return pieces, last
