"""Run folders as earlier commits wrote them stay readable; what was added later has its default in them.

``stored/<commit>/<run>/``: documents of real runs, as that commit's run process left them. Never edit one.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from workbench.records import (
    DataPaths,
    FinishedEvent,
    Level,
    NoteEvent,
    RunPaths,
    RunResult,
    StepEvent,
    Verdict,
    ViolationEvent,
    cell_of,
)
from workbench.store import LocalRuns, RunStore, unreadable_lines
from workbench.trajectories import read_trajectory

STORED = Path(__file__).with_name("stored")
RUNS = sorted(STORED.glob("*/*"))
ATTEMPTS, REPLAY, DECLARED, CANCELLED = (
    "20261130-194201-71a5ce", "20261130-194306-64055e", "20261130-194319-a1375d", "20261130-194330-b18343",
)  # fmt: skip


@pytest.fixture
def local(tmp_path: Path) -> LocalRuns:
    data = DataPaths(tmp_path / "home")
    data.runs.mkdir(parents=True)
    for folder in RUNS:
        shutil.copytree(folder, data.run(folder.name).folder)
    return LocalRuns(RunStore(data))


def test_there_are_some() -> None:
    assert {folder.name for folder in RUNS} >= {ATTEMPTS, REPLAY, DECLARED, CANCELLED}


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_every_document_reads(folder: Path, local: LocalRuns) -> None:
    run_id = folder.name
    plan, identity, result = local.plan(run_id), local.identity(run_id), local.result(run_id)
    assert identity is not None
    assert result is not None
    assert plan.run_id == identity.run_id == result.run_id == run_id
    assert cell_of(plan, identity.inputs) == identity.cell, "an earlier run would be of another cell now"
    events = local.events(run_id)
    assert unreadable_lines(folder / "events.jsonl") == 0
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    last = events[-1]
    assert isinstance(last, FinishedEvent)
    assert last.result == result == RunResult.from_json(result.to_json(), "written anew")


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_the_trajectory_reads_as_its_steps_were_told(folder: Path, local: LocalRuns) -> None:
    steps, summary = read_trajectory(RunPaths(folder).trajectory)
    told = [event.step for event in local.events(folder.name) if isinstance(event, StepEvent)]
    assert [(step.number, step.calls, step.observations) for step in steps] == [
        (step.number, step.calls, step.observations) for step in told
    ]
    result = local.result(folder.name)
    assert result is not None
    assert result.trajectory is not None
    assert (summary.format, summary.steps) == (result.trajectory.format, result.trajectory.steps)


def test_what_the_lint_said_then(local: LocalRuns) -> None:
    said = {}
    for folder in RUNS:
        result = local.result(folder.name)
        assert result is not None
        assert result.lint is not None
        assert all(outcome.ran and outcome.version == 1 for outcome in result.lint.outcomes)
        streamed = [
            event.violation for event in local.events(folder.name) if isinstance(event, ViolationEvent)
        ]
        assert Counter(item.model_dump_json() for item in streamed) == Counter(
            item.model_dump_json() for item in result.lint.violations
        )
        said[folder.name] = (result.verdict, Counter(item.level for item in result.lint.violations))
    assert said[ATTEMPTS] == (Verdict.PUBLISHABLE, {Level.WARN: 4})
    assert said[REPLAY] == (Verdict.PUBLISHABLE, {Level.INFORMATION: 2})
    assert said[DECLARED] == (Verdict.PUBLISHABLE, {Level.WARN: 1})
    assert said[CANCELLED] == (Verdict.INTERRUPTED, {})


def test_they_are_listed(local: LocalRuns) -> None:
    rows = {row.run_id: row for row in local.rows()}
    assert {name: (row.verdict, row.warns, row.fails) for name, row in rows.items()} == {
        ATTEMPTS: ("publishable", 4, 0),
        REPLAY: ("publishable", 0, 0),
        DECLARED: ("publishable", 1, 0),
        CANCELLED: ("interrupted", 0, 0),
    }
    assert rows[REPLAY].demonstration
    assert rows[DECLARED].condition == "with-declaration"
    assert rows[CANCELLED].schema_variant == "obfuscated"


def test_a_declaration_and_its_stages_are_there(local: LocalRuns) -> None:
    result = local.result(DECLARED)
    assert result is not None
    assert result.declaration is not None
    assert result.stages is not None
    assert not any(isinstance(event, NoteEvent) for event in local.events(DECLARED))
