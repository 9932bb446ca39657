"""The least that Textual can do: one line on the screen, then wait. Started by ``tui.py`` to compare with."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class BareApp(App[None]):
    """Says ``? Help``, as the app's last line does."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield Static("? Help", markup=False)


if __name__ == "__main__":
    BareApp().run()
