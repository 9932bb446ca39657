"""Only the cells that changed go to the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from textual.app import App
from textual.screen import Screen


class DiffOutput:
    """Between Textual's compositor and the driver."""

    def __init__(self, app: App[int], *, enabled: bool) -> None:
        self._app = app
        self.enabled = enabled

    def clear(self) -> None:
        """Forget what is on the terminal."""

    def display(self, screen: Screen[Any], renderable: RenderableType | None) -> bool:
        """Take the update; False: Textual shall show it itself."""
        return False
