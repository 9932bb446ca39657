"""Well-formed documents that hold what nothing can hold: one problem, the other runs are listed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.records import (
    AgentChoice,
    BadInput,
    Condition,
    DataPaths,
    RunIdentity,
    RunPlan,
    RunResult,
    ScoreReport,
    read_regular,
)
from workbench.store import RunStore

PLAN = RunPlan(
    run_id="20300501t120000-a",
    created=datetime(2030, 5, 1, tzinfo=UTC),
    task="t",
    family="f",
    condition=Condition.NO_SKILL,
    source="s",
    agent=AgentChoice(name="script"),
    sandbox="bubblewrap",
)
HALF = "a\ud800"
HOSTILE: list[dict[str, Any]] = [
    {"created": "0001-01-01T00:00:00+14:00"},
    {"created": "9999-12-31T23:59:59-14:00"},
    {"trial": 10**30},
    {"trial": 2**63},
    {"source": HALF},
    {"agent": {"name": "script", "model": HALF}},
]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    store = RunStore(DataPaths(tmp_path / "home"))
    store.create(PLAN)
    store.create(PLAN.model_copy(update={"run_id": "20300502t120000-b"}))
    return store


@pytest.mark.parametrize("change", HOSTILE, ids=str)
def test_one_problem(store: RunStore, change: dict[str, Any]) -> None:
    path = store.data.run(PLAN.run_id).plan
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    store.rebuild()
    assert [row.run_id for row in store.rows()] == ["20300502t120000-b"]
    assert [problem.where for problem in store.problems()] == [PLAN.run_id]
    with pytest.raises(BadInput):
        RunPlan.load(path)


@pytest.mark.parametrize("kind", [RunPlan, RunIdentity, RunResult, ScoreReport])
@pytest.mark.parametrize("text", ['{"x": 1%s}' % ("0" * 30), '{"x": "\\uD800"}', '{"x": "\\udc00\\ud800"}'])
def test_no_document_holds_it(kind: type[RunPlan], text: str) -> None:
    for written in (text, text.encode()):
        with pytest.raises(BadInput, match="not valid JSON"):
            kind.from_json(written, "x")


def test_a_whole_character_in_two_parts_is_one() -> None:
    with pytest.raises(BadInput, match="Extra inputs"):
        RunPlan.from_json('{"x": "\\ud83d\\ude00"}', "x")


def column(name: str, rate: float) -> dict[str, Any]:
    return {"column": name, "type": "text", "present": True, "matched": 1, "match_rate": rate}


def target(name: str, *columns: dict[str, Any]) -> dict[str, Any]:
    return {
        "target": name,
        "reward": 1.0,
        "ordered_nmae": None,
        "keys": None,
        "columns": list(columns),
        "strict_pass": False,
        "strict_checks": [],
    }


def report(*targets: dict[str, Any]) -> str:
    told = {"task": "t", "readable": True, "reward": 1.0, "strict_pass": False}
    return json.dumps(told | {"targets": list(targets)})


def test_columns_that_one_target_lacks_are_not_side_by_side() -> None:
    found = ScoreReport.from_json(
        report(
            target("public-code", column("a", 1), column("b", 0.5)), target("adjudicated", column("b", 1))
        ),
        "result.json",
    )
    assert found.side_by_side == [("reward", [1.0, 1.0]), ("b", [0.5, 1.0])]


@pytest.mark.parametrize(
    "text",
    [
        report(target("public-code", column("a", 5e10))),
        report(target("public-code", column("a", -1))),
        report(*[target("public-code")] * 51),
        report(target("public-code", *[column("a", 1)] * 501)),
    ],
)
def test_scores_beyond_all_use(text: str) -> None:
    with pytest.raises(BadInput, match="targets"):
        ScoreReport.from_json(text, "result.json")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(OSError, match="larger than"):
        read_regular(path, 1000)
    with pytest.raises(OSError, match="larger than"):
        read_regular(path)
