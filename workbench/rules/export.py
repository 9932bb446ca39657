"""The rows of a comparison as a file to hand on: Markdown, JSON or CSV, by the file's ending."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.patterns import visible
from workbench.records import BadInput, Envelope
from workbench.rules.alignment import Row, Status
from workbench.rules.comparison import COLUMNS, Comparison, row_cells, rows_csv

ENDINGS = (".md", ".json", ".csv")


def exported(comparison: Comparison, rows: Sequence[Row], ending: str) -> str:
    """``rows`` of the comparison in the form of one of ENDINGS; JSON as ``workbench rules diff --json``.

    Raises BadInput for another ending.
    """
    if ending == ".csv":
        return rows_csv(rows, comparison.accepted)
    if ending == ".json":
        items = [dict(row_cells(row, comparison.accepted)) for row in rows]
        return Envelope(kind="rule-rows", items=items, summary=summary(comparison, rows)).to_json()
    if ending == ".md":
        return _markdown(comparison, rows)
    raise BadInput(f"rows are not written as {ending or 'a file without ending'}",
                   remedy=f"End the name with {', '.join(ENDINGS)}.")  # fmt: skip


def summary(comparison: Comparison, rows: Sequence[Row]) -> dict[str, object]:
    """Both sides with their files, and how many of ``rows`` there are of each status."""
    sides = {"first": comparison.first, "second": comparison.second}
    told: dict[str, object] = {
        name: {"label": side.label, "files": [text.file for text in side.texts]}
        for name, side in sides.items()
    }
    statuses = {status.value: sum(row.status is status for row in rows) for status in Status}
    return {**told, "rows": len(rows), "by_status": statuses}


def _markdown(comparison: Comparison, rows: Sequence[Row]) -> str:
    first, second = comparison.first, comparison.second
    lines = [f"# {first.label} against {second.label}", ""]
    lines += [f"- {side.label}: {_cell(text.file)}" for side in (first, second) for text in side.texts]
    lines += ["", "| kind | rules of the first | of the second | " + " | ".join(Status) + " |"]
    lines.append("|---" * (3 + len(Status)) + "|")
    for one in comparison.coverage:
        counts = [one.first, one.second, *(one.rows[status] for status in Status)]
        lines.append("| " + " | ".join([one.kind.value, *map(str, counts)]) + " |")
    lines += ["", "| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        cells = row_cells(row, comparison.accepted)
        lines.append("| " + " | ".join(_cell(cells[name]) for name in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Foreign text in one cell: no markup of Markdown or HTML, no line end."""
    shown = visible(text).replace("\n", " ")
    return "".join(f"\\{letter}" if letter in r"\|`*_[]<>#&" else letter for letter in shown)
