"""The app that puts Help together inside a batch and says when that ends; run as a script."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from rich.console import RenderableType
from textual._compositor import LayoutUpdate
from textual.screen import Screen

from workbench.tui.app import WorkbenchApp
from workbench.tui.context import find_context
from workbench.tui.run import run_app
from workbench.tui.terminal import prepare_environment

ENDED = "\x1b]2;the batch has ended\x07"
"""Written between what is drawn within the batch and what is drawn after it."""


class BatchingApp(WorkbenchApp):
    _laid_out: asyncio.Event | None = None

    async def action_help(self) -> None:
        """As a library may: keep updates back until a screen is mounted and drawn."""
        self._laid_out = asyncio.Event()
        with self.batch_update():
            await self.push_screen(self._make("help", scope="home"))
            await self._laid_out.wait()
        assert self._driver is not None
        self._driver.write(ENDED)
        self._driver.flush()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if self._laid_out is not None and self._batch_count and isinstance(renderable, LayoutUpdate):
            self._laid_out.set()


def main() -> int:
    context = find_context(None)
    prepare_environment(context.terminal)
    return run_app(context, make=BatchingApp)


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
