"""SQL of a family, bound on empty tables: syntax, names of columns, and that only tables are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.catalog import FamilyFiles, did_you_mean
from workbench.checks.finding import Report, line_with, text_at
from workbench.ehr import DERIVED_SCHEMA, PublishedSchema
from workbench.ehr.content_sql import ONLY_TABLES
from workbench.ehr.empty_tables import SqlFault, empty_tables
from workbench.records import BadInput, DatabaseChecks, Task
from workbench.sql import beyond_tables, parse, reads

PRIMARY = "public-code"
UNTYPED = "VARCHAR"
"""Columns of an output whose type the reference does not tell."""


def is_one_select(rule: str, path: Path, sql: str, schema: PublishedSchema, report: Report) -> bool:
    """Whether a file's SQL can be read and reads tables only; where not, that is noted with its line."""
    statements = parse(sql).statements
    if len(statements) > 1:
        report.add(rule, path, f"{len(statements)} statements", "Write one SELECT.", statements[1].line)
        return False
    found = empty_tables(schema).columns(sql)
    if isinstance(found, SqlFault) and found.syntax:
        report.add(rule, path, found.what, found.remedy, found.line)
        return False
    beyond = beyond_tables(sql)
    if beyond:
        words = beyond[0].split(" ")[-1].removesuffix("(…)")
        report.add(rule, path, beyond[0], ONLY_TABLES, line_with(path, words))
    return not beyond


def check_names(
    rule: str, path: Path, sql: str, schema: PublishedSchema, report: Report
) -> dict[str, str] | None:
    """The columns that a file's SQL gives, with types; None where it cannot be told, or is noted as wrong."""
    if not _can_be_bound(sql, schema):
        return None
    found = empty_tables(schema).columns(sql)
    if isinstance(found, SqlFault):
        report.add(rule, path, found.what, found.remedy, found.line)
        return None
    return found


def check_columns(
    path: Path, reference: Path, tasks: Sequence[Task], given: Mapping[str, str], report: Report
) -> None:
    """A reference gives what its tasks ask for; ``path`` is the folder's ``task.toml``."""
    for task in tasks:
        lacking = [name for name in task.reference_columns if name not in given]
        remedy = f"Give it in {reference.name}, or correct task.toml."
        near = did_you_mean(lacking[0], given, remedy) if lacking else ""
        report.none("task-columns", path, f"{reference.name} gives no column", lacking, near)


def check_statements(
    checks: DatabaseChecks,
    files: FamilyFiles,
    tasks: Sequence[Task],
    schema: PublishedSchema,
    start: int,
    report: Report,
) -> None:
    """Names in the SQL of an output's checks, which stand from line ``start`` on."""
    path, engine = files.paths.output_checks, empty_tables(schema)
    counts = [(f"count '{item.step}'", item.sql) for item in checks.counts]
    for what, sql in [("cohort", checks.cohort), *counts]:
        if beyond_tables(sql) or not _can_be_bound(sql, schema):
            continue
        found = engine.columns(sql)
        if isinstance(found, SqlFault):
            _add(path, what, sql, found, start, report)
        elif what == "cohort":
            lacking = [name for name in checks.cohort_keys if name not in found]
            near = did_you_mean(lacking[0], found, "Give it in the SELECT.") if lacking else ""
            at = _line(path, sql, 1, start)
            report.none("output-checks", path, "cohort gives no column", lacking, near, at)
    for task in tasks:
        types = _output_types(files, task, schema)
        for item in checks.relations:
            fault = engine.fault_in_condition(item.sql, "output", types)
            if fault is not None and fault.of_a_name:
                _add(path, f"relation '{item.says}'", item.sql, fault, start, report)


def _output_types(files: FamilyFiles, task: Task, schema: PublishedSchema) -> dict[str, str]:
    """The columns of an output, with the types that they have in the reference."""
    try:
        sql = files.reference_sql(PRIMARY, task.database)
    except BadInput:
        sql = ""
    found = empty_tables(schema).columns(sql) if sql and _can_be_bound(sql, schema) else {}
    known = {} if isinstance(found, SqlFault) else found
    return {name: known.get(name, UNTYPED) for name in task.required_columns}


def _can_be_bound(sql: str, schema: PublishedSchema) -> bool:
    """Not where it reads concepts, whose types are not known, or tables that are not there."""
    read = {schema.qualified(name) if schema.own else name for name in reads(sql)}
    return not any(name.startswith(f"{DERIVED_SCHEMA}.") for name in read) and read <= set(schema.names)


def _add(path: Path, what: str, sql: str, fault: SqlFault, start: int, report: Report) -> None:
    at = _line(path, sql, fault.line, start)
    report.add("output-checks", path, f"{what}: {fault.what}", fault.remedy, at)


def _line(path: Path, sql: str, line: int, start: int) -> int:
    """Where a line of SQL stands in its TOML file from ``start`` on; there if it is spelt otherwise."""
    told = sql.splitlines()[min(line, len(sql.splitlines())) - 1].strip()
    for number, text in enumerate(text_at(path).split("\n"), 1):
        if number >= start and told in text:
            return number
    return start
