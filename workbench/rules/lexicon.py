"""Words of the field in one spelling, so that a column and a sentence about it meet."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files

_WORD = re.compile(r"[a-zµ][a-z0-9µ]*|\d{5,}", re.IGNORECASE)


@lru_cache(maxsize=1)
def _lexicon() -> tuple[dict[str, str], frozenset[str], re.Pattern[str]]:
    """Each spelling with its word, the words that say nothing, a pattern of all spellings."""
    data = tomllib.loads(files("workbench.rules").joinpath("lexicon.toml").read_text(encoding="utf-8"))
    spelled = {name: word for word, names in data["same"].items() for name in [*names, word]}
    pattern = "|".join(re.escape(name) for name in sorted(spelled, key=len, reverse=True))
    return spelled, frozenset(data["silent"]), re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])")


@lru_cache(maxsize=8192)
def words(text: str) -> frozenset[str]:
    """The words of a subject: synonyms joined, plurals and empty words gone; item ids stay as they are."""
    spelled, silent, pattern = _lexicon()
    plain = text.lower().replace("_", " ").replace("-", " ")
    joined = pattern.sub(lambda found: f" {spelled[found.group()]} ", plain)
    return frozenset(
        one
        for word in _WORD.findall(joined)
        for one in [_singular(word)]
        if one not in silent and word not in silent and len(one) > 1
    )


@lru_cache(maxsize=1024)
def entities(text: str) -> frozenset[str]:
    """What one row is of: stay, admission, patient, moment, …; what a stay lies in is dropped."""
    found = {name for name, pattern in _entities() if pattern.search(text.lower())}
    if "icu stay" in found:
        found -= {"admission", "patient"}
    return frozenset(found)


@lru_cache(maxsize=1)
def _entities() -> list[tuple[str, re.Pattern[str]]]:
    data = tomllib.loads(files("workbench.rules").joinpath("lexicon.toml").read_text(encoding="utf-8"))
    return [(name, re.compile(pattern)) for name, pattern in data["entity"].items()]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
