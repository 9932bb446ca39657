"""task.toml beside the published table, and beside the files that it names."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from workbench.catalog import Content, did_you_mean
from workbench.checks.finding import Report
from workbench.checks.statements import PRIMARY
from workbench.records import PUBLISHED_DATABASES, FamilyPaths, Mode, Part, Record, Task

MOST_SKILLS = 3
"""With more, agents get worse (SkillsBench)."""


THRESHOLDS = ("key_coverage", "column_accuracy")


class PublishedTask(Part):
    """One row of the published table. ``also_removed``: removed beyond it, table to reason."""

    task: str
    family: str
    mode: Mode
    database: str
    keys: list[str]
    value_columns: list[str]
    further_scored: list[str]
    tolerances: dict[str, float]
    key_coverage: float
    column_accuracy: float
    removed_tables: list[str]
    also_removed: dict[str, str] = {}
    rows: int


class _Table(Record):
    about: str
    tasks: list[PublishedTask]


@cache
def published_tasks() -> dict[str, PublishedTask]:
    """The published tasks by id."""
    file = resources.files("workbench.checks") / "published_tasks.json"
    table = _Table.model_validate_json(file.read_text(encoding="utf-8"))
    return {row.task: row for row in table.tasks}


def check_task(content: Content, paths: FamilyPaths, task: Task, report: Report) -> None:
    """One task: the published row (tasks that are not published have none), skills, decoy, targets."""
    path = paths.task(task.id)
    row = published_tasks().get(task.id)
    if row is not None:
        _against_row(task, row, paths, report)
    _skills(content, path, task, report)
    if task.database not in PUBLISHED_DATABASES:
        _own(path, task, report)
    for place, target in enumerate(task.targets):
        file = paths.reference(target.name, task.database)
        if target.name != PRIMARY and not file.is_file():
            line, remedy = ("targets", place, "name"), f"Write {file.name}, or take the target out."
            report.add("task-targets", path, f"no {file.name} for the target {target.name}", remedy, line)
    declared = {target.name for target in task.targets}
    files = {
        name
        for file in paths.folder.glob(f"reference.*{task.database}.sql")
        if (name := file.name.removeprefix("reference.").removesuffix(f"{task.database}.sql").strip("."))
    }
    report.none("task-targets", path, "not declared as target", sorted(files - declared), line=("targets", 0))


def _skills(content: Content, path: Path, task: Task, report: Report) -> None:
    skills = content.skill_names()
    at, decoy_at = ("skills",), ("decoy_skill",)
    lacking = [name for name in task.skills if name not in skills]
    remedy = did_you_mean(lacking[0], skills) if lacking else ""
    report.none("task-skills", path, "no such skill", lacking, remedy, at)
    if task.family not in task.skills:
        report.add("task-skills", path, f"the family's own skill {task.family} is not given", line=at)
    if len(task.skills) > MOST_SKILLS:
        report.add("task-skills", path, f"{len(task.skills)} skills, at most {MOST_SKILLS}", line=at)
    if task.decoy_skill in task.skills:
        report.add("task-decoy", path, "the decoy is one of the task's own skills", line=decoy_at)
    if task.decoy_skill not in skills:
        remedy = did_you_mean(task.decoy_skill, skills)
        report.add("task-decoy", path, f"no such skill: {task.decoy_skill}", remedy, decoy_at)


def _own(path: Path, task: Task, report: Report) -> None:
    """A database of the user's own holds what its declaration names, and nothing derived."""
    given = {
        "mode": task.mode is not Mode.RAW,
        "removed_tables": task.removed_tables,
        "kept_tables": task.kept_tables,
        "reference_concept": task.reference_concept,
    }
    for name, wrong in given.items():
        if wrong:
            report.add("task-own", path, f"{name} is for derived tables", line=(name,))


def _against_row(task: Task, row: PublishedTask, paths: FamilyPaths, report: Report) -> None:
    path = paths.task(task.id)
    scored = {column.name: column.tolerance for column in task.scored_columns}
    wanted = dict.fromkeys([*row.value_columns, *row.further_scored], 0.0) | row.tolerances
    pairs: list[tuple[str, object, object]] = [
        ("family", task.family, row.family),
        ("mode", task.mode, row.mode),
        ("database", task.database, row.database),
        ("keys", [key.name for key in task.keys], row.keys),
        ("value_columns", sorted(task.value_columns), sorted(row.value_columns)),
        ("scored_columns", sorted(scored), sorted(wanted)),
        ("tolerances", sorted(scored.items()), sorted(wanted.items())),
        ("key_coverage", task.thresholds.key_coverage, row.key_coverage),
        ("column_accuracy", task.thresholds.column_accuracy, row.column_accuracy),
        ("published_rows", task.published_rows, row.rows),
    ]
    for name, given, published in pairs:
        if given != published:
            line = ("thresholds" if name in THRESHOLDS else name,)
            report.add("task-published", path, f"{name} is {given}, published: {published}", line=line)
    lacking = [name for name in row.removed_tables if name not in task.removed_tables]
    at = ("removed_tables",)
    report.none("task-published", path, "published as removed, but is not", lacking, line=at)
    allowed = {*row.removed_tables, *row.also_removed}
    more = [name for name in task.removed_tables if name not in allowed]
    report.none(
        "task-published", path, "removed beyond the published list", more,
        "Give the reason in published_tasks.json and in docs/m4bench-differences.md.", at,
    )  # fmt: skip
