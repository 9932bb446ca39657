"""A family's files beside each other: rules and time frame, what SQL reads, deviations, examples, checks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.catalog import Content, FamilyFiles, rule_names
from workbench.checks.finding import Report, words_of
from workbench.ehr import DERIVED_SCHEMA, ROUNDED, STEADY, UNSTEADY_COLUMNS, published_schema
from workbench.records import (
    BadInput,
    ColumnType,
    DatabaseChecks,
    Family,
    FamilyAudit,
    FamilyDeviations,
    FamilyPaths,
    Mode,
    OutputChecks,
    Task,
    WorkedExample,
)
from workbench.sql import parse, reads, step_names

NEEDS_CONCEPT = frozenset({"kdigo", "ventilation", "gcs", "sofa", "sepsis3", "vasopressor-equivalents"})
"""Families whose tasks have another grain or other columns than the pinned concept's table."""
LEAST_STAYS, MOST_STAYS = 2, 4
NO_NUMBERS = (ColumnType.TEXT, ColumnType.TIME)
_PREFIX = f"{DERIVED_SCHEMA}."


def check_family(content: Content, family: Family, tasks: Sequence[Task], report: Report) -> None:
    """Everything but texts, skills and the audit's own rules."""
    paths, files = content.family_paths(family.name), content.files(family.name)
    databases = list(dict.fromkeys(task.database for task in tasks))
    if not family.sources:
        report.add("family-sources", paths.family, "no sources", "Name papers, revision and reports.")
    _time_frame(files, family, databases, report)
    for task in tasks:
        _reference_reads(files, task, report)
    for database in databases:
        _other_sql(files, family.name, database, report)
    if paths.output_checks.is_file():
        _output_checks(files.output_checks(), paths, tasks, databases, report)
    else:
        report.add("family-files", paths.output_checks, "there are no output checks")
    examples = files.worked_examples()
    if not examples:
        report.add("family-files", paths.worked_example(), "there is no worked example")
    for example in examples:
        _worked_example(example, files, databases, report)


def reference_rules(files: FamilyFiles, databases: Sequence[str]) -> list[str]:
    """The rules of the declared references of all databases, each once."""
    found = [
        rule
        for database in databases
        if files.paths.reference("public-code", database).is_file()
        for rule in rules_in(files, "public-code", database)
    ]
    return list(dict.fromkeys(found))


def rules_in(files: FamilyFiles, target: str, database: str) -> list[str]:
    """The rules of one reference. Raises BadInput with file and line for a comment that is no rule."""
    try:
        return rule_names(files.reference_sql(target, database))
    except BadInput as error:
        path = files.paths.reference(target, database)
        where = error.where if str(path) in error.where else f"{path}, {error.where}"
        raise BadInput(error.what, where=where, remedy=error.remedy) from None


def check_deviations(
    deviations: FamilyDeviations, audit: FamilyAudit | None, paths: FamilyPaths, report: Report
) -> None:
    """Each deviation has its witness case, and each case that says so has its deviation."""
    cases = {case.id for caveat in audit.caveats for case in caveat.witness} if audit else set()
    lost = [f"{item.id}: {item.witness}" for item in deviations.deviations if item.witness not in cases]
    report.none("deviation-witness", paths.deviations, "no such witness case", lost)


def _time_frame(files: FamilyFiles, family: Family, databases: Sequence[str], report: Report) -> None:
    rules = reference_rules(files, databases)
    framed = [item.rule for item in family.time_frame]
    path = files.paths.family
    report.none(
        "time-frame", path, "rules without a time frame", [rule for rule in rules if rule not in framed]
    )
    report.none("time-frame", path, "time frame of no rule", [rule for rule in framed if rule not in rules])
    report.none(
        "time-frame", path, "framed twice", sorted({rule for rule in framed if framed.count(rule) > 1})
    )


def _reference_reads(files: FamilyFiles, task: Task, report: Report) -> None:
    for target in task.targets:
        path = files.paths.reference(target.name, task.database)
        if not path.is_file():
            continue
        sql = files.reference_sql(target.name, task.database)
        raw, concepts = _split(sql)
        known = set(published_schema(task.database).names)
        report.none("reference-reads", path, "no published table", sorted(raw - known))
        unsteady = sorted(concepts - STEADY - ROUNDED)
        report.none("reference-reads", path, "concepts whose rows depend on ties", unsteady)
        columns = {name for concept in concepts for name in UNSTEADY_COLUMNS.get(concept, ())}
        report.none("reference-reads", path, "columns that depend on ties", sorted(columns & words_of(sql)))
        hidden = sorted(concepts & set(task.removed_tables)) if task.mode is Mode.STANDARD else []
        report.none("reference-reads", path, f"concepts that {task.id} removes", hidden)
        if target.name == "public-code" and not rules_in(files, target.name, task.database):
            report.add("reference-rules", path, "no rule is named")


