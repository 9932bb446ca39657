"""Columns that the hidden table has and the database does not, in code and in questions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.contamination.material import HiddenMaterial


def told_columns(hidden: HiddenMaterial) -> frozenset[str]:
    """Lower-case names of the scored columns, as the task and the run call them."""
    scored = {column.name.lower() for column in hidden.task.scored_columns}
    asked = {name.lower() for name in hidden.column_names.values()}
    keys = {key.name.lower() for key in hidden.task.keys}
    return frozenset((scored | asked) - keys)


def telling_columns(hidden: HiddenMaterial) -> frozenset[str]:
    """Those of them that share a word's beginning with a removed table: no other table has such a column."""
    stems = {word[:5] for name in hidden.removed for word in name.split("_") if len(word) > 4}
    return frozenset(
        column
        for column in told_columns(hidden)
        if "_" in column and any(word.startswith(stem) for word in column.split("_") for stem in stems)
    )


def used_columns(code: str, columns: Iterable[str]) -> dict[str, bool]:
    """The columns that stand in the code; whether it makes them: as an alias, or by assigning to them."""
    found = {}
    for column in columns:
        word = rf"(?<!\w)['\"`\[]*{re.escape(column)}['\"`\]]*(?!\w)"
        if re.search(word, code, re.IGNORECASE):
            made = rf"\bas\s+{word}|\)\s+{word}|\bend\s+{word}|{word}\s*(?:=|:)(?!=)"
            found[column] = re.search(made, code, re.IGNORECASE) is not None
    return found
