"""Content in which one rule of a family is another one, wherever it is stated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import ChangedTexts, Content, FamilyFiles, did_you_mean
from workbench.records import (
    UNCHANGED,
    BadInput,
    Condition,
    Counterfactual,
    Family,
    FamilyPaths,
    Target,
    Task,
)

PRIMARY = "public-code"


class CounterfactualContent(Content):
    """``content`` with the texts that ``item`` changes for the family of ``task``.

    The family's tasks on the database have two targets: ``public-code``, the changed reference, which the
    reward comes from, and ``unchanged``. Raises BadInput where a change does not fit its text.
    """

    def __init__(self, content: Content, task: Task, item: Counterfactual) -> None:
        super().__init__(content.paths)
        self.item = item
        self._content, self._family = content, task.family
        self._texts = ChangedTexts(content, task.family, item)
        for path in self._texts.paths:
            self.text(path)

    def text(self, path: Path) -> str:
        """The text of one file, with the changes in it."""
        return self._texts.read(path)

    def files(self, family: str) -> FamilyFiles:
        """The files of the family's folder; the reference ``unchanged`` is that without the change."""
        files = super().files(family)
        return (
            _Files(files.paths, files.read, original=self._content) if files.name == self._family else files
        )

    def stored_reference(self, target: str) -> str:
        """The changed reference is kept beside the unchanged one."""
        return {PRIMARY: f"counterfactual-{self.item.name}", UNCHANGED: PRIMARY}.get(target, target)

    def allow(self, condition: Condition) -> None:
        """Raises BadInput for a condition that the counterfactual refuses."""
        for refused in self.item.refuses:
            if refused.condition is condition:
                raise BadInput(
                    f"the counterfactual {self.item.name} cannot be run under {condition}: {refused.why}",
                    remedy="Choose another condition.",
                )
        self._content.allow(condition)

    def _task(self, paths: FamilyPaths, family: Family, task_id: str) -> Task:
        task = super()._task(paths, family, task_id)
        if (task.family, task.database) != (self._family, self.item.database):
            return task
        targets = [Target(name=PRIMARY), Target(name=UNCHANGED)]
        return task.model_copy(update={"targets": targets})


@dataclass(frozen=True, kw_only=True)
class _Files(FamilyFiles):
    """``original``: the content without the change."""

    original: Content

    def reference_sql(self, target: str, database: str) -> str:
        if target == UNCHANGED:
            return self.original.reference_sql(self.name, PRIMARY, database)
        return super().reference_sql(target, database)


def counterfactual_of(content: Content, task: Task, name: str) -> Counterfactual:
    """The counterfactual of that name for the task's family and database. Raises BadInput."""
    there = [item for item in content.files(task.family).counterfactuals() if item.database == task.database]
    for item in there:
        if item.name == name:
            return item
    known = [item.name for item in there]
    told = f"Known: {', '.join(known)}." if known else "`workbench counterfactual list` shows what there is."
    raise BadInput(f"task {task.id} has no counterfactual {name!r}", remedy=did_you_mean(name, known, told))
