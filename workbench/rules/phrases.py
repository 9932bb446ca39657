"""Phrases of written procedures, out of their data file, as patterns."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@dataclass(frozen=True)
class Phrases:
    """``extremes``: word to what it says; ``sides``: which ends of a window belong to it; ``before`` and
    ``after`` a number: a pattern and the comparator that it means."""

    extremes: dict[str, str]
    extreme: re.Pattern[str]
    tied: re.Pattern[str]
    absent: re.Pattern[str]
    effect: re.Pattern[str]
    sides: list[tuple[re.Pattern[str], dict[str, str]]]
    before: list[tuple[re.Pattern[str], str]]
    after: list[tuple[re.Pattern[str], str]]


@lru_cache(maxsize=1)
def phrases() -> Phrases:
    """All phrases, read once."""
    data = tomllib.loads(files("workbench.rules").joinpath("phrases.toml").read_text(encoding="utf-8"))
    extremes = {word: says for says, names in data["extreme"].items() for word in names}
    return Phrases(
        extremes,
        _any(sorted(extremes, key=len, reverse=True)),
        _any(data["tied"]["phrases"]),
        _any(data["absent"]["phrases"]),
        re.compile(rf"(?<![\w.])({'|'.join(data['effect']['phrases'])})\b(?!\.\d)", re.IGNORECASE),
        [(re.compile(one["phrase"], re.IGNORECASE), one["ends"]) for one in data["side"]],
        [(_comparator(one["phrase"]), one["sign"]) for one in data["before"]],
        [(re.compile(one["phrase"], re.IGNORECASE), one["sign"]) for one in data["after"]],
    )


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(patterns)})\b", re.IGNORECASE)


def _comparator(phrase: str) -> re.Pattern[str]:
    """A comparator right before a number, small words between them left out."""
    return re.compile(rf"(?:^|(?<!\w)){phrase}\s*(?:about |the |a |of )?$", re.IGNORECASE)
