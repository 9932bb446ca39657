"""Wait in pilot tests for what comes from threads: by condition, with a limit, never for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from textual.pilot import Pilot

from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.base import WorkbenchScreen

S = TypeVar("S", bound=WorkbenchScreen)
LIMIT_S = 30.0


async def until(pilot: Pilot[int], condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not condition():
            await pilot.pause()
            await asyncio.sleep(0.01)
    await pilot.pause()


async def on_screen(pilot: Pilot[int], app: WorkbenchApp, kind: type[S]) -> S:
    """The screen in front, once it is one of ``kind`` and its work is done."""
    await until(pilot, lambda: isinstance(app.screen, kind) and app.screen.is_mounted)
    screen = app.screen
    assert isinstance(screen, kind)
    return screen


async def searched(pilot: Pilot[int]) -> None:
    """Until no search goes on, and what it found is shown. Other work may go on for ever."""

    def none_goes_on() -> bool:
        return all(work.is_finished for work in pilot.app.workers if work.group in ("search", "loading"))

    await until(pilot, none_goes_on)
