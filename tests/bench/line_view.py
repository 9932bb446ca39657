"""A log of 1,000,000 lines (80 MB) in the app, on a terminal: opening, memory, key to repaint, bytes a key.

Started with a folder it is the app that is measured: ``python tests/bench/line_view.py FOLDER``.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = 1_000_000
RUN = "20300101-000000-bench0"
QUIET_S = 0.15


def make_home(folder: Path, lines: int) -> None:
    """A data directory with one run whose printed log has ``lines`` lines of 80 bytes."""
    from workbench.records import AgentChoice, Condition, DataPaths, RunPlan
    from workbench.store import RunStore

    plan = RunPlan(
        run_id=RUN,
        created=datetime(2030, 1, 1, tzinfo=UTC),
        task="bench",
        family="bench",
        condition=Condition.NO_SKILL,
        source="none",
        agent=AgentChoice(name="script", model="none"),
        sandbox="none",
    )
    run = RunStore(DataPaths(folder)).create(plan)
    run.result.write_text("{}")  # ended, so that the log is read once
    with run.trajectory.open("w", encoding="ascii") as file:
        for first in range(0, lines, 10_000):
            file.writelines(
                f"{number:>9} {'the agent says something about step':<40} {number * 7919 % 997:>27}\n"
                for number in range(first, min(first + 10_000, lines))
            )


def run_app(folder: Path) -> None:
    """The app with the log open; what it measures about itself goes to ``report.jsonl``."""
    from workbench.catalog import Content
    from workbench.records import ContentPaths, DataPaths, Settings
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.context import AppContext
    from workbench.tui.screens.log import LogScreen
    from workbench.tui.terminal import Terminal

    report = (folder / "report.jsonl").open("a", encoding="ascii")

    class Measured(WorkbenchApp):
        def on_ready(self) -> None:
            self.began = time.perf_counter()
            self.open_screen("log", run=RUN)
            self.watching = self.set_interval(0.01, self.look)
            self.painted = False

        def look(self) -> None:
            screen = self.screen
            if not isinstance(screen, LogScreen) or len(screen.view.source) == 0:
                return
            if not self.painted:
                self.painted = True
                self.tell_report("painted")
            if screen.view.source.complete:
                self.tell_report("indexed")
                self.watching.stop()

        def tell_report(self, what: str) -> None:
            report.write(json.dumps({what: time.perf_counter() - self.began}) + "\n")
            report.flush()

    context = AppContext(Content(ContentPaths(ROOT)), DataPaths(folder), Settings(), Terminal())
    Measured(context).run(mouse=False)


class Terminal:
    """A pseudo-terminal with the app in it."""

    def __init__(self, folder: Path, width: int, height: int) -> None:
        self._report = folder / "report.jsonl"
        self._report.write_text("")
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
        environment = kept | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), str(folder)],
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            env=environment | {"PYTHONPATH": str(ROOT)}, cwd=ROOT,
        )  # fmt: skip
        os.close(theirs)

    def close(self) -> None:
        os.close(self._ours)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def reported(self, what: str, most_s: float = 120.0) -> float:
        """Seconds the app says; reads what it draws meanwhile."""
        until = time.monotonic() + most_s
        while time.monotonic() < until:
            self.drain(0.05)
            for line in self._report.read_text().splitlines():
                if what in (item := json.loads(line)):
                    return float(item[what])
        raise TimeoutError(what)

    def drain(self, quiet_s: float = QUIET_S) -> tuple[float, int]:
        """Read until nothing comes for so long: seconds to the first byte, and bytes."""
        began = time.perf_counter()
        first, count = 0.0, 0
        while select.select([self._ours], [], [], quiet_s)[0]:
            try:
                data = os.read(self._ours, 1 << 16)
            except OSError:
                break
            first = first or time.perf_counter() - began
            count += len(data)
        return first, count

    def press(self, key: bytes, times: int) -> tuple[list[float], list[int]]:
        """Milliseconds to the first byte of the answer, and bytes, of each press."""
        waits, counts = [], []
        for at in range(times):
            os.write(self._ours, key[at % len(key) : at % len(key) + 1])
            first, count = self.drain()
            waits.append(first * 1000)
            counts.append(count)
        return waits, counts

    def resident_mb(self) -> float:
        """The most memory it had."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def ninety_five(values: list[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[max(0, int(len(values) * 0.95) - 1)]


def measure(lines: int = LINES, presses: int = 30) -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) of each figure."""
    figures: list[tuple[str, float, float, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_home(folder, lines)
        for width, height, most in ((80, 24, 2500), (200, 50, 6000)):
            size = f"{width}x{height}"
            terminal = Terminal(folder, width, height)
            try:
                figures.append(
                    (
                        f"log of {lines:,} lines to its first screen, {size}",
                        terminal.reported("painted"),
                        1.0,
                        "s",
                    )
                )
                indexed_s = terminal.reported("indexed")
                terminal.drain(0.5)
                cursor = terminal.press(b"j", min(presses, height - 8))
                terminal.press(b"j", height)  # to the last row, so that the next ones scroll
                scroll = terminal.press(b"j", presses)
                page = terminal.press(b" ", presses)
                ends = terminal.press(b"Gg", presses)
                waits = cursor[0] + scroll[0] + page[0] + ends[0]
                figures.append((f"key to repaint, 95th percentile, {size}", ninety_five(waits), 50.0, "ms"))
                figures.append((f"bytes a cursor key, {size}", max(cursor[1][1:]), 300.0, "B"))
                figures.append(
                    (
                        f"bytes to scroll a line, {size}",
                        ninety_five([float(n) for n in scroll[1]]),
                        float(most),
                        "B",
                    )
                )
                figures.append((f"memory with the log open, {size}", terminal.resident_mb(), 150.0, "MB"))
                terminal.drain(1.0)
                figures.append((f"idle bytes in a second, {size}", float(terminal.drain(1.0)[1]), 0.1, "B"))
                if width == 80:
                    figures.append((f"all {lines:,} lines indexed", indexed_s, 3.0, "s"))
            finally:
                terminal.close()
    return figures


if __name__ == "__main__":
    run_app(Path(sys.argv[1]))
