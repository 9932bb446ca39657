"""Rows that a reviewer accepts as intended: kept with a reason, bound to both sides' contents."""

from __future__ import annotations

from workbench.catalog import Content, did_you_mean
from workbench.records import AcceptedRow, AcceptedRows, BadInput
from workbench.rules.comparison import Comparison, row_id
from workbench.store import atomic_write


def accepted_rows(content: Content, skill: str) -> list[AcceptedRow]:
    """What was accepted for a skill; none where nothing was. Raises BadInput for a damaged file."""
    path = content.paths.accepted_rules(skill)
    if not path.exists():
        return []
    return AcceptedRows.from_json(content.text(path), str(path)).rows


def accept_row(
    content: Content, skill: str, comparison: Comparison, row: str, reason: str, reviewer: str = ""
) -> AcceptedRow:
    """Keep that a row is intended; an earlier mark of the same row is replaced.

    Raises BadInput for a row that the comparison does not have, or without a reason.
    """
    known = [row_id(one) for one in comparison.rows]
    if row not in known:
        raise BadInput(
            f"there is no row {row!r} in this comparison",
            remedy=did_you_mean(row, known) or "The column row of `workbench rules diff` names them.",
        )
    if len(reason.strip()) < 3:
        raise BadInput("a reason is missing", remedy="Say in a few words why the row is intended.")
    mark = AcceptedRow(
        row=row,
        reason=reason.strip(),
        reviewer=reviewer,
        first=comparison.first.content_hash,
        second=comparison.second.content_hash,
    )
    _keep(content, skill, mark)
    return mark


def withdraw_row(content: Content, skill: str, row: str, reason: str, reviewer: str = "") -> AcceptedRow:
    """Keep that a row is intended no longer; the mark stays, with both reasons.

    Raises BadInput where the row was not accepted, or without a reason.
    """
    mark = next((one for one in accepted_rows(content, skill) if one.row == row and not one.withdrawn), None)
    if mark is None:
        raise BadInput(f"row {row!r} is not accepted", remedy="Only a row that is can be withdrawn.")
    if len(reason.strip()) < 3:
        raise BadInput("a reason is missing", remedy="Say in a few words why it is intended no longer.")
    by = {"reviewer": reviewer} if reviewer else {}
    withdrawn = mark.model_copy(update={"withdrawn": reason.strip(), **by})
    _keep(content, skill, withdrawn)
    return withdrawn


def _keep(content: Content, skill: str, mark: AcceptedRow) -> None:
    kept = [one for one in accepted_rows(content, skill) if one.row != mark.row]
    path = content.paths.accepted_rules(skill)
    path.parent.mkdir(exist_ok=True)
    atomic_write(path, AcceptedRows(skill=skill, rows=[*kept, mark]).to_json())
