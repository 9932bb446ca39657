"""Derived tables that give a scored column away are told by their SQL, without any data."""

import dataclasses
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import ConceptSql, fetch_concept_sql, same_lineage
from workbench.ehr.lineage_check import refuse_same_lineage
from workbench.records import ContentPaths, DataPaths, KeptTable, Mode, Refused, Task, Unavailable

COPIES = "copy_of_"


def standard_tasks() -> list[str]:
    tasks, _ = Content(ContentPaths(Path(__file__).resolve().parents[2])).readable_tasks()
    return [task.id for task in tasks if task.mode is Mode.STANDARD and task.database == "mimic-iv"]


def reference(content: Content, task: Task) -> str:
    return content.reference_sql(task.family, "public-code", task.database)


@pytest.fixture(scope="module")
def planted(content: Content, shared_home: DataPaths, tmp_path_factory: pytest.TempPathFactory) -> ConceptSql:
    """The pinned concepts, and each standard task's target again: other table, other names, rounded."""
    try:
        pinned = fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
    folder = tmp_path_factory.mktemp("planted")
    scripts = dict(pinned.scripts)
    for name in standard_tasks():
        task = content.task(name)
        copy = COPIES + task.family.replace("-", "_")
        columns = ", ".join(
            f"COALESCE(TRY_CAST({column.name} AS VARCHAR), '') AS x{number}"
            for number, column in enumerate(task.scored_columns)
        )
        query = reference(content, task).rstrip().rstrip(";")
        path = folder / f"{copy}.sql"
        path.write_text(f"CREATE TABLE mimiciv_derived.{copy} AS SELECT {columns} FROM (\n{query}\n) AS t;\n")
        scripts[copy] = path
    return dataclasses.replace(pinned, revision="planted", scripts=dict(sorted(scripts.items())))


@pytest.mark.parametrize("task_id", standard_tasks())
def test_a_copy_of_the_target_is_found_and_nothing_else(
    content: Content, planted: ConceptSql, task_id: str
) -> None:
    task = content.task(task_id)
    copies = {f"mimiciv_derived.{name}" for name in planted.scripts if name.startswith(COPIES)}
    own = f"mimiciv_derived.{COPIES}{task.family.replace('-', '_')}"
    found = same_lineage(task, planted, [reference(content, task)])
    assert {item.table for item in found} - copies == set()
    assert own in {item.table for item in found}
    names = [column.name for column in task.scored_columns]
    assert all(item.column == f"x{names.index(item.scored_column)}" for item in found if item.table == own)
    with pytest.raises(Refused, match=own):
        refuse_same_lineage(task, planted, [reference(content, task)])


def test_a_table_that_is_kept_says_why_and_is_left(content: Content, planted: ConceptSql) -> None:
    task = content.task("mimic-sofa-24h")
    sql = [reference(content, task)]
    copies = {item.table.split(".")[1] for item in same_lineage(task, planted, sql)}
    kept = [KeptTable(table=name, reason="a test") for name in sorted(copies)]
    assert copies
    assert same_lineage(task.model_copy(update={"kept_tables": kept}), planted, sql) == []


def test_the_reasons_of_kept_tables_are_needed(content: Content, planted: ConceptSql) -> None:
    """Without them the age at admission and creatinine as charted would be found, in other tables as well."""
    task = content.task("mimic-creatinine-baseline").model_copy(update={"kept_tables": []})
    found = {(item.scored_column, item.table.split(".")[1]) for item in same_lineage(task, planted)}
    assert {("age", "age"), ("age", "icustay_detail"), ("scr_min", "chemistry")} <= found


def test_a_raw_task_has_no_derived_table(content: Content, planted: ConceptSql) -> None:
    task = content.task("mimic-sofa-24h-raw")
    assert same_lineage(task, planted, [reference(content, task)]) == []
