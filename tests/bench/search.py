"""Search over 10,000 runs: how fast the index is filled, and how long a query takes."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from workbench.records import DataPaths
from workbench.store import RunStore, run_names
from workbench.trajectories import ALL_STEPS, Only, StepQuery, search_runs

RUNS = 10_000
STEPS = 8
TARGET_MS = 300.0
FILL_S_A_MB = 1 / 8
_SEED = 1
_COMMON = (
    "the",
    "of",
    "patient",
    "table",
    "select",
    "from",
    "where",
    "cohort",
    "stay",
    "hour",
    "output",
    "rows",
)
_AT = "2030-01-01T00:00:00Z"


def write_runs(data: DataPaths, runs: int) -> int:
    """Runs with event logs as they write them; the logs' bytes in all.

    One word is in most steps, one in a single one.
    """
    chance = random.Random(_SEED)
    rare = [f"w{number:04d}" for number in range(3000)]
    written = 0
    _make_runs(data, runs)
    for run, name in enumerate(sorted(run_names(data))):
        lines = []
        for number in range(1, STEPS + 1):
            words = [chance.choice(_COMMON if chance.random() < 0.5 else rare) for _ in range(250)]
            words += ["zebra"] if (run, number) == (runs // 3, 3) else []
            table = f"mimiciv_derived.t{run % 50}"
            command = f'duckdb /data/ehr.duckdb -c "SELECT stay_id FROM {table} WHERE hour > {number}"'
            call = {"call_id": "c", "name": "bash", "kind": "command", "command": command}
            back = {"call_id": "c", "text": " ".join(words), "exit_code": int(number % 7 == 0)}
            step = {"number": number, "source": "agent", "calls": [call], "observations": [back]}
            event = {"schema_version": 1, "sequence": number, "at": _AT, "kind": "step", "step": step}
            lines.append(json.dumps(event) + "\n")
        written += data.run(name).events.write_text("".join(lines))
    return written


def _make_runs(data: DataPaths, runs: int) -> None:
    """Run folders, by the module beside this one."""
    folder = str(Path(__file__).resolve().parent)
    sys.path.insert(0, folder)
    try:
        import_module("runs_index").make_runs(data, runs)
    finally:
        sys.path.remove(folder)


def measure(runs: int = RUNS) -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) of each figure, over ``runs`` runs."""
    queries: dict[str, tuple[StepQuery, Only]] = {
        "a word of one step": (StepQuery("zebra"), ALL_STEPS),
        "a word of most steps": (StepQuery("patient"), ALL_STEPS),
        "two words": (StepQuery("w0001 patient"), ALL_STEPS),
        "a phrase": (StepQuery('"patient table"'), ALL_STEPS),
        "a table": (StepQuery(table="mimiciv_derived.t7"), ALL_STEPS),
        "a word where a call failed": (StepQuery("patient"), Only(errors=True)),
    }
    with tempfile.TemporaryDirectory() as folder:
        data = DataPaths(Path(folder) / "home")
        written = write_runs(data, runs)
        os.utime(data.runs, (time.time() - 60,) * 2)
        RunStore(data).rebuild()
        began = time.perf_counter()
        assert search_runs(data, StepQuery("zebra")).total == 1
        fill_s = time.perf_counter() - began
        name = f"search in {runs} runs"
        figures = [(f"{name}: filling the index, a MB", fill_s / (written / 1e6), FILL_S_A_MB, "s")]
        for what, (query, only) in queries.items():
            times = []
            for _ in range(5):
                began = time.perf_counter()
                assert search_runs(data, query, only).hits
                times.append((time.perf_counter() - began) * 1000)
            figures.append((f"{name}: {what}", sorted(times)[2], TARGET_MS, "ms"))
        return figures
