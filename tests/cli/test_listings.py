"""Tasks, skills, runs and witness cases from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.records import AgentChoice, Condition, DataPaths, RunPlan, RunResult, ScoreReport, Verdict
from workbench.store import EventLog, FileLock, RunStore, atomic_write

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., Any]
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)


def test_tasks(command: Run) -> None:
    listed = command("task", "list", "--json").envelope
    ids = [item["id"] for item in listed["items"]]
    family = ["mimic-suspicion-infection", "mimic-suspicion-infection-raw"]
    assert [name for name in ids if name in family] == family
    shown = command("task", "show", "suspected_infection", "--json").envelope
    assert [item["id"] for item in shown["items"]] == family
    assert all(item["instruction"] for item in shown["items"])
    text = command("task", "show", "mimic-suspicion-infection", "--instruction").out
    assert "subject_id, ab_id" in text
    instruction = shown["items"][0]["instruction"].rstrip()
    assert instruction in text
    assert command("task", "instruction", "mimic-suspicion-infection").out.rstrip() == instruction
    unknown = command("task", "instruction", "mimic-suspicion-infectio")
    assert (unknown.code, "Did you mean" in unknown.err) == (2, True)


def test_a_task_tells_where_its_texts_are(command: Run) -> None:
    (item,) = command("task", "show", "mimic-suspicion-infection", "--json").envelope["items"]
    plain = command("task", "show", "mimic-suspicion-infection").out
    assert set(item["files"]) == {"instruction file", "operational spec", "reference", "skill files"}
    for told in item["files"].values():
        for path in [told] if isinstance(told, str) else told:
            assert (ROOT / path).is_file()
            assert path in plain


def test_skills(command: Run) -> None:
    assert "suspicion-infection" in command("skill", "list").out
    assert command("skill", "show", "suspicion-infection").out.startswith("---\nname: suspicion-infection\n")
    (item,) = command("skill", "show", "suspicion-infection", "--json").envelope["items"]
    assert item["frontmatter"]["name"] == "suspicion-infection"


def test_a_broken_skill_is_a_note_and_the_others_are_listed(command: Run, small_root: Path) -> None:
    (small_root / "skills" / "bad").mkdir()
    (small_root / "skills" / "bad" / "SKILL.md").write_text("no frontmatter")
    ended = command("skill", "list")
    assert (ended.code, "good" in ended.out) == (1, True)
    assert "bad/SKILL.md, line 1: does not start with a frontmatter" in ended.err
    as_json = command("skill", "list", "--json")
    assert (as_json.code, len(as_json.envelope["problems"])) == (1, 1)
    assert command("task", "list").out == "no tasks\n"


@pytest.mark.parametrize("kind", [os.mkfifo, lambda path: path.symlink_to(path.name)])
def test_a_skill_that_is_no_file_is_a_note(
    command: Run, small_root: Path, kind: Callable[[Path], None]
) -> None:
    (small_root / "skills" / "bad").mkdir()
    kind(small_root / "skills" / "bad" / "SKILL.md")
    ended = command("skill", "list")
    assert (ended.code, "good" in ended.out, "bad/SKILL.md: cannot be read" in ended.err) == (1, True, True)


def test_a_run_that_cannot_be_read_is_a_note_and_the_others_are_listed(
    command: Run, recorded: list[str], home: Path
) -> None:
    plan = DataPaths(home).run(recorded[0]).plan
    plan.unlink()
    os.mkfifo(plan)
    for words in (("runs", "rebuild"), ("runs", "list")):
        ended = command(*words)
        assert ended.code == 1
        assert recorded[0] in ended.err
    assert recorded[1] in ended.out
    as_json = command("runs", "list", "--json")
    assert (as_json.code, len(as_json.envelope["problems"])) == (1, 1)


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


def test_a_filter_that_names_nothing_is_wrong_use(command: Run, recorded: list[str]) -> None:
    for action in ("list", "stats"):
        for option, name, near in (
            ("--task", "mimic-suspicion-infectio", "mimic-suspicion-infection"),
            ("--family", "suspicion-infections", "suspicion-infection"),
            ("--agent", "scrip", "script"),
        ):
            ended = command("runs", action, option, name)
            assert ended.code == 2
            assert f"Did you mean {near}" in ended.err
        assert "Known: " in command("runs", action, "--task", "nope").err
        assert command("runs", action, "--condition", "nope").code == 2


def test_a_filter_may_name_what_only_a_run_knows(command: Run, home: Path) -> None:
    plan = RunPlan(
        run_id="20300501t120000-c", created=NOON, task="gone", family="lost", condition=Condition.NO_SKILL,
        source="s", agent=AgentChoice(name="old"), sandbox="bubblewrap",
    )  # fmt: skip
    RunStore(DataPaths(home)).create(plan)
    for option, name in (("--task", "gone"), ("--family", "lost"), ("--agent", "old")):
        assert command("runs", "list", option, name, "--json").envelope["summary"] == {"runs": 1}


def test_runs_list_tells_source_and_demonstration(command: Run, recorded: list[str]) -> None:
    head, *lines = command("runs", "list").out.splitlines()
    assert {"source", "demo"} <= set(head.split())
    assert all(" no " in line for line in lines)
    (first, _) = command("runs", "list", "--json").envelope["items"]
    assert ("demo" in first, first["demonstration"]) == (False, False)


@pytest.mark.parametrize(
    "words",
    [
        ("runs", "list"), ("runs", "stats"), ("task", "list"), ("data", "list"), ("skill", "list"),
        ("demonstration", "list"), ("witness", "run", "--family", "suspicion-infection", "--no-concepts"),
    ],
)  # fmt: skip
def test_listings_fit_a_terminal(
    command: Run, recorded: list[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ended = command(*words)
    assert ended.code == 0
    assert max(map(len, (ended.out + ended.err).splitlines())) <= 80


@pytest.mark.parametrize("output", ["", "0" * 64])
def test_a_cancelled_run_shows_no_score(command: Run, recorded: list[str], home: Path, output: str) -> None:
    paths = RunStore(DataPaths(home)).paths(recorded[0])
    score = ScoreReport(task="mimic-suspicion-infection", readable=True, reward=0.75, strict_pass=False)
    result = RunResult(
        run_id=recorded[0], started=NOON, finished=NOON, verdict=Verdict.INTERRUPTED, reasons=["cancelled"],
        score=score, output_sha256=output,
    )  # fmt: skip
    atomic_write(paths.result, result.to_json())
    shown = command("runs", "show", recorded[0]).out
    lines = dict(line.split(maxsplit=1) for line in shown.splitlines() if " " in line)
    assert lines["state"] == "interrupted"
    assert lines["score"].startswith("not scored: the run was stopped")
    assert lines["created"] == "2030-05-01T12:00:00.000Z"
    assert "reward" not in shown


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
    ended = command("witness", "run", "--family", "suspicion-infection", "--no-concepts", "--json")
    assert ended.code == 0
    assert ended.envelope["summary"]["failed"] == 0
    assert ended.envelope["summary"]["cases"] >= 5


def test_foreign_sql_that_is_wrong_is_found(command: Run, tmp_path: Path) -> None:
    sql = tmp_path / "mine.sql"
    sql.write_text("SELECT 1 AS subject_id, 1 AS ab_id")
    ended = command("witness", "run", "--family", "suspected_infection", "--sql", sql, "--no-concepts")
    assert ended.code == 1
    assert "DIFFERS" in ended.out


def test_one_witness_case_is_found_by_its_id(command: Run) -> None:
    ended = command("witness", "run", "--case", "ertapenem-alone", "--no-concepts", "--json")
    found = [(item["family"], item["case"], item["passed"]) for item in ended.envelope["items"]]
    assert found == [("suspicion-infection", "ertapenem-alone", True)]
    unknown = command("witness", "run", "--case", "ertapenem-alon")
    assert (unknown.code, "ertapenem-alone" in unknown.err) == (2, True)
    elsewhere = command("witness", "run", "--family", "sofa", "--case", "ertapenem-alone", "--no-concepts")
    assert (elsewhere.code, "sofa has no witness case" in elsewhere.err) == (2, True)


def test_a_witness_case_says_what_it_shows(command: Run) -> None:
    told = command("witness", "run", "--family", "suspicion-infection", "--no-concepts").out
    items = command("witness", "run", "--family", "suspicion-infection", "--no-concepts", "--json").envelope[
        "items"
    ]
    lines = told.splitlines()
    assert lines[1].startswith(
        "  ok       screens-count-as-cultures / mrsa-screen-with-cefazolin (major, bias: "
    )
    assert lines[2].strip() == " ".join(items[0]["story"].split())
    known = sum(item["meets_definition"] is False for item in items)
    assert known > 0
    assert lines[-1] == (
        f"ok = the reference gives the value written down; {known} of them show a known departure from the "
        "source definition"
    )
    explained = command("witness", "run", "--help").out
    assert all(word in explained for word in ("concept:", "agrees", "differs", "open", "DIFFERS"))
