"""Whole runs that declare and write stages: a real sandbox, the script agent, what is recorded and told."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.ehr.stage_tables import stage_query
from workbench.ehr.variants import new_sql
from workbench.records import Condition, DeclaredField, RunResult, SchemaVariant, StageStatus
from workbench.runs import Context, preview
from workbench.runs.views import agents_content, names_of

TASK, FAMILY = "mimic-suspicion-infection", "suspicion-infection"
Run = Callable[..., tuple[RunResult, str]]

SOLVER = """
import os, tomllib
import duckdb
form = tomllib.loads(open("/workspace/declaration-form.toml").read())
assert set(form.values()) == {""}
words = {"grain": "one row an antibiotic", "sources": "item 90856, subject 10000032"}
with open("/workspace/declaration.toml", "w") as file:
    for name in form:
        file.write(f'{name} = "{words.get(name, "as told")}"\\n')
os.mkdir("/workspace/stages")
connection = duckdb.connect("/data/ehr.duckdb", read_only=True)
"""


def solver(queries: dict[str, str]) -> str:
    """A script that declares, and then writes each query's rows to its file."""
    copies = [f"COPY (\n{sql}\n) TO '{name}' (HEADER)" for name, sql in queries.items()]
    return SOLVER + "".join(f"connection.execute({copy!r})\n" for copy in copies)


