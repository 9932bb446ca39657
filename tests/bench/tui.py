"""The frame of the app on a real pseudo-terminal: first paint, bytes a key, idling, opening a screen."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
RUNS = 10_000
STARTS = 5
START = datetime(2030, 1, 1, tzinfo=UTC)
Figures = list[tuple[str, float, float, str]]


def measure(runs: int = RUNS) -> Figures:
    """(name, value, target, unit) of each figure."""
    sys.path.insert(0, str(TESTS / "tui"))
    try:
        emulator, recorded = import_module("tui_emulator"), import_module("recorded_runs")
    finally:
        sys.path.pop(0)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        _make_runs(recorded, home, runs)
        figures = _first_paint(emulator, home, runs)
        for size, cursor, typing in (((80, 24), 300.0, 300.0), ((200, 50), 300.0, 500.0)):
            figures += _keys(emulator, home, size, cursor, typing)
        figures += _opening(emulator, home)
    return figures


def _make_runs(recorded: Any, home: Path, runs: int) -> None:
    """So many run folders with a plan only, one that is whole, and their index."""
    from workbench.records import DataPaths
    from workbench.store import RunStore

    data = DataPaths(home / "data")
    recorded.record_run(data)
    for number in range(1, runs):
        run_id = f"{START + timedelta(minutes=number):%Y%m%d-%H%M%S}-{number:06x}"
        folder = data.run(run_id).folder
        folder.mkdir(mode=0o700)
        data.run(run_id).plan.write_text(recorded.make_plan(run_id).to_json())
    RunStore(data).refresh()


def _first_paint(emulator: Any, home: Path, runs: int) -> Figures:
    """Seconds from the command to the frame and the keys on the screen, the middle of several starts."""
    seconds, first_bytes = [], 0
    for _ in range(STARTS):
        with emulator.Emulated(environment=emulator.environment(home)) as app:
            app.wait_for("? Help", 60)
            seconds.append(time.monotonic() - app.started)
            app.settle(0.5)
            first_bytes = app.received
            _leave(app)
    return [
        (f"first paint with {runs:,} runs known", statistics.median(seconds), 0.6, "s"),
        ("bytes until home is drawn, 80x24", float(first_bytes), 6000.0, "B"),
    ]


def _keys(emulator: Any, home: Path, size: tuple[int, int], cursor: float, typing: float) -> Figures:
    where = f"{size[0]}x{size[1]}"
    with emulator.Emulated(size=size, environment=emulator.environment(home)) as app:
        app.wait_for("1 skill", 60)
        app.wait_for("Last of", 60)
        app.settle(0.5)
        moved = [app.spent(key) for key in "jjkjkj"]
        idle = app.spent("", quiet_s=3.0)
        app.send("\x07")
        app.wait_for("task ", 60)
        app.spent("mimic")
        typed = [app.spent(key) for key in " -"]
        app.send("\x1b")
        app.wait_for("Workbench > Home")
        _leave(app)
    return [
        (f"bytes a cursor key in a list, {where}", float(max(moved)), cursor, "B"),
        (f"bytes a typed character, {where}", float(min(typed)), typing, "B"),
        (f"idle bytes in 3 s, {where}", float(idle), 0.1, "B"),
    ]


def _opening(emulator: Any, home: Path) -> Figures:
    """Milliseconds from the key to the heading of a screen that was not imported yet."""
    slowest = 0.0
    for key, heading in (
        ("?", "Workbench > Help"),
        ("\x10", "Workbench > Commands"),
        ("2", "Workbench > Runs"),
    ):
        with emulator.Emulated(environment=emulator.environment(home)) as app:
            app.wait_for("Last of", 60)
            app.settle(0.5)
            began = time.monotonic()
            app.send(key)
            app.wait_for(heading, 30)
            slowest = max(slowest, (time.monotonic() - began) * 1000)
            _leave(app)
    return [("a screen opens, the slowest of three", slowest, 150.0, "ms")]


def _leave(app: Any) -> None:
    app.send("\x11")
    app.wait()
