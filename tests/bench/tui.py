"""The app on a real pseudo-terminal: first paint, opening each screen, bytes and time a key, a slow line."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
RUNS = 10_000
STARTS = 5
START = datetime(2030, 1, 1, tzinfo=UTC)
Figures = list[tuple[str, float, float, str]]


def measure(runs: int = RUNS) -> Figures:
    """(name, value, target, unit) of each figure."""
    emulator, recorded = borrowed("tui_emulator"), borrowed("recorded_runs")
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        make_runs(recorded, home, runs)
        figures = _first_paint(emulator, home, runs)
        for size, cursor, typing in (((80, 24), 300.0, 300.0), ((200, 50), 300.0, 500.0)):
            figures += _keys(emulator, home, size, cursor, typing)
        figures += borrowed("tui_opening").measure_with(emulator, home)
        figures += borrowed("tui_runs").measure_with(emulator, recorded, home)
        figures += borrowed("tui_slow_line").measure_with(emulator, recorded, home)
    return figures


def borrowed(name: str) -> ModuleType:
    """A module beside this one, or a helper of the app's tests."""
    folders = [str(HERE), str(HERE.parent / "tui")]
    sys.path[:0] = folders
    try:
        return import_module(name)
    finally:
        del sys.path[: len(folders)]


def make_runs(recorded: Any, home: Path, runs: int) -> None:
    """So many run folders with a plan only, one that is whole, and their index."""
    from workbench.records import Condition, DataPaths
    from workbench.store import RunStore

    data = DataPaths(home / "data")
    recorded.record_run(data)
    conditions = list(Condition)
    for number in range(1, runs):
        created = START + timedelta(minutes=number)
        run_id = f"{created:%Y%m%d-%H%M%S}-{number:06x}"
        condition = conditions[number % len(conditions)]
        plan = recorded.make_plan(run_id, created=created, condition=condition, trial=1 + number % 5)
        data.run(run_id).folder.mkdir(mode=0o700)
        data.run(run_id).plan.write_text(plan.to_json())
    RunStore(data).refresh()


def _first_paint(emulator: Any, home: Path, runs: int) -> Figures:
    """Seconds from the command to the frame and the keys on the screen, the middle of several starts.

    One start before them leaves compiled modules behind. Beside it the same of a bare Textual app.
    """
    start = borrowed("tui_start")
    seconds, first_bytes, bare = [], 0, []
    for number in range(STARTS + 1):
        with start.fresh(emulator, home) as app:
            app.wait_for("? Help", 60)
            seconds.append(time.monotonic() - app.started)
            app.settle(0.5)
            first_bytes = app.received
            start.leave(app)
        command = [sys.executable, str(HERE / "tui_bare.py")]
        with emulator.Emulated(command, environment=emulator.environment(home)) as app:
            app.wait_for("? Help", 60)
            bare.append(time.monotonic() - app.started)
            start.leave(app)
        if number == 0:
            seconds.clear()
            bare.clear()
    return [
        (f"first paint with {runs:,} runs known", statistics.median(seconds), 0.6, "s"),
        ("  for comparison: one line in bare Textual", statistics.median(bare), 0.6, "s"),
        ("bytes until home is drawn, 80x24", float(first_bytes), 6000.0, "B"),
    ]


def _keys(emulator: Any, home: Path, size: tuple[int, int], cursor: float, typing: float) -> Figures:
    where = f"{size[0]}x{size[1]}"
    start = borrowed("tui_start")
    with start.fresh(emulator, home, size) as app:
        start.ready(app)
        moved = [app.spent(key) for key in "jjkjkj"]
        idle = app.spent("", quiet_s=3.0)
        app.send("\x07")
        app.wait_for("task ", 60)
        app.spent("mimic")
        typed = [app.spent(key) for key in " -"]
        app.send("\x1b")
        app.wait_for("Workbench > Home")
        start.leave(app)
    return [
        (f"bytes a cursor key in a list, {where}", float(max(moved)), cursor, "B"),
        (f"bytes a typed character, {where}", float(min(typed)), typing, "B"),
        (f"idle bytes in 3 s, {where}", float(idle), 0.1, "B"),
    ]
