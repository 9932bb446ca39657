"""Everything that a family has, part by part: what there is, what is known of it, what prints it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.catalog.content import Content, FamilyEntry
from workbench.catalog.family_files import DATABASES
from workbench.catalog.family_text import severities_told
from workbench.catalog.part_text import SQL_BESIDE, PartKind, part_place, reference_name
from workbench.records import BadInput, Task

_BESIDE = {
    PartKind.ADMISSIBLE: "every row that the pinned concept may give",
    PartKind.CONCEPT: "the pinned concept in the tasks' grain",
    PartKind.NAIVE: "as somebody would write it who knows the instruction only",
}


@dataclass(frozen=True)
class FamilyPart:
    """One part.

    ``name``: which of its kind, such as a task's id; ``note``: what else is known of it; ``command``: the
    plain command that prints it; ``severity``: of a caveat; ``problem``: why it cannot be read.
    """

    kind: PartKind
    name: str
    note: str = ""
    command: str = ""
    severity: str = ""
    problem: BadInput | None = None

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.name}"


def family_parts(content: Content, name: str) -> list[FamilyPart]:
    """All parts, the family's own words first, its caveats last. Raises BadInput for an unknown family.

    A part that cannot be read is in the list and says why.
    """
    return list(_Lister(content, content.entry(name)).parts())


@dataclass(frozen=True)
class _Lister:
    content: Content
    entry: FamilyEntry

    def parts(self) -> Iterator[FamilyPart]:
        name, family = self.entry.name, self.entry.family
        about = FamilyPart(PartKind.ABOUT, name, _words(family.summary) if family is not None else "")
        yield replace(about, command=f"workbench task family {name} --about", problem=self.entry.problem)
        for task_id, task in self.entry.tasks.items():
            yield from self._task(task_id, task)
        skills = [skill for task in self.entry.readable_tasks for skill in task.skills]
        for skill in dict.fromkeys(skills):
            part = FamilyPart(PartKind.SKILL, skill, command=f"workbench skill show {skill}")
            yield self._noted(part, lambda name: _lines(self.content.skill(name).text))
        yield from self._references()
        yield from self._documents()
        yield from self._caveats()

    def _task(self, task_id: str, task: Task | BadInput) -> Iterator[FamilyPart]:
        part = FamilyPart(PartKind.TASK, task_id, command=f"workbench task show {task_id}")
        if isinstance(task, BadInput):
            yield replace(part, problem=task)
        else:
            yield replace(part, note=f"{task.mode}, {task.database}")
        for kind, word in ((PartKind.INSTRUCTION, "instruction"), (PartKind.SPECIFICATION, "spec")):
            yield self._there(FamilyPart(kind, task_id, command=f"workbench task {word} {task_id}"))

    def _references(self) -> Iterator[FamilyPart]:
        told: dict[tuple[str, str], str] = {}
        for task in self.entry.readable_tasks:
            for target in task.targets:
                note = f"{target.status}{f': {_words(target.note)}' if target.note else ''}"
                told.setdefault((target.name, task.database), note)
        for (target_name, database), note in told.items():
            name, command = reference_name(target_name, database), self._sql(target_name, database)
            yield self._there(FamilyPart(PartKind.REFERENCE, name, note, command))
        for kind in SQL_BESIDE:
            for database in DATABASES:
                part = FamilyPart(kind, database, _BESIDE[kind], self._sql(kind, database))
                if self._path(part).is_file():
                    yield part

    def _sql(self, target: str, database: str) -> str:
        return f"workbench task reference {self.entry.name} --target {target} --database {database}"

    def _documents(self) -> Iterator[FamilyPart]:
        name, files = self.entry.name, self.content.files(self.entry.name)
        deviations = FamilyPart(PartKind.DEVIATIONS, name, command=f"workbench task deviations {name}")
        if self._path(deviations).exists():
            yield self._noted(deviations, lambda _: _deviating(len(files.deviations().deviations)))
        try:
            for example in files.worked_examples():
                command = f"workbench task example {name} --database {example.database}"
                stays = f"{len(example.stays)} made-up stays"
                yield FamilyPart(PartKind.EXAMPLE, example.database, stays, command)
        except BadInput as error:
            yield FamilyPart(PartKind.EXAMPLE, "", command=f"workbench task example {name}", problem=error)
        checks = FamilyPart(PartKind.CHECKS, name, command=f"workbench task checks {name}")
        if self._path(checks).exists():
            yield self._noted(
                checks, lambda _: ", ".join(found.database for found in files.output_checks().databases)
            )

    def _caveats(self) -> Iterator[FamilyPart]:
        name = self.entry.name
        head = FamilyPart(PartKind.CAVEATS, name, command=f"workbench task caveats {name}")
        try:
            audit = self.content.audit(name)
        except BadInput as error:
            yield replace(head, problem=error)
            return
        cases = sum(len(caveat.witness) for caveat in audit.caveats)
        yield replace(head, note=f"{severities_told(audit)}; {cases} witness cases")
        for caveat in audit.caveats:
            title = _words(caveat.title)
            yield FamilyPart(PartKind.CAVEAT, caveat.id, title, head.command, str(caveat.severity))
            for case in caveat.witness:
                yield FamilyPart(PartKind.CASE, case.id, _words(case.story), head.command)

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

    def _noted(self, part: FamilyPart, note: Callable[[str], str]) -> FamilyPart:
        """With what ``note`` reads of its name, or why that cannot be read."""
        try:
            return replace(part, note=note(part.name))
        except BadInput as error:
            return replace(part, problem=error)


def _words(text: str) -> str:
    return " ".join(text.split())


def _lines(text: str) -> str:
    return f"{text.count(chr(10))} lines"


def _deviating(number: int) -> str:
    return f"{number or 'none'} from the pinned concept"
