"""The family's reference equals the pinned concept, ties apart, on the demo and on synthetic data."""

from pathlib import Path

import pytest

from workbench.catalog import Content, read_text
from workbench.ehr import ConceptSql, compare_with_concept, ensure_reference, fetch_concept_sql, import_source
from workbench.ehr.equality import EqualityReport
from workbench.records import DataPaths, Source, Task, Unavailable

FAMILY = "suspicion-infection"


@pytest.fixture
def concept_sql(shared_home: DataPaths) -> ConceptSql:
    try:
        return fetch_concept_sql(shared_home)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")


@pytest.fixture
def task(content: Content) -> Task:
    return content.task("mimic-suspicion-infection-raw")


def compare(
    content: Content, data: DataPaths, source: Source, task: Task, sql: str, concept_sql: ConceptSql
) -> EqualityReport:
    reference = ensure_reference(data, source, task, "public-code", sql, concept_sql)
    admissible = read_text(content.family_paths(FAMILY).admissible(task.database))
    return compare_with_concept(
        data, source, task, reference, concept_sql, content.deviations(FAMILY), admissible=admissible
    )


@pytest.mark.demo
def test_on_the_demo(
    content: Content, tmp_path: Path, demo_folder: Path, task: Task, concept_sql: ConceptSql
) -> None:
    data = DataPaths(tmp_path / "home")
    source = import_source(data, demo_folder, "demo")
    sql = content.reference_sql(FAMILY, "public-code", task.database)
    report = compare(content, data, source, task, sql, concept_sql)
    assert report.unexplained == 0
    assert report.deviating == {}
    assert report.rows > 500


def test_on_synthetic_data(
    content: Content, shared_home: DataPaths, synthetic: Source, task: Task, concept_sql: ConceptSql
) -> None:
    sql = content.reference_sql(FAMILY, "public-code", task.database)
    report = compare(content, shared_home, synthetic, task, sql, concept_sql)
    assert report.unexplained == 0
    assert report.tied > 0
    assert report.equal + report.tied == report.rows > 500


def test_the_comparison_notices_a_changed_rule(
    content: Content,
    tmp_path: Path,
    shared_home: DataPaths,
    synthetic: Source,
    task: Task,
    concept_sql: ConceptSql,
) -> None:
    """The altered reference is kept apart from the shared one by its own target."""
    sql = content.reference_sql(FAMILY, "public-code", task.database)
    changed = sql.replace("org_itemid <> 90856", "org_itemid NOT IN (90856, 90760)")
    reference = ensure_reference(shared_home, synthetic, task, "accepted-test", changed, concept_sql)
    report = compare_with_concept(
        shared_home,
        synthetic,
        task,
        reference,
        concept_sql,
        content.deviations(FAMILY),
        admissible=read_text(content.family_paths(FAMILY).admissible(task.database)),
    )
    assert report.unexplained > 0
    assert set(report.unexplained_columns) - {"specimen"} == {
        "positive_culture"
    }  # a tie may add the specimen
