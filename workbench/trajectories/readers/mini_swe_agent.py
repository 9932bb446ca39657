"""mini-swe-agent's trajectories: a bare list of messages (0), or an object around it (1 and 2).

An action is a command: named beside the message, a tool call, or the one code block in its text. What came
back is the next message, or in version 2 the one that names the call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.records import Observation, StepSource, ToolCall, ToolKind
from workbench.trajectories.completions import (
    completion_calls,
    completion_tokens,
    parsed_arguments,
    thinking_of,
)
from workbench.trajectories.detect import MINI_SWE_AGENT
from workbench.trajectories.document_reader import DocumentReader
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.tool_kinds import made_calls
from workbench.trajectories.tool_tables import ALL_TOOLS
from workbench.trajectories.totals import Tokens, usage_from
from workbench.trajectories.values import joined_text, list_of, mapping_of, money_of, number_of, text_of

FORMAT = MINI_SWE_AGENT
MESSAGES = "messages, each once"

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n?```", re.DOTALL)
_RETURNED = re.compile(
    r"(?:<exception>.*?</exception>\s*)?<returncode>(-?\d{1,9})</returncode>\s*(?:<output>\n?(.*)</output>\s*)?",
    re.DOTALL,
)
_END_MARKS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_KNOWN = frozenset({"messages", "info", "trajectory_format", "instance_id"})

Message = Mapping[str, Any]


class MiniSweAgentReader(DocumentReader):
    """Messages to steps: an agent's with what came back for its calls, every other one a step of its own."""

    format = FORMAT
    usage_order = (MESSAGES,)
    arrays = frozenset({"messages"})

    def document_began(self) -> None:
        self.totals.agent = self.totals.agent or "mini-swe-agent"
        self._waiting: dict[str, Any] | None = None  # a step whose calls have not all been answered
        self._unanswered: list[str] = []
        self._actions = 0
        self._cost: float | None = None
        self._status: str | None = None

    def piece(self, piece: Piece) -> None:
        if piece.element and isinstance(piece.value, dict):
            self._message(piece.value)
        elif piece.key == "info" and not piece.element:
            self._info(mapping_of(piece.value))
        elif piece.key == "instance_id":
            self.name_document(text_of(piece.value))
        elif piece.element or piece.key == "messages":
            self.totals.damaged += 1
        elif piece.key not in _KNOWN:
            self.totals.count_unknown(piece.key)

    def document_ended(self, whole: bool) -> None:
        self._flush()
        if self._cost is not None:
            self.main.costs[MESSAGES] = self._cost
        if whole and self._status is not None:
            self.main.end_turn()

    def _info(self, info: Message) -> None:
        model = mapping_of(mapping_of(info.get("config")).get("model"))
        self.main.model = text_of(model.get("model_name")) or self.main.model
        self.totals.agent = f"mini-swe-agent {text_of(info.get('mini_version'))}".strip()
        self._cost = money_of(mapping_of(info.get("model_stats")).get("instance_cost"))
        if info.get("exit_status"):
            self._exited(text_of(info["exit_status"]))

    def _exited(self, status: str) -> None:
        if status not in ("Submitted", self._status):
            self.totals.add_error(status)
        self._status = status

    def _message(self, message: Message) -> None:
        role = text_of(message.get("role"))
        if role == "assistant" or message.get("object") == "response":
            self._said(message)
        elif role == "tool" or message.get("type") == "function_call_output":
            self._answered(text_of(message.get("tool_call_id") or message.get("call_id")), message)
        elif role == "user":
            self._user(message)
        elif role in ("system", "exit"):
            self._noted(role, message)
        else:
            self.totals.count_unknown(f"message {role}")

    def _said(self, message: Message) -> None:
        self._flush()
        response = message.get("object") == "response"
        text, reasoning, calls = _of_response(message) if response else self._of_completion(message)
        answer = message if response else mapping_of(mapping_of(message.get("extra")).get("response"))
        tokens = self._count(message, answer)
        model = text_of(answer.get("model"))
        self.main.model = self.main.model or model
        self._waiting = {
            "source": StepSource.AGENT,
            "message": text,
            "reasoning": reasoning,
            "calls": calls,
            "observations": [],
            "timestamp": _time(message),
            "model": model or self.main.model,
            "usage": usage_from(tokens) if tokens else None,
            "message_id": text_of(answer.get("id")),
        }
        self._unanswered = list(dict.fromkeys(call.call_id for call in calls))
        if any(mark in (call.command or "") for call in calls for mark in _END_MARKS):
            self._status = self._status or ""

    def _count(self, message: Message, answer: Message) -> Tokens | None:
        """The tokens of an answer that were not counted yet."""
        cost = money_of(mapping_of(message.get("extra")).get("cost"))
        tokens = completion_tokens(answer.get("usage"))
        if not self.totals.first_time(text_of(answer.get("id"))):
            return None
        if tokens is not None:
            self.main.add(MESSAGES, tokens, cost)
        return tokens

    def _user(self, message: Message) -> None:
        extra = mapping_of(message.get("extra"))
        interrupt = text_of(extra.get("interrupt_type"))
        actions = list_of(extra.get("actions"))
        if self._unanswered and not interrupt and not actions:
            self._answered(self._unanswered[0], message)
            return
        self._flush()
        self._count(message, mapping_of(extra.get("response")))
        refused = interrupt == "FormatError"
        self.totals.retries += refused
        self._waiting = {
            "source": StepSource.USER,
            "message": _words(message),
            "calls": self._commands(actions),
            "observations": [],
            "timestamp": _time(message),
            "is_error": refused,
        }
        self._unanswered = [call.call_id for call in self._waiting["calls"]]

    def _answered(self, call_id: str, message: Message) -> None:
        observation = _observation(call_id, message)
        if self._waiting is None:
            self.put(source=StepSource.SYSTEM, observations=[observation], timestamp=_time(message))
            return
        self._waiting["observations"].append(observation)
        if call_id in self._unanswered:
            self._unanswered.remove(call_id)

    def _noted(self, role: str, message: Message) -> None:
        self._flush()
        failed = False
        if role == "exit":
            status = text_of(mapping_of(message.get("extra")).get("exit_status"))
            self._exited(status)
            failed = status not in ("", "Submitted")
        self.put(source=StepSource.SYSTEM, message=_words(message), timestamp=_time(message), is_error=failed)

    def _of_completion(self, message: Message) -> tuple[str, str, list[ToolCall]]:
        text = _words(message)
        actions = list_of(mapping_of(message.get("extra")).get("actions"))
        calls = completion_calls(message, ALL_TOOLS) or self._commands(actions)
        if not calls and "extra" not in message:
            blocks = _BLOCK.findall(text)
            calls = self._commands(blocks) if len(blocks) == 1 else []
        return text, thinking_of(message), calls

    def _commands(self, actions: list[Any]) -> list[ToolCall]:
        """What was run: the text of a command each, or an object with the text and the call's id."""
        calls = []
        for action in actions:
            given = mapping_of(action)
            self._actions += 1
            command = text_of(given.get("command") if given else action).strip()
            call_id = text_of(given.get("tool_call_id")) or f"action-{self._actions}"
            calls.append(ToolCall(call_id=call_id, name="bash", kind=ToolKind.COMMAND, command=command))
        return calls

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, None
        self._unanswered = []
        if waiting is not None:
            self.put(**waiting)


