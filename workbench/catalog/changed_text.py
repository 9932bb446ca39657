"""Texts with the changes of a counterfactual: which files they are, and each change where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog.content import Content
from workbench.catalog.documents import read_text
from workbench.catalog.toml_lines import line_of
from workbench.records import BadInput, ChangedText, Counterfactual, FamilyPaths, TextChange


@dataclass(frozen=True)
class PlacedChange:
    """A change and where it is written down (``<file>, line <number>``)."""

    change: TextChange
    written: str


def placed_changes(content: Content, family: str, item: Counterfactual) -> dict[Path, list[PlacedChange]]:
    """Files that ``item`` changes, each with its changes. Raises BadInput for a skill or task not there."""
    found: dict[Path, list[PlacedChange]] = {}
    for number, change in enumerate(item.changes):
        written = written_at(content, family, item, "changes", number)
        for path in _paths(content, family, item, change, written):
            found.setdefault(path, []).append(PlacedChange(change, written))
    return found


def changed_text(text: str, changes: Sequence[PlacedChange], path: Path) -> str:
    """``text`` of ``path`` with all changes, each looked for in the text as it was.

    Raises BadInput where one stands there more or less often than it says, or where two overlap.
    """
    spans: list[tuple[int, int, PlacedChange]] = []
    for placed in changes:
        find = placed.change.find
        starts = _starts(text, find)
        if len(starts) != placed.change.count:
            raise BadInput(
                f"the text to change stands {len(starts)} times in {path}, not {placed.change.count}",
                where=placed.written,
                remedy="Make `find` the exact words of that file, line ends and all, or correct `count`.",
            )
        spans += [(start, start + len(find), placed) for start in starts]
    pieces, place = [], 0
    for start, end, placed in sorted(spans, key=lambda span: span[:2]):
        if start < place:
            raise BadInput(
                f"changes text of {path} that another change is in, too",
                where=placed.written,
                remedy="Make one change of the two.",
            )
        pieces += [text[place:start], placed.change.put]
        place = end
    return "".join([*pieces, text[place:]])


def written_at(content: Content, family: str, item: Counterfactual, *place: str | int) -> str:
    """Where a part of ``item`` is written down: the file and the line."""
    path = content.family_paths(family).counterfactuals
    items = content.files(family).counterfactuals()
    number = next(at for at, other in enumerate(items) if _key(other) == _key(item))
    return f"{path}, line {line_of(read_text(path), ('counterfactuals', number, *place))}"


def _key(item: Counterfactual) -> tuple[str, str]:
    return item.database, item.name


def _starts(text: str, find: str) -> list[int]:
    starts, place = [], text.find(find)
    while place >= 0:
        starts.append(place)
        place = text.find(find, place + len(find))
    return starts


def _paths(
    content: Content, family: str, item: Counterfactual, change: TextChange, written: str
) -> list[Path]:
    paths = content.family_paths(family)
    if change.where is ChangedText.SKILL:
        names = content.skill_names()
        if change.skill not in names:
            raise BadInput(
                f"there is no skill {change.skill!r}", where=written, remedy=f"Known: {', '.join(names)}."
            )
        return [content.paths.skill(change.skill)]
    tasks = [
        task.id for task in map(content.task, content.family(family).tasks) if task.database == item.database
    ]
    if change.task and change.task not in tasks:
        known = f"Known: {', '.join(tasks) or 'none'}."
        raise BadInput(
            f"there is no such task on {item.database}: {change.task}", where=written, remedy=known
        )
    if change.task:
        tasks = [change.task]
    of_task = {
        ChangedText.TASK: paths.task,
        ChangedText.INSTRUCTION: paths.instruction,
        ChangedText.OPERATIONAL_SPEC: paths.operational_spec,
    }
    if change.where in of_task:
        return [of_task[change.where](task) for task in tasks]
    return [_one_path(paths, item.database)[change.where]]


def _one_path(paths: FamilyPaths, database: str) -> Mapping[ChangedText, Path]:
    example = paths.worked_example(database)
    return {
        ChangedText.REFERENCE: paths.reference("public-code", database),
        ChangedText.OUTPUT_CHECKS: paths.output_checks,
        ChangedText.STAGES: paths.stages,
        ChangedText.WORKED_EXAMPLE: example if example.exists() else paths.worked_example(),
    }
