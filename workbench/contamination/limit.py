"""A limit on how long one look of a rule may take, kept by a thread that watches the clock."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

T = TypeVar("T")
LOOKS_A_LIMIT = 5
"""How often the clock is looked at within a limit: a look ends at most a fifth of its limit late."""


class Overdue(BaseException):
    """Raised inside a look that took longer than its limit; no rule may hold it back."""


class Kept:
    """Holds any error of its block back, until it is asked for."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def raise_again(self) -> None:
        """Raise what was held back, if anything was."""
        if self.error is not None:
            raise self.error

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.error = error
        return isinstance(error, Exception)


class TimeLimit:
    """Ends looks of one thread that take longer than ``limit_s``, between two instructions of Python.

    What is busy in one long call of another language is ended when that returns. A context manager: within
    it the clock is watched.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._lock = threading.Lock()
        self._began_s: float | None = None
        self._thread = 0
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="lint limit", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()

    def within(self, look: Callable[[], T]) -> T:
        """What ``look`` gives, or raises. Raises Overdue where it was ended."""
        found: list[T] = []
        kept = Kept()
        try:
            with kept:
                self._begin()
                found.append(look())
            self._end()
        except Overdue:
            pass
        self._end()
        kept.raise_again()
        if not found:
            raise Overdue
        return found[0]

    def _begin(self) -> None:
        with self._lock:
            self._thread = threading.get_ident()
            self._began_s = time.monotonic()

    def _end(self) -> None:
        """From now on nothing ends this thread; what was on its way is taken back."""
        with self._lock:
            if self._began_s is None:
                _raise_in(threading.get_ident(), None)
            self._began_s = None

    def _watch(self) -> None:
        while not self._closed.wait(self.limit_s / LOOKS_A_LIMIT):
            with self._lock:
                if self._began_s is not None and time.monotonic() - self._began_s > self.limit_s:
                    self._began_s = None
                    _raise_in(self._thread, Overdue)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Let a thread raise at its next instruction; None takes back what it has not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(kind) if kind is not None else None
    )
