"""Folders in which a skill was before it was renamed, where git can tell by the text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.review.repository import SkillPlace

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True)
class EarlierName:
    """``folder``, a path below the top, until the parent of ``commit``."""

    commit: str
    folder: str


def earlier_names(place: SkillPlace, commit: str) -> list[EarlierName]:
    """The newest first, seen from ``commit``; none for a skill that was always where it is."""
    fields = place.git.run(
        *("log", "--follow", "-M", "-z", "--name-status", "--diff-filter=R", "--format=%H"),
        *(commit, "--", place.file),
    ).fields
    found = []
    at = ""
    for number, field in enumerate(fields):
        word = field.lstrip("\n")
        if _COMMIT.fullmatch(word):
            at = word
        elif at and re.fullmatch(r"R\d+", word) and number + 2 < len(fields):
            old, new = fields[number + 1], fields[number + 2]
            if old.endswith(f"/{place.main}") and old.rpartition("/")[0] != new.rpartition("/")[0]:
                found.append(EarlierName(at, old.rpartition("/")[0]))
    return found
