"""A family's files beside each other: rules and time frame, what SQL reads, deviations, examples, checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from workbench.catalog import Content, FamilyFiles, did_you_mean, rule_names
from workbench.checks.audits import check_rows
from workbench.checks.finding import Place, Report, line_with, toml_line
from workbench.checks.stages import check_stages
from workbench.checks.statements import check_columns, check_names, check_statements, is_one_select
from workbench.checks.words import words_of
from workbench.ehr import DERIVED_SCHEMA, ROUNDED, STEADY, UNSTEADY_COLUMNS, PublishedSchema, schema_of
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
from workbench.sql import beyond_tables, reads, step_names

NEEDS_CONCEPT = frozenset({"kdigo", "ventilation", "gcs", "sofa", "sepsis3", "vasopressor-equivalents"})
"""Families whose tasks have another grain or other columns than the pinned concept's table."""
NO_NUMBERS = (ColumnType.TEXT, ColumnType.TIME)
_PREFIX = f"{DERIVED_SCHEMA}."


def check_family(content: Content, family: Family, tasks: Sequence[Task], report: Report) -> None:
    """Everything but texts, skills and the audit's own rules."""
    paths, files = content.family_paths(family.name), content.files(family.name)
    schemas = {task.database: schema_of(content, task.database) for task in tasks}
    databases = list(schemas)
    if not family.sources:
        line = ("sources",)
        report.add("family-sources", paths.family, "no sources", line=line)
    _time_frame(files, family, databases, report)
    for task in tasks:
        _reference_reads(files, task, schemas[task.database], report)
    for database, schema in schemas.items():
        _other_sql(files, family.name, database, schema, report)
    if paths.output_checks.is_file():
        _output_checks(files.output_checks(), files, tasks, schemas, report)
    else:
        report.add("family-files", paths.output_checks, "there are no output checks")
    check_stages(files, schemas, report)
    examples = files.worked_examples()
    if not examples:
        report.add("family-files", paths.worked_example(), "there is no worked example")
    for example in examples:
        _worked_example(example, files, schemas, report)


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
    for place, item in enumerate(deviations.deviations):
        if item.witness not in cases:
            line = ("deviations", place, "witness")
            what = f"no such witness case: {item.id}: {item.witness}"
            report.add("deviation-witness", paths.deviations, what, did_you_mean(item.witness, cases), line)


def _time_frame(files: FamilyFiles, family: Family, databases: Sequence[str], report: Report) -> None:
    rules = reference_rules(files, databases)
    framed = [item.rule for item in family.time_frame]
    path = files.paths.family
    lacking = [rule for rule in rules if rule not in framed]
    report.none("time-frame", path, "rules without a time frame", lacking, line=("time_frame", 0))
    for place, rule in enumerate(framed):
        line = ("time_frame", place, "rule")
        if rule not in rules:
            what, remedy = f"time frame of no rule: {rule}", did_you_mean(rule, lacking)
            report.add("time-frame", path, what, remedy, line)
        elif rule in framed[:place]:
            report.add("time-frame", path, f"framed twice: {rule}", line=line)


def _reference_reads(files: FamilyFiles, task: Task, schema: PublishedSchema, report: Report) -> None:
    for target in task.targets:
        path = files.paths.reference(target.name, task.database)
        if not path.is_file():
            continue
        sql = files.reference_sql(target.name, task.database)
        if not is_one_select("reference-sql", path, sql, schema, report):
            continue
        raw, concepts = _split(sql, schema)
        known = set(schema.names)
        lacks = "no table of the database" if schema.own else "no published table"
        report.none("reference-reads", path, lacks, sorted(raw - known), _near(raw, known))
        given = check_names("reference-sql", path, sql, schema, report)
        if given is not None:
            check_columns(files.paths.task(task.id), path, [task], given, report)
        unsteady = sorted(concepts - STEADY - ROUNDED)
        report.none("reference-reads", path, "concepts whose rows depend on ties", unsteady)
        columns = {name for concept in concepts for name in UNSTEADY_COLUMNS.get(concept, ())}
        report.none("reference-reads", path, "columns that depend on ties", sorted(columns & words_of(sql)))
        hidden = sorted(concepts & set(task.removed_tables)) if task.mode is Mode.STANDARD else []
        report.none("reference-reads", path, f"concepts that {task.id} removes", hidden)
        if target.name == "public-code" and not rules_in(files, target.name, task.database):
            report.add("reference-rules", path, "no rule is named")


def _other_sql(
    files: FamilyFiles, family: str, database: str, schema: PublishedSchema, report: Report
) -> None:
    paths, known = files.paths, set(schema.names)
    if paths.naive(database).is_file():
        sql = files.naive_sql(database)
        read = _qualified(sql, schema)
        lost = sorted(read - known)
        report.none("naive-reads", paths.naive(database), "not raw tables", lost, _near(read, known))
        if is_one_select("naive-sql", paths.naive(database), sql, schema, report):
            check_names("naive-sql", paths.naive(database), sql, schema, report)
    else:
        report.add("family-files", paths.naive(database), "there is no naive derivation")
    if database == "mimic-iv" and family in NEEDS_CONCEPT and not paths.concept(database).is_file():
        report.add("family-files", paths.concept(database), "the concept in the tasks' grain is not there")


