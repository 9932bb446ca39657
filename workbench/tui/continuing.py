"""A stopped app that goes on takes its terminal again and draws everything, however it was stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import termios
from typing import TYPE_CHECKING, Any

from textual import constants
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver

from workbench.tui.guard import in_front

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

_QUIET_S = 0.05
"""Shell and guard both say that it goes on, each for itself: one answer to both."""
_KEYS = (
    linux_driver.KITTY_DISAMBIGUATE_ESCAPE_CODES
    | linux_driver.KITTY_REPORT_ALL_KEYS
    | linux_driver.KITTY_REPORT_ASSOCIATED_TEXT
)


class Continuing:
    """Answers SIGCONT in place of Textual's driver, which takes every stop for one that it made itself: after
    SIGSTOP it would start a second reader of the keys, and leave the line modes raw behind it.
    """

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._modes: list[Any] = []
        self._later: asyncio.TimerHandle | None = None

    def install(self) -> None:
        """From the event loop, while the app has the terminal."""
        driver = self._app._driver
        if isinstance(driver, LinuxDriver):
            with contextlib.suppress(termios.error):
                self._modes = termios.tcgetattr(driver.fileno)
            asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, self._goes_on, driver)

    def _goes_on(self, driver: LinuxDriver) -> None:
        self._app.output.hold()
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(_QUIET_S, self._take_terminal, driver)

    def _take_terminal(self, driver: LinuxDriver) -> None:
        """Set it up and draw. In the background: stop again, as a shell expects."""
        if self._app._exit:
            return
        if not in_front():
            os.kill(os.getpid(), signal.SIGSTOP)
        elif driver._must_signal_resume:
            driver.resume_application_mode()  # it had stopped itself, and tells the app when it has started
        else:
            self._set_up(driver)
            self._app.action_redraw()

    def _set_up(self, driver: LinuxDriver) -> None:
        """As the driver does, whose threads were stopped in the middle and go on where they were."""
        with contextlib.suppress(termios.error):
            termios.tcsetattr(driver.fileno, termios.TCSANOW, self._modes)
        driver.write("\x1b[?1049h\x1b[?25l\x1b[?1004h")
        if not constants.DISABLE_KITTY_KEY:
            driver.write(f"\x1b[>{_KEYS}u")
        driver._enable_mouse_support()
        if driver._mouse_pixels:
            driver._enable_mouse_pixels()
        if driver._in_band_window_resize:
            driver._enable_in_band_window_resize()
        driver._enable_bracketed_paste()
        driver._disable_line_wrap()
        os.kill(os.getpid(), signal.SIGWINCH)  # meant for the job in front, one of before went elsewhere
