"""The streaming lint: how long until a violation is told and drawn, what a step costs, that none is lost."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TASK = "mimic-suspicion-infection"
SOURCE = "synthetic-40-1"
STEPS_A_SECOND = 20
STEPS = 200
DRAWN = 100
BURST = 1000
TOLD_MS = 200.0
LOOK_S = 0.002
NO_MORE_S = 60.0
MEAN_MS = 1000.0 / STEPS_A_SECOND
"""On average a step may take so long, or the lint falls behind."""
LOGS = ROOT.parent / "shared" / "data" / "trajectories"
MOST_STEPS = 2000
"""Of one log."""
Figures = list[tuple[str, float, float, str]]

PROGRAM = """
import json, sys, time
count, pause, wait = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
def say(**line):
    sys.stdout.write(json.dumps(line) + "\\n")
    sys.stdout.flush()
say(kind="start", workbench=1, session="", model="")
time.sleep(wait)
begun = time.time()
for number in range(1, count + 1):
    time.sleep(max(0.0, begun + number * pause - time.time()))
    mark = "mark-%04d" % number
    call = dict(call_id=mark, name="shell", kind="command", command="m=" + mark + "; cat /root/$m")
    back = dict(call_id=mark, text="cat: Permission denied", exit_code=1, is_error=True)
    say(kind="step", step=dict(number=number, source="agent", calls=[call], observations=[back],
                               timestamp="%.6f" % time.time()))
say(kind="end", complete=True)
"""
"""An agent that does nothing but print steps, each with an attempt that the lint warns of."""
TOLD = re.compile(rb'"kind":"violation".*?/root/(mark-\d{4})')
SHOWN = re.compile(r"/root/(mark-\d{4})")


def measure() -> Figures:
    """(name, value, target, unit) of each figure."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        told = _told(_start(home, STEPS, 1 / STEPS_A_SECOND))
        figures = [
            (f"violation told after its step, 95th percentile, {len(told)} steps", _most(told), TOLD_MS, "ms")
        ]
        lost = _lost(_start(home, BURST, 0.0), BURST)
        figures.append(
            (f"events lost or out of order in a burst of {BURST:,} steps", float(lost), 0.1, "events")
        )
        spent = _spent(home)
        if spent:
            steps = f"{len(spent):,} real steps"
            mean = sum(spent) / len(spent)
            figures.append((f"lint of a step, mean over {steps}", mean, MEAN_MS, "ms"))
            figures.append((f"lint of a step, worst of {steps}", max(spent), TOLD_MS, "ms"))
        drawn = _drawn(home)
        figures.append(
            (
                f"violation drawn after its step, 95th percentile, {len(drawn)} steps",
                _most(drawn),
                TOLD_MS,
                "ms",
            )
        )
    return figures


def borrowed(name: str) -> ModuleType:
    """A module beside this one, or a helper of the app's tests."""
    folders = [str(HERE), str(HERE.parent / "tui")]
    sys.path[:0] = folders
    try:
        return import_module(name)
    finally:
        del sys.path[: len(folders)]


class Going:
    """A run that was started."""

    def __init__(self, context: Any, run: Any, process: subprocess.Popen[bytes]) -> None:
        self.context, self.run, self.process = context, run, process

    def pieces(self) -> Iterator[tuple[bytes, float]]:
        """Whole lines of its event log, with the time at which they were there, until it has ended."""
        offset, rest = 0, b""
        while True:
            ended = self.process.poll() is not None
            if self.run.events.exists():
                with self.run.events.open("rb") as file:
                    file.seek(offset)
                    data = file.read()
                now = time.time()
                offset += len(data)
                *lines, rest = (rest + data).split(b"\n")
                yield from ((line, now) for line in lines)
            if ended:
                return
            time.sleep(LOOK_S)


def _start(home: Path, count: int, pause_s: float, wait_s: float = 0.0) -> Going:
    """A run of the command agent in the real sandbox; the data that it needs is made at the first call."""
    from workbench.catalog import Content
    from workbench.records import ContentPaths, DataPaths, load_settings
    from workbench.runs import Context, RunRequest, ensure_ready, launch_run, plan_run
    from workbench.sandbox import choose_sandbox

    content = Content(ContentPaths(ROOT))
    context = Context(content, DataPaths(home / "data"), load_settings(None, {}, source=SOURCE))
    sandbox = choose_sandbox("auto")
    task = content.task(TASK)
    ensure_ready(context, task, SOURCE, sandbox)
    words = ["python3", "-c", PROGRAM, str(count), str(pause_s), str(wait_s)]
    planned = plan_run(RunRequest(task=task, agent="command", template=words), context, sandbox.name)
    return Going(context, *launch_run(context, planned))


