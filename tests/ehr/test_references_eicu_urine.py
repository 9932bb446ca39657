"""Urine output rate of eICU-CRD: the reference equals its specification, on synthetic and drawn rows."""

import math
import random
from collections.abc import Callable, Sequence

import eicu_urine_from_spec as spec
import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Source
from workbench.sql import reads

FAMILY, TASK = "eicu-urine-output-rate", "eicu-urine-output-rate-raw"
TABLES = ("patient", "intakeoutput")


@pytest.fixture(scope="module")
def listed(content: Content) -> frozenset[str]:
    return spec.listed_names(content.operational_spec(TASK))


def rows(connection: Connection, sql: str) -> list[spec.Row]:
    answer = connection.execute(sql)
    columns = [str(column[0]) for column in answer.description or []]
    return [dict(zip(columns, values, strict=True)) for values in answer.fetchall()]


def compare(connection: Connection, content: Content, listed: frozenset[str]) -> list[spec.Row]:
    """Hold the reference's rows against the specification's; they are given back."""
    patients, charted = (rows(connection, f"SELECT * FROM eicu_crd.{table}") for table in TABLES)
    found = rows(connection, content.reference_sql(FAMILY, "public-code", "eicu"))
    hospitals = {patient["patientunitstayid"]: patient["hospitalid"] for patient in patients}
    assert {row["patientunitstayid"]: row["hospitalid"] for row in found}.items() <= hospitals.items()
    by_key = {(row["patientunitstayid"], row["chartoffset"]): row for row in found}
    assert len(by_key) == len(found)
    expected = spec.all_rows(patients, charted, listed)
    assert by_key.keys() == expected.keys()
    for key, row in expected.items():
        assert row.keys() == by_key[key].keys() - {"hospitalid"}
        for column, value in row.items():
            other = by_key[key][column]
            known = None not in (other, value)
            same = math.isclose(other, value, rel_tol=1e-12) if known else other is value
            assert same, (key, column)
    return found


def test_on_the_synthetic_source(
    content: Content, shared_home: DataPaths, source_of: Callable[[str], Source], listed: frozenset[str]
) -> None:
    with open_source(shared_home, source_of("eicu")) as connection:
        found = compare(connection, content, listed)
    assert len(found) > 5000
    for column in content.task(TASK).required_columns:
        assert len({row[column] for row in found}) > 1, f"{column} never varies"
    for name in spec.LOOKS_BACK:
        assert 0 < sum(row[f"uo_mlkghr_{name}"] is None for row in found) < len(found)


NAMES = """
Urine|urine|Urine |Foley|FOLEY first|foley pacu|foley cath|Foley OR|a foley|Straight  Cath|straight Cath
Output (mL) Urinary Catheter|Output Urethral Catheter|output Urethral Catheter|Output External Urethral x
OutputUrinary Catheter|Urine Output (mL)|Urine Output(mL)|Urinary Catheter Output: Urethral|Stool
"""
PATHS = [spec.HEADING + name for line in NAMES.strip().splitlines() for name in line.split("|")]
PATHS += [spec.HEADING.replace("Output", "Intake") + "Urine"]
OFFSETS = [-1400, -60, -1, 0, 1, 59, 60, 61, 300, 301, 359, 360, 361, 600, 601, 660, 661, 719, 720, 721]
OFFSETS += [1380, 1381, 1439, 1440, 1441, 2100]
WEIGHTS = [None, 0.0, 20.0, 20.1, 75.0, 99.9, 100.0, 119.0, 120.0, 125.0, 300.0, 300.1, 544.0, -1.0]
HEIGHTS = [None, 0.0, 25.0, 25.1, 70.0, 80.0, 99.5, 100.0, 100.1, 170.0]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_drawn_rows(content: Content, listed: frozenset[str], seed: int) -> None:
    chance = random.Random(seed)
    some = chance.choice
    patients, charted = [], []
    for stay in range(1, 301):
        body = some(WEIGHTS), some(HEIGHTS), some(WEIGHTS)
        leaves = some([None, 0, 360, 600, 720, 1440, 9000])
        patients.append((stay, some([56, 73, None]), leaves, *body))
        favourite = [*chance.sample(PATHS, 4), *[spec.HEADING + "Urine"] * 3]
        charted += [
            (stay, some(OFFSETS), some(favourite), some([-200.0, 0.0, 0.01, 35.5, 120.0, 800.0]))
            for _ in range(some([0, 1, 4, 12, 25]))
        ]
    schema = published_schema("eicu")
    with connect() as connection:
        connection.execute("CREATE SCHEMA eicu_crd")
        for name in TABLES:
            types = schema.table(f"eicu_crd.{name}").types
            columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
            connection.execute(f"CREATE TABLE eicu_crd.{name} ({columns})")
        weights = ["admissionweight", "admissionheight", "dischargeweight"]
        names = ["patientunitstayid", "hospitalid", "unitdischargeoffset", *weights]
        _fill(connection, "eicu_crd.patient", names, patients)
        names = ["patientunitstayid", "intakeoutputoffset", "cellpath", "cellvaluenumeric"]
        _fill(connection, "eicu_crd.intakeoutput", names, charted)
        found = compare(connection, content, listed)
    assert sum(row["uo_mlkghr_24hr"] is not None for row in found) > 20


def _fill(connection: Connection, table: str, names: list[str], values: Sequence[tuple[object, ...]]) -> None:
    lists = ", ".join(f"unnest(${number}) AS {name}" for number, name in enumerate(names, 1))
    given = [[value[place] for value in values] for place in range(len(names))]
    connection.execute(f"INSERT INTO {table} BY NAME SELECT {lists}", given)


def test_specification_skill_and_reference_carry_the_published_list(
    content: Content, listed: frozenset[str]
) -> None:
    assert listed == spec.listed_names(content.operational_spec("eicu-oasis"))
    assert listed == spec.listed_names(content.skill(FAMILY).body)
    sql = content.reference_sql(FAMILY, "public-code", "eicu")
    values = sql[sql.index("VALUES") : sql.index("), output AS")]
    assert listed == {part.split("')")[0] for part in values.split("('")[1:]}
    assert len(listed) == 124


def test_the_reference_reads_needed_tables_only(content: Content) -> None:
    needed = {table.name for table in published_schema("eicu").tables if table.needed}
    assert reads(content.reference_sql(FAMILY, "public-code", "eicu")) <= needed


def test_no_output_has_the_column_that_the_score_is_told_by(content: Content) -> None:
    task = content.task(TASK)
    assert task.report_by == ["hospitalid"]
    assert not set(task.report_by) & set(task.required_columns)
    for text in (content.instruction(TASK), content.operational_spec(TASK)):
        assert "hospitalid" not in text