def _other_sql(files: FamilyFiles, family: str, database: str, report: Report) -> None:
    paths, known = files.paths, set(published_schema(database).names)
    if paths.naive(database).is_file():
        read = reads(files.naive_sql(database))
        report.none("naive-reads", paths.naive(database), "not raw tables", sorted(read - known))
    else:
        report.add("family-files", paths.naive(database), "there is no naive derivation")
    if database == "mimic-iv" and family in NEEDS_CONCEPT and not paths.concept(database).is_file():
        report.add("family-files", paths.concept(database), "the concept in the tasks' grain is not there")


def _output_checks(
    checks: OutputChecks, paths: FamilyPaths, tasks: Sequence[Task], databases: Sequence[str], report: Report
) -> None:
    path = paths.output_checks
    lacking = [database for database in databases if checks.of(database) is None]
    report.none("output-checks", path, "no checks for", lacking)
    for task in tasks:
        entry = checks.of(task.database)
        if entry is None:
            continue
        named = [*entry.cohort_keys, *(item.column for item in entry.ranges)]
        unknown = sorted(set(named) - set(task.required_columns))
        report.none("output-checks", path, f"no columns of {task.id}", unknown)
        _numbers_of_no_number(entry, task, path, report)
        known = set(published_schema(task.database).names)
        for sql in (entry.cohort, *(item.sql for item in entry.counts)):
            report.none("output-checks", path, "reads other than raw tables", sorted(reads(sql) - known))
        _statements(entry, path, report)
        if not entry.counts:
            report.add("output-checks", path, f"no intermediate counts for {task.database}")


def _numbers_of_no_number(checks: DatabaseChecks, task: Task, path: Path, report: Report) -> None:
    """Bounds and numbers hold for values; a key is no quantity, and a text or a time no number."""
    told = {column.name: f"a {column.type}" for column in task.scored_columns if column.type in NO_NUMBERS}
    told |= {key.name: "a key" for key in task.keys}
    wrong = [
        f"{item.column} ({told[item.column]})"
        for item in checks.ranges
        if item.asks_for_numbers and item.column in told
    ]
    report.none("output-checks", path, "low, high and numbers are for columns of numbers, not for", wrong)


def _statements(checks: DatabaseChecks, path: Path, report: Report) -> None:
    """All SQL of the checks can be read; a relation is a condition over one row of the output."""
    _one_statement("cohort", checks.cohort, path, report)
    for count in checks.counts:
        _one_statement(f"count '{count.step}'", count.sql, path, report)
    for relation in checks.relations:
        sql = f"SELECT ({relation.sql}\n) FROM output"
        _one_statement(f"relation '{relation.says}'", sql, path, report)
        more = sorted(reads(sql) - {"output"})
        report.none("output-checks", path, f"relation '{relation.says}' reads", more)


def _one_statement(what: str, sql: str, path: Path, report: Report) -> None:
    script = parse(sql)
    if not script.exact or len(script.statements) != 1:
        report.add("output-checks", path, f"{what}: not one statement that can be read")


def _worked_example(
    example: WorkedExample, files: FamilyFiles, databases: Sequence[str], report: Report
) -> None:
    path = files.paths.worked_example()
    if example.database not in databases:
        report.add("worked-example", path, f"the family has no task on {example.database}")
        return
    sql = files.reference_sql("public-code", example.database)
    raw, concepts = _split(sql)
    steps = set(step_names(sql)) | {f"{_PREFIX}{name}" for name in concepts}
    named = {step.step for stay in example.stays for step in stay.intermediate}
    report.none("worked-example", path, "no step of the reference", sorted(named - steps - raw))
    if not LEAST_STAYS <= len(example.stays) <= MOST_STAYS:
        report.add("worked-example", path, f"{len(example.stays)} stays, {LEAST_STAYS} to {MOST_STAYS} asked")


def _split(sql: str) -> tuple[set[str], set[str]]:
    """Raw tables (qualified) and concepts (bare) that a script reads."""
    read = reads(sql)
    concepts = {name.removeprefix(_PREFIX) for name in read if name.startswith(_PREFIX)}
    return {name for name in read if not name.startswith(_PREFIX)}, concepts
