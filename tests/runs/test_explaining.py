"""Wrong columns of a run explained by rules, and the command that tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.cli import main
from workbench.records import BadInput, ColumnScore, ContentPaths, DataPaths, RunPaths, ScoreReport, Settings
from workbench.runs import Context, explain_run
from workbench.store import EventLog, FileLock, RunStore, atomic_write

from ..tui.recorded_runs import RUN, begin_log, command, make_identity, make_plan, make_result, make_score

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tasks/m4bench/sirs/reference.mimic-iv.sql"
RIGHT, WRONG = "temperature_highest > 38.0", "temperature_highest > 39.0"
TASK = "mimic-sirs-24h-raw"


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(Content(ContentPaths(ROOT)), DataPaths(tmp_path / "home"), Settings())


def scored(**rates: float) -> ScoreReport:
    score = make_score()
    columns = [
        ColumnScore(column=name, type="ordered", present=True, matched=8, match_rate=rate)
        for name, rate in rates.items()
    ]
    target = score.targets[0].model_copy(update={"columns": columns})
    return score.model_copy(update={"task": TASK, "targets": [target]})


def record(context: Context, sql: str, score: ScoreReport | None) -> RunPaths:
    """A run whose second step copies what ``sql`` gives to the output."""
    run = RunStore(context.data).create(make_plan(RUN, task=TASK, family="sirs"))
    with FileLock(run.lock, "run"):
        atomic_write(run.identity, make_identity(RUN).to_json())
        log: EventLog = begin_log(run)
        log.step(command(1, "ls /data"))
        copied = f"COPY (\n{sql.strip().rstrip(';')}\n) TO '/workspace/output.csv'"
        log.step(command(2, f"duckdb /data/ehr.duckdb <<'SQL'\n{copied};\nSQL"))
        result = make_result(RUN, score=score)
        atomic_write(run.result, result.to_json())
        log.finished(result)
        log.close()
    return run


def test_a_wrong_limit_is_what_explains_the_column(context: Context) -> None:
    sql = REFERENCE.read_text()
    assert sql.count(RIGHT) == 1
    record(context, sql.replace(RIGHT, WRONG), scored(sirs=0.8, temp_score=0.9, wbc_score=1.0))
    found = explain_run(context, RUN)
    assert (found.answer.step, found.answer.names_output, found.notes) == (2, True, [])
    assert [(item.column, item.share) for item in found.columns] == [("sirs", 0.8), ("temp_score", 0.9)]
    for item in found.columns:
        [row] = item.rows
        assert row.first is not None and row.second is not None
        assert (row.status.value, row.first.value, row.second.value) == ("conflict", "39", "38")


def test_what_cannot_be_explained_is_told(context: Context) -> None:
    run = record(context, "VALUES (1)", scored(sirs=0.5))
    with pytest.raises(BadInput, match="no score against 'nothing'"):
        explain_run(context, RUN, "nothing")
    with pytest.raises(BadInput, match="no query is in the steps"):
        explain_run(context, RUN)
    atomic_write(run.result, make_result(RUN, score=None).to_json())
    with pytest.raises(BadInput, match="was not scored"):
        explain_run(context, RUN)


def test_the_command(
    context: Context, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record(context, REFERENCE.read_text().replace(RIGHT, WRONG), scored(temp_score=0.9, sirs=1.0))
    monkeypatch.setenv("WORKBENCH_HOME", str(context.data.root))
    monkeypatch.chdir(ROOT)
    assert main(["runs", "explain", RUN[:12]]) == 0
    told = capsys.readouterr().out
    assert "answer   SQL of step 2" in told
    assert "temp_score: right in 90.0%" in told
    assert "conflict, threshold: > 39" in told and "> 38" in told
