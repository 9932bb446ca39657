"""The other targets of suspicion of infection on the witness cases: what the source definition says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema
from workbench.ehr.connect import rows
from workbench.records import WitnessCase

FAMILY = "suspicion-infection"
ADJUDICATED, ACCEPTED = "adjudicated", "accepted-mimic-code-2026"
SETTLED = {
    ADJUDICATED: [
        "mrsa-screen-with-cefazolin",
        "serology-with-vancomycin",
        "same-minute",
        "midnight-before-arrival",
        "cancelled-culture",
        "negative-before-positive-at-one-moment",
        "organism-without-item",
    ],
    ACCEPTED: ["cancelled-culture", "negative-before-positive-at-one-moment"],
}
"""Cases whose ``definition`` the target gives."""

AS_PUBLIC = {
    ADJUDICATED: ["single-dose-before-surgery", "date-only-ninety-hours", "culture-never-resulted"],
    ACCEPTED: ["mrsa-screen-with-cefazolin", "same-minute", "organism-without-item"],
}
"""Cases in which the target keeps to the public code although some definition says otherwise."""


@pytest.fixture
def connection() -> Iterator[Connection]:
    opened = connect(threads=1)
    for name in published_schema().schemas:
        opened.execute(f"CREATE SCHEMA {name}")
    for table in published_schema().tables:
        columns = ", ".join(f'"{name}" {kind}' for name, kind in table.types.items())
        opened.execute(f"CREATE TABLE {table.name} ({columns})")
    yield opened
    opened.close()


def case_of(content: Content, name: str) -> WitnessCase:
    audit = content.audit(FAMILY)
    return next(case for caveat in audit.caveats for case in caveat.witness if case.id == name)


def derive(connection: Connection, content: Content, target: str, case: WitnessCase) -> None:
    for given in case.tables:
        types = published_schema().table(given.table).types
        for row in given.rows:
            values = ", ".join(f"${place}::{types[name]}" for place, name in enumerate(row, 1))
            connection.execute(
                f"INSERT INTO {given.table} ({', '.join(row)}) VALUES ({values})", list(row.values())
            )
    connection.execute(f"CREATE TABLE found AS {content.reference_sql(FAMILY, target, 'mimic-iv')}")


def assert_given(connection: Connection, case: WitnessCase, which: str) -> None:
    for wanted in getattr(case, which):
        key = " AND ".join(f"{name} = {value}" for name, value in wanted.key.items())
        found = rows(connection, f"SELECT {', '.join(wanted.values)} FROM found WHERE {key}")
        assert [[str(value) for value in row] for row in found] == [
            [str(value) for value in wanted.values.values()]
        ]


@pytest.mark.parametrize(("target", "name"), [(t, n) for t, names in SETTLED.items() for n in names])
def test_the_target_gives_the_definition(
    connection: Connection, content: Content, target: str, name: str
) -> None:
    case = case_of(content, name)
    assert case.definition
    derive(connection, content, target, case)
    assert_given(connection, case, "definition")


@pytest.mark.parametrize(("target", "name"), [(t, n) for t, names in AS_PUBLIC.items() for n in names])
def test_the_target_keeps_to_the_public_code(
    connection: Connection, content: Content, target: str, name: str
) -> None:
    case = case_of(content, name)
    derive(connection, content, target, case)
    assert_given(connection, case, "reference")


@pytest.mark.parametrize("target", sorted(SETTLED))
def test_rows_and_numbers_are_those_of_the_public_code(
    connection: Connection, content: Content, target: str
) -> None:
    derive(connection, content, target, case_of(content, "vancomycin-without-route"))
    public = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    connection.execute(f"CREATE TABLE public AS {public}")
    columns = "subject_id, ab_id, stay_id, hadm_id, antibiotic, antibiotic_time"
    assert rows(connection, f"SELECT {columns} FROM public EXCEPT ALL SELECT {columns} FROM found") == []
    assert rows(connection, "SELECT count(*) FROM public") == rows(connection, "SELECT count(*) FROM found")


@pytest.mark.parametrize(("route", "suspected"), [("IV", 1), ("PO/NG", 1), ("IH", 0), ("NU", 0), ("VG", 0)])
def test_only_oral_and_parenteral_antibiotics_are_suspicious(
    connection: Connection, content: Content, route: str, suspected: int
) -> None:
    case = case_of(content, "negative-before-positive-at-one-moment")
    given = case.model_copy(deep=True)
    for table in given.tables:
        if table.table == "mimiciv_hosp.prescriptions":
            table.rows[0]["route"] = route
    derive(connection, content, ADJUDICATED, given)
    assert rows(connection, "SELECT ab_id, suspected_infection FROM found") == [(1, suspected)]
