"""A dropped line or a request to end: save, then leave in order, and leave for certain."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
import threading
from collections.abc import Callable

_BACKSTOP_S = 3.0
_LOOK_S = 5.0

Leave = Callable[[int], None]


def install(leave: Leave, *, lifeline: int | None = None, terminal: int | None = None) -> None:
    """Call ``leave`` with the exit code on SIGHUP, SIGTERM and SIGINT, when ``lifeline`` (a pipe from the
    guard) closes, and when ``terminal`` (a descriptor) is a hung-up line. From the event loop.

    Without a handler Python ends there and then, saving nothing; with SIGHUP ignored, as under nohup, the app
    would go on reading a dead line.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _leave, leave, 128 + number)
    if lifeline is not None:
        loop.add_reader(lifeline, _cut, loop, lifeline, leave)
    if terminal is not None:
        loop.call_later(_LOOK_S, _look, loop, terminal, leave)


def _leave(leave: Leave, code: int) -> None:
    """Start leaving, with a thread that ends the process should it get stuck on a dead terminal."""
    backstop = threading.Timer(_BACKSTOP_S, os._exit, [code])
    backstop.daemon = True
    backstop.start()
    leave(code)


def _cut(loop: asyncio.AbstractEventLoop, lifeline: int, leave: Leave) -> None:
    loop.remove_reader(lifeline)
    _leave(leave, 128 + signal.SIGTERM)


def _look(loop: asyncio.AbstractEventLoop, terminal: int, leave: Leave) -> None:
    try:
        termios.tcgetattr(terminal)
    except termios.error:
        _leave(leave, 128 + signal.SIGHUP)
    else:
        loop.call_later(_LOOK_S, _look, loop, terminal, leave)
