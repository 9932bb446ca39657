"""Texts with the changes of a counterfactual: which files they are, and each change where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog.content import Content
from workbench.catalog.toml_lines import line_of
from workbench.records import BadInput, ChangedText, Counterfactual, FamilyPaths, TextChange


@dataclass(frozen=True)
class PlacedChange:
    """A change and where it is written down (``<file>, line <number>``)."""

    change: TextChange
    written: str


class ChangedTexts:
    """The files that ``item`` of ``family`` changes, with what each says then.

    Raises BadInput for a skill or a task that is not there.
    """

    def __init__(self, content: Content, family: str, item: Counterfactual) -> None:
        self._content = content
        self._changes: dict[Path, list[PlacedChange]] = {}
        for number, change in enumerate(item.changes):
            written = written_at(content, family, item, "changes", number)
            for path in _paths(content, family, item, change, written):
                self._changes.setdefault(path, []).append(PlacedChange(change, written))

    @property
    def paths(self) -> list[Path]:
        """The changed files, in the order in which changes name them."""
        return list(self._changes)

    def read(self, path: Path) -> str:
        """Any file's text, changed where it is one of ``paths``. Raises BadInput as ``changed_text``."""
        text = self._content.text(path)
        return changed_text(text, self._changes[path], path) if path in self._changes else text


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
    names = [(other.database, other.name) for other in content.files(family).counterfactuals()]
    number = names.index((item.database, item.name))
    return f"{path}, line {line_of(content.text(path), ('counterfactuals', number, *place))}"


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
    known = [
        task.id
        for task in map(content.task, content.family(family).tasks)
        if task.database == item.database and change.task in ("", task.id)
    ]
    if not known:
        raise BadInput(
            f"there is no such task on {item.database}: {change.task or 'none at all'}",
            where=written,
            remedy="Correct `task` or `database`.",
        )
    of_task = {
        ChangedText.TASK: paths.task,
        ChangedText.INSTRUCTION: paths.instruction,
        ChangedText.OPERATIONAL_SPEC: paths.operational_spec,
    }
    if change.where in of_task:
        return [of_task[change.where](task) for task in known]
    return [_one_path(paths, item.database)[change.where]]


def _one_path(paths: FamilyPaths, database: str) -> Mapping[ChangedText, Path]:
    example = paths.worked_example(database)
    return {
        ChangedText.REFERENCE: paths.reference("public-code", database),
        ChangedText.OUTPUT_CHECKS: paths.output_checks,
        ChangedText.STAGES: paths.stages,
        ChangedText.WORKED_EXAMPLE: example if example.exists() else paths.worked_example(),
    }
