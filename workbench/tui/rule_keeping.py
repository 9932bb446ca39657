"""What a person keeps of a rule diff: marks with their reasons, rows in a file, a text in the editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.records import Refused
from workbench.tui.editor import edit, private_copy
from workbench.tui.inert import Inert
from workbench.tui.rule_table import ACCEPTED, RuleRow
from workbench.tui.saving import save_text, target_of

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.rules import Row, SourceText
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.context import AppContext
    from workbench.tui.rule_sides import Laid


def keep_mark(context: AppContext, laid: Laid, item: RuleRow, reason: str, reviewer: str) -> str:
    """Accept a row, or withdraw that it is accepted; what to say of it.

    Raises BadInput without a reason, Refused for content that is not to be changed.
    """
    from workbench import rules

    if not context.content.paths.writable:
        raise Refused("the installed content is not changed", remedy="Work in a clone of the project.")
    name = rules.row_id(item.row)
    if item.state == ACCEPTED:
        rules.withdraw_row(context.content, laid.skill, name, reason, reviewer)
        return "kept as intended no longer"
    rules.accept_row(context.content, laid.skill, laid.comparison, name, reason, reviewer)
    return "kept as intended"


def export_rows(laid: Laid, rows: Sequence[Row], typed: str) -> str:
    """Write rows to a new file, in the form that its ending names; what to say of it. Raises BadInput."""
    from workbench import rules

    path = target_of(typed)
    save_text(path, rules.exported(laid.comparison, rows, path.suffix), replace=False)
    return f"{len(rows)} row{'s' if len(rows) != 1 else ''} written to {path}"


def content_lines(item: RuleRow | None) -> list[JsonValue]:
    """File and line of what both sides say, where that is a file of the content."""
    rules = (item.row.first, item.row.second) if item is not None else ()
    return [[one.file, one.line] for one in rules if one and one.file.startswith(("tasks/", "skills/"))]


def edit_text(app: WorkbenchApp, text: SourceText, line: int) -> tuple[Inert, bool]:
    """The text's file in the user's editor, or a copy where it is no file of the content; what there is to
    say, and whether the file may have changed. Raises Unavailable.
    """
    paths = app.context.content.paths
    own = paths.root / text.file
    if paths.writable and own.is_file() and own.resolve().is_relative_to(paths.root.resolve()):
        return edit(app, own, line), True
    with private_copy(app.data, own.name, text.text) as file:
        edit(app, file, line)
    return Inert.of("that was a copy: this text is not changed here"), False
