"""Only the cells that changed go to the terminal, and no faster than the line can take.

Textual writes every region that may have changed as a whole. Here its updates are drawn into a picture of the
screen first (``wanted``); what differs from the picture of the terminal (``shown``) is written. Pinned to one
version of Textual, because it reads the compositor's updates; with ``enabled`` false Textual writes itself.
"""

from __future__ import annotations

import asyncio
from array import array
from typing import Any

from rich.color import ColorSystem
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen
from textual.strip import Strip

from workbench.tui.cells import UNKNOWN, CellTable, Difference, Row

_MAX_CELLS = 60_000
_QUEUED = 2
_RETRY_S = 0.02
_SYNC_FROM = 256
"""From so many characters on, an update is wrapped in the terminal's synchronised mode."""


class DiffOutput:
    """Between Textual's compositor and the driver."""

    def __init__(self, app: App[Any], *, enabled: bool, bytes_a_second: int = 0) -> None:
        self._app = app
        self.enabled = enabled
        self._bytes_a_second = bytes_a_second
        self._table = CellTable()
        self._width = self._height = 0
        self._wanted: list[Row[int]] = []
        self._shown: list[Row[int]] = []
        self._cursor: tuple[int, int] | None = None
        self._prefix = ""
        self._not_before = 0.0
        self._later: asyncio.TimerHandle | None = None
        self._held = False
        self._batched = False

    def change(self, *, enabled: bool, bytes_a_second: int) -> None:
        """Other settings from now on."""
        self._bytes_a_second = bytes_a_second
        if enabled != self.enabled:
            self.enabled = enabled
            self.clear()

    def hold(self) -> None:
        """Write nothing: another program has the terminal."""
        self._held = True

    def reset(self) -> None:
        """Forget what is on the terminal and write everything again."""
        self._held = False
        self._shown = self._unknown()
        self._cursor = None
        if self.enabled:
            self._flush()

    def clear(self) -> None:
        """Wipe the terminal and write everything again."""
        self._prefix = "\x1b[0m\x1b[r\x1b[2J"
        self.reset()

    def display(self, screen: Screen[Any], update: RenderableType | None) -> bool:
        """Take an update of the compositor; False: Textual shall show it itself."""
        app = self._app
        if not self.enabled or app.is_headless or app.is_inline:
            return False
        if not isinstance(update, LayoutUpdate | ChopsUpdate):
            return update is None
        if not app._running or app._closed:
            return True
        size = screen.outer_size
        if (size.width, size.height) != (self._width, self._height) or len(self._table) > _MAX_CELLS:
            self._resize(size.width, size.height)
        if isinstance(update, LayoutUpdate):
            self._draw_layout(update)
        else:
            self._draw_chops(update)
        if app._batch_count:
            self._batched = True
        else:
            self._flush()
        return True

    def end_batch(self) -> None:
        """Write what was drawn while Textual kept updates back, as it does while a screen is put together."""
        if self._batched and self.enabled:
            self._batched = False
            self._flush()

    def _resize(self, width: int, height: int) -> None:
        self._width, self._height = width, height
        self._table = CellTable()
        self._wanted, self._shown = self._unknown(), self._unknown()
        self._cursor = None
        self._app.screen.refresh()

    def _unknown(self) -> list[Row[int]]:
        return [array("l", [UNKNOWN]) * self._width for _ in range(self._height)]

    def _draw_layout(self, update: LayoutUpdate) -> None:
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                x = self._draw(x, y, strip)

    def _draw_chops(self, update: ChopsUpdate) -> None:
        for y, first, last in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if strip is None or x > last or end <= first:
                    continue
                self._draw(x, y, strip if end <= last else strip.crop(0, last - x))

    def _draw(self, x: int, y: int, strip: Strip) -> int:
        """Put a strip into the picture; returns the column behind it."""
        if not 0 <= y < self._height:
            return x
        colours = self._app.console._color_system or ColorSystem.TRUECOLOR
        cells = self._table.strip(strip, colours)
        stop = min(x + len(cells), self._width)
        if stop > x:
            self._wanted[y][x:stop] = cells[: stop - x]
        return x + len(cells)

    def _flush(self) -> None:
        """Write the difference now, or as soon as the line is free."""
        app, driver = self._app, self._app._driver
        if self._held or driver is None or not app._running or app._closed:
            return
        loop = asyncio.get_running_loop()
        wait = self._not_before - loop.time()
        if isinstance(driver, LinuxDriver) and driver._writer_thread is not None:
            queued = driver._writer_thread._queue.qsize()
            wait = max(wait, _RETRY_S if queued > _QUEUED else 0.0)
        if wait > 0:
            if self._later is None:
                self._later = loop.call_later(wait, self._flush_late)
            return
        text = self._difference()
        if not text:
            return
        if self._bytes_a_second:
            self._not_before = loop.time() + len(text.encode()) / self._bytes_a_second
        if len(text) >= _SYNC_FROM:
            app._begin_update()
            driver.write(text)
            app._end_update()
        else:
            driver.write(text)
        driver.flush()

    def _flush_late(self) -> None:
        self._later = None
        self._flush()

    def _difference(self) -> str:
        text, at = Difference(self._table, self._shown, self._wanted, self._width).text()
        if self._prefix:
            text, self._prefix = self._prefix + text, ""
        cursor = self._app.screen.outer_size.clamp_offset(self._app.cursor_position)
        wanted = (cursor.x, cursor.y)
        if wanted != (at if text else self._cursor):
            text += f"\x1b[{wanted[1] + 1};{wanted[0] + 1}H"
        self._cursor = wanted
        self._app._previous_cursor_position = cursor
        return text
