"""A launch of the runner that carries out actions inside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.agents.protocol import Launch, LaunchRequest
from workbench.records import SKILL_FOLDER, WORK_FOLDER
from workbench.sandbox import HOME_FOLDER
from workbench.trajectories.readers.workbench import FORMAT

COMMAND_LIMIT_S = 600.0
OUTPUT_LIMIT_BYTES = 1024 * 1024
"""Output of one command that the log keeps."""
FOLDER = ".runner"

_SOURCE = Path(__file__).with_name("in_sandbox_runner.py")


def run_action(command: str, shell: str = "/bin/bash") -> dict[str, str]:
    """A part of an action: a command for a shell."""
    return {"run": command, "shell": shell}


def write_action(path: str, content: str) -> dict[str, str]:
    """A part of an action: a text file below the work folder, or at an absolute path."""
    return {"write": path, "content": content}


def action(*do: Mapping[str, str], message: str = "", reasoning: str = "") -> dict[str, Any]:
    """One step to be."""
    return {"message": message, "reasoning": reasoning, "do": list(do)}


def runner_launch(request: LaunchRequest, actions: Sequence[Mapping[str, Any]]) -> Launch:
    """Start the runner with the sandbox's own Python."""
    plan = {
        "work": WORK_FOLDER,
        "command_s": COMMAND_LIMIT_S,
        "output_bytes": OUTPUT_LIMIT_BYTES,
        "actions": list(actions),
    }
    return Launch(
        argv=(
            request.runtime.python,
            "-I",
            f"{HOME_FOLDER}/{FOLDER}/runner.py",
            f"{HOME_FOLDER}/{FOLDER}/plan.json",
        ),
        format=FORMAT,
        work_files={**request.task_files, **skill_files(request)},
        home_files={
            f"{FOLDER}/runner.py": _SOURCE.read_bytes(),
            f"{FOLDER}/plan.json": json.dumps(plan).encode(),
        },
    )


def skill_files(request: LaunchRequest) -> dict[str, bytes]:
    """The skills at their default place, as work files."""
    folder = SKILL_FOLDER.removeprefix(f"{WORK_FOLDER}/")
    return {f"{folder}/{name}": content for name, content in request.skill_files.items()}
