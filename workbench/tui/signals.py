"""A dropped line or a request to end: save, then leave in order, and leave for certain."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

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
        loop.add_signal_handler(number, leave_for_certain, leave, 128 + number)
    if lifeline is not None:
        loop.add_reader(lifeline, _cut, loop, lifeline, leave)
    if terminal is not None:
        loop.call_later(_LOOK_S, _look, loop, terminal, leave)


@dataclass(frozen=True)
class Ended:
    """How another program ended: its exit code, or the ``problem`` that kept it from starting.

    ``asked_to_leave``: the signal that meanwhile asked this process to end; 0 for none.
    """

    code: int = 0
    problem: str = ""
    asked_to_leave: int = 0


def attend(command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """Run a program that has the terminal, and wait for it. From the main thread.

    Ctrl-C and Ctrl-Z are the program's own; a request to end is handed on to it.
    """
    asked: list[int] = []
    process: subprocess.Popen[bytes] | None = None

    def hand_on(number: int, _: FrameType | None) -> None:
        asked.append(number)
        if process is not None:
            process.send_signal(number)

    def nothing(number: int, _: FrameType | None) -> None:
        """Caught, not ignored: a program would inherit that it is ignored."""

    handlers: dict[signal.Signals, Callable[[int, FrameType | None], None] | signal.Handlers] = {
        signal.SIGINT: nothing,
        signal.SIGQUIT: nothing,
        signal.SIGTERM: hand_on,
        signal.SIGHUP: hand_on,
        signal.SIGTSTP: signal.SIG_DFL,
    }
    told, tell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    wakeup = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        process = subprocess.Popen(command, env=dict(environment))
        for number in asked:
            process.send_signal(number)
        return Ended(code=_wait(process, told), asked_to_leave=asked[0] if asked else 0)
    except OSError as error:
        return Ended(problem=error.strerror or type(error).__name__, asked_to_leave=asked[0] if asked else 0)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
            signal.siginterrupt(number, False)
        signal.set_wakeup_fd(wakeup)
        os.close(told)
        os.close(tell)


def _wait(process: subprocess.Popen[bytes], told: int) -> int:
    """The exit code. ``told`` brings a byte a signal: any thread may take one, and then no call here is
    interrupted.
    """
    ended = os.pidfd_open(process.pid)
    try:
        while process.poll() is None:
            select.select([ended, told], [], [])
            with contextlib.suppress(BlockingIOError):
                os.read(told, 64)
        return process.returncode
    finally:
        os.close(ended)


def leave_for_certain(leave: Leave, code: int) -> None:
    """Start leaving, with a thread that ends the process should it get stuck on a dead terminal."""
    backstop = threading.Timer(_BACKSTOP_S, os._exit, [code])
    backstop.daemon = True
    backstop.start()
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # to end in the background, too
    leave(code)


def _cut(loop: asyncio.AbstractEventLoop, lifeline: int, leave: Leave) -> None:
    loop.remove_reader(lifeline)
    leave_for_certain(leave, 128 + signal.SIGTERM)


def _look(loop: asyncio.AbstractEventLoop, terminal: int, leave: Leave) -> None:
    try:
        termios.tcgetattr(terminal)
    except termios.error:
        leave_for_certain(leave, 128 + signal.SIGHUP)
    else:
        loop.call_later(_LOOK_S, _look, loop, terminal, leave)
