"""What ``codex exec --json`` prints.

Items may overlap, a start may be missing, exit codes may be null, stderr lines and cut lines may lie between
events. The log has no times, no model and no price.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import Any

from workbench.records import Observation, Step, StepSource, ToolCall, ToolKind, TrajectorySummary, Usage
from workbench.trajectories.reader import Lines
from workbench.trajectories.values import (
    ERROR_TEXT_LIMIT,
    json_object,
    mapping_of,
    number_of,
    plain_json,
    text_of,
    usage_of,
)

FORMAT = "codex-exec"
EVENTS = frozenset(
    {
        "thread.started", "turn.started", "turn.completed", "turn.failed",
        "item.started", "item.updated", "item.completed", "error",
    }
)  # fmt: skip
TEXT_LINE = "(text line)"
QUOTED_LIMIT = 256 * 1024
"""Characters of a command line that are split by shell rules; a longer one stays as it is."""

_WRAPPER = re.compile(r"^(?:\S*/)?(?:ba|z|da)?sh -l?c ", re.ASCII)
_EVENT_START = b'{"type":"'


class CodexExecReader:
    """Bytes of the event stream to steps, one a completed item."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._count = 0
        self._pending: dict[str, dict[str, Any]] = {}
        self._reasoning: list[str] = []
        self._unknown: Counter[str] = Counter()
        self._damaged = 0
        self._session = ""
        self._usage: dict[str, Usage] = {}
        self._turns_open = 0
        self._turns_ended = 0
        self._final = ""
        self._errors: list[str] = []
        self._unfinished = 0

    def feed(self, data: bytes) -> list[Step]:
        return [step for line in self._lines.feed(data) for step in self._line(line)]

    def close(self) -> list[Step]:
        steps = [step for line in self._lines.close() for step in self._line(line)]
        steps += self._flush()
        if self._reasoning:
            steps.append(self._step(StepSource.AGENT))
        return steps

    def summary(self) -> TrajectorySummary:
        usage = sum(self._usage.values(), Usage()) if self._usage else None
        return TrajectorySummary(
            format=FORMAT,
            steps=self._count,
            usage=usage,
            usage_source="turn.completed" if usage else "",
            session=self._session,
            unknown_events=dict(self._unknown),
            damaged_lines=self._damaged + self._lines.overlong,
            complete=self._turns_ended > 0 and not self._turns_open and not self._unfinished,
            final_message=self._final,
            errors=self._errors,
        )

    def _line(self, line: bytes) -> list[Step]:
        if not line.strip():
            return []
        start = line.find(_EVENT_START)
        event = json_object(line) or (json_object(line[start:]) if start > 0 else None)
        if event is None:
            if line.lstrip().startswith(b"{") or start >= 0:
                self._damaged += 1
            else:
                self._unknown[TEXT_LINE] += 1
            return []
        return self._event(text_of(event.get("type")), event)

    def _event(self, kind: str, event: dict[str, Any]) -> list[Step]:
        if kind == "thread.started":
            steps = self._flush()
            self._session = text_of(event.get("thread_id"))
            return steps
        if kind == "turn.started":
            self._turns_open += 1
        elif kind == "turn.completed":
            self._end_turn()
            self._count_usage(usage_of(event.get("usage")))
        elif kind == "turn.failed":
            self._end_turn()
            return self._error(mapping_of(event.get("error")).get("message"))
        elif kind == "error":
            return self._error(event.get("message"))
        elif kind in ("item.started", "item.updated", "item.completed"):
            return self._item(kind, event.get("item"))
        else:
            self._unknown[kind[:100] or "(no type)"] += 1
        return []

    def _item(self, kind: str, item: object) -> list[Step]:
        if not isinstance(item, dict):
            self._damaged += 1
            return []
        item_id = text_of(item.get("id"))
        if kind != "item.completed":
            self._pending[item_id] = {**self._pending.get(item_id, {}), **item}
            return []
        return self._completed({**self._pending.pop(item_id, {}), **item}, finished=True)

    def _flush(self) -> list[Step]:
        """Items that began and never ended, as far as they got."""
        pending, self._pending = self._pending, {}
        self._unfinished += len(pending)
        return [step for item in pending.values() for step in self._completed(item, finished=False)]

    def _completed(self, item: dict[str, Any], *, finished: bool) -> list[Step]:
        kind = text_of(item.get("type"))
        if kind == "reasoning":
            self._reasoning.append(text_of(item.get("text")))
            return []
        if kind in ("todo_list", "plan"):
            return []
        if kind == "agent_message":
            self._final = text_of(item.get("text"))
            return [self._step(StepSource.AGENT, message=self._final)]
        if kind == "error":
            message = text_of(item.get("message"))
            return [self._step(StepSource.SYSTEM, message=message, is_error=True)]
        reader = _CALLS.get(kind)
        if reader is None:
            self._unknown[f"item {kind[:100]}"] += 1
            return []
        call_id = text_of(item.get("id"))
        calls, observation = reader(call_id, item)
        observations = [observation] if finished and observation is not None else []
        return [self._step(StepSource.AGENT, calls=calls, observations=observations)]

    def _step(self, source: StepSource, **values: Any) -> Step:
        self._count += 1
        reasoning = ""
        if source is StepSource.AGENT:
            reasoning, self._reasoning = "\n\n".join(self._reasoning), []
        return Step(number=self._count, source=source, reasoning=reasoning, **values)

    def _error(self, value: object) -> list[Step]:
        message = text_of(value)
        if self._errors and self._errors[-1] == message[:ERROR_TEXT_LIMIT]:
            return []
        self._errors.append(message[:ERROR_TEXT_LIMIT])
        return [self._step(StepSource.SYSTEM, message=message, is_error=True)]

    def _end_turn(self) -> None:
        self._turns_open = max(self._turns_open - 1, 0)
        self._turns_ended += 1

    def _count_usage(self, usage: Usage | None) -> None:
        """Codex reports the thread's running total, also after a resume (seen with 0.171).

        So a count that is nowhere smaller replaces the thread's last; any other is added.
        """
        if usage is None:
            return
        before = self._usage.get(self._session)
        if before is not None and not _not_smaller(usage, before):
            usage = before + usage
        self._usage[self._session] = usage


