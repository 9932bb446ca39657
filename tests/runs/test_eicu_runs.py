"""Tasks on eICU-CRD: their own source, a database without anything derived, a run from end to end."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.ehr import ConceptSql, connect, ensure_concepts
from workbench.records import DATABASE_FOLDER, BadInput, RunResult, Source, Verdict
from workbench.runs import Context, RunRequest, ensure_ready, plan_run, source_for
from workbench.sandbox import choose_sandbox

TASKS = ["eicu-gcs", "eicu-oasis"]
BY_HOSPITAL = "eicu-urine-output-rate-raw"


@pytest.fixture
def offline(shared_context: Context, source_of: Callable[[str], Source], tmp_path: Path) -> Context:
    """The source is made; any attempt to fetch concepts would fail."""
    source_of("eicu")
    settings = shared_context.settings.model_copy(update={"concepts_folder": str(tmp_path / "nowhere")})
    return replace(shared_context, settings=settings)


def test_a_synthetic_name_stands_for_its_numbers(shared_context: Context) -> None:
    task = shared_context.content.task("eicu-gcs")
    other = shared_context.content.task("mimic-suspicion-infection")
    assert source_for("synthetic-500-1", task) == "synthetic-eicu-500-1"
    assert source_for("synthetic-eicu-40-7", task) == "synthetic-eicu-40-7"
    assert source_for("synthetic-eicu-40-7", other) == "synthetic-40-7"
    assert source_for("synthetic-40-7", other) == "synthetic-40-7"
    assert source_for("mine", task) == "mine"
    request = RunRequest(task=task, agent="script", file=Path(__file__))
    assert plan_run(request, shared_context, "bubblewrap").plan.source == "synthetic-eicu-500-1"


@pytest.mark.parametrize("name", TASKS)
def test_the_task_database_holds_the_raw_tables_and_no_answer(offline: Context, name: str) -> None:
    task = offline.content.task(name)
    ready = ensure_ready(offline, task, "synthetic-500-1", choose_sandbox("auto"))
    assert (ready.source.name, ready.source.database) == ("synthetic-eicu-500-1", "eicu")
    assert ready.database.tables == sorted(table.table for table in ready.source.tables)
    assert ready.database.removed == []
    catalog = connect(ready.database_folder / "ehr.duckdb", read_only=True)
    views = catalog.execute(
        "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    assert {schema for schema, _, _ in views} == {"eicu_crd"}
    assert all(f"{DATABASE_FOLDER}/" in sql for _, _, sql in views)
    answers = {"gcs_min", "oasis", "age_score", "mechvent_score"}
    columns = catalog.execute("SELECT column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    assert answers.isdisjoint(column for (column,) in columns)
    reference = ready.references["public-code"]
    assert (reference.rows, reference.database, reference.concept_revision) == (500, "eicu", "none")
    again = ensure_ready(offline, task, "synthetic-eicu-500-1", choose_sandbox("auto"))
    assert (again.database, again.references) == (ready.database, ready.references)


@pytest.fixture
def run(
    offline: Context, workbench_command: Callable[..., list[str]], tmp_path: Path
) -> Callable[[str, str], tuple[RunResult, str]]:
    def go(task: str, script: str) -> tuple[RunResult, str]:
        file = tmp_path / "script.sql"
        file.write_text(script)
        done = subprocess.run(
            workbench_command("run", task, "--agent", "script", "--file", str(file)),
            env={**os.environ, "WORKBENCH_HOME": str(offline.data.root)},
            capture_output=True, text=True, timeout=300, cwd=offline.content.paths.root,
        )  # fmt: skip
        heads = [line for line in done.stdout.splitlines() if line.startswith("run ")]
        assert heads, done.stdout + done.stderr
        return RunResult.load(offline.data.run(heads[0].split()[1]).result), done.stdout

    return go


@pytest.mark.parametrize("task", TASKS)
def test_a_run_on_the_default_source_gets_the_eicu_one(
    run: Callable[[str, str], tuple[RunResult, str]], offline: Context, task: str
) -> None:
    family = offline.content.task(task).family
    result, printed = run(task, offline.content.reference_sql(family, "public-code", "eicu"))
    assert "source synthetic-eicu-500-1" in printed
    assert result.score is not None and result.lint is not None
    assert (result.score.reward, result.score.strict_pass) == (1.0, True)
    assert (result.lint.verdict, result.verdict) == ("clean", Verdict.PUBLISHABLE)


def test_a_naive_derivation_earns_a_part_and_a_change_of_a_table_is_told(
    run: Callable[[str, str], tuple[RunResult, str]], offline: Context
) -> None:
    naive = offline.content.files("oasis").naive_sql("eicu")
    result, _ = run("eicu-oasis", naive)
    assert result.score is not None and 0.2 < result.score.reward < 0.95
    result, printed = run("eicu-oasis", "DROP VIEW eicu_crd.patient")
    assert result.lint is not None and result.lint.verdict == "warn"
    assert "eicu_crd.patient" in printed


def test_a_score_is_told_by_hospital(
    run: Callable[[str, str], tuple[RunResult, str]],
    offline: Context,
    workbench_command: Callable[..., list[str]],
) -> None:
    """By result, by what is printed and by ``runs show``; groups add up to the whole."""
    result, printed = run(BY_HOSPITAL, offline.content.files("eicu-urine-output-rate").naive_sql("eicu"))
    assert result.score is not None and result.score.targets[0].keys is not None
    (target,) = result.score.targets
    keys, groups = result.score.targets[0].keys, target.groups
    assert len(groups) == 12 and {group.by for group in groups} == {"hospitalid"}
    assert sum(group.reference_rows for group in groups) == keys.reference_rows
    assert sum(group.matched for group in groups) == keys.matched
    coverage = {group.group: group.key_coverage for group in groups}
    assert max(coverage["167"], coverage["264"]) < 0.5, "their names of urine hold neither urine nor foley"
    assert coverage["56"] > 0.9
    assert len({group.match_rates[0] for group in groups}) > 5
    assert all(f"         {row}" in printed.splitlines() for row in target.group_rows)
    done = subprocess.run(
        workbench_command("runs", "show", printed.splitlines()[0].split()[1], "--json"),
        env={**os.environ, "WORKBENCH_HOME": str(offline.data.root)},
        capture_output=True, text=True, timeout=300, cwd=offline.content.paths.root,
    )  # fmt: skip
    told = json.dumps([group.model_dump(mode="json") for group in groups])
    assert "".join(told.split()) in "".join(done.stdout.split())


def test_there_are_no_concepts_to_build_on_eicu(offline: Context, source_of: Callable[[str], Source]) -> None:
    scripts = ConceptSql("made-up", Path(), {"age": Path("age.sql")})
    with pytest.raises(
        BadInput, match="the public concepts are for MIMIC-IV; source synthetic-eicu-500-1 is eicu"
    ):
        ensure_concepts(offline.data, source_of("eicu"), scripts)
