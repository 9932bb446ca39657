"""Ctrl-C ends the whole command, so no next task begins; at an attached run it only leaves."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from workbench.records import RunResult, RunState
from workbench.runs import Context
from workbench.store import RunStore


def started(context: Context, command: list[str], wait_for: str) -> tuple[subprocess.Popen[str], list[str]]:
    """The command, once a line that begins with ``wait_for`` was printed."""
    process = subprocess.Popen(
        command,
        env={**os.environ, "WORKBENCH_HOME": str(context.data.root)},
        cwd=context.content.paths.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if line.strip().startswith(wait_for):
            break
    return process, lines


def slow_script(tmp_path: Path) -> str:
    file = tmp_path / "slow.sh"
    file.write_text("echo begun\nsleep 60\n")
    return str(file)


def test_ctrl_c_cancels_the_run_and_begins_no_other(
    ready_context: Context, tmp_path: Path, workbench_command: Callable[..., list[str]]
) -> None:
    source = ready_context.settings.source
    command = workbench_command(
        "run", "suspected_infection", "--agent", "script", "--file", slow_script(tmp_path), "--source", source
    )
    process, lines = started(ready_context, command, "-- execute")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "cancelled" in err
    run_ids = [line.split()[1] for line in [*lines, *out.splitlines()] if line.startswith("run ")]
    assert len(run_ids) == 1
    result = RunResult.load(ready_context.data.run(run_ids[0]).result)
    assert result.verdict == "interrupted"


def test_ctrl_c_leaves_an_attached_run_alone(
    ready_context: Context, tmp_path: Path, workbench_command: Callable[..., list[str]]
) -> None:
    started_run = subprocess.run(
        workbench_command(
            "run", "mimic-suspicion-infection", "--agent", "script", "--file", slow_script(tmp_path),
            "--source", ready_context.settings.source, "--detach",
        ),
        env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
        cwd=ready_context.content.paths.root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    run_id = started_run.stdout.split()[1]
    process, _ = started(ready_context, workbench_command("run", "attach", run_id), "-- execute")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "goes on" in err
    store = RunStore(ready_context.data)
    assert store.state(run_id) is RunState.RUNNING
    subprocess.run(
        workbench_command("run", "cancel", run_id),
        env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
        cwd=ready_context.content.paths.root, check=True,
    )  # fmt: skip
