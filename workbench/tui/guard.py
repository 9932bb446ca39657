"""A parent process that gives the terminal back when the app is killed outright."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

RESTORE = (
    "\x1b[<u\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[?1004l\x1b[?2004l\x1b[?2026l"
    "\x1b[?2048l\x1b[?7h\x1b[r\x1b[0m\x1b[?1049l\x1b[?25h"
)
"""Ends every mode that the app may have started; harmless where it had not."""

PATIENCE_S = 8.0
"""From a request to end until an app that does not answer is killed; longer than its own way out takes."""

KILLED = "The app was killed ({signal}). Runs go on; unsaved text is kept and offered at the next start.\n"


def guarded(work: Callable[[int], int]) -> int:
    """Run ``work`` in a child process on the same terminal; returns its exit code.

    ``work`` gets a descriptor that closes when this parent is gone. Call before any thread is started.
    """
    before = line_modes()
    lifeline, mine = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(mine)
        _be_the_app(work, lifeline)
    os.close(lifeline)
    try:
        status = _attend(child)
    finally:
        os.close(mine)
    if not os.WIFSIGNALED(status):
        return os.WEXITSTATUS(status)
    number = os.WTERMSIG(status)
    give_back(before, KILLED.format(signal=signal.Signals(number).name))
    return 128 + number


def line_modes() -> list[Any] | None:
    """Of the terminal now; None where there is none."""
    try:
        return termios.tcgetattr(sys.__stdin__) if sys.__stdin__ is not None else None
    except (termios.error, ValueError):
        return None


def _be_the_app(work: Callable[[int], int], lifeline: int) -> NoReturn:
    """Run ``work`` and end this process, without what the parent still has to do at its own end."""
    code = 1
    try:
        code = work(lifeline)
    finally:
        error = sys.exception()
        if error is not None:
            sys.excepthook(type(error), error, error.__traceback__)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _attend(child: int) -> int:
    """Wait for the child's end, handing on what is meant for the app; its wait status.

    An app that was asked to end and hangs, deaf to signals and blind to its terminal, is killed.
    """

    def hand_on(number: int, _: FrameType | None) -> None:
        asked_to_end = number in (signal.SIGHUP, signal.SIGTERM)
        if asked_to_end and not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL if number == signal.SIGALRM else number)

    handed_on = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT, signal.SIGALRM)
    previous = {number: signal.signal(number, hand_on) for number in handed_on}
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        previous[number] = signal.signal(number, signal.SIG_IGN)
    try:
        while True:
            _, status = os.waitpid(child, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                return status
            os.kill(os.getpid(), signal.SIGSTOP)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in previous.items():
            signal.signal(number, handler)


def give_back(before: list[Any] | None, message: str = "") -> None:
    """Line modes as they were, all modes of a screen ended, ``message`` below it."""
    with contextlib.suppress(OSError, termios.error, ValueError):
        if before is not None and sys.__stdin__ is not None:
            termios.tcsetattr(sys.__stdin__, termios.TCSADRAIN, before)
        if sys.__stderr__ is not None:
            sys.__stderr__.write(RESTORE + message)
            sys.__stderr__.flush()
