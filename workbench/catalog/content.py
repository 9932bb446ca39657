"""One content root: its families, tasks, skills and audits by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog.documents import read_text, read_toml
from workbench.catalog.family_files import FamilyFiles, same_as_place
from workbench.catalog.names import did_you_mean, nfc
from workbench.catalog.own_databases import read_own_database, require_own_database
from workbench.catalog.skills import read_skill
from workbench.records import (
    PUBLISHED_DATABASES,
    BadInput,
    Condition,
    ContentPaths,
    Dictionary,
    Family,
    FamilyAudit,
    FamilyDeviations,
    FamilyPaths,
    OwnDatabase,
    Problem,
    Skill,
    Task,
)


@dataclass(frozen=True)
class _Found:
    """A family folder: its family, or why it cannot be read."""

    paths: FamilyPaths
    family: Family | None
    problem: BadInput | None


@dataclass(frozen=True)
class FamilyEntry:
    """A family folder as far as it can be read.

    ``problem``: why ``family.toml`` counts for nothing, or why another folder of the same name does;
    ``tasks``: by id in the order of presentation, each the task or why it cannot be read.
    """

    paths: FamilyPaths
    family: Family | None
    problem: BadInput | None
    tasks: Mapping[str, Task | BadInput]

    @property
    def name(self) -> str:
        return nfc(self.paths.folder.name)

    @property
    def readable_tasks(self) -> list[Task]:
        return [task for task in self.tasks.values() if isinstance(task, Task)]

    @property
    def problems(self) -> dict[str, BadInput]:
        """What is wrong, by the name of the family or of the task that it is wrong with."""
        of_family = {self.name: self.problem} if self.problem is not None else {}
        return of_family | {name: task for name, task in self.tasks.items() if isinstance(task, BadInput)}


class Content:
    """Reads at every call, so that an edited file counts at once. Every method raises BadInput.

    A family that cannot be read does not hide the others: asking for another by name works, asking for
    all raises its problem.
    """

    def __init__(self, paths: ContentPaths) -> None:
        self.paths = paths

    def text(self, path: Path) -> str:
        """The text of one file of the content. All are read through here, so that a view may change them."""
        return read_text(path)

    def families(self) -> list[Family]:
        """All families: the benchmark's, extensions, the user's own, each by name."""
        return [family for _, family in self._whole()]

    def family(self, name: str) -> Family:
        """The family of that name."""
        found = self._found(name)
        if found.family is None:
            raise found.problem or BadInput("cannot be read", where=str(found.paths.folder))
        return found.family

    def family_paths(self, name: str) -> FamilyPaths:
        """Where the family's files are."""
        return self._found(name).paths

    def entries(self) -> list[FamilyEntry]:
        """All families and their tasks in one reading, in their order; what cannot be read says why."""
        return [self._entry(found) for found in self._scan().values()]

    def entry(self, name: str) -> FamilyEntry:
        """The family of that name, as far as it can be read."""
        return self._entry(self._found(name))

    def tasks(self) -> list[Task]:
        """All tasks, in the order of families and of presentation."""
        return [
            self._task(paths, family, task_id) for paths, family in self._whole() for task_id in family.tasks
        ]

    def task(self, task_id: str) -> Task:
        """The task of that id."""
        wanted = nfc(task_id)
        holding = self._holding(wanted)
        if holding is not None:
            return self._task(*holding, wanted)
        known = [name for _, family in self._readable() for name in family.tasks]
        raise self._unknown("task", task_id, known)

    def resolve(self, name: str) -> list[Task]:
        """The tasks that a task id, a family's name or one of its aliases means."""
        wanted = nfc(name)
        holding = self._holding(wanted)
        if holding is not None:
            return [self._task(*holding, wanted)]
        found = self._readable()
        for paths, family in found:
            if wanted == family.name or wanted in [nfc(alias) for alias in family.aliases]:
                return [self._task(paths, family, task) for task in family.tasks]
        known = {word for _, family in found for word in (family.name, *family.aliases, *family.tasks)}
        raise self._unknown("task, family or alias", name, known)

    def readable_tasks(self) -> tuple[list[Task], list[Problem]]:
        """The tasks that can be read, and what is wrong with the other families and tasks."""
        entries = self.entries()
        tasks = [task for entry in entries for task in entry.readable_tasks]
        return tasks, [_as_problem(error) for entry in entries for error in entry.problems.values()]

    def readable_skills(self) -> tuple[list[Skill], list[Problem]]:
        """The skills that can be read, and what is wrong with the others."""
        skills, errors = [], []
        for name in self.skill_names():
            try:
                skills.append(self.skill(name))
            except BadInput as error:
                errors.append(error)
        return skills, [_as_problem(error) for error in errors]

    def problems(self) -> list[Problem]:
        """Families, tasks and skills that cannot be read."""
        return self.readable_tasks()[1] + self.readable_skills()[1]

    def skill_names(self) -> list[str]:
        """Folders below skills/ that hold a SKILL.md."""
        return [
            folder.name
            for folder in _folders(self.paths.skills)
            if os.path.lexists(self.paths.skill(folder.name))
        ]

    def skill(self, name: str) -> Skill:
        """The skill of that name."""
        names = self.skill_names()
        if nfc(name) not in names:
            raise self._unknown("skill", name, names)
        return read_skill(self.paths.skill(nfc(name)), self.text)

    def skill_files(self, name: str) -> dict[str, str]:
        """Every file of the skill's folder by its path in it, SKILL.md first; no links, no hidden files."""
        main = self.paths.skill(nfc(name))
        found = {main.name: self.skill(name).text}
        for path in sorted(main.parent.rglob("*")):
            inside = path.relative_to(main.parent)
            if path.is_file() and not path.is_symlink() and not any(part[0] == "." for part in inside.parts):
                found.setdefault(inside.as_posix(), self.text(path))
        return found

    def skills(self) -> list[Skill]:
        """All skills, by name."""
        return [self.skill(name) for name in self.skill_names()]

    def files(self, family: str) -> FamilyFiles:
        """The files of the family's folder, to read."""
        return FamilyFiles(self.family_paths(family), self.text)

    def audit(self, family: str) -> FamilyAudit:
        """The family's reference-validity caveats."""
        return self.audit_beside(self.family_paths(family))

    def audit_beside(self, paths: FamilyPaths) -> FamilyAudit:
        """As ``audit``, of a family whose folder is known."""
        path = self.paths.audit(paths.folder.name)
        audit = read_toml(path, FamilyAudit, self.text)
        same_as_place(audit.family, path.stem, "family", path)
        return audit

    def own_database(self, name: str) -> OwnDatabase:
        """The declared tables of a database of the user's own."""
        return read_own_database(self.paths, name)

    def dictionary(self, database: str) -> Dictionary:
        """What the tables and columns of ``database`` mean."""
        path = self.paths.dictionary(database)
        dictionary = read_toml(path, Dictionary, self.text)
        same_as_place(dictionary.database, path.stem, "database", path)
        return dictionary

    def deviations(self, family: str) -> FamilyDeviations:
        """Where the family's reference departs from the pinned concept on purpose."""
        return self.files(family).deviations()

    def instruction(self, task: str) -> str:
        """What the agent is told to derive."""
        return self.text(self._paths_of(task).instruction(task))

    def operational_spec(self, task: str) -> str:
        """The complete specification, given in one condition only."""
        return self.text(self._paths_of(task).operational_spec(task))

    def reference_sql(self, family: str, target: str, database: str) -> str:
        """The declared derivation of one target."""
        return self.files(family).reference_sql(target, database)

    def stored_reference(self, target: str) -> str:
        """Under which name the rows of a target are kept."""
        return target

    def schema_name(self, published: str) -> str:
        """What agents know a published schema as."""
        return published

    def dictionary_text(self, task: Task) -> str:
        """What agents are told of tables and columns; nothing where these have their published names."""
        return ""

    def allow(self, condition: Condition) -> None:
        """Raises BadInput where the condition cannot be had of these texts."""

    def _paths_of(self, task: str) -> FamilyPaths:
        return self.family_paths(self.task(task).family)

    def _scan(self, only: str = "") -> dict[str, _Found]:
        """All families in their order, or the one of that name."""
        found: dict[str, _Found] = {}
        for collection in self.paths.collections:
            for folder in _folders(collection):
                paths = FamilyPaths(folder)
                name = nfc(folder.name)
                if (only and name != only) or not os.path.lexists(paths.family):
                    continue
                if name in found:
                    other = found[name].paths.folder
                    problem = BadInput(f"there is a family of that name in {other}", where=str(folder))
                    found[name] = _Found(found[name].paths, found[name].family, problem)
                    continue
                try:
                    family = read_toml(paths.family, Family, self.text)
                    same_as_place(family.name, name, "name", paths.family)
                    found[name] = _Found(paths, family, None)
                except BadInput as error:
                    found[name] = _Found(paths, None, error)
        return found

    def _holding(self, task_id: str) -> tuple[FamilyPaths, Family] | None:
        """The family that has the task. A task is asked for many times: where a family's folder has the
        task's, only that family is read.
        """
        for collection in self.paths.collections:
            for folder in _folders(collection):
                if os.path.lexists(folder / task_id):
                    found = self._scan(nfc(folder.name)).get(nfc(folder.name))
                    if found is not None and found.family is not None and task_id in found.family.tasks:
                        return found.paths, found.family
        return next((item for item in self._readable() if task_id in item[1].tasks), None)

    def _whole(self) -> list[tuple[FamilyPaths, Family]]:
        """All families, none of which has a problem."""
        found = self._scan()
        for item in found.values():
            if item.problem is not None:
                raise item.problem
        return [(item.paths, item.family) for item in found.values() if item.family is not None]

    def _readable(self) -> list[tuple[FamilyPaths, Family]]:
        return [(item.paths, item.family) for item in self._scan().values() if item.family is not None]

    def _found(self, name: str) -> _Found:
        wanted = nfc(name)
        found = self._scan(wanted) if wanted else {}
        if wanted not in found:
            raise self._unknown("family", name, self._scan())
        return found[wanted]

    def _entry(self, found: _Found) -> FamilyEntry:
        tasks: dict[str, Task | BadInput] = {}
        if found.family is not None:
            for task_id in found.family.tasks:
                try:
                    tasks[task_id] = self._task(found.paths, found.family, task_id)
                except BadInput as error:
                    tasks[task_id] = error
        return FamilyEntry(found.paths, found.family, found.problem, tasks)

    def _task(self, paths: FamilyPaths, family: Family, task_id: str) -> Task:
        path = paths.task(task_id)
        task = read_toml(path, Task, self.text)
        same_as_place(task.id, task_id, "id", path)
        same_as_place(task.family, family.name, "family", path)
        if task.database not in PUBLISHED_DATABASES:
            require_own_database(self.paths, paths, task, self.text(path))
        if paths.published and task.database == "mimic-iv" and not task.reference_concept:
            raise BadInput(
                "names no reference_concept",
                where=f"{path}, line 1",
                remedy="Write the pinned concept that the reference is compared with.",
            )
        return task

    def _unknown(self, kind: str, name: str, known: Iterable[str]) -> BadInput:
        word = "skill" if kind == "skill" else "task"
        remedy = did_you_mean(name, known, f"`workbench {word} list` shows what there is.")
        broken = [item for item in self._scan().values() if item.problem is not None]
        if broken:
            remedy += f" (Families that cannot be read: {len(broken)}; {broken[0].problem})"
        return BadInput(f"there is no {kind} {name!r}", where=str(self.paths.root), remedy=remedy)


def _folders(parent: Path) -> list[Path]:
    try:
        with os.scandir(parent) as entries:
            names = sorted(entry.name for entry in entries if entry.name[0] not in "._" and entry.is_dir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", where=str(parent)) from None
    return [parent / name for name in names]


def _as_problem(error: BadInput) -> Problem:
    return Problem(what=error.what, where=error.where, remedy=error.remedy)
