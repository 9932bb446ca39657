"""The selftest of a task: what holds is said to hold, and each way of not holding is noticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr import concept_sql_of
from workbench.ehr.solvable import hash_from_visible
from workbench.records import BadInput, ContentPaths, SelfTest
from workbench.runs import Context, ensure_ready, pairs_to_test, selftest
from workbench.sandbox import choose_sandbox

FAMILY, RAW = "suspicion-infection", "mimic-suspicion-infection-raw"
NAIVE = """
SELECT subject_id, ROW_NUMBER() OVER (PARTITION BY subject_id ORDER BY starttime) AS ab_id, NULL AS stay_id,
  hadm_id, drug AS antibiotic, starttime AS antibiotic_time, 1 AS suspected_infection,
  starttime AS suspected_infection_time, starttime AS culture_time, 'BLOOD CULTURE' AS specimen,
  0 AS positive_culture
FROM mimiciv_hosp.prescriptions
"""
CHECKS = """
family = "suspicion-infection"
[[databases]]
database = "mimic-iv"
cohort = "SELECT subject_id FROM mimiciv_hosp.prescriptions"
cohort_keys = ["subject_id"]
cohort_rule = "some"
ranges = [{ column = "suspected_infection", values = [0, 1], nulls = false }]
"""


@pytest.fixture
def context(ready_context: Context, tmp_path: Path) -> Context:
    """Content of its own, over the shared data."""
    root = ready_context.content.paths.root
    for name in ("tasks", "skills", "audits"):
        shutil.copytree(root / name, tmp_path / name)
    paths = ContentPaths(tmp_path)
    folder = Content(paths).family_paths(FAMILY)
    folder.naive("mimic-iv").write_text(NAIVE)
    folder.output_checks.write_text(CHECKS)
    return Context(Content(paths), ready_context.data, ready_context.settings)


def run(context: Context) -> SelfTest:
    task = context.content.task(RAW)
    return selftest(context, task, context.settings.source, choose_sandbox("auto"))


def test_a_task_that_holds(context: Context) -> None:
    result = run(context)
    assert result.problems == []
    assert (result.empty_reward, result.reference_reward, result.reference_strict) == (0.0, 1.0, True)
    assert result.naive_reward is not None
    assert 0 < result.naive_reward < 1
    assert result.solvable
    assert result.checks_passed
    assert result.constant_columns == []


def test_naive_sql_that_is_the_reference_or_nothing(context: Context) -> None:
    folder = context.content.family_paths(FAMILY)
    folder.naive("mimic-iv").write_text(context.content.reference_sql(FAMILY, "public-code", "mimic-iv"))
    assert run(context).problems == ["the naive derivation scores 1.0, not strictly between 0 and 1"]
    folder.naive("mimic-iv").write_text(f"SELECT * FROM ({NAIVE}) WHERE false")
    assert run(context).problems == ["the naive derivation scores 0.0, not strictly between 0 and 1"]
    folder.naive("mimic-iv").unlink()
    folder.output_checks.unlink()
    assert run(context).problems == ["there are no output checks", "there is no naive derivation"]
    folder.naive("mimic-iv").write_text("SELECT 1 FROM mimiciv_hosp.nowhere")
    with pytest.raises(BadInput, match="does not run"):
        run(context)


def test_checks_that_the_reference_fails(context: Context) -> None:
    checks = context.content.family_paths(FAMILY).output_checks
    checks.write_text(CHECKS.replace("values = [0, 1]", "values = [1]"))
    result = run(context)
    assert result.checks_passed is False
    assert [line.split(":")[0] for line in result.problems] == ["output check fails on the reference"]


def test_a_reference_that_cannot_be_derived_from_what_is_seen(ready_context: Context) -> None:
    """The task database of another task, which lacks nothing, and a derivation that reads what no one has."""
    task = ready_context.content.task(RAW)
    ready = ensure_ready(ready_context, task, ready_context.settings.source, choose_sandbox("auto"))
    concepts = concept_sql_of("mimic-iv", ready_context.data)
    reference = ready.references["public-code"]

    def derive(sql: str) -> str:
        return hash_from_visible(
            ready_context.data, ready.database_folder, ready.database, sql, concepts,
            reference.columns, reference.keys,
        )  # fmt: skip

    sql = ready.reference_sql["public-code"]
    assert derive(sql) == reference.rows_sha256
    assert derive(sql.replace("INTERVAL 72 HOUR", "INTERVAL 48 HOUR")) != reference.rows_sha256
    from_concept = (
        "SELECT r.* FROM mimiciv_derived.suspicion_of_infection AS c "
        f"INNER JOIN ({sql}) AS r USING (subject_id, ab_id)"
    )
    assert derive(from_concept) == reference.rows_sha256
    with pytest.raises(BadInput, match="not a concept"):
        derive("SELECT * FROM mimiciv_derived.nowhere")


def test_tasks_meet_sources_of_their_database(ready_context: Context) -> None:
    tasks = ready_context.content.resolve(FAMILY)
    source = ready_context.settings.source
    assert [name for _, name in pairs_to_test(ready_context, tasks, [source, source])] == [source, source]
    with pytest.raises(BadInput, match="no source named"):
        pairs_to_test(ready_context, tasks, ["nothing"])
