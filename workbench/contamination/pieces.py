"""Whether code holds a name in pieces, however they are put together."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_CHARS = 60_000
"""Of the code of one call that are looked at."""
LEAST_COVERED = 0.8
"""Share of a name's letters that pieces of it cover."""
LEAST_LETTERS = 3
"""Of a piece; shorter ones stand in any code."""
LONG = 5
"""Letters of at least one piece."""
_WORD = re.compile(r"[a-z]+[0-9]*")
_COMMENT = re.compile(r"(?:^|\s)(?:#|--)[^\n]*")


def held_in_pieces(names: Iterable[str], code: str, common: Iterable[str]) -> str:
    """The name of which the code holds nearly all letters in pieces, forwards or backwards; or nothing.

    Comments do not count, and neither do ``common`` words: names of columns that the run was told. A name
    that stands there as a whole is in pieces, too.
    """
    text = _COMMENT.sub(" ", code[:MAX_CHARS]).lower()
    for word in sorted(common, key=len, reverse=True):
        text = re.sub(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", " ", text)
    words = {word for word in _WORD.findall(text) if len(word) >= LEAST_LETTERS}
    return next((name for name in sorted(names) if len(name) > LONG and _covered(name, words)), "")


def _covered(name: str, words: set[str]) -> bool:
    letters = {place for place, sign in enumerate(name) if sign != "_"}
    for wanted in (name, name[::-1]):
        places: set[int] = set()
        longest = 0
        for word in words:
            at = wanted.find(word)
            if at >= 0:
                found = range(at, at + len(word))
                places |= set(found) if wanted is name else {len(name) - 1 - place for place in found}
                longest = max(longest, len(word))
        if longest >= LONG and len(places & letters) >= LEAST_COVERED * len(letters):
            return True
    return False
