"""What changed from one run to another, and the command that tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import BadInput, DataPaths, Level, ScoreReport, Verdict
from workbench.runs import change_between
from workbench.store import LocalRuns, RunStore, atomic_write

from ..tui.recorded_runs import AT_STEP, make_identity, make_plan, make_result, make_score, record_run

BEFORE, AFTER = "20300501-120000-aaaaaa", "20300502-120000-bbbbbb"


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def better() -> ScoreReport:
    """Of ``make_score``'s run, with a specimen that is right more often and a column that is gone."""
    score = make_score(0.9)
    target = score.targets[0]
    columns = [target.columns[0], target.columns[1].model_copy(update={"match_rate": 0.75})]
    return score.model_copy(update={"targets": [target.model_copy(update={"columns": columns})]})


def test_columns_lint_and_what_was_asked(data: DataPaths) -> None:
    record_run(data, BEFORE)
    after = record_run(data, AFTER, condition="with-skill")
    lint = make_result().lint
    assert lint is not None
    said = lint.model_copy(update={"verdict": "warn", "violations": [AT_STEP, AT_STEP]})
    result = make_result(AFTER, score=better(), lint=said, verdict=Verdict.PUBLISHABLE, reasons=[])
    atomic_write(after.result, result.to_json())
    identity = make_identity(AFTER)
    inputs = identity.inputs.model_copy(update={"prompt": "9" * 40, "references": {"public-code": "8" * 64}})
    atomic_write(after.identity, identity.model_copy(update={"inputs": inputs}).to_json())

    change = change_between(LocalRuns(RunStore(data)), BEFORE, AFTER)
    assert [(item.what, item.before, item.after) for item in change.asked] == [
        ("condition", "no-skill", "with-skill")
    ]
    assert [(item.what, item.before, item.after) for item in change.inputs] == [
        ("prompt", "33333333", "99999999"),
        ("reference public-code", "55555555", "88888888"),
    ]
    assert (change.verdict.before, change.verdict.after) == ("quarantined", "publishable")
    assert [(item.column, item.before, item.after) for item in change.columns] == [
        ("reward", 0.75, 0.9),
        ("suspected_infection", 1.0, 1.0),
        ("specimen", 0.5, 0.75),
        ("culture_time", 0.0, None),
    ]
    assert [item.difference for item in change.columns][2:] == [0.25, None]
    assert [(item.rule, item.level, item.before, item.after) for item in change.violations] == [
        ("hidden-copies", Level.FAIL, 1, 0),
        ("reads-references", Level.WARN, 1, 2),
    ]
    assert change.notes == ["the references differ: a reward that changed need not be the agent's doing"]


def test_a_run_that_goes_on_has_no_columns(data: DataPaths) -> None:
    record_run(data, BEFORE)
    RunStore(data).create(make_plan(AFTER))
    change = change_between(LocalRuns(RunStore(data)), BEFORE, AFTER)
    assert {item.after for item in change.columns} == {None}
    assert change.notes == [f"{AFTER} has no result yet"]


def test_runs_of_two_tasks_are_refused(data: DataPaths) -> None:
    record_run(data, BEFORE)
    record_run(data, AFTER, task="mimic-sofa")
    with pytest.raises(BadInput, match="two tasks"):
        change_between(LocalRuns(RunStore(data)), BEFORE, AFTER)
