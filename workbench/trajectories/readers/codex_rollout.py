"""Codex's own record of a session, ``rollout-<time>-<id>.jsonl``.

Lines of ``{timestamp, type, payload}``; before September 2025 the payloads stood alone. What the model said
and called are ``response_item``; most ``event_msg`` tell the same again. Token counts come before the items
of their response or after them, by version, and are running totals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.trajectories.detect import CODEX_ROLLOUT
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.readers import codex_rollout_steps as steps
from workbench.trajectories.readers.codex_exec import RETRY, tokens_of
from workbench.trajectories.tool_kinds import CODEX, call_count
from workbench.trajectories.totals import Tokens
from workbench.trajectories.values import count_of, joined_text, list_of, mapping_of, number_of, text_of

TOTAL = "token_count, total"
EACH = "token_count, each"
MOST_PENDING = 256
"""Calls that wait for their output; more, and the oldest is shown without."""
MOST_TURNS = 64

_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"}
_OUTPUTS = {"function_call_output", "custom_tool_call_output", "tool_search_output"}
_ALONE = {"web_search_call", "image_generation_call"}
_SILENT_ITEMS = {"ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger"}
_ENDS = {"exec_command_end", "patch_apply_end", "mcp_tool_call_end"}
_TOLD_ELSEWHERE = {
    "user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "context_compacted",
    "web_search_end", "exec_command_begin", "patch_apply_begin", "mcp_tool_call_begin", "web_search_begin",
    "agent_reasoning_section_break", "plan_update", "item_started", "item_completed", "session_configured",
}  # fmt: skip

_CONTEXT = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions", "<skill",
    "<turn_aborted>", "<user_shell_command>", "<subagent_notification>",
)  # fmt: skip
"""How a message in the user's place begins that no person wrote; it begins no turn."""


@dataclass
class _State:
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)
    held: dict[str, Any] | None = None
    reasoning: list[str] = field(default_factory=list)
    usage: Tokens | None = None
    counts_first: bool | None = None
    spoken: bool = False
    last_total: Tokens | None = None
    model: str = ""
    agent: str = ""
    turns: list[int] = field(default_factory=list)


