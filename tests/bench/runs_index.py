"""How long 10,000 runs take to list, filter and aggregate; target 300 ms each."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workbench.records import (
    AgentChoice,
    Condition,
    DataPaths,
    InputHashes,
    RunIdentity,
    RunPlan,
    RunResult,
    SandboxReport,
    ScoreReport,
    Verdict,
)
from workbench.store import RunStore, known_runs

RUNS = 10_000
TARGET_MS = 300.0
_START = datetime(2030, 1, 1, tzinfo=UTC)
_AGENTS = ("codex", "replay", "script")
_MODELS = ("model-a", "model-b", "model-c", "")


def make_runs(data: DataPaths, runs: int) -> None:
    """Run folders over tasks, conditions, agents and models; one in twenty was interrupted, long ago."""
    conditions = list(Condition)
    for number in range(runs):
        family = f"family-{number % 14:02d}"
        task = f"mimic-{family}{'-raw' if number % 2 else ''}"
        created = _START + timedelta(seconds=number)
        plan = RunPlan(
            run_id=f"{created:%Y%m%dt%H%M%S}-{task}-{number:05d}",
            created=created,
            task=task,
            family=family,
            condition=conditions[number % len(conditions)],
            source="synthetic-500-1",
            agent=AgentChoice(name=_AGENTS[number % 3], model=_MODELS[number % 4]),
            trial=1 + number % 5,
            sandbox="bubblewrap",
        )
        paths = data.run(plan.run_id)
        paths.folder.mkdir(parents=True)
        paths.plan.write_text(plan.to_json(), encoding="utf-8")
        inputs = InputHashes(task="0", instruction="0", prompt="0")
        identity = RunIdentity(
            run_id=plan.run_id, cell=f"{number % 2_000:016x}", inputs=inputs, canary=_token(number)
        )
        paths.identity.write_text(identity.to_json(), encoding="utf-8")
        if number % 20 == 0:
            os.utime(paths.folder, (created.timestamp() - 1e9,) * 2)
            continue
        reward = (number * 37 % 101) / 100
        result = RunResult(
            run_id=plan.run_id,
            started=created,
            finished=created + timedelta(seconds=30),
            verdict=Verdict.PUBLISHABLE if number % 3 else Verdict.QUARANTINED,
            score=ScoreReport(task=task, readable=True, reward=reward, strict_pass=reward > 0.95),
            sandbox=SandboxReport(backend="bubblewrap", degraded=False, wall_s=30.0),
        )
        paths.result.write_text(json.dumps(result.model_dump(mode="json")), encoding="utf-8")


def _token(number: int) -> str:
    return "wbc-" + "".join("abcdefghij"[int(digit)] for digit in f"{number:016d}")


def _milliseconds(work: Callable[[], object]) -> float:
    """Best of three."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return min(times)


def measure(runs: int = RUNS) -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) of each figure, over ``runs`` runs."""
    with tempfile.TemporaryDirectory() as folder:
        data = DataPaths(Path(folder) / "home")
        make_runs(data, runs)
        os.utime(data.runs, (_START.timestamp() - 1e9,) * 2)
        store = RunStore(data)
        started = time.perf_counter()
        store.rebuild()
        rebuild_s = time.perf_counter() - started
        plan = RunPlan.load(data.run(store.rows(family="family-03", limit=1)[0].run_id).plan)
        return [
            (
                f"what a new run is told of {runs} runs",
                _milliseconds(lambda: known_runs(data, plan)),
                TARGET_MS,
                "ms",
            ),
            (f"list {runs} runs", _milliseconds(store.rows), TARGET_MS, "ms"),
            (
                f"filter {runs} runs",
                _milliseconds(lambda: store.rows(family="family-03", verdict="publishable", agent="codex")),
                TARGET_MS,
                "ms",
            ),
            (
                f"aggregate {runs} runs",
                _milliseconds(lambda: store.aggregate(["family", "condition", "model"])),
                TARGET_MS,
                "ms",
            ),
            (f"rebuild the index of {runs} runs", rebuild_s, 30.0, "s"),
        ]
