"""Everything that a family has, part by part: what there is, what is known of it, what prints it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.catalog.content import Content, FamilyEntry
from workbench.catalog.family_text import WORST_FIRST, severities_told
from workbench.catalog.part_text import SQL_BESIDE, PartKind, part_command, part_place, reference_name
from workbench.records import BadInput, FamilyStages, Task

_BESIDE = {
    PartKind.ADMISSIBLE: "every row that the pinned concept may give",
    PartKind.CONCEPT: "the pinned concept in the tasks' grain",
    PartKind.NAIVE: "as somebody would write it who knows the instruction only",
}


@dataclass(frozen=True)
class FamilyPart:
    """One part of ``family``.

    ``name``: which of its kind, such as a task's id; ``note``: what else is known of it; ``severity``: of a
    caveat; ``problem``: why it cannot be read.
    """

    family: str
    kind: PartKind
    name: str
    note: str = ""
    severity: str = ""
    problem: BadInput | None = None

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def command(self) -> str:
        """The plain command that prints it; of a caveat or a case, that prints all."""
        return part_command(self.family, self.kind, self.name)


def family_parts(content: Content, name: str) -> list[FamilyPart]:
    """All parts, the family's own words first, its caveats last, the worst of them first.

    Raises BadInput for an unknown family. A part that cannot be read is in the list and says why.
    """
    return list(_Lister(content, content.entry(name)).parts())


@dataclass(frozen=True)
class _Lister:
    content: Content
    entry: FamilyEntry

    def parts(self) -> Iterator[FamilyPart]:
        family = self.entry.family
        about = self._part(PartKind.ABOUT, self.entry.name, _words(family.summary) if family else "")
        yield replace(about, problem=self.entry.problem)
        for task_id, task in self.entry.tasks.items():
            yield from self._task(task_id, task)
        skills = [skill for task in self.entry.readable_tasks for skill in task.skills]
        for skill in dict.fromkeys(skills):
            yield self._noted(PartKind.SKILL, skill, lambda name: _lines(self.content.skill(name).text))
        yield from self._references()
        yield from self._documents()
        yield from self._caveats()

    def _task(self, task_id: str, task: Task | BadInput) -> Iterator[FamilyPart]:
        part = self._part(PartKind.TASK, task_id)
        if isinstance(task, BadInput):
            yield replace(part, problem=task)
        else:
            yield replace(part, note=f"{task.mode}, {task.database}")
        yield self._there(self._part(PartKind.INSTRUCTION, task_id))
        yield self._there(self._part(PartKind.SPECIFICATION, task_id))

    def _references(self) -> Iterator[FamilyPart]:
        told: dict[str, str] = {}
        for task in self.entry.readable_tasks:
            for target in task.targets:
                note = f"{target.status}{f': {_words(target.note)}' if target.note else ''}"
                told.setdefault(reference_name(target.name, task.database), note)
        for name, note in told.items():
            yield self._there(self._part(PartKind.REFERENCE, name, note))
        names = self.content.files(self.entry.name).databases
        beside = [self._part(kind, name, _BESIDE[kind]) for kind in SQL_BESIDE for name in names]
        yield from (part for part in beside if self._path(part).is_file())

    def _documents(self) -> Iterator[FamilyPart]:
        name, files = self.entry.name, self.content.files(self.entry.name)
        if self.entry.paths.deviations.exists():
            yield self._noted(
                PartKind.DEVIATIONS, name, lambda _: _deviating(len(files.deviations().deviations))
            )
        try:
            for example in files.worked_examples():
                yield self._part(PartKind.EXAMPLE, example.database, f"{len(example.stays)} made-up stays")
        except BadInput as error:
            yield replace(self._part(PartKind.EXAMPLE, ""), problem=error)
        if self.entry.paths.output_checks.exists():
            yield self._noted(
                PartKind.CHECKS,
                name,
                lambda _: ", ".join(item.database for item in files.output_checks().databases),
            )
        if self.entry.paths.stages.exists():
            yield self._noted(PartKind.STAGES, name, lambda _: _named(files.stages()))
        if self.entry.paths.counterfactuals.exists():
            yield self._noted(
                PartKind.COUNTERFACTUALS,
                name,
                lambda _: ", ".join(f"{item.name} ({item.database})" for item in files.counterfactuals()),
            )

    def _caveats(self) -> Iterator[FamilyPart]:
        head = self._part(PartKind.CAVEATS, self.entry.name)
        try:
            audit = self.content.audit_beside(self.entry.paths)
        except BadInput as error:
            yield replace(head, problem=error)
            return
        cases = sum(len(caveat.witness) for caveat in audit.caveats)
        yield replace(head, note=f"{severities_told(audit)}; {cases} witness cases")
        for caveat in sorted(audit.caveats, key=lambda caveat: WORST_FIRST.index(caveat.severity)):
            part = self._part(PartKind.CAVEAT, caveat.id, _words(caveat.title))
            yield replace(part, severity=str(caveat.severity))
            for case in caveat.witness:
                yield self._part(PartKind.CASE, case.id, _words(case.story))

    def _part(self, kind: PartKind, name: str, note: str = "") -> FamilyPart:
        return FamilyPart(self.entry.name, kind, name, note)

    def _path(self, part: FamilyPart) -> Path:
        return part_place(self.content.paths, self.entry.paths, part.key)

    def _there(self, part: FamilyPart) -> FamilyPart:
        """Without its file it says so."""
        try:
            path = self._path(part)
        except BadInput as error:
            return replace(part, problem=error)
        missing = BadInput("there is no such file", where=str(path), remedy="Write it.")
        return part if path.is_file() else replace(part, problem=missing)

    def _noted(self, kind: PartKind, name: str, note: Callable[[str], str]) -> FamilyPart:
        """With what ``note`` reads of its name, or why that cannot be read."""
        part = self._part(kind, name)
        try:
            return replace(part, note=note(name))
        except BadInput as error:
            return replace(part, problem=error)


def _words(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> str:
    return f"{text.count(chr(10))} lines"


def _named(stages: FamilyStages) -> str:
    names = [stage.name for item in stages.databases for stage in item.stages]
    return ", ".join(dict.fromkeys(names))


def _deviating(number: int) -> str:
    return f"{number or 'none'} from the pinned concept"
