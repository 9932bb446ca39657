"""Run a worked example: each made-up stay through the reference, and its named steps."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.catalog import Content
from workbench.ehr import DERIVED_SCHEMA, ConceptSql
from workbench.records import ExampleStay, IntermediateStep, Part, WitnessCase, WorkedExample
from workbench.records.audit import Cell
from workbench.sql import step_query
from workbench.witness.asking import ask_cases, concept_scripts
from workbench.witness.expect import same, shown, unmet
from workbench.witness.worker_request import WorkerAnswer, WorkerLimits

Row = dict[str, Cell]


class ExampleCheck(Part):
    """One stay; ``details`` say, a line each, what was written down and what came instead."""

    database: str
    stay: str
    passed: bool
    details: list[str] = []


def run_worked_example(
    content: Content,
    family: str,
    *,
    database: str = "",
    concept_sql: ConceptSql | None = None,
    limits: WorkerLimits | None = None,
) -> list[ExampleCheck]:
    """Whether the reference gives every intermediate and expected row of the family's worked example.

    All SQL runs in a locked worker process. Raises BadInput where there is no example, for rows that do not
    fit the schema, for a step that the reference does not have, and for concepts that are not at hand.
    """
    example = content.files(family).worked_example(database)
    sql = content.reference_sql(family, "public-code", example.database)
    scripts = concept_scripts(concept_sql)
    details: dict[str, list[str]] = {stay.id: [] for stay in example.stays}
    for stay, answer in _ask(example, example.stays, sql, scripts, limits):
        details[stay.id] += [answer.problem] if answer.problem else unmet(stay.expected, answer.records())
    for name in _step_names(example):
        stays = [stay for stay in example.stays if any(step.step == name for step in stay.intermediate)]
        for stay, answer in _ask(example, stays, _step_sql(sql, name), scripts, limits):
            for step in stay.intermediate:
                if step.step == name:
                    details[stay.id] += _unmet_step(step, answer)
    return [
        ExampleCheck(database=example.database, stay=name, passed=not told, details=told)
        for name, told in details.items()
    ]


def _ask(
    example: WorkedExample,
    stays: list[ExampleStay],
    sql: str,
    scripts: Mapping[str, str],
    limits: WorkerLimits | None,
) -> list[tuple[ExampleStay, WorkerAnswer]]:
    cases = [
        WitnessCase(id=stay.id, story=stay.story, tables=stay.tables, reference=stay.expected)
        for stay in stays
    ]
    return list(zip(stays, ask_cases(cases, sql, example.database, scripts, limits), strict=True))


def _step_names(example: WorkedExample) -> list[str]:
    return list(dict.fromkeys(step.step for stay in example.stays for step in stay.intermediate))


def _step_sql(sql: str, step: str) -> str:
    if step.startswith(f"{DERIVED_SCHEMA}."):
        return f"SELECT * FROM {step}"
    return step_query(sql, step)


def _unmet_step(step: IntermediateStep, answer: WorkerAnswer) -> list[str]:
    """Where the step's rows, cut down to the columns named, are not exactly those written down."""
    if answer.problem:
        return [f"{step.step}: {answer.problem}"]
    lacking = [name for name in step.columns if name not in answer.columns]
    if lacking:
        return [f"{step.step}: no column {', '.join(lacking)}"]
    left = [{name: row[name] for name in step.columns} for row in answer.records()]
    missing = []
    for row in step.rows:
        found = next((other for other in left if _equal(row.cells, other)), None)
        if found is None:
            missing.append(row.cells)
        else:
            left.remove(found)
    return [f"{step.step}: not there: {_told(row)}" for row in missing] + [
        f"{step.step}: not written down: {_told(row) or 'a row'}" for row in left
    ]


def _equal(one: Row, other: Row) -> bool:
    return all(same(value, other[name]) for name, value in one.items())


def _told(row: Row) -> str:
    return ", ".join(f"{name} {shown(value)}" for name, value in row.items())
