"""OpenHands' actions and observations as parts of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.records import Observation, StepSource, ToolCall, ToolKind
from workbench.trajectories.completions import parsed_arguments
from workbench.trajectories.tool_kinds import EDITOR, Tool, Tools, made_calls
from workbench.trajectories.tool_tables import OPENHANDS
from workbench.trajectories.values import joined_text, list_of, mapping_of, number_of, text_of

SILENT_ACTIONS = frozenset(
    {"change_agent_state", "null", "pause", "resume", "condensation", "condensation_request", "loop_recovery"}
)
SILENT_OBSERVATIONS = frozenset({"agent_state_changed", "null", "condense", "loop_detection"})
ACTIONS: Tools = {
    "run": Tool(ToolKind.COMMAND, command=("command",)),
    "run_ipython": Tool(ToolKind.OTHER),
    "read": Tool(ToolKind.FILE_READ, path=("path",)),
    "write": Tool(ToolKind.FILE_CHANGE, path=("path",), content=("content",)),
    "edit": Tool(
        ToolKind.FILE_CHANGE,
        path=("path",),
        content=("content",),
        inserts=True,
        selector="command",
        choices=EDITOR.choices,
    ),
    "browse": Tool(ToolKind.WEB),
    "browse_interactive": Tool(ToolKind.WEB),
    "delegate": Tool(ToolKind.AGENT),
    "think": Tool(ToolKind.OTHER),
    "finish": Tool(ToolKind.OTHER),
    "reject": Tool(ToolKind.OTHER),
    "call_tool_mcp": Tool(ToolKind.OTHER),
    "task_tracking": Tool(ToolKind.OTHER),
    "call": Tool(ToolKind.OTHER),  # in the newer form, where the tool's name says what it does
}
_NOT_GIVEN = frozenset({"thought", "blocking", "is_static", "hidden", "confirmation_state", "security_risk"})
_STILL_RUNS = -1

Event = Mapping[str, Any]


def source_of(event: Event) -> StepSource:
    """Who acted."""
    known = {"agent": StepSource.AGENT, "user": StepSource.USER}
    return known.get(text_of(event.get("source")), StepSource.SYSTEM)


def response_of(event: Event) -> Mapping[str, Any]:
    """The model's answer that an action is from; empty where it is from none."""
    return mapping_of(mapping_of(event.get("tool_call_metadata")).get("model_response"))


def said(event: Event) -> Mapping[str, Any]:
    """The message in that answer."""
    choices = list_of(response_of(event).get("choices"))
    return mapping_of(mapping_of(choices[0]).get("message")) if choices else {}


def call_id_of(event: Event) -> str:
    """The id that the model gave its call, else the event's own."""
    return text_of(mapping_of(event.get("tool_call_metadata")).get("tool_call_id")) or text_of(
        event.get("id")
    )


def calls_of(event: Event) -> list[ToolCall]:
    """The call that an action is, with its arguments as the model wrote them where the log has them."""
    action, call_id = text_of(event.get("action")), call_id_of(event)
    args = mapping_of(event.get("args"))
    name = text_of(mapping_of(event.get("tool_call_metadata")).get("function_name"))
    written = _written(event, call_id)
    if action == "call_tool_mcp":
        arguments = written if isinstance(written, dict) else args.get("arguments")
        return made_calls(OPENHANDS, call_id, text_of(args.get("name")) or name, arguments or {})
    if (name in OPENHANDS or action == "call") and isinstance(written, dict):
        return made_calls(OPENHANDS, call_id, name, written)
    given = {key: value for key, value in args.items() if key not in _NOT_GIVEN and value not in (None, "")}
    calls = made_calls(ACTIONS, call_id, action, given)
    shown = written if isinstance(written, dict) else None
    return [
        call.model_copy(update={"name": name or action} | ({} if shown is None else {"arguments": shown}))
        for call in calls
    ]


def observation_of(event: Event, call_id: str) -> Observation:
    """What came back for a call."""
    kind, extras = text_of(event.get("observation")), mapping_of(event.get("extras"))
    text = joined_text(event.get("content"))
    exit_code = number_of(mapping_of(extras.get("metadata")).get("exit_code"))
    if exit_code is None:
        exit_code = number_of(extras.get("exit_code"))
    failed: bool | None = exit_code not in (0, _STILL_RUNS) if exit_code is not None else None
    if kind in ("error", "user_rejected") or (kind in ("edit", "read") and text.startswith("ERROR:")):
        failed = True
    return Observation(call_id=call_id, text=text, exit_code=exit_code, is_error=failed)


def recalled(event: Event) -> str:
    """What was put before the model: knowledge that a word in the conversation brought up."""
    extras = mapping_of(event.get("extras"))
    parts = [
        event.get("content"),
        extras.get("repo_instructions"),
        extras.get("additional_agent_instructions"),
    ]
    parts += [mapping_of(known).get("content") for known in list_of(extras.get("microagent_knowledge"))]
    return "\n\n".join(text for part in parts if (text := joined_text(part)))


def _written(event: Event, call_id: str) -> object:
    for call in map(mapping_of, list_of(said(event).get("tool_calls"))):
        if text_of(call.get("id")) == call_id:
            return parsed_arguments(mapping_of(call.get("function")).get("arguments"))
    return None
