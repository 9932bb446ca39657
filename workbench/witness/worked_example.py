"""Run a worked example: each made-up stay through the reference, and its named steps."""

from __future__ import annotations

from workbench.catalog import Content
from workbench.ehr import DERIVED_SCHEMA, ConceptSql, schema_of
from workbench.records import IntermediateStep, Part, WitnessCase, WorkedExample
from workbench.records.audit import Cell
from workbench.sql import step_query
from workbench.witness.asking import ask_each, concept_scripts
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
    steps = _step_names(example)
    cases = [
        WitnessCase(id=stay.id, story=stay.story, tables=stay.tables, reference=stay.expected)
        for stay in example.stays
    ]
    queries = [sql, *(_step_sql(sql, name) for name in steps)]
    answers, *by_step = ask_each(cases, queries, schema_of(content, example.database), scripts, limits)
    details: dict[str, list[str]] = {}
    for place, (stay, answer) in enumerate(zip(example.stays, answers, strict=True)):
        told = [answer.problem] if answer.problem else unmet(stay.expected, answer.records())
        for name, given in zip(steps, by_step, strict=True):
            for step in stay.intermediate:
                if step.step == name:
                    told += _unmet_step(step, given[place])
        details[stay.id] = told
    return [
        ExampleCheck(database=example.database, stay=name, passed=not told, details=told)
        for name, told in details.items()
    ]


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