def _most(values: list[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[max(0, int(len(values) * 0.95) - 1)]


def _printed(going: Going) -> dict[str, float]:
    """When each step was printed, by its mark; raises where one is missing."""
    from workbench.records import StepEvent
    from workbench.store import read_events

    steps = [event.step for event in read_events(going.run.events) if isinstance(event, StepEvent)]
    return {step.calls[0].call_id: float(step.timestamp) for step in steps if step.calls}


def _told(going: Going) -> list[float]:
    """Milliseconds from the moment a step was printed until its violation stood in the event log."""
    seen: dict[str, float] = {}
    for line, now in going.pieces():
        found = TOLD.search(line)
        if found:
            seen.setdefault(found[1].decode(), now)
    printed = _printed(going)
    if printed.keys() != seen.keys() or len(seen) != STEPS:
        raise RuntimeError(f"{len(printed)} steps, {len(seen)} with a violation, of {STEPS}")
    return [(seen[mark] - printed[mark]) * 1000 for mark in seen]


def _lost(going: Going, count: int) -> int:
    """How many of the steps, of their violations and of the order among each are not as they were printed."""
    from workbench.records import RunResult, StepEvent, ViolationEvent
    from workbench.store import read_events

    going.process.wait(timeout=600)
    events = read_events(going.run.events)
    wanted = [f"mark-{number:04d}" for number in range(1, count + 1)]
    steps = [call.call_id for event in events if isinstance(event, StepEvent) for call in event.step.calls]
    said = [
        found[1]
        for event in events
        if isinstance(event, ViolationEvent) and (found := SHOWN.search(event.violation.excerpt))
    ]
    lint = RunResult.load(going.run.result).lint
    kept = [found[1] for item in lint.violations if (found := SHOWN.search(item.excerpt))] if lint else []
    sequence = [event.sequence for event in events]
    wrong = sum(a != b for a, b in zip(sequence, range(1, len(events) + 1), strict=True))
    for found in (steps, said, kept):
        wrong += abs(len(found) - count) + sum(a != b for a, b in zip(found, wanted, strict=False))
    return wrong


def _spent(home: Path) -> list[float]:
    """Milliseconds of the lint for each step of real logs beside the project, with a run's whole material.

    Empty where they are not there.
    """
    from workbench.contamination import Lint
    from workbench.records import BadInput, RunPlan
    from workbench.runs import context_of
    from workbench.runs.material import AnswerMaterial, hidden_material
    from workbench.trajectories import read_log

    going = _start(home, 1, 0.0)
    going.process.wait(timeout=600)
    plan = RunPlan.load(going.run.plan)
    context = context_of(going.context, plan)
    task = context.content.task(TASK)
    source = context.data.source(SOURCE)
    targets = [target.name for target in task.targets]
    answers = AnswerMaterial(
        removed_tables=[f"mimiciv_derived.{name}" for name in task.removed_tables],
        reference_sql={
            name: context.content.reference_sql(task.family, name, task.database) for name in targets
        },
        reference_files={name: source.reference(task.family, name) for name in targets},
    )
    hidden = hidden_material(context, plan, answers)
    spent = []
    for path in sorted(item for item in LOGS.rglob("*") if item.is_file()):
        try:
            steps, _ = read_log(path)
        except BadInput:
            continue
        lint = Lint(hidden)
        for step in steps[:MOST_STEPS]:
            began = time.perf_counter()
            lint.check_step(step)
            spent.append((time.perf_counter() - began) * 1000)
    return spent


def _drawn(home: Path) -> list[float]:
    """Milliseconds from the moment a step was printed until its violation was on the live screen."""
    emulator, start = borrowed("tui_emulator"), borrowed("tui_start")
    with start.fresh(emulator, home, (100, 60)) as app:
        start.ready(app)
        going = _start(home, DRAWN, 1 / STEPS_A_SECOND, 6.0)
        start.open_runs(app)
        app.send("a")
        app.wait_for(f"Workbench > Run {going.run.folder.name}", 20)
        seen: dict[str, float] = {}
        until = time.monotonic() + NO_MORE_S
        while len(seen) < DRAWN and time.monotonic() < until:
            if app.read(0.05):
                now = time.time()
                for mark in SHOWN.findall(app.text):
                    seen.setdefault(mark, now)
        start.leave(app)
    going.process.wait(timeout=60)
    printed = _printed(going)
    if len(seen) < DRAWN:
        raise RuntimeError(f"not drawn, of {DRAWN} violations: {sorted(printed.keys() - seen.keys())}")
    return [(seen[mark] - printed[mark]) * 1000 for mark in seen]
