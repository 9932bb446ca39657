"""What ``gemini -o stream-json`` prints. Words come in pieces, thoughts not at all; no price is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.trajectories import gemini
from workbench.trajectories.detect import GEMINI_STREAM
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.tool_kinds import GEMINI, call_count
from workbench.trajectories.values import mapping_of, text_of

STATS = "result.stats"
MOST_PENDING = 256

_RETRY = re.compile(r"\bretry(?:ing)?\b", re.IGNORECASE)


@dataclass
class _State:
    words: list[str] = field(default_factory=list)
    time: str = ""
    model: str = ""
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)


class GeminiStreamReader(LineReader):
    """Bytes of the stream to steps: one a call with the words before it, or words after the last call."""

    format = GEMINI_STREAM
    usage_order = (STATS,)
    starts = ('{"type":"',)
    state: _State

    def new_state(self) -> _State:
        return _State()

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return "type" in value and "timestamp" in value

    def event(self, event: dict[str, Any]) -> None:
        kind, time = text_of(event.get("type")), text_of(event.get("timestamp"))
        if kind == "message":
            self._message(event, time)
        elif kind == "tool_use":
            self._call(event, time)
        elif kind == "tool_result":
            self._answer(event, time)
        elif kind == "init":
            self._init(event)
        elif kind == "result":
            self._result(event, time)
        elif kind == "error":
            self._trouble(text_of(event.get("severity")), text_of(event.get("message")), time)
        else:
            self.totals.count_unknown(kind or "(no type)")

    def ended(self) -> None:
        self._settle()

    def _init(self, event: Mapping[str, Any]) -> None:
        self._settle()
        self.in_session(text_of(event.get("session_id")))
        self.totals.agent = "gemini-cli"
        self.state.model = text_of(event.get("model"))
        self.now.model = self.now.model or self.state.model
        self.now.turns_open = 1

    def _message(self, event: Mapping[str, Any], time: str) -> None:
        words = gemini.words_of(event.get("content"))
        if event.get("role") == "assistant":
            if not event.get("delta"):
                self._speak()
            self.state.time = self.state.time or time
            self.state.words += [words] if words else []
            return
        self._speak()
        self.put(gemini.told, {"type": "user", "content": words, "timestamp": time}, "")

    def _call(self, event: dict[str, Any], time: str) -> None:
        call_id, pending = text_of(event.get("tool_id")), self.state.pending
        if call_id in pending or len(pending) >= MOST_PENDING:
            self._unanswered(call_id if call_id in pending else next(iter(pending)))
        words, since = self._words()
        pending[call_id] = {"call": event, "words": words, "time": since or time}

    def _answer(self, event: dict[str, Any], time: str) -> None:
        call = self.state.pending.pop(text_of(event.get("tool_id")), None)
        if call is None:
            self._speak()
            self.put(gemini.late_result, event, time)
        else:
            self._put_call(call, event)

    def _trouble(self, severity: str, message: str, time: str) -> None:
        self._speak()
        if _RETRY.search(message):
            self.totals.retries += 1
        elif severity != "warning":
            self.totals.add_error(message)
        self.put(gemini.noted, message, time, severity != "warning")

    def _result(self, event: Mapping[str, Any], time: str) -> None:
        self._settle()
        self.now.end_turn()
        stats, error = mapping_of(event.get("stats")), mapping_of(event.get("error"))
        if stats:
            self.now.replace(STATS, gemini.stats_tokens(stats))
        if error or event.get("status") == "error":
            message = text_of(error.get("message")) or "The run failed."
            if message not in self.totals.errors:
                self.totals.add_error(message)
            self.put(gemini.noted, message, time, True)

    def _put_call(self, call: Mapping[str, Any], result: Mapping[str, Any] | None) -> None:
        use = call["call"]
        calls = call_count(GEMINI, text_of(use.get("tool_name")), use.get("parameters"))
        self.put(gemini.stream_call, use, result, call["words"], call["time"], self.state.model, calls=calls)

    def _unanswered(self, call_id: str) -> None:
        self.now.unfinished += 1
        self._put_call(self.state.pending.pop(call_id), None)

    def _words(self) -> tuple[str, str]:
        """The words that wait, and since when."""
        words, since = "".join(self.state.words), self.state.time
        self.state.words, self.state.time = [], ""
        if words:
            self.now.final = words
        return words, since

    def _speak(self) -> None:
        words, since = self._words()
        if words:
            self.put(gemini.stream_step, words, since, self.state.model)

    def _settle(self) -> None:
        """Nothing that waits can be answered any more."""
        for call_id in list(self.state.pending):
            self._unanswered(call_id)
        self._speak()
