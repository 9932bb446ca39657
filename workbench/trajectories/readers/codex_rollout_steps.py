"""Steps of a Codex rollout out of its raw items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.records import Observation, StepSource
from workbench.trajectories.tool_kinds import CODEX, made_calls
from workbench.trajectories.totals import usage_from
from workbench.trajectories.values import joined_text, json_value, mapping_of, number_of, text_of

Fields = dict[str, Any]

_EXIT = re.compile(r"^(?:Exit code: |(?:.*\n){0,6}?Process exited with code )(-?\d{1,9})$", re.MULTILINE)
_EXIT_CHARACTERS = 400


def said(content: object, voice: Mapping[str, Any]) -> Fields:
    """The agent's words."""
    return {
        "source": StepSource.AGENT,
        "message": joined_text(content),
        "reasoning": voice["reasoning"],
        "timestamp": voice["time"],
        "usage": usage_from(voice["usage"]) if voice["usage"] else None,
        "model": voice["model"],
        "agent": voice["agent"],
    }


def told(role: str, content: object, time: str) -> Fields:
    """What the user or the system told the agent."""
    source = StepSource.USER if role == "user" else StepSource.SYSTEM
    return {"source": source, "message": joined_text(content), "timestamp": time}


def called(call: Mapping[str, Any], output: Mapping[str, Any] | None) -> Fields:
    """A call with what came back, if anything did."""
    item = call["item"]
    call_id = text_of(item.get("call_id") or item.get("id"))
    name = text_of(item.get("name")) or text_of(item.get("type"))
    fields = said(None, call["voice"])
    fields["calls"] = made_calls(CODEX, call_id, name, arguments_of(item))
    if output is not None:
        fields["observations"] = [_observation(call_id, output, call)]
    return fields


def alone(kind: str, item: Mapping[str, Any], voice: Mapping[str, Any]) -> Fields:
    """A call whose outcome the log does not hold."""
    fields = said(None, voice)
    given = {key: value for key, value in item.items() if key not in ("type", "id", "status")}
    fields["calls"] = made_calls(CODEX, text_of(item.get("id")), kind, given)
    return fields


def late_output(output: Mapping[str, Any], time: str) -> Fields:
    """Output of a call that is not in the log, or has its output already."""
    call_id = text_of(output.get("call_id"))
    return {
        "source": StepSource.SYSTEM,
        "observations": [_observation(call_id, output, {})],
        "timestamp": time,
    }


def compacted(message: object, time: str) -> Fields:
    """The conversation so far gave way to a summary."""
    return _system("The conversation was compacted.", text_of(message), time)


def aborted(reason: object, time: str) -> Fields:
    """A turn that was broken off."""
    return {**_system("The turn was broken off.", text_of(reason), time), "is_error": True}


def trouble(message: str, time: str, is_error: bool) -> Fields:
    """An error, a retry or a warning."""
    return {**_system(message, "", time), "is_error": is_error}


def rolled_back(turns: int, first: int | None, last: int, time: str) -> Fields:
    """The last turns no longer count for what follows."""
    which = f"Steps {first} to {last} were revoked" if first else "Steps before this one were revoked"
    return _system(f"{which}: the last {turns} turns were taken back.", "", time)


def arguments_of(item: Mapping[str, Any]) -> object:
    """A call's arguments: an object, the JSON text of one, or the free text of a custom tool."""
    if item.get("type") == "local_shell_call":
        return item.get("action")
    given = item.get("arguments")
    if given is None:
        text = item.get("input")
        return {"input": text} if isinstance(text, str) else mapping_of(text)
    if isinstance(given, str):
        value = json_value(given.encode("utf-8", "surrogatepass"))
        return value if isinstance(value, dict) else given
    return given


def _observation(call_id: str, output: Mapping[str, Any], call: Mapping[str, Any]) -> Observation:
    text, exit_code, failed = _outcome(output.get("output", output.get("tools")))
    if exit_code is None:
        exit_code = call.get("exit_code")
    failed = failed or bool(call.get("failed")) or exit_code not in (0, None)
    known = failed or exit_code is not None
    return Observation(call_id=call_id, text=text, exit_code=exit_code, is_error=failed if known else None)


def _outcome(output: object) -> tuple[str, int | None, bool]:
    """Text, exit code, and whether it is said to have failed."""
    if isinstance(output, str):
        if output.startswith('{"output":'):
            value = json_value(output.encode("utf-8", "surrogatepass"))
            if isinstance(value, dict) and isinstance(value.get("output"), str):
                code = number_of(mapping_of(value.get("metadata")).get("exit_code"))
                return text_of(value["output"]), code, False
        found = _EXIT.search(output[:_EXIT_CHARACTERS])
        return text_of(output), int(found[1]) if found else None, False
    if isinstance(output, dict):
        return joined_text(output.get("content")), None, output.get("success") is False
    return joined_text(output), None, False


def _system(first: str, more: str, time: str) -> Fields:
    message = f"{first}\n{more}" if more else first
    return {"source": StepSource.SYSTEM, "message": text_of(message), "timestamp": time}
