"""How far a long job is, as one line of text on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from workbench.records import Clock, Progress, SystemClock, progress_text

__all__ = ["ProgressLine", "progress_line", "progress_text"]

TERMINAL_EVERY_S = 0.25
LOG_EVERY_S = 10.0

_ERASE = "\r\x1b[K"


class ProgressLine:
    """Draws in place on a terminal, at most four times a second; elsewhere prints a line every ten seconds.

    The rate is over the part that is under way (a new label starts a new part).
    """

    def __init__(self, stream: TextIO, clock: Clock, *, in_place: bool) -> None:
        self._stream = stream
        self._clock = clock
        self._in_place = in_place
        self._every_s = TERMINAL_EVERY_S if in_place else LOG_EVERY_S
        self._label = ""
        self._began_s = self._shown_s = clock.monotonic_s()
        self._began_done = 0.0
        self._drawn = False

    def __call__(self, label: str, done: float, total: float, unit: str) -> None:
        """See ``Progress``."""
        now_s = self._clock.monotonic_s()
        if label != self._label:
            self._label = label
            self._began_s, self._began_done = now_s, done
        complete = total > 0 and done >= total
        if now_s - self._shown_s < self._every_s and not (complete and self._drawn):
            return
        self._shown_s = now_s
        rate = (done - self._began_done) / (now_s - self._began_s) if now_s > self._began_s else 0.0
        self._draw(progress_text(label, done, total, unit, rate))

    def close(self) -> None:
        """Leave the terminal's line empty."""
        if self._drawn and self._in_place:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._drawn = False

    def _draw(self, text: str) -> None:
        self._stream.write(f"{_ERASE}{text[:110]}" if self._in_place else f"{text}\n")
        self._stream.flush()
        self._drawn = self._in_place


@contextmanager
def progress_line() -> Iterator[Progress]:
    """A ProgressLine on standard error for as long as the block lasts."""
    line = ProgressLine(sys.stderr, SystemClock(), in_place=sys.stderr.isatty())
    try:
        yield line
    finally:
        line.close()