class CodexRolloutReader(LineReader):
    """Lines of a rollout to steps: one a message, one a call with its output."""

    format = CODEX_ROLLOUT
    usage_order = (TOTAL, EACH)
    starts = ('{"timestamp":"', '{"type":"')
    state: _State

    def new_state(self) -> _State:
        return _State()

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return "timestamp" in value and isinstance(value.get("payload"), dict)

    def event(self, event: dict[str, Any]) -> None:
        kind, payload = event.get("type"), event.get("payload")
        time = text_of(event.get("timestamp"))
        if not isinstance(payload, dict):
            self._bare(event, time)
        elif kind == "response_item":
            self._item(payload, time)
        elif kind == "event_msg":
            self._message(payload, time)
        elif kind == "turn_context":
            self.state.model = text_of(payload.get("model"))
            self.now.model = self.now.model or self.state.model
        elif kind == "session_meta":
            self._session(payload)
        elif kind == "compacted":
            self._settle()
            self.put(steps.compacted, payload.get("message"), time)
        elif kind != "world_state":
            self.totals.count_unknown(text_of(kind) or "(no type)")

    def ended(self) -> None:
        self._settle()
        if self.state.reasoning:
            self.put(steps.said, None, self._voice(""))

    def _bare(self, event: dict[str, Any], time: str) -> None:
        """A line of the older form, or none that is known."""
        kind = text_of(event.get("type"))
        if kind in _CALLS | _OUTPUTS | _ALONE | {"message", "reasoning"}:
            self._item(event, time)
        elif "instructions" in event and "id" in event:
            self._session(event)
        elif "record_type" not in event:
            self.totals.count_unknown(kind or "(no type)")

    def _session(self, meta: dict[str, Any]) -> None:
        self._settle()
        self.in_session(text_of(meta.get("id")))
        version = text_of(meta.get("cli_version"))
        self.totals.agent = self.totals.agent or f"codex {version}".strip()
        nested = mapping_of(meta.get("source")).get("subagent")
        self.state.agent = (text_of(meta.get("agent_nickname")) or "subagent") if nested else ""

    def _item(self, item: dict[str, Any], time: str) -> None:
        kind = text_of(item.get("type"))
        if kind in _OUTPUTS:
            self._output(item, time)
            return
        self._release()
        if kind in _CALLS:
            self._call(item, time)
        elif kind == "message":
            self._said(item, time)
        elif kind == "reasoning":
            self.state.spoken = True
            text = joined_text(list_of(item.get("summary")) or item.get("content"))
            self.state.reasoning += [text] if text else []
        elif kind in _ALONE:
            self.put(steps.alone, kind, item, self._voice(time), calls=1)
        elif kind not in _SILENT_ITEMS:
            self.totals.count_unknown(f"response_item {kind}")

    def _said(self, item: dict[str, Any], time: str) -> None:
        role = text_of(item.get("role"))
        if role == "assistant":
            self.now.final = joined_text(item.get("content"))
            self.now.end_turn()
            self.state.held = {"content": item.get("content"), "voice": self._voice(time)}
            return
        self._settle()
        if role == "user" and not joined_text(item.get("content")).startswith(_CONTEXT):
            self.now.turns_open = 1
            self.state.turns = [*self.state.turns[1 - MOST_TURNS :], self.steps + 1]
        self.put(steps.told, role, item.get("content"), time)

    def _call(self, item: dict[str, Any], time: str) -> None:
        self.now.turns_open = 1
        call_id = text_of(item.get("call_id") or item.get("id"))
        if call_id in self.state.pending or len(self.state.pending) >= MOST_PENDING:
            self._unanswered(call_id if call_id in self.state.pending else next(iter(self.state.pending)))
        self.state.pending[call_id] = {"item": item, "voice": self._voice(time)}

    def _output(self, item: dict[str, Any], time: str) -> None:
        call = self.state.pending.pop(text_of(item.get("call_id")), None)
        if call is None:
            self._release()
            self.put(steps.late_output, item, time)
        else:
            self.put(steps.called, call, item, calls=_calls_in(call["item"]))

    def _message(self, message: dict[str, Any], time: str) -> None:
        kind = text_of(message.get("type"))
        if kind == "token_count":
            self._count(mapping_of(message.get("info")))
        elif kind in _ENDS:
            self._note_end(message)
        elif kind in ("task_complete", "turn_complete"):
            self._settle()
            self.now.end_turn()
        elif kind == "turn_aborted":
            self._settle()
            self.now.turns_open = 1
            self.put(steps.aborted, message.get("reason"), time)
        elif kind == "thread_rolled_back":
            self._rolled_back(count_of(message.get("num_turns")), time)
        elif kind in ("error", "stream_error", "warning"):
            self._trouble(kind, text_of(message.get("message")), time)
        elif kind in ("task_started", "turn_started"):
            self.now.turns_open = 1
        elif kind not in _TOLD_ELSEWHERE:
            self.totals.count_unknown(f"event_msg {kind}")

    def _trouble(self, kind: str, message: str, time: str) -> None:
        self._release()
        if kind == "stream_error" or RETRY.search(message):
            self.totals.retries += 1
        elif kind == "error":
            self.totals.add_error(message)
        self.put(steps.trouble, message, time, kind != "warning")

    def _rolled_back(self, turns: int, time: str) -> None:
        self._settle()
        kept = self.state.turns
        first = kept[-turns] if 0 < turns <= len(kept) else None
        self.state.turns = kept[: len(kept) - turns] if 0 < turns <= len(kept) else []
        self.put(steps.rolled_back, turns, first, self.steps, time)

    def _count(self, info: Mapping[str, Any]) -> None:
        total = tokens_of(mapping_of(info.get("total_token_usage")))
        last = tokens_of(mapping_of(info.get("last_token_usage")))
        if not info or total == self.state.last_total:
            return
        self.state.last_total = total
        self.now.replace(TOTAL, total)
        self.now.add(EACH, last)
        if self.state.counts_first is None:
            self.state.counts_first = not self.state.spoken
        waiting = [self.state.held] if self.state.held else list(self.state.pending.values())
        voices = [one["voice"] for one in waiting]
        if self.state.counts_first:
            self.state.usage = last
        elif voices and all(voice["usage"] is None for voice in voices):
            voices[0]["usage"] = last

    def _note_end(self, message: Mapping[str, Any]) -> None:
        """What an event says of how a call ended, for when its output comes."""
        call = self.state.pending.get(text_of(message.get("call_id")))
        if call is not None:
            call["exit_code"] = number_of(message.get("exit_code"))
            call["failed"] = message.get("success") is False or "Err" in mapping_of(message.get("result"))

    def _voice(self, time: str) -> dict[str, Any]:
        """What the next step of the agent has besides words and calls."""
        reasoning, self.state.reasoning = "\n\n".join(self.state.reasoning), []
        usage, self.state.usage = self.state.usage, None
        self.state.spoken = True
        return {
            "time": time,
            "reasoning": reasoning,
            "usage": usage,
            "model": self.state.model,
            "agent": self.state.agent,
        }

    def _release(self) -> None:
        """A message waits for its token count until something else comes."""
        held, self.state.held = self.state.held, None
        if held is not None:
            self.put(steps.said, held["content"], held["voice"])

    def _unanswered(self, call_id: str) -> None:
        call = self.state.pending.pop(call_id)
        self.now.unfinished += 1
        self.put(steps.called, call, None, calls=_calls_in(call["item"]))

    def _settle(self) -> None:
        """Nothing that waits can be answered any more."""
        self._release()
        for call_id in list(self.state.pending):
            self._unanswered(call_id)


def _calls_in(item: Mapping[str, Any]) -> int:
    name = text_of(item.get("name"))
    if name != "apply_patch":
        return 1
    return call_count(CODEX, name, steps.arguments_of(item))
