"""Rules that a sentence says in words: what stands for missing values, which of several, one row per what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.rules.phrases import phrases
from workbench.rules.rule import Kind


@dataclass(frozen=True)
class Said:
    """A rule in words at ``start`` of its sentence."""

    start: int
    kind: Kind
    operator: str
    value: str


_GRAIN = re.compile(
    r"\b(?:one|a|exactly one|as many) rows? (?:per|for|as) (?:\*\*)?([\w ,`*()]+)", re.IGNORECASE
)


def said(text: str, heading: str = "") -> Iterator[Said]:
    """The rules that the words of one sentence or cell say."""
    known = phrases()
    taken: list[tuple[int, int]] = []
    for pattern, ends in known.sides:
        for found in pattern.finditer(text):
            if not any(start < found.end() and found.start() < end for start, end in taken):
                taken.append(found.span())
                yield from (Said(found.start(), Kind.WINDOW, which, value) for which, value in ends.items())
    for found in _GRAIN.finditer(text):
        yield Said(
            found.start(), Kind.GRAIN, "one row per", found[1].replace("`", "").replace("*", "").strip()
        )
    kind = Kind.TIE if known.tied.search(text) or heading.lower().startswith("ties") else Kind.AGGREGATE
    for found in known.extreme.finditer(text):
        yield Said(found.start(), kind, "take", known.extremes[found[1].lower()])
    if known.absent.search(text) or "missing" in heading.lower():
        start = known.absent.search(text)
        effects = [found[1].lower() for found in known.effect.finditer(text)]
        yield Said(start.start() if start else 0, Kind.MISSING, "if missing", " ".join(effects))
