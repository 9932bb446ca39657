"""How far a long job is, as one line of text on standard error."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from workbench.patterns import visible
from workbench.records import Clock, Progress, SystemClock, progress_text

__all__ = ["ProgressLine", "progress_line", "progress_text"]

TERMINAL_EVERY_S = 0.25
LOG_EVERY_S = 10.0
SAMPLE_EVERY_S = 0.25
WINDOW_S = 20.0
RATE_AFTER_S = 1.0
LEFT_AFTER_S = 2.0
LEFT_AFTER_SHARE = 0.05

VERBS = {"patients": "making patients", "tables": "writing tables", "concepts": "building concepts"}
VERBS_BY_UNIT = {"concepts": "building concept", "reference": "making", "bytes": "importing"}
"""For a label that is only a name."""

_ERASE = "\r\x1b[K"


class ProgressLine:
    """Draws in place on a terminal, at most four times a second; elsewhere prints a line every ten seconds.

    The rate is over the last seconds of the part that is under way; another total or unit starts a new
    part. The time left is told once two seconds have passed and a twentieth is done.
    """

    def __init__(self, stream: TextIO, clock: Clock, *, in_place: bool) -> None:
        self._stream = stream
        self._clock = clock
        self._in_place = in_place
        self._every_s = TERMINAL_EVERY_S if in_place else LOG_EVERY_S
        self._part: tuple[float, str] | None = None
        self._began_s = self._shown_s = clock.monotonic_s()
        self._seen: deque[tuple[float, float]] = deque()
        self._drawn = False

    def __call__(self, label: str, done: float, total: float, unit: str) -> None:
        """See ``Progress``."""
        now_s = self._clock.monotonic_s()
        first = self._part is None
        if (total, unit) != self._part or (self._seen and done < self._seen[-1][1]):
            self._part, self._began_s = (total, unit), now_s
            self._seen = deque([(now_s, done)])
        elif now_s - self._seen[-1][0] >= SAMPLE_EVERY_S:
            self._seen.append((now_s, done))
            while now_s - self._seen[1][0] >= WINDOW_S:
                self._seen.popleft()
        complete = total > 0 and done >= total
        early = now_s - self._shown_s < self._every_s
        if early and not (self._in_place and first) and not (complete and self._drawn):
            return
        self._shown_s = now_s
        since_s, before = self._seen[0]
        rate = (done - before) / (now_s - since_s) if now_s - since_s >= RATE_AFTER_S else 0.0
        known = now_s - self._began_s >= LEFT_AFTER_S and done >= LEFT_AFTER_SHARE * total
        self._draw(progress_text(_with_verb(label, unit), done, total, unit, rate, tell_left=known))

    def close(self) -> None:
        """Leave the terminal's line empty."""
        if self._drawn and self._in_place:
            self._stream.write(_ERASE)
            self._stream.flush()
            self._drawn = False

    def _draw(self, text: str) -> None:
        text = visible(text).replace("\n", " ")
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


def _with_verb(label: str, unit: str) -> str:
    """Says what is being done, where the label is only the name of what it is done to."""
    if label in VERBS:
        return VERBS[label]
    if label.split(" ")[0].endswith("ing") or unit not in VERBS_BY_UNIT:
        return label
    return f"{VERBS_BY_UNIT[unit]} {label}"
