"""Caveats as a table: one row each, found by any of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.tui.inert import Inert
from workbench.tui.themes import state_text
from workbench.tui.widgets.table_source import Column, TableLines

if TYPE_CHECKING:
    from workbench.review import ListedCaveat


def caveat_table() -> TableLines[ListedCaveat]:
    """A filter looks at all words of a caveat: its explanation, its rule and what was said of it, too."""
    columns: tuple[Column[ListedCaveat], ...] = (
        Column("severity", lambda row: row.caveat.severity.value, 10, look=_severity),
        Column("status", lambda row: row.caveat.review.value, 9),
        Column("bias", lambda row: row.caveat.bias.value, 5, drop=1),
        Column("family", lambda row: row.family, 20, least=8),
        Column("title", _words, 30, stretch=True, look=lambda row: Inert.line(row.caveat.title)),
        Column("rule", lambda row: row.caveat.rule, 20, stretch=True, drop=2),
    )
    return TableLines(columns, caveat_key)


def caveat_key(row: ListedCaveat) -> str:
    """``<family>/<id>``."""
    return f"{row.family}/{row.caveat.id}"


def _severity(row: ListedCaveat) -> Inert:
    return state_text(row.caveat.severity.value)


def _words(row: ListedCaveat) -> str:
    said = row.caveat
    parts = [said.id, said.title, said.explanation, said.source, *(entry.text for entry in said.entries)]
    return " ".join([*parts, *(f"{link.target} {link.note}" for link in said.links)])
