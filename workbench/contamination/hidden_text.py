"""Lines of the hidden SQL that nobody writes by chance, looked for in other texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

LEAST_CHARS = 24
"""Of a line without its blanks at both ends; shorter lines are written by anybody."""
LEAST_LINES = 4
SHARE = 0.6
"""Share of the telling lines that a text holds when it is the hidden one."""


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """Lower case, every run of blanks one blank."""
    return re.sub(r"\s+", " ", text).lower()


def telling_lines(sql: str, public: Iterable[str]) -> frozenset[str]:
    """Lines of a hidden script, comments included, that stand in no public one."""
    known = " ".join(plain(text) for text in public)
    lines = {plain(line).strip(" ,;()") for line in sql.splitlines()}
    return frozenset(line for line in lines if len(line) >= LEAST_CHARS and line not in known)


def held(lines: frozenset[str], text: str) -> set[str]:
    """The lines that a text holds, whatever its layout."""
    whole = plain(text)
    return {line for line in lines if line in whole}


def is_enough(found: int, lines: int) -> bool:
    """Whether so many of the telling lines are no accident."""
    return found >= LEAST_LINES and found >= SHARE * lines
