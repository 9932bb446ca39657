"""The runner as a process of its own, here outside a sandbox."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from workbench.agents import runner
from workbench.records import Step, TrajectorySummary
from workbench.trajectories import open_reader

SOURCE = Path(runner.__file__).with_name("in_sandbox_runner.py")


def carry_out(
    tmp_path: Path, *actions: dict[str, Any], **limits: Any
) -> tuple[list[Step], TrajectorySummary, int]:
    work = tmp_path / "work"
    work.mkdir()
    plan = tmp_path / "plan.json"
    bounds = {"command_s": 20.0, "output_bytes": 1000, **limits}
    plan.write_text(json.dumps({"work": str(work), "actions": actions, **bounds}))
    done = subprocess.run(
        [sys.executable, "-I", SOURCE, plan],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == b""
    reader = open_reader("workbench")
    steps = reader.feed(done.stdout) + reader.close()
    return steps, reader.summary(), done.returncode


def test_steps_in_order(tmp_path: Path) -> None:
    steps, summary, code = carry_out(
        tmp_path,
        runner.action(message="I begin.", reasoning="why"),
        runner.action(
            runner.write_action("a/b.txt", "é\n"), runner.run_action("cat a/b.txt; echo err >&2; exit 3")
        ),
        runner.action(runner.run_action("printf '\\xff'; [[ $PWD == */work ]] && ! read line")),
    )
    assert [step.message for step in steps] == ["I begin.", "", ""]
    assert steps[0].reasoning == "why"
    written, ran = steps[1].observations
    assert (written.exit_code, ran.exit_code, ran.is_error, ran.text) == (0, 3, True, "é\nerr\n")
    assert [call.kind.value for call in steps[1].calls] == ["file-change", "command"]
    assert (steps[2].observations[0].text, steps[2].observations[0].exit_code) == ("\ufffd", 0)
    assert (summary.complete, summary.final_message, code) == (True, "I begin.", 0)


def test_limits_of_one_command(tmp_path: Path) -> None:
    steps, _, code = carry_out(
        tmp_path,
        runner.action(runner.run_action("head -c 5000 /dev/zero | tr '\\0' x")),
        runner.action(runner.run_action("echo before; sleep 60; echo after")),
        runner.action(runner.run_action("echo started; sleep 2 &")),
        runner.action(runner.run_action("kill -9 $$")),
        runner.action(runner.write_action("/proc/nowhere", "x")),
        command_s=1.0,
    )
    texts = [step.observations[0] for step in steps]
    assert texts[0].text == "x" * 1000 + "\n… 4000 more bytes"
    assert (texts[1].text, texts[1].exit_code) == ("before\n\n… stopped after 1 s", None)
    assert (texts[2].text, texts[2].exit_code) == ("started\n", 0)
    assert texts[3].exit_code == 137
    assert texts[4].text.startswith("not written") and code == 1
