"""A parent process that gives the terminal back when the app is killed outright or stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import termios
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

from workbench.tui.orphans import adopt_orphans, children_here, end_orphans

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
        return _Guard(child, before).attend()
    finally:
        os.close(mine)


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


class _Guard:
    """Waits for the app's end, hands on what is meant for it, and has the terminal while it is stopped."""

    def __init__(self, app: int, modes: list[Any] | None) -> None:
        self._app = app
        self._modes = modes
        self._given_back = self._is_stopped = False

    def attend(self) -> int:
        """Wait for the app's end; its exit code.

        An app that was asked to end and hangs, deaf to signals and blind to its terminal, is killed. What it
        left on the terminal, an editor, is ended after it.
        """
        adopt_orphans()
        handed_on = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT, signal.SIGALRM)
        previous = {number: signal.signal(number, self._hand_on) for number in handed_on}
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
            previous[number] = signal.signal(number, signal.SIG_IGN)
        try:
            status = self._ended()
            end_orphans()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in previous.items():
                signal.signal(number, handler)
        if os.WIFSIGNALED(status):
            killer = signal.Signals(os.WTERMSIG(status))
            give_back(self._modes, KILLED.format(signal=killer.name), whole=not self._given_back)
            return 128 + killer
        if line_modes() != self._modes:
            give_back(self._modes)
        return os.WEXITSTATUS(status)

    def _hand_on(self, number: int, _: FrameType | None) -> None:
        asked_to_end = number in (signal.SIGHUP, signal.SIGTERM)
        if asked_to_end and not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._app, signal.SIGKILL if number == signal.SIGALRM else number)
            if asked_to_end and self._is_stopped:
                os.kill(self._app, signal.SIGCONT)

    def _ended(self) -> int:
        """The wait status of the app's end."""
        while True:
            _, status = os.waitpid(self._app, os.WUNTRACED | os.WCONTINUED)
            if os.WIFSTOPPED(status):
                self._stopped()
            elif os.WIFCONTINUED(status):
                self._goes_on()
            else:
                return status

    def _stopped(self) -> None:
        """Give the terminal back and stop, too, so that a shell with job control takes over.

        Where there is none, the kernel drops this SIGTSTP, and the guard goes on waiting.
        """
        if in_front() and not children_here(self._app):
            give_back(self._modes, whole=not self._given_back)
            self._given_back = True
        self._is_stopped = True
        if signal.getitimer(signal.ITIMER_REAL)[0]:
            os.kill(self._app, signal.SIGCONT)  # it has been asked to end, and shall
            return
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, signal.SIG_IGN)

    def _goes_on(self) -> None:
        """Tell the app once more: it may have drawn before the terminal was given back."""
        self._is_stopped = False
        if self._given_back:
            self._given_back = False
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._app, signal.SIGCONT)


def in_front() -> bool:
    """Whether this process may write to its terminal and set it up: no other job has it."""
    try:
        return sys.__stdin__ is not None and os.tcgetpgrp(sys.__stdin__.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False


def give_back(before: list[Any] | None, message: str = "", *, whole: bool = True) -> None:
    """Line modes as they were, ``message`` below; with ``whole`` all modes of a screen are ended first."""
    with contextlib.suppress(OSError, termios.error, ValueError):
        if before is not None and sys.__stdin__ is not None:
            termios.tcsetattr(sys.__stdin__, termios.TCSADRAIN, before)
        if sys.__stderr__ is not None:
            sys.__stderr__.write((RESTORE if whole else "") + message)
            sys.__stderr__.flush()
