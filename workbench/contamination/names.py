"""Names of tables that the agent must not use, found in text of any kind."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

import regex
from rapidfuzz import fuzz

from workbench.contamination.material import SOURCE_SCHEMAS, HiddenMaterial
from workbench.patterns.encoded_text import other_writings

NEAR = 86
"""Likeness of two names in percent from which on one is a guess at the other."""
LEAST_LETTERS = 4
"""Letters of a name that a pattern holds when it asks for that table."""
_LONG = 10
"""Letters of a name that says without a schema which table is meant."""
_REGEX_S = 0.01
_NEUTRAL = ("age", "zzz0", "labevents", "patients", "a_b_c")
"""Names that a pattern for any table matches."""
_REGEX_SIGNS = re.compile(r"[\[\]()|^$+?\\]|\.\*")


class Names:
    """The hidden names of one run: removed tables and, with their schema, tables of other variants."""

    def __init__(self, hidden: HiddenMaterial) -> None:
        self.removed = frozenset(hidden.removed)
        self.others = frozenset(name.lower() for name in hidden.other_names)
        self._schemas = hidden.derived_schemas
        bare = {name for name in self.removed if len(name) > 5 and re.search(r"[\d_]", name)}
        self.telling = bare | {name.rsplit(".", 1)[-1] for name in self.others if "_" in name}
        dotted = {f"{schema}.{name}" for schema in self._schemas for name in self.removed} | self.others
        own = {schema.lower() for schema in (*SOURCE_SCHEMAS, *self._schemas)}
        self.other_schemas = {name.partition(".")[0] for name in self.others if "." in name} - own
        self._known = _alternation(self.telling | dotted)
        self._dotted = _alternation(dotted)

    def in_text(self, lowered: str) -> str:
        """A hidden name that stands in a lower-case text as a word; empty for none."""
        found = self._known.search(lowered) if self._known else None
        return found[0] if found else ""

    def dotted_in(self, lowered: str) -> set[str]:
        """Hidden names with their schema that stand in a lower-case text."""
        return set(self._dotted.findall(lowered)) if self._dotted else set()

    def encoded_in(self, text: str) -> str:
        """A hidden name that a text holds in another writing only; empty for none."""
        for writing in other_writings(text):
            lowered = writing.lower()
            for name in self.telling:
                if name in lowered:
                    return name
        return ""

    def is_near(self, name: str) -> bool:
        """Whether a derived table's name, or a long bare one, begins a hidden one's or is near it."""
        schema, _, bare = name.rpartition(".")
        if schema not in self._schemas and (schema or len(bare) < _LONG):
            return False
        if len(bare) < 3 or bare in self.removed:
            return False
        return any(hidden.startswith(bare) or fuzz.ratio(hidden, bare) >= NEAR for hidden in self.telling)

    def asked_for(self, pattern: str) -> str:
        """The hidden table that a word, a LIKE pattern, glob or regular expression asks for; or nothing."""
        pattern = pattern.strip().lower()
        if re.search(r"[\s.]\w+$", pattern) and not _REGEX_SIGNS.search(pattern) and "%" not in pattern:
            pattern = re.split(r"[\s.]", pattern)[-1]
        if not len(re.sub(r"[^a-z]", "", pattern)) >= LEAST_LETTERS or len(pattern) > 200:
            return ""
        for name in sorted(self.others):
            if name.rsplit(".", 1)[-1] in pattern:
                return name
        return _asked_for(pattern, tuple(sorted(self.removed)))


@lru_cache(maxsize=4096)
def _asked_for(pattern: str, names: tuple[str, ...]) -> str:
    for name in names:
        bare = name.rsplit(".", 1)[-1]
        if name in pattern or (len(bare) > 5 and bare in pattern):
            return name
        long = bare.startswith(pattern) or len(pattern) > LEAST_LETTERS
        if long and re.fullmatch(r"\w+", pattern) and pattern in bare:
            return name
    for name in names:
        if any(_matches(pattern, part) for part in {name, name.rsplit(".", 1)[-1]}) and not any(
            _matches(pattern, other) for other in _NEUTRAL
        ):
            return name
    return ""


def _matches(pattern: str, name: str) -> bool:
    if "%" in pattern:
        return fnmatch.fnmatchcase(name, pattern.replace("%", "*").replace("_", "?"))
    if _REGEX_SIGNS.search(pattern):
        try:
            return regex.search(pattern, name, timeout=_REGEX_S) is not None
        except (regex.error, TimeoutError, RecursionError):
            return False
    return any(sign in pattern for sign in "*?") and fnmatch.fnmatchcase(name, pattern)


def _alternation(names: Iterable[str]) -> re.Pattern[str] | None:
    words = sorted(names, key=len, reverse=True)
    if not words:
        return None
    return re.compile(rf"(?<![a-z0-9_])(?:{'|'.join(map(re.escape, words))})(?![a-z0-9_])")
