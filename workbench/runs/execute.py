"""Execute: the agent in its sandbox; each step is recorded and linted as it completes."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from workbench.contamination import Lint
from workbench.gateway import Gateway
from workbench.records import (
    MODEL_KEY_VARIABLE,
    EgressSummary,
    RunPaths,
    SandboxReport,
    Step,
    TrajectorySummary,
    Violation,
    read_regular,
    run_mark,
)
from workbench.runs.cancellation import Cancellation
from workbench.runs.context import Context
from workbench.runs.lint_stream import LintStream
from workbench.runs.plan import check_endpoint
from workbench.runs.prepare import PreparedRun
from workbench.sandbox import Sandbox, SandboxProcess
from workbench.store import EventLog
from workbench.trajectories import TrajectoryReader, open_reader

_CUT = ("too large", "too many", "too deep", "unreadable", "more")
"""How refusals begin of files that nested agents may have written."""


_STATE = re.compile(r"\.(?:sqlite3?|db)(?:-wal|-shm|-journal)?$", re.IGNORECASE)


@dataclass(frozen=True)
class Executed:
    """What came out while the agent ran."""

    steps: list[Step]
    trajectory: TrajectorySummary
    sandbox: SandboxReport
    egress: EgressSummary | None
    refused_results: list[str]
    shown: list[Violation]  # already in the event log, at their steps


class StepSink:
    """Steps go to the event log as they complete, and from there to the lint, in order, once."""

    def __init__(self, reader: TrajectoryReader, lint: LintStream, events: EventLog) -> None:
        self.steps: list[Step] = []
        self._reader = reader
        self._lint = lint
        self._events = events

    def feed(self, data: bytes) -> None:
        """Take bytes as the agent printed them."""
        self._take(self._reader.feed(data))

    def close(self) -> TrajectorySummary:
        """No more bytes will come; the lint may still be busy with the last steps."""
        self._take(self._reader.close())
        return self._reader.summary()

    def _take(self, steps: list[Step]) -> None:
        for step in steps:
            self.steps.append(step)
            self._events.step(step)
            self._lint.put(step)


def execute(
    context: Context,
    run: RunPaths,
    prepared: PreparedRun,
    sandbox: Sandbox,
    lint: Lint,
    events: EventLog,
    cancellation: Cancellation,
) -> Executed:
    """Run to the end, whatever the end is. Only wrong settings raise (BadInput)."""
    if prepared.launch.needs_gateway:
        check_endpoint(context, prepared.plan.agent)
    gateway: Gateway | None = None
    with sandbox.start(prepared.spec, run.sandbox) as process, LintStream(lint, events) as stream:
        sink = StepSink(open_reader(prepared.launch.format), stream, events)
        cancellation.guard(process)
        if prepared.launch.needs_gateway and process.listener is not None:
            gateway = Gateway(
                context.settings.model_endpoint,
                os.environ.get(MODEL_KEY_VARIABLE, ""),
                run.egress,
                clock=context.clock,
            )
            gateway.serve(process.listener)
        egress: EgressSummary | None = None
        try:
            _pump(run, run_mark(prepared.plan.run_id, prepared.identity.canary), process, sink)
            report = process.wait()
        finally:
            if gateway is not None:
                egress = gateway.close()
        summary = sink.close()
        events.stage("execute", "end", _ended(report))
        events.stage("collect", "begin")
        refused = process.collect(run.collected)
        _collect_home(run, prepared, process, events)
        events.stage("collect", "end", f"{len(refused)} refused" if refused else "")
    return Executed(sink.steps, summary, report, egress, refused, stream.shown)


def _collect_home(run: RunPaths, prepared: PreparedRun, process: SandboxProcess, events: EventLog) -> None:
    """What programs left in the agent's home, without their databases, which hold megabytes a run.

    What was put there and is unchanged is not kept either.
    """
    refused = process.collect_home(run.home)
    for name, given in prepared.spec.home_files.items():
        copy = run.home / name
        with contextlib.suppress(OSError):
            if read_regular(copy, len(given), follow_link=False) == given:
                copy.unlink()
    for parent, _, names in os.walk(run.home):
        for name in names:
            if _STATE.search(name):
                Path(parent, name).unlink()
    if any(item.startswith(_CUT) for item in refused):
        events.note("the agent's home was collected in part: what nested agents did may not be seen")


def _pump(run: RunPaths, mark: bytes, process: SandboxProcess, sink: StepSink) -> None:
    """``mark`` is for whoever finds the trajectory; it is no part of what the agent printed."""
    with _private_file(run, "trajectory") as trajectory, _private_file(run, "stderr") as stderr:
        trajectory.write(mark)
        for chunk in process.stream():
            if chunk.stream == "stdout":
                trajectory.write(chunk.data)
                trajectory.flush()
                sink.feed(chunk.data)
            else:
                stderr.write(chunk.data)
                stderr.flush()
        for file in (trajectory, stderr):
            os.fsync(file.fileno())


@contextmanager
def _private_file(run: RunPaths, which: str) -> Iterator[BinaryIO]:
    path = run.trajectory if which == "trajectory" else run.stderr
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file


def _ended(report: SandboxReport) -> str:
    if report.ended_by:
        return f"ended by {report.ended_by}"
    if report.signal:
        return f"signal {report.signal}"
    return f"exit {report.exit_code}"