def _not_smaller(now: Usage, before: Usage) -> bool:
    return (
        now.input_tokens >= before.input_tokens
        and now.output_tokens >= before.output_tokens
        and now.cached_input_tokens >= before.cached_input_tokens
    )


def unwrapped(command: str) -> str:
    """The command inside ``bash -lc '…'``, or the command itself."""
    if len(command) > QUOTED_LIMIT or not _WRAPPER.match(command):
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    return words[2] if len(words) == 3 else command


def _command(call_id: str, item: dict[str, Any]) -> tuple[list[ToolCall], Observation]:
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


def _file_change(call_id: str, item: dict[str, Any]) -> tuple[list[ToolCall], Observation]:
    changes = item.get("changes")
    calls = [
        ToolCall(
            call_id=call_id,
            name=text_of(change.get("kind")) or "change",
            kind=ToolKind.FILE_CHANGE,
            path=text_of(change.get("path")),
        )
        for change in (changes if isinstance(changes, list) else [])
        if isinstance(change, dict)
    ]
    return calls, Observation(call_id=call_id, is_error=text_of(item.get("status")) == "failed")


def _mcp_call(call_id: str, item: dict[str, Any]) -> tuple[list[ToolCall], Observation]:
    name = f"{text_of(item.get('server'))}.{text_of(item.get('tool'))}"
    arguments = item.get("arguments")
    call = ToolCall(
        call_id=call_id,
        name=name,
        arguments=plain_json(arguments) if isinstance(arguments, dict) else {"value": plain_json(arguments)},
    )
    error = mapping_of(item.get("error")).get("message")
    content = mapping_of(item.get("result")).get("content")
    parts = [text_of(mapping_of(part).get("text")) for part in content] if isinstance(content, list) else []
    text = text_of(error) if error is not None else "\n".join(part for part in parts if part)
    return [call], Observation(call_id=call_id, text=text, is_error=error is not None)


def _web_search(call_id: str, item: dict[str, Any]) -> tuple[list[ToolCall], None]:
    arguments = {"query": text_of(item.get("query")), "action": plain_json(item.get("action"))}
    return [ToolCall(call_id=call_id, name="web_search", kind=ToolKind.WEB, arguments=arguments)], None


def _nested_agent(call_id: str, item: dict[str, Any]) -> tuple[list[ToolCall], None]:
    arguments = {"prompt": text_of(item.get("prompt"))}
    name = text_of(item.get("tool")) or "collab_tool_call"
    return [ToolCall(call_id=call_id, name=name, kind=ToolKind.AGENT, arguments=arguments)], None


_CALLS: dict[str, Any] = {
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp_call,
    "web_search": _web_search,
    "collab_tool_call": _nested_agent,
}
"""Item type to the function that reads its call and what came back."""
