"""Key to repaint and bytes a key in lists and in Runs, and what the progress line of a going run costs."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from tui_start import fresh, leave, open_runs, ready

from workbench.records import DataPaths, SystemClock
from workbench.store import EventLog, FileLock, RunStore

PRESSES = 30
QUIET_S = 0.1
PROGRESS_S = 8.0
GOING = "20300601-000000-00beef"
Figures = list[tuple[str, float, float, str]]


def measure_with(emulator: Any, recorded: Any, home: Path) -> Figures:
    """(name, value, target, unit) of each figure; ``home`` has 10,000 runs."""
    figures: Figures = []
    for size, scroll in (((80, 24), 2500.0), ((200, 50), 6000.0)):
        figures += _keys(emulator, home, size, scroll)
    return [*figures, *_progress(emulator, recorded, home)]


def press(app: Any, keys: str) -> tuple[list[float], list[float]]:
    """Milliseconds to the first byte of the answer, and bytes, of each key."""
    waits, counts = [], []
    for key in keys:
        before, began = app.received, time.monotonic()
        app.send(key)
        while app.received == before and time.monotonic() - began < 2.0:
            app.read(1.0)
        waits.append((time.monotonic() - began) * 1000)
        app.settle(QUIET_S)
        counts.append(float(app.received - before))
    return waits, counts


def ninety_five(values: list[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[max(0, int(len(values) * 0.95) - 1)]


def _keys(emulator: Any, home: Path, size: tuple[int, int], most_scrolled: float) -> Figures:
    where = f"{size[0]}x{size[1]}"
    with fresh(emulator, home, size) as app:
        ready(app)
        listed, _ = press(app, "jjkjk" * (PRESSES // 5))
        open_runs(app)
        rows = size[1] - 6
        cursor = press(app, "j" * min(PRESSES, rows - 2))
        press(app, "j" * (size[1] - min(PRESSES, rows - 2)))
        scroll = press(app, "j" * PRESSES)
        page = press(app, " b" * (PRESSES // 4))
        ends = press(app, "Gg" * (PRESSES // 4))
        leave(app)
    waits = cursor[0] + scroll[0] + page[0] + ends[0]
    return [
        (f"key to repaint in a list, 95th percentile, {where}", ninety_five(listed), 50.0, "ms"),
        (f"key to repaint in Runs, 95th percentile, {where}", ninety_five(waits), 50.0, "ms"),
        (f"bytes a cursor key in Runs, {where}", ninety_five(cursor[1]), 300.0, "B"),
        (f"bytes to scroll a line in Runs, {where}", ninety_five(scroll[1]), most_scrolled, "B"),
    ]


def _progress(emulator: Any, recorded: Any, home: Path) -> Figures:
    """Bytes a second of the live screen while a run goes on and its agent says nothing."""
    data = DataPaths(home / "data")
    run = RunStore(data).create(recorded.make_plan(GOING, created=recorded.NOON + timedelta(days=1)))
    with FileLock(run.lock, f"run {GOING}"):
        log = EventLog(run.events, SystemClock())
        log.stage("execute", "begin")
        with fresh(emulator, home) as app:
            ready(app)
            open_runs(app)
            app.send("a")
            app.wait_for(f"Workbench > Run {GOING}", 20)
            app.wait_for("execute", 20)
            app.settle(0.4, 2.0)
            before, until = app.received, time.monotonic() + PROGRESS_S
            while (left := until - time.monotonic()) > 0:
                app.read(left)
            spent = app.received - before
            leave(app)
        log.close()
    return [("bytes a second of a going run's progress, 80x24", spent / PROGRESS_S, 200.0, "B")]