@pytest.fixture(scope="module")
def run(
    ready_context: Context,
    workbench_command: Callable[..., list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Run:
    """Run the task with a script and give back its result and what was printed."""

    def go(script: str, *options: str) -> tuple[RunResult, str]:
        file = tmp_path_factory.mktemp("script") / "script.py"
        file.write_text(script)
        done = subprocess.run(
            workbench_command(
                "run", TASK, "--agent", "script", "--file", str(file), "--condition", "with-declaration",
                "--source", ready_context.settings.source, *options,
            ),
            env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
            capture_output=True, text=True, timeout=300, cwd=ready_context.content.paths.root,
        )  # fmt: skip
        lines = [line for line in done.stdout.splitlines() if line.startswith("run ")]
        assert lines, done.stdout + done.stderr
        run_id = lines[0].split()[1]
        return RunResult.load(ready_context.data.run(run_id).result), done.stdout

    return go


def queries(content: Content, change: Callable[[str, str], str] = lambda name, sql: sql) -> dict[str, str]:
    """What a solver that derives as the reference does would write where; ``change`` alters one of them."""
    reference = content.reference_sql(FAMILY, "public-code", "mimic-iv")
    stages = content.files(FAMILY).stages().required("mimic-iv").stages
    found = {f"/workspace/stages/{stage.name}.csv": stage_query(stage, reference) for stage in stages}
    found["/workspace/output.csv"] = reference
    return {name: change(name, sql) for name, sql in found.items()}


def test_a_solver_that_follows_what_it_is_given(run: Run, ready_context: Context) -> None:
    result, printed = run(solver(queries(ready_context.content)))
    assert result.score is not None and result.score.reward == 1.0, printed
    assert result.lint is not None and result.lint.verdict == "clean"
    assert result.stages is not None and result.declaration is not None
    assert [(stage.name, stage.status, stage.rate) for stage in result.stages.stages] == [
        ("antibiotics", StageStatus.EQUAL, 1.0),
        ("cultures", StageStatus.EQUAL, 1.0),
        ("pairs", StageStatus.EQUAL, 1.0),
    ]
    assert result.stages.first_diverging_stage == "" and result.stages.unseen == []
    assert list(result.declaration.filled) == list(DeclaredField)
    assert result.declaration.filled[DeclaredField.SOURCES] == "item 90856, subject [number]"
    assert result.declaration.step == 1
    assert "stages   none diverges" in printed
    assert "declared 8 of 8 fields; first named in step 1 of " in printed
    assert "10000032" not in result.to_json() + printed.split("\nstages ")[1]


def test_the_first_diverging_stage_is_named(
    run: Run, ready_context: Context, workbench_command: Callable[..., list[str]]
) -> None:
    def change(name: str, sql: str) -> str:
        late = sql.replace("INTERVAL 72 HOUR", "INTERVAL 48 HOUR")
        return late if name.endswith(("pairs.csv", "output.csv")) else sql

    result, printed = run(solver(queries(ready_context.content, change)))
    assert result.score is not None and 0 < result.score.reward < 1
    assert result.stages is not None and result.stages.first_diverging_stage == "pairs"
    *before, pairs = result.stages.stages
    assert {stage.rate for stage in before} == {1.0}
    assert pairs.keys is not None and pairs.keys.missing > 0 and pairs.keys.extra == 0
    assert "stages   the first that diverges is pairs\n" in printed
    shown = subprocess.run(
        workbench_command("runs", "show", result.run_id, "--json"),
        env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
        capture_output=True, text=True, check=True, cwd=ready_context.content.paths.root,
    )  # fmt: skip
    (item,) = json.loads(shown.stdout)["items"]
    assert item["result"]["stages"]["first_diverging_stage"] == "pairs"
    assert set(item["result"]["declaration"]["filled"]) == set(DeclaredField)


def test_under_the_names_of_a_schema_variant(run: Run, ready_context: Context) -> None:
    """Tables, stages and columns are called as the agent was told; the record has the published names."""
    content = ready_context.content
    task = content.task(TASK)
    names = names_of(content, task, SchemaVariant.OBFUSCATED)
    assert names is not None
    view = agents_content(content, task, SchemaVariant.OBFUSCATED)
    asked = view.files(FAMILY).stages().required("mimic-iv").stages
    native = queries(content)
    renamed = {
        f"/workspace/stages/{stage.name}.csv": new_sql(sql, names)
        for stage, sql in zip(asked, native.values(), strict=False)
    }
    renamed["/workspace/output.csv"] = new_sql(native["/workspace/output.csv"], names)
    assert not any("charttime" in sql or "subject_id" in sql for sql in renamed.values())
    result, printed = run(solver(renamed), "--schema", "obfuscated")
    assert result.score is not None and result.score.reward == 1.0, printed
    assert result.stages is not None and result.stages.first_diverging_stage == ""
    assert [(stage.name, stage.rate) for stage in result.stages.stages] == [
        ("antibiotics", 1.0),
        ("cultures", 1.0),
        ("pairs", 1.0),
    ]


def test_nothing_declared_and_hostile_stages(run: Run, ready_context: Context) -> None:
    reference = ready_context.content.reference_sql(FAMILY, "public-code", "mimic-iv")
    result, printed = run(
        "import os, duckdb\n"
        "os.mkdir('/workspace/stages')\n"
        "os.symlink('/workspace/output.csv', '/workspace/stages/antibiotics.csv')\n"
        "os.mkfifo('/workspace/stages/cultures.csv')\n"
        "os.symlink('/etc/passwd', '/workspace/declaration.toml')\n"
        f"sql = {reference!r}\n"
        "duckdb.connect('/data/ehr.duckdb', read_only=True).execute("
        "f\"COPY ({sql}) TO '/workspace/output.csv' (HEADER)\")\n"
    )
    assert result.stages is not None and result.declaration is not None
    assert [(stage.status, stage.problem) for stage in result.stages.stages] == [
        (StageStatus.MISSING, "refused: link: stages/antibiotics.csv"),
        (StageStatus.MISSING, "refused: fifo: stages/cultures.csv"),
        (StageStatus.MISSING, "there is no stages/pairs.csv"),
    ]
    assert result.stages.first_diverging_stage == ""
    assert "none diverges (not compared: antibiotics, cultures, pairs)" in printed
    assert result.declaration.problem == "there is no declaration.toml"
    assert result.declaration.missing == list(DeclaredField)


def test_other_conditions_record_neither(ready_context: Context, tmp_path: Path) -> None:
    """A prompt without the form says nothing of stages, and what lies about is not looked at."""
    task = ready_context.content.task(TASK)
    for condition in Condition:
        asked = preview(ready_context.content, task, condition)
        told = "/workspace/stages/" in asked.prompt, "/workspace/declaration-form.toml" in asked.files
        assert told == (condition is Condition.WITH_DECLARATION,) * 2
