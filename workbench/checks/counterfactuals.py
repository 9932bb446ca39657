"""Counterfactuals: changes that fit their texts, no trace of the old rule, a declaration that can be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import ChangedTexts, Content, FamilyFiles, rule_names
from workbench.checks.finding import Report, toml_line
from workbench.ehr import DERIVED_SCHEMA, schema_of
from workbench.records import BadInput, ChangedText, Counterfactual, FamilyPaths, Task
from workbench.sql import parse, reads, similarity

PRIMARY = "public-code"
RULE = "counterfactual"
MADE_FROM = 0.8
"""A declaration so like the reference is the reference again, and proves nothing."""


@dataclass(frozen=True)
class _Item:
    """One counterfactual of a family with the tasks that it is for."""

    content: Content
    paths: FamilyPaths
    tasks: Sequence[Task]
    item: Counterfactual
    number: int
    report: Report

    def add(self, what: str, remedy: str, *place: str | int) -> None:
        """A finding about a part of the entry."""
        path = self.paths.counterfactuals
        line = toml_line(path, "counterfactuals", self.number, *place)
        self.report.add(RULE, path, f"{self.item.name}: {what}", remedy, line)


def check_counterfactuals(
    content: Content, paths: FamilyPaths, tasks: Sequence[Task], report: Report
) -> None:
    """Each counterfactual of one family. Raises BadInput where the file cannot be read."""
    for number, item in enumerate(content.files(paths.folder.name).counterfactuals()):
        own = [task for task in tasks if task.database == item.database]
        checked = _Item(content, paths, own, item, number, report)
        if not own:
            checked.add(f"the family has no task on {item.database}", "Correct `database`.", "database")
            continue
        try:
            _check(checked)
        except BadInput as error:
            report.unreadable(error, paths.counterfactuals)


def _check(checked: _Item) -> None:
    content, item, task = checked.content, checked.item, checked.tasks[0]
    texts = ChangedTexts(content, task.family, item)
    changed = {path: texts.read(path) for path in texts.paths}
    before, after = FamilyFiles(checked.paths, content.text), FamilyFiles(checked.paths, texts.read)
    _documents(checked, after, changed)
    reference = before.reference_sql(PRIMARY, item.database)
    if item.rule not in rule_names(reference):
        remedy = "Name a rule of the reference's comments."
        checked.add(f"the reference has no rule {item.rule!r}", remedy, "rule")
    if not parse(after.reference_sql(PRIMARY, item.database)).exact:
        checked.add("the changed reference cannot be read", "Correct what is put there.", "changes")
    _gone(checked, texts)
    _declared(checked, reference)


def _documents(checked: _Item, files: FamilyFiles, changed: dict[Path, str]) -> None:
    """What is changed can still be read. Raises BadInput where it cannot."""
    paths, database = checked.paths, checked.item.database
    if paths.output_checks in changed:
        files.output_checks()
    if paths.stages in changed:
        files.stages()
    if any(change.where is ChangedText.WORKED_EXAMPLE for change in checked.item.changes):
        files.worked_example(database)


def _gone(checked: _Item, texts: ChangedTexts) -> None:
    """Old passages stand in some text, and in none once it is changed."""
    told = list(dict.fromkeys(_told(checked)))
    before = {path: _words(checked.content.text(path)) for path in told}
    after = {path: _words(texts.read(path)) for path in told}
    for passage in checked.item.gone:
        words = _words(passage)
        left = [checked.report.told(path) for path in told if words in after[path]]
        if left:
            remedy = "Change it there, too."
            checked.add(f"{passage!r} of the old rule still stands in {', '.join(left)}", remedy, "gone")
        elif not any(words in text for text in before.values()):
            checked.add(f"{passage!r} stands in no text", "Quote the old rule as it is written.", "gone")


def _told(checked: _Item) -> Iterator[Path]:
    """Everything that a run of one of the tasks reads of the family and its skills."""
    paths, database = checked.paths, checked.item.database
    yield paths.reference(PRIMARY, database)
    for task in checked.tasks:
        yield from (paths.task(task.id), paths.instruction(task.id), paths.operational_spec(task.id))
        yield from (checked.content.paths.skill(name) for name in task.skills)
    example = paths.worked_example(database)
    beside = (paths.output_checks, paths.stages, example if example.exists() else paths.worked_example())
    yield from (path for path in beside if path.is_file())


def _words(text: str) -> str:
    """Lines joined, so that a passage is found wherever it is wrapped."""
    return " ".join(text.split())


def _declared(checked: _Item, reference: str) -> None:
    item, task = checked.item, checked.tasks[0]
    scored = [column.name for column in task.scored_columns]
    unknown = [name for name in item.differs.columns if name not in scored]
    if unknown:
        told = f"no scored column of {task.id}: {', '.join(unknown)}"
        checked.add(told, "Name scored columns.", "differs", "columns")
    sql = item.differs.rows
    script = parse(sql)
    if not script.exact or len(script.statements) != 1:
        checked.add("`rows` is not one statement that can be read", "Correct it.", "differs", "rows")
        return
    strange = [
        name
        for name in sorted(reads(sql) - set(schema_of(checked.content, item.database).names))
        if not name.startswith(f"{DERIVED_SCHEMA}.")
    ]
    if strange:
        told = f"`rows` reads {', '.join(strange)}"
        checked.add(told, "Read published tables and public concepts.", "differs", "rows")
    if similarity(sql, reference) > MADE_FROM:
        remedy = "Write it from the definition, another way."
        checked.add("`rows` is made from the reference, so that it proves nothing", remedy, "differs", "rows")