def _of_response(message: Message) -> tuple[str, str, list[ToolCall]]:
    """An answer of the Responses interface: its parts are in ``output``."""
    texts, thoughts, calls = [], [], []
    for item in map(mapping_of, list_of(message.get("output"))):
        kind = item.get("type")
        if kind == "message":
            texts.append(_words(item))
        elif kind == "reasoning":
            thoughts += [joined_text(item.get("summary")), joined_text(item.get("content"))]
        elif kind == "function_call":
            call_id, name = text_of(item.get("call_id") or item.get("id")), text_of(item.get("name"))
            calls += made_calls(ALL_TOOLS, call_id, name, parsed_arguments(item.get("arguments")))
    return "\n".join(texts), "\n\n".join(thought for thought in thoughts if thought), calls


def _observation(call_id: str, message: Message) -> Observation:
    extra = mapping_of(message.get("extra"))
    text = joined_text(message.get("output")) if "output" in message else _words(message)
    shown = _RETURNED.match(text)
    exit_code = number_of(extra.get("returncode"))
    if shown:
        exit_code = int(shown[1]) if exit_code is None else exit_code
        if shown[2] is not None and shown.end() == len(text):
            text = shown[2]
    failed = exit_code != 0 if exit_code is not None else None
    return Observation(call_id=call_id, text=text, exit_code=exit_code, is_error=failed)


def _words(message: Message) -> str:
    return joined_text(message.get("content"))


def _time(message: Message) -> str:
    """Seconds since 1970 in most versions, as they stand there."""
    return text_of(message.get("timestamp") or mapping_of(message.get("extra")).get("timestamp"))
