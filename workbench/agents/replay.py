"""The ``replay`` agent: executes again the commands and file writes of a recorded trajectory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from workbench import __version__
from workbench.agents.protocol import Launch, LaunchRequest
from workbench.agents.runner import action, run_action, runner_launch, write_action
from workbench.records import (
    AgentChoice,
    BadInput,
    DataPaths,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    mark_length,
)
from workbench.trajectories import detect_format, open_reader

_REPLAYED = ("codex-exec", "workbench")


class ReplayAgent:
    """Same commands, same order, on the database of this run; what came back then is not compared."""

    name = "replay"

    def needs_model(self, choice: AgentChoice) -> bool:
        """A recording asks nobody."""
        return False

    def launch(self, request: LaunchRequest) -> Launch:
        """Raises BadInput for a recording without commands, or with changes whose content it lacks."""
        where = request.choice.file or "recording"
        material = request.material[mark_length(request.material) :]
        found = detect_format(material)
        if found not in _REPLAYED:
            raise BadInput(
                "not a trajectory that can be replayed",
                where=where,
                remedy=f"Formats with commands: {', '.join(_REPLAYED)}.",
            )
        reader = open_reader(found)
        steps = reader.feed(material) + reader.close()
        actions = list(_actions(steps, where))
        if not any(item["do"] for item in actions):
            raise BadInput("the recording holds no command", where=where)
        return runner_launch(request, actions)

    def version(self, data: DataPaths) -> str:
        """The workbench's own."""
        return __version__


def _actions(steps: Iterable[Step], where: str) -> Iterator[dict[str, Any]]:
    for step in steps:
        if step.source is not StepSource.AGENT:
            continue
        do = [part for call in step.calls if (part := _part(call, step.number, where))]
        if do or step.message or step.reasoning:
            yield action(*do, message=step.message, reasoning=step.reasoning)


def _part(call: ToolCall, number: int, where: str) -> dict[str, str] | None:
    if call.kind is ToolKind.COMMAND and call.command:
        return run_action(call.command, _shell(call))
    if call.kind is not ToolKind.FILE_CHANGE:
        return None
    if call.replaced is not None:
        raise BadInput(
            f"step {number} changes a part of a file, which is not replayed",
            where=where,
            remedy="Record with an agent that writes whole files, or files by commands.",
        )
    if call.content is None or not call.path:
        raise BadInput(
            f"step {number} changes a file, but the recording does not hold its content",
            where=where,
            remedy="Record with an agent that writes files by commands.",
        )
    return write_action(call.path, call.content)


def _shell(call: ToolCall) -> str:
    """The shell that the command ran under then: ``sh`` and ``bash`` differ in what they print."""
    words = str(call.arguments.get("as_run", "")).split(" ", 1)
    return "/bin/sh" if PurePosixPath(words[0]).name in ("sh", "dash") else "/bin/bash"
