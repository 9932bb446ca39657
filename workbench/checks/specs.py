"""Instructions and operational specifications: complete in their columns, free of the dataset's details."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.catalog import Content
from workbench.checks.finding import (
    EMPTY_LINE,
    ITEM_ID,
    SQL_WORDS,
    Report,
    named_tables,
    telling_columns,
    unmeant_bullets,
    words_of,
)
from workbench.records import FamilyPaths, Task

MAX_INSTRUCTION_CHARACTERS = 4_000
SAID = frozenset(
    {"subject_id", "stay_id", "hadm_id", "patientunitstayid", "uniquepid", "patienthealthsystemstayid"}
)
"""Identifiers that a specification may name although they are columns of tables."""


def check_texts(content: Content, paths: FamilyPaths, tasks: Sequence[Task], report: Report) -> None:
    """The texts of one family's tasks."""
    specs: dict[str, dict[str, str]] = {}
    for task in tasks:
        instruction, spec = content.instruction(task.id), content.operational_spec(task.id)
        specs.setdefault(task.database, {})[task.id] = spec
        _instruction(task, paths, instruction, spec, report)
        _spec(task, paths, spec, report)
    for database, texts in specs.items():
        if len(set(texts.values())) > 1:
            where = paths.operational_spec(next(iter(texts)))
            report.add("spec-equal", where, f"the tasks on {database} have different specifications")


def _instruction(task: Task, paths: FamilyPaths, text: str, spec: str, report: Report) -> None:
    path = paths.instruction(task.id)
    _both("instruction", task, text, report, paths, spec=False)
    if "mimiciv_" in text or "eicu_crd" in text:
        report.add("instruction-sparse", path, "names a schema")
    if "skill" in text.lower():
        report.add("instruction-sparse", path, "speaks of skills")
    if len(text) > MAX_INSTRUCTION_CHARACTERS:
        report.add(
            "instruction-sparse", path, f"{len(text)} characters, at most {MAX_INSTRUCTION_CHARACTERS}"
        )
    if len(text) >= len(spec):
        report.add("instruction-sparse", path, "is as long as the operational specification")


def _spec(task: Task, paths: FamilyPaths, text: str, report: Report) -> None:
    path = paths.operational_spec(task.id)
    _both("spec", task, text, report, paths, spec=True)
    allowed = SAID | set(task.required_columns)
    report.none(
        "spec-recipe",
        path,
        "names columns of the database",
        sorted((words_of(text) & telling_columns()) - allowed),
    )
    report.none("spec-recipe", path, "words of SQL", sorted({found[0] for found in SQL_WORDS.finditer(text)}))
    if "```" in text:
        report.add("spec-recipe", path, "holds a code block")


def _both(kind: str, task: Task, text: str, report: Report, paths: FamilyPaths, *, spec: bool) -> None:
    path = paths.operational_spec(task.id) if spec else paths.instruction(task.id)
    lacking = [name for name in task.required_columns if f"`{name}`" not in text]
    report.none(f"{kind}-columns", path, "does not name the columns", lacking, "Write each in code type.")
    report.none(f"{kind}-items", path, "item ids", sorted(set(ITEM_ID.findall(text))))
    report.none(f"{kind}-list", path, "a list right below text, at lines", unmeant_bullets(text), EMPTY_LINE)
    required = set(task.required_columns)
    report.none(
        f"{kind}-tables", path, "names tables", [name for name in named_tables(text) if name not in required]
    )
