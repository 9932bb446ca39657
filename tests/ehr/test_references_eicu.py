"""First-day GCS and OASIS of eICU-CRD: the references equal an implementation that goes stay by stay."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import eicu_oracle
import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Source
from workbench.sql import reads

TABLES = (
    "patient",
    "nursecharting",
    "physicalexam",
    "intakeoutput",
    "respiratorycare",
    "apacheapsvar",
    "apachepredvar",
)
PATHS = (
    Path(__file__).resolve().parents[2].parent / "shared" / "data" / "clinical" / "eicu_urine_cellpaths.txt"
)


def names_in(text: str) -> list[str]:
    """Names of urine outputs, separated by semicolons, at the end of a text's section."""
    block = next(part for part in text.split("\n\n") if "; Actual Urine;" in part)
    return block.replace(";\n", "; ").replace("\n", " ").strip().split("; ")


@pytest.fixture(scope="module")
def listed(content: Content) -> frozenset[str]:
    names = names_in(content.operational_spec("eicu-oasis"))
    return frozenset(eicu_oracle.OUTPUT + name for name in names)


def stays_of(connection: Connection) -> dict[int, eicu_oracle.Stay]:
    stays: dict[int, eicu_oracle.Stay] = defaultdict(lambda: {table: [] for table in TABLES})
    for table in TABLES:
        answer = connection.execute(f"SELECT * FROM eicu_crd.{table}")
        columns = [str(column[0]) for column in answer.description or []]
        for values in answer.fetchall():
            row = dict(zip(columns, values, strict=True))
            stays[row["patientunitstayid"]][table].append(row)
    return stays


def derived(connection: Connection, sql: str) -> dict[int, eicu_oracle.Row]:
    answer = connection.execute(sql)
    columns = [str(column[0]) for column in answer.description or []]
    rows = [dict(zip(columns, values, strict=True)) for values in answer.fetchall()]
    assert len({row["patientunitstayid"] for row in rows}) == len(rows)
    return {row["patientunitstayid"]: row for row in rows}


@pytest.mark.parametrize("family", ["gcs", "oasis"])
def test_the_reference_equals_the_implementation_by_stay(
    content: Content,
    shared_home: DataPaths,
    source_of: Callable[[str], Source],
    listed: frozenset[str],
    family: str,
) -> None:
    with open_source(shared_home, source_of("eicu")) as connection:
        found = derived(connection, content.reference_sql(family, "public-code", "eicu"))
        stays = stays_of(connection)
    expected = {
        stay: eicu_oracle.gcs(given) if family == "gcs" else eicu_oracle.oasis(given, listed)
        for stay, given in stays.items()
    }
    assert len(found) == 500
    assert found == expected
    for column in next(iter(found.values())):
        assert len({row[column] for row in found.values()}) > 1, f"{column} never varies"


def test_several_rows_of_the_severity_tables_are_still_one_stay(content: Content) -> None:
    """The published tables have one row a stay; a second one must not double the stay."""
    connection = connect()
    connection.execute("CREATE SCHEMA eicu_crd")
    for table in published_schema("eicu").tables:
        columns = ", ".join(f"{name} {kind}" for name, kind in table.types.items())
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
    connection.execute("INSERT INTO eicu_crd.patient BY NAME SELECT 1 AS patientunitstayid, '40' AS age")
    for urine, intubated in ((-1.0, 0), (900.0, 1), (2600.0, -1)):
        connection.execute(
            "INSERT INTO eicu_crd.apacheapsvar BY NAME "
            f"SELECT 1 AS patientunitstayid, {urine} AS urine, {intubated} AS intubated"
        )
        connection.execute(
            "INSERT INTO eicu_crd.apachepredvar BY NAME "
            f"SELECT 1 AS patientunitstayid, {intubated} AS electivesurgery, 0 AS oobintubday1"
        )
    found = derived(connection, content.reference_sql("oasis", "public-code", "eicu"))
    assert found == {1: eicu_oracle.oasis(stays_of(connection)[1], frozenset())}
    assert (found[1]["urineoutput_score"], found[1]["mechvent_score"], found[1]["electivesurgery_score"]) == (
        0,
        9,
        0,
    )


def test_specification_skill_and_reference_carry_the_published_list_of_urine_names(
    content: Content, listed: frozenset[str]
) -> None:
    sql = content.reference_sql("oasis", "public-code", "eicu")
    values = sql[sql.index("VALUES") : sql.index("), charted AS")]
    in_sql = {eicu_oracle.OUTPUT + part.split("')")[0] for part in values.split("('")[1:]}
    in_skill = {eicu_oracle.OUTPUT + name for name in names_in(content.skill("oasis").body)}
    assert len(listed) == 124
    assert in_sql == in_skill == listed
    if not PATHS.is_file():
        pytest.skip("the published list is not beside the project (../shared/data)")
    assert listed == eicu_oracle.listed_paths(PATHS)


@pytest.mark.parametrize("family", ["gcs", "oasis"])
def test_references_read_needed_tables_only(content: Content, family: str) -> None:
    needed = {table.name for table in published_schema("eicu").tables if table.needed}
    assert reads(content.reference_sql(family, "public-code", "eicu")) <= needed
