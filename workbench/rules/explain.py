"""Which rows of a rule diff can explain that a column is wrong."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.rules.alignment import Row, Status
from workbench.rules.comparison import Comparison
from workbench.rules.reach import lines_by_column
from workbench.rules.rule import Rule
from workbench.rules.sides import Side

_Lines = dict[tuple[str, str], frozenset[int]]
"""File and column to the lines that have a part in the column."""


def rows_by_column(comparison: Comparison, columns: Iterable[str]) -> dict[str, list[Row]]:
    """Rows that do not agree and stand in lines behind a column, on either side; both sides are SQL.

    The rows that have a part in the fewest of all columns come first, conflicts before one-sided ones. A
    column that neither side's text gives has none.
    """
    first, second = _lines_of(comparison.first), _lines_of(comparison.second)
    apart = [row for row in comparison.rows if row.status is not Status.AGREE]
    behind = {id(row): {*_columns(row.first, first), *_columns(row.second, second)} for row in apart}
    return {
        column: sorted(
            (row for row in apart if column.lower() in behind[id(row)]),
            key=lambda row: (len(behind[id(row)]), row.status is not Status.CONFLICT),
        )
        for column in columns
    }


def _lines_of(side: Side) -> _Lines:
    return {
        (text.file, column): lines
        for text in side.texts
        if text.file.endswith(".sql")
        for column, lines in lines_by_column(text.text).items()
    }


def _columns(rule: Rule | None, lines: _Lines) -> list[str]:
    if rule is None:
        return []
    return [column for (file, column), found in lines.items() if file == rule.file and rule.line in found]
