"""A key held over a slow line: 300 ms there and back, 500 kbit/s, nothing lost, buffers without end."""

from __future__ import annotations

import os
import select
import time
from collections import deque
from datetime import timedelta
from pathlib import Path
from typing import Any

from tui_start import fresh, leave, open_runs, ready

from workbench.records import DataPaths
from workbench.store import RunStore

ROUND_TRIP_S = 0.3
BYTES_A_SECOND = 500_000 / 8
REPEATS_A_SECOND = 30
HELD_S = 3.0
QUIET_S = 1.5
LOG_LINES = 100_000
LOG_RUN = "20300701-000000-00b106"
WAY_TO_LOG = (("t", "Workbench > Run 2"), ("L", "Workbench > what the agent"))
Figures = list[tuple[str, float, float, str]]


class SlowLine:
    """Between a person and the app's terminal: each way half the latency and so many bytes a second.

    What the app writes is taken at once and waits here, as in the buffers of a connection: an app that writes
    more than the line takes is seen late.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._up: deque[tuple[float, bytes]] = deque()
        self._down: deque[tuple[float, bytes]] = deque()
        self._up_free = self._down_free = 0.0
        self.last_arrival = 0.0
        self.arrived = 0

    def send(self, keys: bytes) -> None:
        """A key is pressed now."""
        self._up_free = max(self._up_free, time.monotonic()) + len(keys) / BYTES_A_SECOND
        self._up.append((self._up_free + ROUND_TRIP_S / 2, keys))

    def run(self, until: float) -> None:
        """Carry both ways until that time."""
        while (now := time.monotonic()) < until:
            while self._up and self._up[0][0] <= now:
                os.write(self._app.master, self._up.popleft()[1])
            while self._down and self._down[0][0] <= now:
                self.last_arrival, data = self._down.popleft()
                self.arrived += len(data)
            due = [queue[0][0] for queue in (self._up, self._down) if queue]
            wait_s = max(0.0, min([until, *due]) - now)
            if select.select([self._app.master], [], [], wait_s)[0]:
                data = os.read(self._app.master, 1 << 16)
                self._down_free = max(self._down_free, time.monotonic()) + len(data) / BYTES_A_SECOND
                self._down.append((self._down_free + ROUND_TRIP_S / 2, data))
                self._app.raw += data

    def settle(self) -> None:
        """Carry until nothing is under way and nothing has come for a while."""
        while self._up or self._down or time.monotonic() - self.last_arrival < QUIET_S:
            self.run(time.monotonic() + 0.05)

    def hold(self, key: bytes) -> float:
        """Hold the key; seconds from its release to the last change on the screen, without the latency."""
        began = time.monotonic()
        for number in range(int(HELD_S * REPEATS_A_SECOND)):
            self.run(began + number / REPEATS_A_SECOND)
            self.send(key)
        released = time.monotonic()
        self.settle()
        return max(0.0, self.last_arrival - released - ROUND_TRIP_S)


def measure_with(emulator: Any, recorded: Any, home: Path) -> Figures:
    """(name, value, target, unit) of each figure; ``home`` has 10,000 runs. Inside an SSH session."""
    _make_log(recorded, home)
    figures: Figures = []
    for size in ((80, 24), (200, 50)):
        for what, keys in (("Runs", ()), ("a log", WAY_TO_LOG)):
            with fresh(emulator, home, size, SSH_CONNECTION="192.0.2.1 22 192.0.2.2 22") as app:
                ready(app)
                open_runs(app)
                for key, heading in keys:
                    app.send(key)
                    app.wait_for(heading, 30)
                    app.settle(1.0)
                line = SlowLine(app)
                lag_s = max(line.hold(key) for key in (b"j", b" "))
                leave(app)
            where = f"{size[0]}x{size[1]}"
            figures.append((f"lag after a held key in {what}, slow line, {where}", lag_s, 0.5, "s"))
    return figures


def _make_log(recorded: Any, home: Path) -> None:
    """The newest run, with a long log."""
    plan = recorded.make_plan(LOG_RUN, created=recorded.NOON + timedelta(days=2))
    run = RunStore(DataPaths(home / "data")).create(plan)
    run.result.write_text(recorded.make_result(LOG_RUN).to_json(), encoding="utf-8")
    with run.trajectory.open("w", encoding="ascii") as file:
        for number in range(LOG_LINES):
            file.write(f"{number:>9} {'the agent says something about step':<40} {number * 7919 % 997:>27}\n")
