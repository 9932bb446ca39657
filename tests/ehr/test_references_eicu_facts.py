"""First-day GCS and OASIS of eICU-CRD: the references equal what the facts alone say, stay by stay."""

from collections.abc import Callable
from pathlib import Path

import eicu_from_facts as facts
import pytest

from workbench.catalog import Content
from workbench.ehr import Connection, connect, published_schema
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Source
from workbench.sql import reads

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
    return frozenset(facts.OUTPUT_FOLDER + name for name in names)


def rows(connection: Connection, sql: str) -> list[facts.Row]:
    answer = connection.execute(sql)
    columns = [str(column[0]) for column in answer.description or []]
    return [dict(zip(columns, values, strict=True)) for values in answer.fetchall()]


def stays_in(connection: Connection) -> list[facts.Stay]:
    return list(facts.stays_of(lambda table: rows(connection, f"SELECT * FROM eicu_crd.{table}")))


def derived(connection: Connection, sql: str) -> dict[int, facts.Row]:
    found = rows(connection, sql)
    by_stay = {row["patientunitstayid"]: row for row in found}
    assert len(by_stay) == len(found)
    return by_stay


def test_the_references_equal_the_implementation_by_stay(
    content: Content, shared_home: DataPaths, source_of: Callable[[str], Source], listed: frozenset[str]
) -> None:
    with open_source(shared_home, source_of("eicu")) as connection:
        stays = stays_in(connection)
        for family in ("gcs", "oasis"):
            found = derived(connection, content.reference_sql(family, "public-code", "eicu"))
            expected = {
                stay.patient["patientunitstayid"]: facts.task_row(family, stay, listed) for stay in stays
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
    [stay] = stays_in(connection)
    assert found == {1: facts.oasis_row(stay, frozenset())}
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
    in_sql = {facts.OUTPUT_FOLDER + part.split("')")[0] for part in values.split("('")[1:]}
    in_skill = {facts.OUTPUT_FOLDER + name for name in names_in(content.skill("oasis").body)}
    assert len(listed) == 124
    assert in_sql == in_skill == listed
    if not PATHS.is_file():
        pytest.skip("the published list is not beside the project (../shared/data)")
    assert listed == set(PATHS.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("family", ["gcs", "oasis"])
def test_references_read_needed_tables_only(content: Content, family: str) -> None:
    needed = {table.name for table in published_schema("eicu").tables if table.needed}
    assert reads(content.reference_sql(family, "public-code", "eicu")) <= needed
