"""kill -9 of a run at ten moments: shown as interrupted, nothing recorded lost, nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.records import RunEvent, RunPaths, RunState, StepEvent
from workbench.runs import Context, RunRequest, launch_run, plan_run, sweep
from workbench.runs.attach import follow_run
from workbench.store import RunStore, read_events

SCRIPT = b"for i in 1 2 3 4 5 6 7 8; do echo step $i; sleep 0.2; done\n"
SHORT = b"echo step 1\n"
MOMENTS_S = [0.05, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 1.9, 2.4]


def processes_naming(text: str) -> list[int]:
    """Pids whose command line, environment excluded, holds ``text``."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if text.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def start(context: Context, tmp_path: Path, script: bytes = SCRIPT) -> tuple[RunPaths, subprocess.Popen]:
    file = tmp_path / "script.sh"
    file.write_bytes(script)
    task = context.content.task("mimic-suspicion-infection")
    request = RunRequest(task=task, agent="script", file=file, source=context.settings.source)
    return launch_run(context, plan_run(request, context, "bubblewrap"))


@pytest.mark.parametrize("moment_s", MOMENTS_S)
def test_kill_at(ready_context: Context, tmp_path: Path, moment_s: float) -> None:
    run, process = start(ready_context, tmp_path)
    seen: list[RunEvent] = []
    deadline = time.monotonic() + moment_s
    while time.monotonic() < deadline:
        time.sleep(0.01)
    seen = read_events(run.events) if run.events.exists() else []
    process.send_signal(signal.SIGKILL)
    process.wait()
    store = RunStore(ready_context.data)
    if run.result.exists():
        pytest.skip("the run was done before it could be killed")
    assert store.state(run.folder.name) is RunState.INTERRUPTED
    assert next(row for row in store.rows() if row.run_id == run.folder.name).state == "interrupted"
    kept = read_events(run.events) if run.events.exists() else []
    assert kept[: len(seen)] == seen
    sweep(ready_context.data)
    deadline = time.monotonic() + 10
    while processes_naming(run.folder.name) and time.monotonic() < deadline:
        time.sleep(0.01)  # one that has just seen that its run is dead ends by itself
    assert not processes_naming(run.folder.name)
    assert run.folder.name not in Path("/proc/self/mountinfo").read_text()
    again, process = start(ready_context, tmp_path, SHORT)
    events = list(follow_run(ready_context, again, process))
    assert [event.kind for event in events][-1] == "finished"


def test_the_sweep_touches_only_its_own(ready_context: Context, tmp_path: Path) -> None:
    run, process = start(ready_context, tmp_path)
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        for event in follow_run(ready_context, run, process):
            if isinstance(event, StepEvent):
                break
        sweep(ready_context.data)
        assert process.poll() is None
        assert bystander.poll() is None
        kinds = [event.kind for event in follow_run(ready_context, run, process)]
        assert kinds[-1] == "finished"
    finally:
        bystander.kill()
        bystander.wait()


def test_a_cancelled_run_is_recorded(ready_context: Context, tmp_path: Path) -> None:
    from workbench.runs import cancel_run

    run, process = start(ready_context, tmp_path)
    events = []
    for event in follow_run(ready_context, run, process):
        events.append(event)
        if isinstance(event, StepEvent) and len([e for e in events if isinstance(e, StepEvent)]) == 1:
            cancel_run(ready_context, run.folder.name)
    result = events[-1].result
    assert result.verdict == "interrupted" and result.score is None
    assert json.loads(run.result.read_text())["score"] is None


def test_a_dropped_line_does_not_end_a_run(ready_context: Context, tmp_path: Path) -> None:
    run, process = start(ready_context, tmp_path)
    kinds = []
    for event in follow_run(ready_context, run, process):
        if not kinds:
            os.kill(process.pid, signal.SIGHUP)
        kinds.append(event.kind)
    assert kinds[-1] == "finished"
