"""Plans, results and a data directory for the store's tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.records import (
    AgentChoice,
    Condition,
    DataPaths,
    InputHashes,
    LintReport,
    RunIdentity,
    RunPlan,
    RunResult,
    ScoreReport,
    Verdict,
    Violation,
)

NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


@pytest.fixture
def make_plan() -> Callable[..., RunPlan]:
    def make(run_id: str, **changes: Any) -> RunPlan:
        fields: dict[str, Any] = {
            "created": NOON,
            "task": "mimic-suspicion-infection",
            "family": "suspicion-infection",
            "condition": Condition.NO_SKILL,
            "source": "synthetic-500-1",
            "agent": AgentChoice(name="script", model="none"),
            "sandbox": "bubblewrap",
        }
        return RunPlan(run_id=run_id, **(fields | changes))

    return make


@pytest.fixture
def make_result() -> Callable[..., RunResult]:
    def make(run_id: str, reward: float = 0.5, levels: tuple[str, ...] = (), **changes: Any) -> RunResult:
        fields: dict[str, Any] = {
            "started": NOON,
            "finished": NOON,
            "verdict": Verdict.PUBLISHABLE,
            "score": ScoreReport(task="t", readable=True, reward=reward, strict_pass=reward == 1.0),
            "lint": LintReport(
                verdict="clean",
                violations=[Violation(rule="r", level=level, message="m") for level in levels],
            ),
        }
        return RunResult(run_id=run_id, **(fields | changes))

    return make


@pytest.fixture
def make_identity() -> Callable[[str, str, int], RunIdentity]:
    def make(run_id: str, cell: str, attempt: int) -> RunIdentity:
        inputs = InputHashes(task="0", instruction="0", prompt="0")
        return RunIdentity(run_id=run_id, cell=cell, attempt=attempt, inputs=inputs)

    return make
