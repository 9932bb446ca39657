"""Stretches of a text that may have to go, and a text without those that do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class Kind(StrEnum):
    """What a stretch may be. The first four have to be looked up in the source."""

    NUMBER = "number"
    KEY = "key"
    DAY = "day"
    MOMENT = "moment"
    VALUE = "measured value"
    QUOTE = "quoted text"
    COUNT = "small count"
    SECRET = "secret"
    ADDRESS = "address"
    PERSON = "person"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class Found:
    """``text[start:end]`` of the text that was searched. ``view`` and ``at``: where it was read, for what
    stands around it. ``loose``: a spelling that chance makes often, told only by its column's name."""

    start: int
    end: int
    kind: Kind
    value: int | str | date | datetime
    loose: bool = False
    view: str = ""
    at: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """``text[start:end]`` becomes ``by``."""

    start: int
    end: int
    by: str
    kind: str


def changed(text: str, changes: Iterable[Change]) -> tuple[str, list[str]]:
    """The text with all changes made, and the kinds of those; of overlapping ones the longest is shown."""
    parts: list[str] = []
    kinds: list[str] = []
    at = 0
    for change in _merged(changes):
        parts += [text[at : change.start], change.by]
        kinds.append(change.kind)
        at = change.end
    return "".join([*parts, text[at:]]), kinds


def _merged(changes: Iterable[Change]) -> Iterator[Change]:
    held: Change | None = None
    shown = 0
    for change in sorted(changes, key=lambda one: (one.start, -one.end)):
        if held is None or change.start >= held.end:
            if held is not None:
                yield held
            held, shown = change, change.end - change.start
            continue
        length = change.end - change.start
        best = change if length > shown else held
        held, shown = Change(held.start, max(held.end, change.end), best.by, best.kind), max(shown, length)
    if held is not None:
        yield held
