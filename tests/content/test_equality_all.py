"""Every reference on MIMIC-IV equals the pinned concept, declared deviations and ties apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import compared

from workbench.catalog import read_text
from workbench.ehr import ConceptSql, compare_with_concept, ensure_reference, import_source
from workbench.records import DataPaths, Source, Unavailable
from workbench.runs import Context, compare_family

MIMIC = compared()
EMPTY_ON_DEMO = {"ventilation"}
"""The rebuilt demo lost its text values, and with them ventilator modes and oxygen devices."""


@pytest.mark.parametrize("family", MIMIC)
def test_on_synthetic_data(shared_context: Context, synthetic: object, family: str) -> None:
    report = compare_on(shared_context, family, shared_context.settings.source)
    assert report["rows"] > 0
    assert report["equal"] > 0


@pytest.fixture(scope="module")
def demo_context(shared_context: Context, tmp_path_factory: pytest.TempPathFactory) -> Context:
    """The demo in a data directory of its own, with the session's concept SQL."""
    folder = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "mimic_iv_demo_rebuilt"
    if not folder.is_dir():
        pytest.skip("the rebuilt MIMIC-IV demo is not beside the project (../shared/data)")
    data = DataPaths(tmp_path_factory.mktemp("demo") / "home")
    import_source(data, folder, "demo")
    return Context(shared_context.content, data, shared_context.settings)


@pytest.mark.demo
@pytest.mark.parametrize("family", MIMIC)
def test_on_the_demo(demo_context: Context, family: str) -> None:
    report = compare_on(demo_context, family, "demo")
    assert (report["rows"] > 0) == (family not in EMPTY_ON_DEMO)


def compare_on(context: Context, family: str, source: str) -> dict[str, int]:
    """Counts of the comparison; nothing may be unexplained."""
    try:
        report = compare_family(context, family, source)
    except Unavailable as error:
        pytest.skip(f"the pinned concept SQL is not at hand: {error.what}")
    assert report.unexplained == 0, (
        f"{report.only_reference} only in the reference, {report.only_concept} only in the concept, "
        f"columns {report.unexplained_columns}"
    )
    assert report.equal + report.tied + sum(report.deviating.values()) == report.rows
    return {"rows": report.rows, "equal": report.equal}


def test_the_comparison_notices_a_changed_rule(
    shared_context: Context, synthetic: Source, concept_sql: ConceptSql
) -> None:
    """The altered reference is kept apart from the shared one by its own target."""
    content, data = shared_context.content, shared_context.data
    task = content.task("mimic-suspicion-infection-raw")
    sql = content.reference_sql(task.family, "public-code", task.database)
    changed = sql.replace("org_itemid <> 90856", "org_itemid NOT IN (90856, 90760)")
    reference = ensure_reference(data, synthetic, task, "accepted-test", changed, concept_sql)
    admissible = read_text(content.family_paths(task.family).admissible(task.database))
    report = compare_with_concept(
        data, synthetic, task, reference, concept_sql, content.deviations(task.family), admissible=admissible
    )
    assert report.unexplained > 0
    a_tie_may_add = {"specimen"}
    assert set(report.unexplained_columns) - a_tie_may_add == {"positive_culture"}