def _output_checks(
    checks: OutputChecks,
    files: FamilyFiles,
    tasks: Sequence[Task],
    schemas: Mapping[str, PublishedSchema],
    report: Report,
) -> None:
    path = files.paths.output_checks
    lacking = [database for database in schemas if checks.of(database) is None]
    report.none("output-checks", path, "no checks for", lacking, "Add [[databases]] for it.", 1)
    for place, entry in enumerate(checks.databases):
        if entry.database not in schemas:
            what = f"the family has no task on {entry.database}"
            report.add("output-checks", path, what, line=("databases", place, "database"))
            continue
        known = set(schemas[entry.database].names)
        for sql in (entry.cohort, *(item.sql for item in entry.counts)):
            read = _qualified(sql, schemas[entry.database])
            lost = sorted(read - known)
            line = line_with(path, lost[0].split(".")[-1]) if lost else 1
            report.none("output-checks", path, "reads other than raw tables", lost, _near(read, known), line)
        _statements(entry, path, ("databases", place), report)
        own, schema = [task for task in tasks if task.database == entry.database], schemas[entry.database]
        start = toml_line(path, "databases", place)
        check_statements(entry, files, own, schema, start, report)
        if not entry.counts:
            what = f"no intermediate counts for {entry.database}"
            report.add("output-checks", path, what, line=("databases", place))
        for task in tasks:
            if task.database == entry.database:
                named = [*entry.cohort_keys, *(item.column for item in entry.ranges)]
                unknown = sorted(set(named) - set(task.required_columns))
                remedy = did_you_mean(unknown[0], task.required_columns) if unknown else ""
                report.none("output-checks", path, f"no columns of {task.id}", unknown, remedy)
                _numbers_of_no_number(entry, task, path, report)


def _numbers_of_no_number(checks: DatabaseChecks, task: Task, path: Path, report: Report) -> None:
    """Bounds and numbers hold for values; a key is no quantity, and a text or a time no number."""
    told = {column.name: f"a {column.type}" for column in task.scored_columns if column.type in NO_NUMBERS}
    told |= {key.name: "a key" for key in task.keys}
    wrong = [
        f"{item.column} ({told[item.column]})"
        for item in checks.ranges
        if item.asks_for_numbers and item.column in told
    ]
    what = "low, high and numbers are for columns of numbers, not for"
    line = line_with(path, wrong[0].split(" ")[0]) if wrong else 1
    report.none("output-checks", path, what, wrong, "Take the bounds out, or name a column of numbers.", line)


def _statements(checks: DatabaseChecks, path: Path, line: Place, report: Report) -> None:
    """All SQL of the checks can be read; a relation is a condition over one row of the output."""
    _one_statement("cohort", checks.cohort, path, line, report)
    for count in checks.counts:
        _one_statement(f"count '{count.step}'", count.sql, path, line_with(path, count.step), report)
    for relation in checks.relations:
        sql, at = f"SELECT ({relation.sql}\n) FROM output", line_with(path, relation.says)
        _one_statement(f"relation '{relation.says}'", sql, path, at, report)
        more = sorted(reads(sql) - {"output"})
        report.none("output-checks", path, f"relation '{relation.says}' reads", more, line=at)


def _one_statement(what: str, sql: str, path: Path, line: int | Place, report: Report) -> None:
    for told in beyond_tables(sql)[:1]:
        report.add("output-checks", path, f"{what}: {told}", line=line)


def _worked_example(
    example: WorkedExample, files: FamilyFiles, schemas: Mapping[str, PublishedSchema], report: Report
) -> None:
    path = files.paths.worked_example(example.database)
    path = path if path.is_file() else files.paths.worked_example()
    if example.database not in schemas:
        line = ("database",)
        report.add("worked-example", path, f"the family has no task on {example.database}", line=line)
        return
    for place, stay in enumerate(example.stays):
        what, at = f"stay {stay.id}", ("stays", place)
        check_rows("worked-example", what, stay.tables, schemas[example.database], path, at, report)
    if not files.paths.reference("public-code", example.database).is_file():
        return
    sql = files.reference_sql("public-code", example.database)
    raw, concepts = _split(sql, schemas[example.database])
    steps = set(step_names(sql)) | {f"{_PREFIX}{name}" for name in concepts}
    named = {step.step for stay in example.stays for step in stay.intermediate}
    lost = sorted(named - steps - raw)
    remedy = did_you_mean(lost[0], steps) if lost else ""
    report.none("worked-example", path, "no step of the reference", lost, remedy)


def _qualified(sql: str, schema: PublishedSchema) -> set[str]:
    """The tables that a script reads; in a database of the user's own a bare name is one of ``main``."""
    return {schema.qualified(name) if schema.own else name for name in reads(sql)}


def _near(read: Iterable[str], known: Collection[str]) -> str:
    """What the first table that is not known may have been meant as."""
    lost = sorted(set(read) - set(known))
    return did_you_mean(lost[0], known) if lost else ""


def _split(sql: str, schema: PublishedSchema) -> tuple[set[str], set[str]]:
    """Raw tables (qualified) and concepts (bare) that a script reads."""
    read = _qualified(sql, schema)
    concepts = {name.removeprefix(_PREFIX) for name in read if name.startswith(_PREFIX)}
    return {name for name in read if not name.startswith(_PREFIX)}, concepts
