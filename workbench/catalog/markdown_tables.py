"""Rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.records.audit import Cell

Row = dict[str, Cell]


def table_lines(rows: Sequence[Row]) -> list[str]:
    """A column that a row does not name stays blank; a stated NULL is written as such."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    told = [[_cell(row[name]) if name in row else "" for name in columns] for row in rows]
    return [_line(columns), _line(["---"] * len(columns)), *(_line(cells) for cells in told)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Cell) -> str:
    if value is None:
        return "NULL"
    return " ".join(str(value).split()).replace("|", "\\|")
