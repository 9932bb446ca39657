"""Two sides compared: rows with their places, coverage by kind, rows accepted as intended."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.records import AcceptedRow
from workbench.rules.alignment import Row, Status, align
from workbench.rules.rule import Kind, Rule
from workbench.rules.sides import Side

COLUMNS = ("kind", "status", "first", "first_place", "second", "second_place", "later", "accepted", "row")
"""Of the exported rows."""


@dataclass(frozen=True)
class Coverage:
    """How many rules of one kind each side has, and how many rows there are of each status."""

    kind: Kind
    first: int
    second: int
    rows: Mapping[Status, int]


@dataclass(frozen=True)
class Comparison:
    """``accepted``: the reason by the id of the row."""

    first: Side
    second: Side
    rows: list[Row]
    coverage: list[Coverage]
    accepted: Mapping[str, str] = field(default_factory=dict)

    def chosen(self, kind: Kind | None = None, status: Status | None = None) -> list[Row]:
        """The rows of that kind and status; None: of any."""
        return [row for row in self.rows if kind in (None, row.kind) and status in (None, row.status)]


def compare(first: Side, second: Side, accepted: Sequence[AcceptedRow] = ()) -> Comparison:
    """All rules of both sides. A row that was accepted counts so as long as neither side's text changed."""
    ours, theirs = first.rules(), second.rules()
    rows = align(ours, theirs)
    hashes = (first.content_hash, second.content_hash) if accepted else ("", "")
    holding = [mark for mark in accepted if (mark.first, mark.second) == hashes and not mark.withdrawn]
    reasons = {mark.row: mark.reason for mark in holding}
    coverage = [
        Coverage(
            kind,
            sum(rule.kind is kind for rule in ours),
            sum(rule.kind is kind for rule in theirs),
            {status: sum(row.kind is kind and row.status is status for row in rows) for status in Status},
        )
        for kind in Kind
    ]
    return Comparison(first, second, rows, coverage, reasons)


def row_id(row: Row) -> str:
    """Which row it is: by kind, what both sides say, and of what. Lines do not count."""
    parts = [row.kind.value]
    for rule in (row.first, row.second):
        parts += [*rule.says, *sorted(rule.words)] if rule else ["-"]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def row_cells(row: Row, accepted: Mapping[str, str]) -> dict[str, str]:
    """One row as ``COLUMNS``."""
    found = row_id(row)
    return {
        "kind": row.kind.value,
        "status": row.status.value,
        "first": shown(row.first),
        "first_place": place(row.first),
        "second": shown(row.second),
        "second_place": place(row.second),
        "later": row.later,
        "accepted": accepted.get(found, ""),
        "row": found,
    }


def shown(rule: Rule | None) -> str:
    """What a rule says, on one line."""
    if rule is None:
        return ""
    said = " ".join(part for part in (rule.operator, rule.value, rule.unit) if part)
    return f"{said}{f' gives {rule.gives}' if rule.gives else ''} ({rule.subject})"


def place(rule: Rule | None) -> str:
    """File and line."""
    return "" if rule is None else f"{rule.file}:{rule.line}"


def rows_csv(rows: Sequence[Row], accepted: Mapping[str, str]) -> str:
    """The rows as CSV with a head line; what a spreadsheet would take for a formula begins with ``'``."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = row_cells(row, accepted)
        writer.writerow(
            {name: f"'{cell}" if cell[:1] in "=+-@\t" and cell else cell for name, cell in cells.items()}
        )
    return text.getvalue()
