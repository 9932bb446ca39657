"""How long jobs tell how far they are."""

from __future__ import annotations

import math
from typing import Protocol

_DAY_S = 86_400
_BYTE_UNITS = ("B", "KB", "MB", "GB", "TB")


class Progress(Protocol):
    """Called from the job's own thread; may raise KeyboardInterrupt to cancel it."""

    def __call__(self, label: str, done: float, total: float, unit: str) -> None:
        """``done`` of ``total`` units of the part named ``label``; total 0 = not known."""
        ...


def silent(label: str, done: float, total: float, unit: str) -> None:
    """Tell nobody."""


def progress_text(
    label: str, done: float, total: float, unit: str, rate: float, *, tell_left: bool = True
) -> str:
    """``label  done of total unit, rate a second, time left``; what is not known is left out.

    Without ``tell_left`` no time left is told: too little is done to say.
    """
    of = f" of {_amount(total, unit)}" if total > 0 else ""
    parts = [f"{label}  {_amount(done, unit)}{of}{'' if unit == 'bytes' else f' {unit}'}"]
    if rate > 0:
        parts.append(f"{rate:.1f}/s" if unit != "bytes" and rate < 10 else f"{_amount(rate, unit)}/s")
        if tell_left and total > done:
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
    if seconds > _DAY_S:
        return "more than a day"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
