"""Instructions and operational specifications: complete in their columns, free of the dataset's details."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.catalog import Content
from workbench.checks.finding import Report, line_with
from workbench.checks.words import (
    EMPTY_LINE,
    ITEM_ID,
    SQL_WORDS,
    named_tables,
    telling_in,
    unmeant_bullets,
    words_of,
)
from workbench.ehr import PublishedSchema, schema_of
from workbench.records import FamilyPaths, Task

MAX_INSTRUCTION_CHARACTERS = 4_000
MAX_SPEC_CHARACTERS = 40_000
SAID = frozenset(
    {"subject_id", "stay_id", "hadm_id", "patientunitstayid", "uniquepid", "patienthealthsystemstayid"}
)
"""Identifiers that a specification may name although they are columns of tables."""


def check_texts(content: Content, paths: FamilyPaths, tasks: Sequence[Task], report: Report) -> None:
    """The texts of one family's tasks."""
    specs: dict[str, dict[str, str]] = {}
    for task in tasks:
        schema = schema_of(content, task.database)
        instruction, spec = content.instruction(task.id), content.operational_spec(task.id)
        specs.setdefault(task.database, {})[task.id] = spec
        _instruction(task, schema, paths, instruction, spec, report)
        _spec(task, schema, paths, spec, report)
    for database, texts in specs.items():
        if len(set(texts.values())) > 1:
            where = paths.operational_spec(next(iter(texts)))
            report.add("spec-equal", where, f"the tasks on {database} have different specifications")


def _instruction(
    task: Task, schema: PublishedSchema, paths: FamilyPaths, text: str, spec: str, report: Report
) -> None:
    path = paths.instruction(task.id)
    _both("instruction", task, schema, text, report, paths, spec=False)
    for words, what in (
        ("mimiciv_", "names a schema"),
        ("eicu_crd", "names a schema"),
        ("skill", "speaks of skills"),
    ):
        if words in (text if "_" in words else text.lower()):
            report.add("instruction-sparse", path, what, line=line_with(path, words))
    if len(text) > MAX_INSTRUCTION_CHARACTERS:
        report.add(
            "instruction-sparse", path, f"{len(text)} characters, at most {MAX_INSTRUCTION_CHARACTERS}"
        )
    if len(text) >= len(spec):
        report.add("instruction-sparse", path, "is as long as the operational specification")


def _spec(task: Task, schema: PublishedSchema, paths: FamilyPaths, text: str, report: Report) -> None:
    path = paths.operational_spec(task.id)
    _both("spec", task, schema, text, report, paths, spec=True)
    allowed = SAID | set(task.required_columns)
    told = sorted((words_of(text) & telling_in(schema)) - allowed)
    report.none("spec-recipe", path, "names columns of the database", told)
    report.none("spec-recipe", path, "words of SQL", sorted({found[0] for found in SQL_WORDS.finditer(text)}))
    if "```" in text:
        report.add("spec-recipe", path, "holds a code block", line=line_with(path, "```"))
    if len(text) > MAX_SPEC_CHARACTERS:
        report.add("spec-recipe", path, f"{len(text):,} characters, at most {MAX_SPEC_CHARACTERS:,}")


def _both(
    kind: str,
    task: Task,
    schema: PublishedSchema,
    text: str,
    report: Report,
    paths: FamilyPaths,
    *,
    spec: bool,
) -> None:
    path = paths.operational_spec(task.id) if spec else paths.instruction(task.id)
    lacking = [name for name in task.required_columns if f"`{name}`" not in text]
    report.none(f"{kind}-columns", path, "does not name the columns", lacking)
    report.none(f"{kind}-items", path, "item ids", sorted(set(ITEM_ID.findall(text))))
    bullets = unmeant_bullets(text)
    report.none(
        f"{kind}-list", path, "a list right below text, at lines", bullets, EMPTY_LINE, next(iter(bullets), 1)
    )
    required = set(task.required_columns)
    named = [name for name in named_tables(text, schema) if name not in required]
    report.none(f"{kind}-tables", path, "names tables", named)
