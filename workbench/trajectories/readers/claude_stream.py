"""What ``claude -p --output-format stream-json`` prints, as lines or as one array.

The result's own ``usage``, its ``modelUsage`` and what the messages say differ; ``modelUsage`` is the total.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.trajectories.anthropic import message_tokens, model_tokens
from workbench.trajectories.claude_reader import MODEL_USAGE, RESULT, ClaudeReader, Thread
from workbench.trajectories.detect import CLAUDE_STREAM
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.lines_or_document import LinesOrDocument
from workbench.trajectories.totals import added
from workbench.trajectories.values import joined_text, list_of, mapping_of, money_of, number_of, text_of

_SILENT = {
    "stream_event", "tool_progress", "tool_use_summary", "auth_status", "keep_alive", "prompt_suggestion",
    "control_request", "control_response", "control_cancel_request", "streamlined_text",
    "streamlined_tool_use_summary",
}  # fmt: skip
_SILENT_SYSTEM = {
    "status", "hook_started", "hook_progress", "task_started", "task_progress", "task_updated",
    "task_notification", "files_persisted", "session_state_changed", "thinking_tokens", "commands_changed",
}  # fmt: skip


class ClaudeStreamReader(ClaudeReader, LinesOrDocument):
    """Bytes of the stream to steps."""

    format = CLAUDE_STREAM
    opener = b"["
    starts = ('{"type":"',)

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return "type" in value and "session_id" in value

    def event(self, event: dict[str, Any]) -> None:
        if self.seen_before(event):
            return
        kind, time = event.get("type"), event.get("timestamp")
        self.session(event, "session_id")
        if kind == "assistant":
            self.assistant(event, self._thread(event), time)
        elif kind == "user":
            self.user(event, self._thread(event), time, bool(event.get("isSynthetic")))
        elif kind == "system":
            self._system(text_of(event.get("subtype")), event, time)
        elif kind == "result":
            self._result(event, time)
        elif kind == "rate_limit_event":
            self._rate_limit(mapping_of(event.get("rate_limit_info")), time)
        elif kind == "conversation_reset":
            self.note("The conversation was reset.", time)
        elif text_of(kind) not in _SILENT:
            self.totals.count_unknown(text_of(kind) or "(no type)")

    def piece(self, piece: Piece) -> None:
        if isinstance(piece.value, dict):
            self.event(piece.value)
        else:
            self.totals.damaged += 1

    def ended(self) -> None:
        LinesOrDocument.ended(self)
        ClaudeReader.ended(self)

    def _thread(self, event: Mapping[str, Any]) -> Thread:
        parent = event.get("parent_tool_use_id")
        if not parent:
            return self.thread("")
        parent = text_of(parent)
        agent = text_of(event.get("subagent_type")) or text_of(event.get("agent_id"))
        return self.thread(parent, agent or self._kind_of_agent(parent), parent)

    def _kind_of_agent(self, call_id: str) -> str:
        for thread in self.state.threads.values():
            call = mapping_of(thread["pending"].get(call_id))
            given = mapping_of(mapping_of(call.get("call")).get("input"))
            if call:
                return text_of(given.get("subagent_type")) or "agent"
        return "agent"

    def _system(self, kind: str, event: Mapping[str, Any], time: object) -> None:
        if kind == "init":
            self.now.model = self.now.model or text_of(event.get("model"))
            self.totals.agent = f"claude-code {text_of(event.get('claude_code_version'))}".strip()
            self.now.turns_open = 1
        elif kind == "api_retry":
            status = text_of(event.get("error_status"))
            why = text_of(event.get("error")) + (f" ({status})" if status else "")
            wait = event.get("retry_delay_ms")
            self.retry(event.get("attempt"), event.get("max_retries"), wait, why, time)
        elif kind == "hook_response":
            self._hook(event, time)
        elif kind == "compact_boundary":
            self.compacted(mapping_of(event.get("compact_metadata")), time)
        elif kind == "permission_denied":
            self.deny(text_of(event.get("tool_use_id")))
        elif kind == "notification" or kind.startswith("model_refusal"):
            message = text_of(event.get("text")) or text_of(event.get("message")) or kind
            self.note(message, time, is_error=kind != "notification" or "error" in text_of(event.get("key")))
        elif kind not in _SILENT_SYSTEM:
            self.totals.count_unknown(f"system {kind}")

    def _hook(self, event: Mapping[str, Any], time: object) -> None:
        output = text_of(event.get("output")) or text_of(event.get("stdout"))
        failed = number_of(event.get("exit_code")) not in (0, None) or event.get("outcome") == "error"
        if failed:
            output = "\n".join(part for part in (output, text_of(event.get("stderr"))) if part)
        if output or failed:
            self.note(f"Hook {text_of(event.get('hook_name'))}:\n{output}", time, is_error=failed)

    def _rate_limit(self, info: Mapping[str, Any], time: object) -> None:
        if info.get("status") == "rejected":
            self.note(f"The rate limit is reached: {text_of(info.get('rateLimitType'))}", time, is_error=True)

    def _result(self, result: Mapping[str, Any], time: object) -> None:
        for denial in list_of(result.get("permission_denials")):
            self.deny(text_of(mapping_of(denial).get("tool_use_id")))
        self.finish_all()
        self.now.end_turn()
        self._usage(result)
        words, failed = text_of(result.get("result")), bool(result.get("is_error"))
        subtype = text_of(result.get("subtype"))
        if failed or subtype.startswith("error"):
            told = [joined_text(error) for error in list_of(result.get("errors"))]
            message = "\n".join([subtype, *told, words]).strip()
            self.totals.add_error(message)
            self.note(message, time, is_error=True)
        elif words and not self.state.spoken:
            thread = self.thread("")
            thread["texts"].append(words)
            self.finish(thread)
        self.state.spoken = False
        self.now.final = words or self.now.final

    def _usage(self, result: Mapping[str, Any]) -> None:
        cost = money_of(result.get("total_cost_usd"))
        if isinstance(result.get("usage"), dict):
            self.now.replace(RESULT, message_tokens(result["usage"]), cost)
        models = [usage for usage in mapping_of(result.get("modelUsage")).values() if isinstance(usage, dict)]
        if models:
            tokens = [0] * 5
            for usage in models:
                tokens = added(tokens, model_tokens(usage))
            costs = [sum_ for usage in models if (sum_ := money_of(usage.get("costUSD"))) is not None]
            self.now.replace(MODEL_USAGE, tokens, sum(costs) if costs else cost)
