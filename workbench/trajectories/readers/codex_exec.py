"""What ``codex exec --json`` prints.

Items may overlap, a start may be missing, exit codes may be null, stderr lines and cut lines may lie between
events. The log has no times, no model and no price.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.records import StepSource
from workbench.trajectories.detect import CODEX_EXEC
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.readers.codex_items import CALLS, todo_call
from workbench.trajectories.totals import Tokens
from workbench.trajectories.values import ERROR_TEXT_LIMIT, count_of, list_of, mapping_of, text_of

FORMAT = CODEX_EXEC
EVENTS = frozenset(
    {
        "thread.started", "turn.started", "turn.completed", "turn.failed",
        "item.started", "item.updated", "item.completed", "error",
    }
)  # fmt: skip
USAGE = "turn.completed"

RETRY = re.compile(r"^Reconnecting\b.*\d+/\d+|\bretrying \d+/\d+", re.ASCII | re.IGNORECASE)


@dataclass
class _State:
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)
    reasoning: list[str] = field(default_factory=list)
    last_error: str | None = None
    todo: list[Any] = field(default_factory=list)


class CodexExecReader(LineReader):
    """Bytes of the event stream to steps, one a completed item."""

    format = FORMAT
    usage_order = (USAGE,)
    state: _State

    def new_state(self) -> _State:
        return _State()

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return text_of(value.get("type")) in EVENTS

    def event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "item.completed" or kind == "item.started" or kind == "item.updated":
            self._item(kind, event.get("item"))
        elif kind == "thread.started":
            self._flush()
            self.in_session(text_of(event.get("thread_id")))
            self.totals.agent = "codex"
        elif kind == "turn.started":
            self.now.turns_open += 1
        elif kind == "turn.completed":
            self.now.end_turn()
            if isinstance(event.get("usage"), dict):
                self.now.replace(USAGE, tokens_of(event["usage"]))
        elif kind == "turn.failed":
            self.now.end_turn()
            self._error(mapping_of(event.get("error")).get("message"))
        elif kind == "error":
            self._error(event.get("message"))
        else:
            self.totals.count_unknown(text_of(kind) or "(no type)")

    def ended(self) -> None:
        self._flush()
        if self.state.reasoning:
            self.put(_said, "", self._reasoning())

    def _item(self, kind: str, item: Any) -> None:
        if not isinstance(item, dict):
            self.totals.damaged += 1
            return
        item_id = text_of(item.get("id"))
        before = self.state.pending.pop(item_id, None)
        if before is not None:
            item = {**before, **item}
        if kind == "item.completed":
            self._completed(item, finished=True)
        elif item.get("type") == "todo_list":
            self._todo(item)
        else:
            self.state.pending[item_id] = item

    def _flush(self) -> None:
        """Items that began and never ended, as far as they got."""
        pending, self.state.pending = self.state.pending, {}
        self.now.unfinished += len(pending)
        for item in pending.values():
            self._completed(item, finished=False)

    def _completed(self, item: dict[str, Any], *, finished: bool) -> None:
        kind = item.get("type")
        known = CALLS.get(kind) if isinstance(kind, str) else None
        if known is not None:
            self.put(_called, known.read, item, self._reasoning(), finished, calls=known.count(item))
        elif kind == "reasoning":
            self.state.reasoning.append(text_of(item.get("text")))
        elif kind == "agent_message":
            self.now.final = text_of(item.get("text"))
            self.put(_said, self.now.final, self._reasoning())
        elif kind == "plan":
            self.put(_said, text_of(item.get("text")), self._reasoning())
        elif kind == "todo_list":
            self._todo(item)
        elif kind == "error":
            self.put(_failed, item.get("message"))
        else:
            self.totals.count_unknown(f"item {text_of(kind)}")

    def _todo(self, item: dict[str, Any]) -> None:
        """A list is told again at every change and at its end: a step only where it says something new."""
        items = list_of(item.get("items"))
        if items != self.state.todo:
            self.state.todo = items
            self.put(_todo, item, self._reasoning(), calls=1)

    def _reasoning(self) -> str:
        if not self.state.reasoning:
            return ""
        reasoning, self.state.reasoning = self.state.reasoning, []
        return "\n\n".join(reasoning)

    def _error(self, value: object) -> None:
        message = text_of(value)
        if message[:ERROR_TEXT_LIMIT] == self.state.last_error:
            return
        self.state.last_error = message[:ERROR_TEXT_LIMIT]
        if RETRY.search(message):
            self.totals.retries += 1
        else:
            self.totals.add_error(message)
        self.put(_failed, message)


def tokens_of(usage: Mapping[str, Any]) -> Tokens:
    """A count under the names that OpenAI's tools use."""
    return [
        count_of(usage.get("input_tokens")),
        count_of(usage.get("cached_input_tokens")),
        count_of(usage.get("cache_write_input_tokens")),
        count_of(usage.get("output_tokens")),
        count_of(usage.get("reasoning_output_tokens")),
    ]


def _said(message: str, reasoning: str) -> dict[str, Any]:
    return {"source": StepSource.AGENT, "message": message, "reasoning": reasoning}


def _failed(message: object) -> dict[str, Any]:
    return {"source": StepSource.SYSTEM, "message": text_of(message), "is_error": True}


def _todo(item: dict[str, Any], reasoning: str) -> dict[str, Any]:
    return {"source": StepSource.AGENT, "reasoning": reasoning, "calls": [todo_call(item)]}


def _called(read: Any, item: dict[str, Any], reasoning: str, finished: bool) -> dict[str, Any]:
    calls, observation = read(text_of(item.get("id")), item)
    return {
        "source": StepSource.AGENT,
        "reasoning": reasoning,
        "calls": calls,
        "observations": [observation] if finished and observation is not None else [],
    }
