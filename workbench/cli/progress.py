"""How far a long job is, as one line of text on standard error."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from workbench.records import Clock, Progress, SystemClock

TERMINAL_EVERY_S = 0.25
LOG_EVERY_S = 10.0

_ERASE = "\r\x1b[K"
_BYTE_UNITS = ("B", "KB", "MB", "GB", "TB")


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


def progress_text(label: str, done: float, total: float, unit: str, rate: float) -> str:
    """``label  done of total unit, rate a second, time left``; what is not known is left out."""
    of = f" of {_amount(total, unit)}" if total > 0 else ""
    parts = [f"{label}  {_amount(done, unit)}{of}{'' if unit == 'bytes' else f' {unit}'}"]
    if rate > 0:
        parts.append(f"{rate:.1f}/s" if unit != "bytes" and rate < 10 else f"{_amount(rate, unit)}/s")
        if total > done:
            parts.append(f"{_duration((total - done) / rate)} left")
    return ", ".join(parts)


def _amount(value: float, unit: str) -> str:
    if unit != "bytes":
        return f"{math.floor(value):,}"
    for name in _BYTE_UNITS[:-1]:
        if value < 1000:
            return f"{value:.0f} {name}" if name == "B" else f"{value:.1f} {name}"
        value /= 1000
    return f"{value:.1f} {_BYTE_UNITS[-1]}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
