"""The value test: answers that stand in a table which an agent sees, under whatever name."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import ConceptSql, connect, ensure_reference, fetch_concept_sql
from workbench.ehr.connect import literal
from workbench.ehr.read_off import equal_columns, find_read_off, load_answer
from workbench.ehr.task_files import refuse_dependents
from workbench.records import DataPaths, KeptTable, Mode, Refused, Source, Task, Unavailable

ROWS = 200
ANSWER = (
    "SELECT i AS stay_id, CASE WHEN i % 2 = 0 THEN 0 ELSE i % 7 END AS score, 'u' || (i % 9) AS unit, "
    "CASE WHEN i % 3 = 0 THEN NULL ELSE TIMESTAMP '2180-01-01' + to_hours(i) END AS seen, 1 AS constant, "
    "CASE WHEN i < 15 THEN i ELSE 0 END AS rare, CASE WHEN i % 4 = 0 THEN 0 ELSE 6 END AS flag "
    f"FROM range({ROWS}) t(i)"
)
SCORED = ["score", "unit", "seen", "constant", "rare", "flag"]


def found_in(tmp_path: Path, table: str) -> set[tuple[str, str]]:
    """(scored column, visible column) pairs for a visible table made from ``answer_as_given``."""
    file = tmp_path / "answer.parquet"
    with connect() as connection:
        connection.execute(f"COPY ({ANSWER}) TO {literal(str(file))}")
        connection.execute(f"CREATE VIEW answer_as_given AS FROM read_parquet({literal(str(file))})")
        connection.execute(f"CREATE SCHEMA seen; CREATE TABLE seen.visible AS {table}")
        telling = load_answer(connection, file, ["stay_id"], SCORED)
        assert telling.keys() == {"score", "unit", "seen", "flag"}
        found = equal_columns(connection, "seen.visible", ["stay_id"], telling)
        return {(item.scored_column, item.column) for item in found}


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param("SELECT stay_id, score AS x FROM answer_as_given", {("score", "x")}, id="renamed"),
        pytest.param(
            "SELECT stay_id, unit AS a, seen AS b FROM answer_as_given",
            {("unit", "a"), ("seen", "b")},
            id="text and time",
        ),
        pytest.param(
            "SELECT stay_id, score + 0.001 AS x FROM answer_as_given", {("score", "x")}, id="almost"
        ),
        pytest.param("SELECT stay_id, score + 1 AS x FROM answer_as_given", set(), id="another value"),
        pytest.param(
            "SELECT stay_id, score - h AS x FROM answer_as_given, range(5) s(h)",
            {("score", "x")},
            id="highest of many rows",
        ),
        pytest.param(
            "SELECT stay_id, CASE WHEN stay_id % 5 > 1 THEN score END AS x FROM answer_as_given",
            set(),
            id="too many missing",
        ),
        pytest.param(
            "SELECT stay_id, CASE WHEN stay_id % 50 > 0 THEN score END AS x FROM answer_as_given",
            {("score", "x")},
            id="a few missing",
        ),
        pytest.param("SELECT stay_id, 0 AS x FROM answer_as_given", set(), id="the usual zero"),
        pytest.param(
            "SELECT stay_id, flag AS x FROM answer_as_given", {("flag", "x")}, id="one of two values"
        ),
        pytest.param(
            "SELECT stay_id, nullif(flag, 6) AS x FROM answer_as_given",
            {("flag", "x")},
            id="the usual value missing",
        ),
        pytest.param(
            "SELECT stay_id, h AS x FROM answer_as_given, range(5) s(h)", set(), id="every value in turn"
        ),
        pytest.param("SELECT stay_id AS hadm_id, score AS x FROM answer_as_given", set(), id="no key"),
        pytest.param("SELECT stay_id, CAST(score AS VARCHAR) AS x FROM answer_as_given", set(), id="kind"),
    ],
)
def test_a_column_that_equals_the_answer(tmp_path: Path, table: str, expected: set[tuple[str, str]]) -> None:
    assert found_in(tmp_path, table) == expected


@pytest.fixture
def concept_sql(shared_home: DataPaths) -> ConceptSql:
    try:
        return fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")


def standard_tasks() -> list[str]:
    from workbench.records import ContentPaths

    tasks, _ = Content(ContentPaths(Path(__file__).resolve().parents[2])).readable_tasks()
    return [task.id for task in tasks if task.mode is Mode.STANDARD]


@pytest.mark.parametrize("task_id", standard_tasks())
def test_no_task_shows_its_answer(
    content: Content, shared_home: DataPaths, synthetic: Source, concept_sql: ConceptSql, task_id: str
) -> None:
    task = content.task(task_id)
    sql = content.reference_sql(task.family, "public-code", task.database)
    reference = ensure_reference(shared_home, synthetic, task, "public-code", sql, concept_sql)
    refuse_dependents(task, concept_sql)
    assert find_read_off(shared_home, synthetic, task, reference, concept_sql) == []


def test_an_answer_left_in_place_is_found(
    content: Content, shared_home: DataPaths, synthetic: Source, concept_sql: ConceptSql
) -> None:
    task = content.task("mimic-suspicion-infection")
    sql = content.reference_sql(task.family, "public-code", task.database)
    reference = ensure_reference(shared_home, synthetic, task, "public-code", sql, concept_sql)
    shown = task.model_copy(update={"removed_tables": ["sepsis3"]})
    found = find_read_off(shared_home, synthetic, shown, reference, concept_sql)
    assert {item.table for item in found} == {"mimiciv_derived.suspicion_of_infection"}
    assert {item.scored_column for item in found} >= {"positive_culture", "specimen", "culture_time"}
    kept = [*task.kept_tables, KeptTable(table="suspicion_of_infection", reason="a test")]
    declared = shown.model_copy(update={"kept_tables": kept})
    assert find_read_off(shared_home, synthetic, declared, reference, concept_sql) == []


def test_a_raw_task_shows_no_derived_table(
    content: Content, shared_home: DataPaths, synthetic: Source, concept_sql: ConceptSql
) -> None:
    task: Task = content.task("mimic-suspicion-infection-raw")
    sql = content.reference_sql(task.family, "public-code", task.database)
    reference = ensure_reference(shared_home, synthetic, task, "public-code", sql, concept_sql)
    assert find_read_off(shared_home, synthetic, task, reference, concept_sql) == []


def test_a_table_built_from_a_removed_one_at_any_remove_is_refused(
    content: Content, concept_sql: ConceptSql
) -> None:
    """sepsis3 reads sofa; sofa reads ventilation: declaring sofa kept does not keep sepsis3."""
    task = content.task("mimic-suspicion-infection").model_copy(
        update={
            "removed_tables": ["ventilation"],
            "kept_tables": [
                KeptTable(table=name, reason="a test")
                for name in ("apsiii", "first_day_sofa", "lods", "oasis", "sapsii", "sofa")
            ],
        }
    )
    with pytest.raises(Refused, match=r"would be visible: sepsis3\n"):
        refuse_dependents(task, concept_sql)
