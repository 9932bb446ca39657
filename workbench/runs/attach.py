"""Start a run's process, follow it, cancel it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

from workbench.records import MODEL_KEY_VARIABLE, BadInput, RunEvent, RunPaths, RunState
from workbench.runs.context import Context
from workbench.runs.plan import PlannedRun
from workbench.store import RunStore, atomic_write, follow_events, going_on, lock_holder, reserve_lock

PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR")


def launch_run(
    context: Context, planned: PlannedRun, *, key: str = ""
) -> tuple[RunPaths, subprocess.Popen[bytes]]:
    """Create the run's folder and start its process in a session of its own.

    The process waits for one byte until the run's lock is reserved in its name, so that it never
    counts as planned after its death.

    ``key`` is the model endpoint's; without it, the environment's is used.
    """
    store = RunStore(context.data, context.clock)
    run = store.create(planned.plan)
    if planned.material:
        atomic_write(run.material, planned.material)
    descriptor = os.open(run.process_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK, 0o600)
    try:
        process = subprocess.Popen(
            [
                sys.executable, "-m", "workbench.runs.worker",
                str(context.content.paths.root), str(context.data.root), planned.plan.run_id,
            ],
            stdin=subprocess.PIPE,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
            cwd=context.data.root,
            env=_environment(context, key),
        )  # fmt: skip
    finally:
        os.close(descriptor)
    reserve_lock(run.lock, f"run {planned.plan.run_id}", pid=process.pid, clock=context.clock)
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError), process.stdin as gate:
            gate.write(b"\n")
    return run, process


def _environment(context: Context, key: str) -> dict[str, str]:
    """Only what a run needs: the workbench's own variables and a few harmless ones."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith("WORKBENCH_")
    }
    if context.settings.model_endpoint:
        kept["WORKBENCH_MODEL_ENDPOINT"] = context.settings.model_endpoint
    if key:
        kept[MODEL_KEY_VARIABLE] = key
    return kept


def follow_run(
    context: Context, run: RunPaths, process: subprocess.Popen[bytes] | None = None
) -> Iterator[RunEvent]:
    """Events from the beginning until the run ends or its process is gone; a planned run is waited for."""

    def alive() -> bool:
        return (process is not None and process.poll() is None) or going_on(run)

    yield from follow_events(run.events, alive)


def cancel_run(context: Context, run_id: str) -> None:
    """Ask a running run to stop; what it recorded stays. Raises BadInput where it is not running."""
    run = context.data.run(run_id)
    holder = lock_holder(run.lock)
    state = RunStore(context.data, context.clock).state(run_id)
    if holder is None or state is not RunState.RUNNING:
        raise BadInput(f"run {run_id} is not running (it is {state})")
    os.kill(holder.pid, signal.SIGTERM)
