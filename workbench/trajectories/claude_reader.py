"""What the readers of Claude Code's stream and of its session files share: turning messages into steps.

One message of the model comes in several lines, one a block, all with its id; calls are answered later and in
any order, and nested agents speak in between. A step is one call with the words before it, complete when its
answer is there, or the words after the last call.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.trajectories import anthropic
from workbench.trajectories.anthropic import CALL_BLOCKS, DENIED, message_tokens, user_parts
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.tool_kinds import CLAUDE, call_count
from workbench.trajectories.values import MOST_PARTS, count_of, list_of, mapping_of, text_of

MODEL_USAGE = "modelUsage"
RESULT = "result.usage"
MESSAGES = "messages, each once"
SYNTHETIC = "<synthetic>"
"""The model of a message that Claude Code wrote itself."""

_SEVERAL = [name for name, tool in CLAUDE.items() if tool.edits or tool.patch]
MOST_PENDING = 256
MOST_THREADS = 64
RECENT = 16
"""Events and calls that are remembered, to know one that is told twice."""

Thread = dict[str, Any]
"""One agent that speaks: agent, parent (the call that started it), message (its id), model, usage, told
(whether the usage is on a step), texts, reasoning, since (their time), sums (of all texts of the message),
pending (calls)."""


@dataclass
class ClaudeState:
    """What later steps depend on.

    ``agents``: nested agent to the call that started it. ``spoken``: whether the main agent said anything
    since its last result.
    """

    threads: dict[str, Thread] = field(default_factory=dict)
    events: list[dict[str, None]] = field(default_factory=lambda: [{}, {}])
    calls: list[dict[str, None]] = field(default_factory=lambda: [{}, {}])
    agents: dict[str, str] = field(default_factory=dict)
    prompts: list[list[Any]] = field(default_factory=list)
    sidechains: dict[str, str] = field(default_factory=dict)
    spoken: bool = False
    form: str = ""


class ClaudeReader(LineReader):
    """The base of both readers."""

    usage_order = (MODEL_USAGE, RESULT, MESSAGES)
    state: ClaudeState

    def new_state(self) -> ClaudeState:
        return ClaudeState()

    def ended(self) -> None:
        self.finish_all()

    def finish_all(self) -> None:
        """Nobody says anything more."""
        for key in list(self.state.threads):
            self.finish(self.state.threads.pop(key))

    def session(self, event: Mapping[str, Any], key: str) -> None:
        """The session of an event; what another one left open is over."""
        name = event.get(key)
        if name and name != self.now.session:
            name = text_of(name)
            self.finish_all()
            self.in_session(name)

    def seen_before(self, event: Mapping[str, Any]) -> bool:
        """Whether this very event was told a moment ago."""
        uuid = event.get("uuid")
        return type(uuid) is str and uuid != "" and _known(uuid, self.state.events)

    def thread(self, key: str, agent: str = "", parent: str = "") -> Thread:
        """The agent that speaks under ``key``; empty for the main one."""
        found = self.state.threads.get(key)
        if found is None:
            if len(self.state.threads) >= MOST_THREADS:
                self.finish(self.state.threads.pop(next(iter(self.state.threads))))
            found = self.state.threads[key] = {"agent": agent, "parent": parent, "pending": {}, **_silence()}
        return found

    def assistant(self, event: Mapping[str, Any], thread: Thread, time: object) -> None:
        """A line with blocks of a message of the model."""
        message = event.get("message")
        if type(message) is not dict:
            message = {}
        message_id, model = text_of(message.get("id")), text_of(message.get("model"))
        if not message_id or message_id != thread["message"]:
            self.finish(thread)
            thread["message"], thread["model"] = message_id, model
        usage = message.get("usage")
        if isinstance(usage, dict):
            tokens = message_tokens(usage)
            thread["usage"] = tokens if any(tokens) else None
        if model == SYNTHETIC or event.get("isApiErrorMessage") or event.get("error"):
            self._own_words(event, message, thread, time)
            return
        if not self.now.model:
            self.now.model = model
        content = message.get("content")
        blocks = content if type(content) is list else [{"type": "text", "text": content}]
        for block in blocks if len(blocks) <= MOST_PARTS else blocks[:MOST_PARTS]:
            if type(block) is dict:
                self._block(block, thread, time)

    def user(self, event: Mapping[str, Any], thread: Thread, time: object, by_system: bool) -> None:
        """A line in the user's place: answers to calls, or words."""
        message = event.get("message")
        results, words = user_parts(message.get("content")) if type(message) is dict else ([], None)
        for result in results:
            self.answer(result, thread, time)
        if words:
            self.speak(thread)
            if not thread["parent"] and not thread["agent"] and not by_system:
                self.now.turns_open = 1
            self.put(anthropic.told, words, time, thread["agent"], thread["parent"], by_system)

    def answer(self, result: Mapping[str, Any], thread: Thread, time: object) -> None:
        """What came back for a call."""
        call_id = text_of(result.get("tool_use_id"))
        call = thread["pending"].pop(call_id, None)
        if call_id and len(self.state.threads) > 1:
            self._end_nested(call_id)
        if call is None:
            self.put(anthropic.late_result, result, time, thread["agent"], thread["parent"])
            return
        if call["denied"]:
            result = {**result, "is_error": True}
        self._put_call(call, thread, result)

    def _end_nested(self, call_id: str) -> None:
        """The agents that a call started have said all."""
        for key in [key for key, nested in self.state.threads.items() if nested["parent"] == call_id]:
            self.finish(self.state.threads.pop(key))

    def deny(self, call_id: str) -> None:
        """A call that the user or a rule refused."""
        for thread in self.state.threads.values():
            call = thread["pending"].get(call_id)
            if call is not None:
                call["denied"] = True

    def note(self, message: str, time: object, *, is_error: bool = False) -> None:
        """A step of the tool around the agent."""
        main = self.state.threads.get("")
        if main is not None:
            self.speak(main)
        self.put(anthropic.noted, message, time, is_error)

    def retry(self, attempt: object, most: object, wait_ms: object, why: str, time: object) -> None:
        """A request to the model that is made again."""
        self.totals.retries += 1
        known = isinstance(wait_ms, (int, float)) and abs(wait_ms) < 1e12
        wait = f" in {wait_ms:.0f} ms" if known else ""
        self.note(f"Retry {text_of(attempt)} of {text_of(most)}{wait}: {why}", time, is_error=True)

    def compacted(self, about: Mapping[str, Any], time: object) -> None:
        """The conversation so far gave way to a summary."""
        trigger = text_of(about.get("trigger")) or "unknown trigger"
        before = count_of(about.get("pre_tokens", about.get("preTokens")))
        tokens = f", {before:,} tokens before" if before else ""
        self.note(f"The conversation was compacted ({trigger}{tokens}).", time)

    def finish(self, thread: Thread) -> None:
        """The message is over: calls without an answer, words without a call; its usage counts once."""
        if thread["pending"]:
            for call_id in list(thread["pending"]):
                self._unanswered(thread, call_id)
        if thread["texts"] or thread["reasoning"]:
            self.speak(thread)
        if thread["usage"] and self.totals.first_time(thread["message"]):
            self.now.add(MESSAGES, thread["usage"])
        thread["message"], thread["usage"], thread["told"] = "", None, False
        if thread["sums"]:
            thread["sums"] = []

    def speak(self, thread: Thread) -> None:
        """Words that no call came after."""
        if thread["texts"] or thread["reasoning"]:
            self.put(anthropic.said, thread, thread)
            thread["told"] = True
            thread["texts"], thread["reasoning"], thread["since"] = [], [], ""

    def _unanswered(self, thread: Thread, call_id: str) -> None:
        call = thread["pending"].pop(call_id)
        self.now.unfinished += not call["denied"]
        refused = {"content": DENIED, "is_error": True} if call["denied"] else None
        self._put_call(call, thread, refused)

    def _block(self, block: dict[str, Any], thread: Thread, time: object) -> None:
        kind = block.get("type")
        if kind == "tool_use":
            self._call(block, thread, time)
        elif kind == "text":
            text = text_of(block.get("text"))
            if text and not self._twice(text, thread):
                thread["since"] = thread["since"] or time
                thread["texts"].append(text)
                if not thread["agent"] and not thread["parent"]:
                    self.state.spoken = True
                    self.now.final = text
                    self.now.end_turn()
        elif kind == "thinking":
            text = text_of(block.get("thinking"))
            if text and not self._twice(text, thread):
                thread["since"] = thread["since"] or time
                thread["reasoning"].append(text)
        elif isinstance(kind, str) and kind in CALL_BLOCKS:
            self._call(block, thread, time)
        elif isinstance(kind, str) and kind.endswith("tool_result"):
            self.answer(block, thread, time)
        elif kind != "redacted_thinking":
            self.totals.count_unknown(f"block {text_of(kind)}")

    def _twice(self, text: str, thread: Thread) -> bool:
        """A message may be told again from its beginning, grown."""
        check = zlib.crc32(text.encode("utf-8", "replace"))
        if check in thread["sums"]:
            return True
        thread["sums"].append(check)
        return False

    def _call(self, block: dict[str, Any], thread: Thread, time: object) -> None:
        call_id = text_of(block.get("id"))
        if call_id and _known(call_id, self.state.calls):
            return
        if not thread["agent"] and not thread["parent"]:
            self.now.turns_open = 1
        pending = thread["pending"]
        if call_id in pending or len(pending) >= MOST_PENDING:
            self._unanswered(thread, call_id if call_id in pending else next(iter(pending)))
        pending[call_id] = {
            "call": block,
            "texts": thread["texts"],
            "reasoning": thread["reasoning"],
            "since": thread["since"] or time,
            "denied": False,
        }
        thread["texts"], thread["reasoning"], thread["since"] = [], [], ""

    def _put_call(self, call: dict[str, Any], thread: Thread, result: Mapping[str, Any] | None) -> None:
        block = call["call"]
        name = block.get("name")
        calls = call_count(CLAUDE, text_of(name), block.get("input")) if name in _SEVERAL else 1
        self.put(anthropic.called, thread, call, result, calls=calls)
        thread["told"] = True

    def _own_words(
        self, event: Mapping[str, Any], message: Mapping[str, Any], thread: Thread, time: object
    ) -> None:
        """Claude Code itself speaks in the model's place, mostly of an error."""
        texts = [text_of(mapping_of(block).get("text")) for block in list_of(message.get("content"))]
        words = "\n\n".join(text for text in texts if text) or text_of(event.get("error"))
        failed = bool(event.get("isApiErrorMessage") or event.get("error"))
        thread["usage"] = None
        if failed:
            self.totals.add_error(words)
        self.note(words, time, is_error=failed)


def _known(name: str, recent: list[dict[str, None]]) -> bool:
    """Whether a name is among the recent ones: the last, and those before. From now on it is."""
    last, before = recent
    if name in last or name in before:
        return True
    last[name] = None
    if len(last) >= RECENT:
        recent[:] = [{}, last]
    return False


def _silence() -> dict[str, Any]:
    """A thread between messages."""
    return {
        "message": "",
        "model": "",
        "since": "",
        "usage": None,
        "told": False,
        "texts": [],
        "reasoning": [],
        "sums": [],
    }
