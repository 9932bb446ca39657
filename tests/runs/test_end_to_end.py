"""Whole runs through the command line: real source, real sandbox, real scoring and lint."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.ehr import connect
from workbench.records import (
    CANARY,
    DataPaths,
    RunIdentity,
    RunResult,
    RunState,
    Verdict,
    blob_hash,
    run_mark,
    skill_canary,
    with_canary,
)
from workbench.runs import Context
from workbench.store import RunStore
from workbench.trajectories import read_trajectory

Run = Callable[..., tuple[RunResult, str]]
TASK = "mimic-suspicion-infection"
RAW = "mimic-suspicion-infection-raw"


@pytest.fixture(scope="module")
def run(
    ready_context: Context,
    workbench_command: Callable[..., list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Run:
    """Run a task with a script and give back its result and what was printed."""

    def go(script: str, *, task: str = TASK, suffix: str = ".sh", options: tuple[str, ...] = ()) -> tuple:
        file = tmp_path_factory.mktemp("script") / f"script{suffix}"
        file.write_text(script)
        words = ["run", task, "--agent", "script", "--file", str(file)]
        done = subprocess.run(
            workbench_command(*words, "--source", ready_context.settings.source, *options),
            env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
            capture_output=True, text=True, timeout=300, cwd=ready_context.content.paths.root,
        )  # fmt: skip
        words = [line for line in done.stdout.splitlines() if line.startswith("run ")]
        assert words, done.stdout + done.stderr
        run_id = words[0].split()[1]
        return RunResult.load(ready_context.data.run(run_id).result), done.stdout

    return go


def reference_sql(context: Context) -> str:
    return context.content.reference_sql("suspicion-infection", "public-code", "mimic-iv")


@pytest.fixture(scope="module")
def answered(run: Run, ready_context: Context) -> tuple[RunResult, str]:
    """The task with its reference's SQL as answer."""
    return run(reference_sql(ready_context), suffix=".sql")


@pytest.mark.parametrize("task", [TASK, RAW])
def test_the_reference_as_output_is_right_and_not_accused(
    run: Run, answered: tuple[RunResult, str], ready_context: Context, task: str
) -> None:
    result, printed = (
        answered if task == TASK else run(reference_sql(ready_context), task=task, suffix=".sql")
    )
    assert result.score is not None and result.lint is not None
    assert result.score.reward == 1.0
    assert result.score.strict_pass
    assert result.lint.verdict == "clean", result.lint
    assert result.verdict is Verdict.PUBLISHABLE
    assert "verdict  publishable" in printed


RESHAPED = """
set -e
cat > /tmp/answer.sql <<'SQL'
{sql}
SQL
python3 - <<'PY'
import csv, duckdb, random
con = duckdb.connect("/data/ehr.duckdb", read_only=True)
found = con.execute(open("/tmp/answer.sql").read())
names = [item[0] for item in found.description]
rows = found.fetchall()
random.Random(5).shuffle(rows)
order = list(range(len(names)))
random.Random(6).shuffle(order)
def spell(value):
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{{value}}.0"
    return value.isoformat() + "Z" if hasattr(value, "isoformat") else value
with open("/workspace/output.csv", "w", newline="") as file:
    file.write("\\ufeff")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\\r\\n")
    writer.writerow([names[i] for i in order])
    writer.writerows([spell(row[i]) for i in order] for row in rows)
PY
"""


def test_shuffled_and_respelled_it_stays_right_and_not_accused(run: Run, ready_context: Context) -> None:
    result, _ = run(RESHAPED.format(sql=reference_sql(ready_context)))
    assert result.score is not None and result.lint is not None
    assert result.score.reward == 1.0
    assert result.score.strict_pass
    assert result.lint.verdict == "clean", result.lint


