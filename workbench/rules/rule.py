"""One rule, wherever it is written: what kind, about what, and the line it stands in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a rule decides."""

    ITEM = "item"
    CODE = "code"
    TEXT = "text"
    THRESHOLD = "threshold"
    WINDOW = "window"
    AGGREGATE = "aggregate"
    MISSING = "missing"
    TIE = "tie"
    UNIT = "unit"
    GRAIN = "grain"
    SOURCE = "source"


@dataclass(frozen=True)
class Rule:
    """``operator`` and ``value`` are written alike on both sides (``<=``, ``48``); durations are in hours.

    ``subject`` is as a person reads it, ``words`` its normalised words, by which sides are held together.
    ``gives``: what a condition yields, as a rung of a ladder. ``line`` counts from 1 in ``file``.
    ``later``: why its inputs are known only after the time of the row; empty where they are not.
    """

    kind: Kind
    subject: str
    operator: str
    value: str
    unit: str = ""
    gives: str = ""
    file: str = ""
    line: int = 0
    words: frozenset[str] = frozenset()
    later: str = ""

    @property
    def says(self) -> tuple[str, str, str, str, str]:
        """What it says apart from what it is about and where it stands."""
        return (self.kind.value, self.operator, self.value, self.unit, self.gives)


def number(text: str) -> str:
    """A number in its one spelling: ``12.0`` and ``12`` are the same; other text as it is."""
    try:
        value = float(text.replace(",", "").replace("−", "-"))
    except ValueError:
        return text
    return f"{value:.10g}"


_HOURS = {
    "microsecond": 1 / 3.6e9,
    "millisecond": 1 / 3.6e6,
    "second": 1 / 3600,
    "minute": 1 / 60,
    "hour": 1.0,
    "day": 24.0,
    "week": 168.0,
}


def hours(amount: str, unit: str) -> str:
    """A duration in hours; months and years, which have no fixed length, keep their name."""
    name = unit.lower().rstrip("s")
    factor = _HOURS.get(name)
    if factor is None:
        return f"{number(amount)} {name}"
    try:
        return number(f"{float(amount.replace('−', '-')) * factor:.6g}")
    except ValueError:
        return f"{amount} {name}"


def hour_unit(duration: str) -> str:
    """``h`` for what ``hours`` gave as a number; a month names itself."""
    return "" if " " in duration else "h"
