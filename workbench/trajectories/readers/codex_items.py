"""The items of ``codex exec`` that are calls: what was called, and what came back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from workbench.records import Observation, ToolCall, ToolKind
from workbench.trajectories.tool_kinds import unwrapped
from workbench.trajectories.values import list_of, mapping_of, number_of, plain_json, text_of

Item = dict[str, Any]


class ItemCalls(NamedTuple):
    """How the calls of one type of item are read, and how many there are."""

    read: Callable[[str, Item], tuple[list[ToolCall], Observation | None]]
    count: Callable[[Item], int]


def todo_call(item: Item) -> ToolCall:
    """A todo list as the call that set it."""
    return ToolCall(
        call_id=text_of(item.get("id")),
        name="todo_list",
        arguments={"items": plain_json(list_of(item.get("items")))},
    )


def _one(item: Item) -> int:
    return 1


def _command(call_id: str, item: Item) -> tuple[list[ToolCall], Observation]:
    raw = text_of(item.get("command"))
    command = unwrapped(raw)
    call = ToolCall(
        call_id=call_id,
        name="command_execution",
        kind=ToolKind.COMMAND,
        command=command,
        arguments={} if command == raw else {"as_run": raw},
    )
    exit_code = number_of(item.get("exit_code"))
    failed = text_of(item.get("status")) in ("failed", "declined")
    text = text_of(item.get("aggregated_output"))
    return [call], Observation(
        call_id=call_id, text=text, exit_code=exit_code, is_error=failed or exit_code not in (0, None)
    )


def _changes(item: Item) -> list[Item]:
    return [change for change in list_of(item.get("changes")) if isinstance(change, dict)]


def _change_count(item: Item) -> int:
    return len(_changes(item))


def _file_change(call_id: str, item: Item) -> tuple[list[ToolCall], Observation]:
    calls = [
        ToolCall(
            call_id=call_id,
            name=text_of(change.get("kind")) or "change",
            kind=ToolKind.FILE_CHANGE,
            path=text_of(change.get("path")),
        )
        for change in _changes(item)
    ]
    return calls, Observation(call_id=call_id, is_error=text_of(item.get("status")) == "failed")


def _mcp_call(call_id: str, item: Item) -> tuple[list[ToolCall], Observation]:
    name = f"{text_of(item.get('server'))}.{text_of(item.get('tool'))}"
    arguments = item.get("arguments")
    call = ToolCall(
        call_id=call_id,
        name=name,
        arguments=plain_json(arguments) if isinstance(arguments, dict) else {"value": plain_json(arguments)},
    )
    result = mapping_of(item.get("result"))
    error = mapping_of(item.get("error")).get("message")
    parts = [text_of(mapping_of(part).get("text")) for part in list_of(result.get("content"))]
    text = "\n".join(part for part in parts if part) or text_of(result.get("structured_content"))
    return [call], Observation(
        call_id=call_id, text=text if error is None else text_of(error), is_error=error is not None
    )


def _web_search(call_id: str, item: Item) -> tuple[list[ToolCall], None]:
    arguments = {"query": text_of(item.get("query")), "action": plain_json(item.get("action"))}
    return [ToolCall(call_id=call_id, name="web_search", kind=ToolKind.WEB, arguments=arguments)], None


def _nested_agent(call_id: str, item: Item) -> tuple[list[ToolCall], Observation | None]:
    threads = plain_json(list_of(item.get("receiver_thread_ids")))
    arguments = {"prompt": text_of(item.get("prompt"))} | (
        {"receiver_thread_ids": threads} if threads else {}
    )
    name = text_of(item.get("tool")) or "collab_tool_call"
    call = ToolCall(call_id=call_id, name=name, kind=ToolKind.AGENT, arguments=arguments)
    states = item.get("agents_states")
    failed = text_of(item.get("status")) == "failed"
    if not states and not failed:
        return [call], None
    return [call], Observation(call_id=call_id, text=text_of(states), is_error=failed)


CALLS: dict[str, ItemCalls] = {
    "command_execution": ItemCalls(_command, _one),
    "file_change": ItemCalls(_file_change, _change_count),
    "mcp_tool_call": ItemCalls(_mcp_call, _one),
    "web_search": ItemCalls(_web_search, _one),
    "collab_tool_call": ItemCalls(_nested_agent, _one),
}
"""Item type to how its calls are read."""