def test_a_planted_copy_of_the_hidden_file_is_caught(
    run: Run, ready_context: Context, tmp_path: Path
) -> None:
    """As if the reference had leaked: its very rows, shuffled, with the canary under another name."""
    paths = ready_context.data.source(ready_context.settings.source)
    leaked = tmp_path / "leak.csv"
    with connect() as connection:
        connection.execute(
            "COPY (SELECT * FROM read_parquet(?) ORDER BY random() LIMIT 200) TO '"
            + str(leaked)
            + "' (HEADER)",
            [str(paths.reference("suspicion-infection", "public-code"))],
        )
    text = leaked.read_text()
    result, printed = run(f"cat > output.csv <<'EOF'\n{text}EOF\n")
    assert result.verdict is Verdict.QUARANTINED
    assert any(item.rule.startswith("hidden") and item.level == "fail" for item in result.lint.violations)
    assert "[FAIL]" in printed


def test_a_run_has_a_token_and_the_skill_in_it_another(run: Run, ready_context: Context) -> None:
    """The run's own is in its record alone; the skill's stays in whatever is copied from the skill."""
    script = (
        "cat .agents/skills/*/SKILL.md; env; ls -aR /workspace /home\ncp .agents/skills/*/SKILL.md copy.md\n"
    )
    result, _ = run(script, options=("--condition", "with-skill"))
    paths = ready_context.data.run(result.run_id)
    identity = RunIdentity.load(paths.identity)
    first, rest = paths.trajectory.read_bytes().split(b"\n", 1)
    assert first + b"\n" == run_mark(result.run_id, identity.canary)
    assert CANARY.fullmatch(identity.canary)
    assert identity.canary.encode() not in rest
    copy = (paths.collected / "copy.md").read_bytes()
    (skill,) = identity.inputs.skills.values()
    written = (ready_context.content.paths.skill("suspicion-infection")).read_bytes()
    assert skill == blob_hash(written)
    assert copy == with_canary(written, skill_canary(skill))
    steps, summary = read_trajectory(paths.trajectory)
    assert (summary.steps, summary.unknown_events, summary.damaged_lines) == (len(steps), {}, 0)
    shown = [item.text for step in steps for item in step.observations]
    assert [token for text in shown for token in CANARY.findall(text)] == [skill_canary(skill)]


def test_an_attempt_is_drawn_at_its_step(run: Run) -> None:
    result, printed = run(
        "python3 -c \"import duckdb; duckdb.connect('/data/ehr.duckdb', read_only=True)"
        ".execute('SELECT * FROM mimiciv_derived.suspicion_of_infection')\" || true\n"
        "curl http://example.org || true\n"
    )
    assert {item.level for item in result.lint.violations} >= {"warn"}
    lines = printed.splitlines()
    assert any("[WARN]" in line for line in lines)
    assert result.verdict is not Verdict.PUBLISHABLE or result.score.readable


def test_a_hanging_script_ends_at_its_limit(run: Run) -> None:
    result, _ = run("sleep 600\n", options=("--limit-wall", "2"))
    assert result.sandbox is not None and result.sandbox.ended_by == "wall"
    assert result.verdict is Verdict.FAILED


def test_no_value_of_the_data_is_in_result_or_log(
    answered: tuple[RunResult, str], ready_context: Context
) -> None:
    result, _ = answered
    with connect() as connection:
        path = str(
            ready_context.data.source(ready_context.settings.source).reference(
                "suspicion-infection", "public-code"
            )
        )
        subjects = connection.execute(
            "SELECT DISTINCT subject_id FROM read_parquet(?) LIMIT 50", [path]
        ).fetchall()
    texts = [result.to_json()]
    texts += [file.read_text() for file in ready_context.data.logs.glob("*") if file.is_file()]
    for (subject,) in subjects:
        assert not any(str(subject) in text for text in texts)


def test_the_listing_knows_the_run(
    answered: tuple[RunResult, str], ready_context: Context, workbench_command: Callable[..., list[str]]
) -> None:
    result, _ = answered
    done = subprocess.run(
        workbench_command("runs", "list", "--json"),
        env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
        capture_output=True, text=True, check=True, cwd=ready_context.content.paths.root,
    )  # fmt: skip
    rows = {row["run_id"]: row for row in json.loads(done.stdout)["items"]}
    assert rows[result.run_id]["reward"] == 1.0
    assert RunStore(DataPaths(ready_context.data.root)).state(result.run_id) is RunState.FINISHED
