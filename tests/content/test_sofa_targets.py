"""The other targets of SOFA on the witness cases: the publication's, and the benchmark's own reading."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.catalog import Content
from workbench.ehr import ConceptSql, Connection, connect, published_schema
from workbench.ehr.connect import rows
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.records import Expectation, WitnessCase

FAMILY = "sofa"
ADJUDICATED, ACCEPTED = "adjudicated", "accepted-m4bench"
CONCEPTS = ["ventilator_setting", "oxygen_delivery", "ventilation", "gcs"]
SETTLED = {
    ADJUDICATED: [
        "ratio-80-under-a-mask",
        "supported-ratio-250",
        "supported-ratio-350",
        "venous-gas-under-a-tube",
        "started-before-the-window",
        "rate-of-zero",
        "ten-minutes",
        "six-hours-with-300-ml",
        "bilirubin-12",
        "creatinine-5",
    ],
    ACCEPTED: ["rate-of-zero"],
}
"""Cases whose ``definition`` the target gives."""

AS_PUBLIC = {
    ADJUDICATED: [
        "ratio-80-under-a-tube",
        "ratio-80-through-a-tracheostomy",
        "cuff-only-65",
        "exactly-a-tenth",
    ],
    ACCEPTED: [
        "supported-ratio-250",
        "ten-minutes",
        "bilirubin-12",
        "six-hours-with-300-ml",
        "nothing-measured",
    ],
}
"""Cases in which the target keeps to the public code."""


@pytest.fixture
def connection() -> Iterator[Connection]:
    opened = connect(threads=1)
    for name in {*published_schema().schemas, DERIVED_SCHEMA}:
        opened.execute(f"CREATE SCHEMA {name}")
    for table in published_schema().tables:
        columns = ", ".join(f'"{name}" {kind}' for name, kind in table.types.items())
        opened.execute(f"CREATE TABLE {table.name} ({columns})")
    yield opened
    opened.close()


def case_of(content: Content, name: str) -> WitnessCase:
    audit = content.audit(FAMILY)
    return next(case for caveat in audit.caveats for case in caveat.witness if case.id == name)


def derive(
    connection: Connection, content: Content, concept_sql: ConceptSql, target: str, case: WitnessCase
) -> None:
    for given in case.tables:
        types = published_schema().table(given.table).types
        for row in given.rows:
            values = ", ".join(f"${place}::{types[name]}" for place, name in enumerate(row, 1))
            connection.execute(
                f"INSERT INTO {given.table} ({', '.join(row)}) VALUES ({values})", list(row.values())
            )
    texts = concept_sql.texts()
    for concept in CONCEPTS:
        connection.execute(texts[concept])
    connection.execute(f"CREATE TABLE found AS {content.reference_sql(FAMILY, target, 'mimic-iv')}")


def assert_given(connection: Connection, wanted: list[Expectation]) -> None:
    assert wanted
    for row in wanted:
        key = " AND ".join(f"{name} = {value}" for name, value in row.key.items())
        names = [*row.values, *row.null]
        found = rows(connection, f"SELECT {', '.join(names)} FROM found WHERE {key}")
        assert found == [(*row.values.values(), *[None] * len(row.null))]


@pytest.mark.parametrize(("target", "name"), [(t, n) for t, names in SETTLED.items() for n in names])
def test_the_target_gives_the_definition(
    connection: Connection, content: Content, concept_sql: ConceptSql, target: str, name: str
) -> None:
    case = case_of(content, name)
    derive(connection, content, concept_sql, target, case)
    assert_given(connection, case.definition)


@pytest.mark.parametrize(("target", "name"), [(t, n) for t, names in AS_PUBLIC.items() for n in names])
def test_the_target_keeps_to_the_public_code(
    connection: Connection, content: Content, concept_sql: ConceptSql, target: str, name: str
) -> None:
    case = case_of(content, name)
    derive(connection, content, concept_sql, target, case)
    assert_given(connection, case.reference)


def test_the_benchmark_counts_no_venous_gas_and_leaves_nothing_empty(
    connection: Connection, content: Content, concept_sql: ConceptSql
) -> None:
    derive(connection, content, concept_sql, ACCEPTED, case_of(content, "venous-gas-under-a-tube"))
    assert rows(connection, "SELECT sofa, respiration FROM found") == [(0, 0)]


def test_a_tube_makes_consciousness_unknown(
    connection: Connection, content: Content, concept_sql: ConceptSql
) -> None:
    derive(connection, content, concept_sql, ADJUDICATED, case_of(content, "tube-and-no-response"))
    assert rows(connection, "SELECT sofa, cns FROM found") == [(None, None)]
