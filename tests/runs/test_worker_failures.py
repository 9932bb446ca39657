"""A worker whose machine or program fails: a recorded result, no partial copy, no value told."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.catalog import Content
from workbench.records import (
    AgentChoice,
    Condition,
    ContentPaths,
    DataPaths,
    RunPaths,
    RunPlan,
    RunResult,
    Settings,
    Unavailable,
)
from workbench.runs import Context
from workbench.runs import worker as module
from workbench.runs.cancellation import Cancellation
from workbench.runs.worker import RunWorker
from workbench.store import RunStore

PLANTED = "patient 10006 had a fever"


@pytest.fixture
def worker(content: Content, tmp_path: Path) -> tuple[RunWorker, RunPaths]:
    context = Context(content, DataPaths(tmp_path / "home"), Settings())
    plan = a_plan()
    run = RunStore(context.data).create(plan)
    return RunWorker(context, plan, run, Cancellation()), run


def a_plan(condition: Condition = Condition.NO_SKILL) -> RunPlan:
    return RunPlan(
        run_id="20260101-000000-abcdef",
        created=datetime(2026, 1, 1, tzinfo=UTC),
        task="mimic-suspicion-infection",
        family="suspicion-infection",
        condition=condition,
        source="s",
        agent=AgentChoice(name="script"),
        sandbox="bubblewrap",
    )


def fail_with(monkeypatch: pytest.MonkeyPatch, run: RunPaths, error: Exception) -> None:
    def execute(*_: object) -> None:
        run.collected.mkdir()
        run.output.write_text("half")
        raise error

    monkeypatch.setattr(RunWorker, "_straight_line", execute)


def test_a_full_disk_is_a_failed_run(
    worker: tuple[RunWorker, RunPaths], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, run = worker
    fail_with(monkeypatch, run, OSError(28, "No space left on device", PLANTED))
    made.work()
    result = RunResult.load(run.result)
    assert result.verdict == "failed"
    assert "No space left on device" in result.reasons[0]
    assert "Free some space" in result.reasons[0]
    assert PLANTED not in run.result.read_text()
    assert result.output_sha256 == ""
    assert not run.collected.exists()


def test_a_fault_of_the_program_is_recorded_without_its_message(
    worker: tuple[RunWorker, RunPaths], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, run = worker
    fail_with(monkeypatch, run, ValueError(PLANTED))
    with pytest.raises(RuntimeError) as raised:
        made.work()
    (reason,) = RunResult.load(run.result).reasons
    assert reason.startswith("internal error: ValueError at workbench.runs.worker:")
    assert str(raised.value) == reason
    assert raised.value.__suppress_context__
    assert PLANTED not in run.result.read_text() + run.events.read_text()
    assert RunStore(made._context.data).rows()[0].verdict == "failed"


def test_stages_that_are_gone_by_the_end_cost_no_score(content: Content, tmp_path: Path) -> None:
    """Their file was there when the run began; what was scored stands, and a note says what is lacking."""
    family = content.family_paths("suspicion-infection").folder
    copied = tmp_path / family.relative_to(content.paths.root)
    shutil.copytree(family, copied)
    (copied / "stages.toml").unlink()
    context = Context(Content(ContentPaths(tmp_path)), DataPaths(tmp_path / "home"), Settings())
    plan = a_plan(condition=Condition.WITH_DECLARATION)
    run = RunStore(context.data).create(plan)
    made = RunWorker(context, plan, run, Cancellation())
    ended = SimpleNamespace(ready=None, steps=[], refused_results=[], reward=1.0)
    assert made._declared(ended, ended, ended) is None
    assert "family suspicion-infection has no stages" in run.events.read_text()


def test_results_give_way_to_the_record(
    worker: tuple[RunWorker, RunPaths], monkeypatch: pytest.MonkeyPatch, make_full: Callable[..., None]
) -> None:
    made, run = worker
    made._collected = True
    fail_with(monkeypatch, run, Unavailable("cannot be written (No space left on device)"))
    make_full(run)
    made.work()
    result = RunResult.load(run.result)
    assert result.verdict == "failed"
    assert "the collected results were removed" in result.reasons[-1]
    assert not run.collected.exists()


@pytest.fixture
def make_full(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Recording fails while there are collected results."""

    def make(run: RunPaths) -> None:
        real = module.record

        def record(*arguments: object) -> None:
            if run.collected.exists():
                raise Unavailable("cannot be written (No space left on device)")
            real(*arguments)

        monkeypatch.setattr(module, "record", record)

    return make
