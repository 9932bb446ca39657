"""Tasks, skills, runs and witness cases from the command line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.records import AgentChoice, Condition, DataPaths, RunPlan, RunResult, ScoreReport, Verdict
from workbench.store import EventLog, FileLock, RunStore, atomic_write

Run = Callable[..., Any]
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)


def test_tasks(command: Run) -> None:
    listed = command("task", "list", "--json").envelope
    ids = [item["id"] for item in listed["items"]]
    assert ids[:2] == ["mimic-suspicion-infection", "mimic-suspicion-infection-raw"]
    shown = command("task", "show", "suspected_infection", "--json").envelope
    assert [item["id"] for item in shown["items"]] == ids[:2]
    assert all(item["instruction"] for item in shown["items"])
    text = command("task", "show", "mimic-suspicion-infection", "--instruction").out
    assert "subject_id, ab_id" in text
    assert shown["items"][0]["instruction"].rstrip() in text


def test_skills(command: Run) -> None:
    assert "suspicion-infection" in command("skill", "list").out
    assert command("skill", "show", "suspicion-infection").out.startswith("---\nname: suspicion-infection\n")
    (item,) = command("skill", "show", "suspicion-infection", "--json").envelope["items"]
    assert item["frontmatter"]["name"] == "suspicion-infection"


def test_a_broken_skill_is_a_note_and_the_others_are_listed(command: Run, small_root: Path) -> None:
    (small_root / "skills" / "bad").mkdir()
    (small_root / "skills" / "bad" / "SKILL.md").write_text("no frontmatter")
    ended = command("skill", "list")
    assert (ended.code, "good" in ended.out) == (0, True)
    assert "bad/SKILL.md, line 1: does not start with a frontmatter" in ended.err
    assert len(command("skill", "list", "--json").envelope["problems"]) == 1
    assert command("task", "list").out == "no tasks\n"


@pytest.fixture
def small_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    root = tmp_path / "content"
    (root / "skills" / "good").mkdir(parents=True)
    (root / "workbench.toml").write_text("")
    (root / "skills" / "good" / "SKILL.md").write_text("---\nname: good\ndescription: d\n---\n")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def recorded(home: Path) -> list[str]:
    """A finished and an interrupted run."""
    store, ids = RunStore(DataPaths(home)), ["20300501t120000-a", "20300502t120000-b"]
    for run_id in ids:
        plan = RunPlan(
            run_id=run_id, created=NOON, task="mimic-suspicion-infection", family="suspicion-infection",
            condition=Condition.NO_SKILL, source="s", agent=AgentChoice(name="script"), sandbox="bubblewrap",
        )  # fmt: skip
        paths = store.create(plan)
        with FileLock(paths.lock, "run"):
            log = EventLog(paths.events)
            log.stage("prepare", "begin")
            log.note("a \x1b[31mnote")
            if run_id.endswith("a"):
                score = ScoreReport(task=plan.task, readable=True, reward=0.75, strict_pass=False)
                result = RunResult(
                    run_id=run_id, started=NOON, finished=NOON, verdict=Verdict.FAILED, score=score
                )
                atomic_write(paths.result, result.to_json())
                log.finished(result)
            log.close()
    return ids


def test_runs_list_and_stats(command: Run, recorded: list[str]) -> None:
    rows = command("runs", "list", "--json").envelope["items"]
    assert [(row["run_id"], row["state"]) for row in rows] == [
        (recorded[1], "interrupted"),
        (recorded[0], "finished"),
    ]
    assert recorded[1] not in command("runs", "list", "--state", "finished").out
    assert command("runs", "list", "--limit", "1", "--json").envelope["summary"] == {"runs": 1}
    assert command("runs", "list", "--agent", "codex").out == "no runs\n"
    (group,) = command("runs", "stats", "--by", "family", "--json").envelope["items"]
    assert (group["family"], group["runs"], group["mean_reward"]) == ("suspicion-infection", 2, 0.75)
    assert command("runs", "stats", "--by", "reward").code == 2


def test_runs_show(command: Run, recorded: list[str]) -> None:
    finished = command("runs", "show", "20300501")
    assert "verdict  failed" in finished.out
    interrupted = command("runs", "show", "20300502")
    assert "interrupted" in interrupted.out
    assert "2 events are recorded" in interrupted.out
    followed = command("runs", "show", "20300501", "--events").out
    assert "a ␛[31mnote" in followed
    assert "\x1b" not in followed
    (item,) = command("runs", "show", "20300502", "--events", "--json").envelope["items"]
    assert (item["result"], len(item["events"])) == (None, 2)


def test_an_ambiguous_run_is_asked_for_more(command: Run, recorded: list[str]) -> None:
    ended = command("runs", "show", "2030")
    assert ended.code == 2
    assert ended.err.startswith("error: 2 runs start with '2030'\n  Give more of the id: ")


def test_witness_cases_of_the_reference_hold(command: Run) -> None:
    ended = command("witness", "run", "--no-concepts", "--json")
    assert ended.code == 0
    assert ended.envelope["summary"]["failed"] == 0
    assert ended.envelope["summary"]["cases"] >= 5


def test_foreign_sql_that_is_wrong_is_found(command: Run, tmp_path: Path) -> None:
    sql = tmp_path / "mine.sql"
    sql.write_text("SELECT 1 AS subject_id, 1 AS ab_id")
    ended = command("witness", "run", "--family", "suspected_infection", "--sql", sql, "--no-concepts")
    assert ended.code == 1
    assert "FAIL" in ended.out
