"""Counterfactuals: changes that fit their texts, no trace of the old rule, a declaration that can be run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import ChangedTexts, Content, FamilyFiles, rule_names, written_at
from workbench.checks.finding import Place, Report
from workbench.ehr import DERIVED_SCHEMA, schema_of
from workbench.records import BadInput, ChangedText, Counterfactual, FamilyPaths, Task
from workbench.sql import parse, reads, similarity

PRIMARY = "public-code"
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

    def add(self, rule: str, what: str, *place: str | int, remedy: str = "") -> None:
        """A finding about a part of the entry."""
        path, at = self.paths.counterfactuals, ("counterfactuals", self.number, *place)
        self.report.add(f"counterfactual-{rule}", path, f"{self.item.name}: {what}", remedy, at)


def check_counterfactuals(
    content: Content, paths: FamilyPaths, tasks: Sequence[Task], report: Report
) -> None:
    """Each counterfactual of one family. Raises BadInput where the file cannot be read."""
    for number, item in enumerate(content.files(paths.folder.name).counterfactuals()):
        own = [task for task in tasks if task.database == item.database]
        checked = _Item(content, paths, own, item, number, report)
        if own:
            _check(checked)
        else:
            checked.add("change", f"the family has no task on {item.database}", "database")


def _check(checked: _Item) -> None:
    content, item, task = checked.content, checked.item, checked.tasks[0]
    reference = content.reference_sql(task.family, PRIMARY, item.database)
    if item.rule not in rule_names(reference):
        checked.add("rule", f"the reference has no rule {item.rule!r}", "rule")
    _declared(checked, reference)
    try:
        texts = ChangedTexts(content, task.family, item)
        for path in texts.paths:
            texts.read(path)
        _readable(checked, texts)
    except BadInput as error:
        checked.add("change", error.what, *_place(checked, error), remedy=error.remedy)
        return
    _gone(checked, texts)


def _place(checked: _Item, error: BadInput) -> Place:
    """The change that an error names by its line; the first where it names another file."""
    for number in range(len(checked.item.changes)):
        at = ("changes", number)
        if error.where == written_at(checked.content, checked.tasks[0].family, checked.item, *at):
            return at
    return ("changes",)


def _readable(checked: _Item, texts: ChangedTexts) -> None:
    """What is changed can still be read. Raises BadInput where it cannot."""
    files, kinds = FamilyFiles(checked.paths, texts.read), {change.where for change in checked.item.changes}
    if ChangedText.OUTPUT_CHECKS in kinds:
        files.output_checks()
    if ChangedText.STAGES in kinds:
        files.stages()
    if ChangedText.WORKED_EXAMPLE in kinds:
        files.worked_example(checked.item.database)
    script = parse(files.reference_sql(PRIMARY, checked.item.database))
    if not script.exact or len(script.statements) != 1:
        raise BadInput("the changed reference is not one statement that can be read")


def _gone(checked: _Item, texts: ChangedTexts) -> None:
    """Old passages stand in some text, and in none once it is changed."""
    told = list(dict.fromkeys(_told(checked)))
    before = {path: _words(checked.content.text(path)) for path in told}
    after = {path: _words(texts.read(path)) for path in told}
    for passage in checked.item.gone:
        words = _words(passage)
        left = [checked.report.told(path) for path in told if words in after[path]]
        if left:
            checked.add("gone", f"{passage!r} still stands in {', '.join(left)}", "gone")
        elif not any(words in text for text in before.values()):
            remedy = "Quote the old rule as it is written."
            checked.add("gone", f"{passage!r} never stood in any text", "gone", remedy=remedy)


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
        told = f"no scored columns of {task.id}: {', '.join(unknown)}"
        checked.add("differs", told, "differs", "columns")
    sql, at = item.differs.rows, ("differs", "rows")
    script = parse(sql)
    if not script.exact or len(script.statements) != 1:
        checked.add("differs", "`rows` is not one statement that can be read", *at)
        return
    published = set(schema_of(checked.content, item.database).names)
    strange = [name for name in sorted(reads(sql) - published) if not name.startswith(f"{DERIVED_SCHEMA}.")]
    if strange:
        checked.add("differs", f"`rows` reads what is not published: {', '.join(strange)}", *at)
    if similarity(sql, reference) > MADE_FROM:
        checked.add("differs", "`rows` is made from the reference, so that it proves nothing", *at)
