"""OpenHands' ``output.jsonl``: one task a line, each with its whole history; each is a session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.records import Step, StepSource
from workbench.trajectories.completions import completion_tokens, thinking_of
from workbench.trajectories.detect import OPENHANDS
from workbench.trajectories.document_reader import DocumentReader
from workbench.trajectories.json_elements import Piece
from workbench.trajectories.openhands_events import (
    ACTIONS,
    SILENT_ACTIONS,
    SILENT_OBSERVATIONS,
    Event,
    call_id_of,
    calls_of,
    observation_of,
    recalled,
    response_of,
    said,
    source_of,
)
from workbench.trajectories.openhands_sdk_events import SILENT_KINDS, older_event
from workbench.trajectories.totals import Tokens, usage_from
from workbench.trajectories.values import count_of, joined_text, list_of, mapping_of, money_of, text_of

FORMAT = OPENHANDS
ACCUMULATED = "metrics.accumulated_token_usage"
EACH = "metrics.token_usages"
MESSAGES = "messages, each once"

_LINE = re.compile(rb"\n(?=\{\")")
_KNOWN = frozenset(
    {
        "instance_id", "test_result", "instruction", "metadata", "history", "metrics", "error", "instance",
        "report", "attempt", "resolved",
    }
)  # fmt: skip


class OpenHandsReader(DocumentReader):
    """Actions with what came back for them to steps. A broken line costs itself and no other."""

    format = FORMAT
    usage_order = (ACCUMULATED, EACH, MESSAGES)
    arrays = frozenset({"history"})
    skipped = frozenset({"instance", "instruction", "report"})

    def __init__(self) -> None:
        super().__init__()
        self._tail = b""

    def feed(self, data: bytes) -> list[Step]:
        """An object that begins a line is another task, also where the one before has no end."""
        data = self._tail + data
        self._tail = next((tail for tail in (b"\n{", b"\n") if data.endswith(tail)), b"")
        steps = []
        for index, part in enumerate(_LINE.split(data.removesuffix(self._tail))):
            if index:
                self.elements.close()
            steps += super().feed(part)
        return steps

    def close(self) -> list[Step]:
        steps = super().feed(self._tail)
        return steps + super().close()

    def document_began(self) -> None:
        self._waiting: dict[str, dict[str, Any]] = {}  # actions without observation, by the event's id
        self._response = ""
        self._delegates: list[tuple[str, str]] = []
        self._finished = False
        self._counted: set[str] = set()

    def document_ended(self, whole: bool) -> None:
        self._flush()
        if whole and self._finished:
            self.main.end_turn()

    def piece(self, piece: Piece) -> None:
        if piece.key == "history":
            self._event(piece.value)
        elif piece.key == "instance_id":
            self.name_document(text_of(piece.value))
        elif piece.key == "metadata":
            self._metadata(mapping_of(piece.value))
        elif piece.key == "metrics":
            self._metrics(mapping_of(piece.value))
        elif piece.key == "error" and piece.value:
            self.totals.add_error(text_of(piece.value))
        elif piece.key not in _KNOWN:
            self.totals.count_unknown(piece.key)

    def _metadata(self, metadata: Mapping[str, Any]) -> None:
        self.main.model = text_of(mapping_of(metadata.get("llm_config")).get("model"))
        agent = text_of(metadata.get("agent_class"))
        self.totals.agent = self.totals.agent or f"openhands {agent}".strip()

    def _metrics(self, metrics: Mapping[str, Any]) -> None:
        cost = money_of(metrics.get("accumulated_cost"))
        if cost is not None:
            self.main.costs[ACCUMULATED] = cost
        total = _tokens(mapping_of(metrics.get("accumulated_token_usage")))
        if total is not None:
            self.main.replace(ACCUMULATED, total)
        for usage in list_of(metrics.get("token_usages")):
            tokens = _tokens(mapping_of(usage))
            if tokens is not None:
                self.main.add(EACH, tokens)

    def _event(self, event: Any) -> None:
        if isinstance(event, list):  # older versions: an action and its observation, as a pair
            for part in event[:2]:
                self._event(part if isinstance(part, dict) else None)
        elif not isinstance(event, dict):
            self.totals.damaged += 1
        elif isinstance(event.get("observation"), str):
            self._observed(event)
        elif isinstance(event.get("action"), str):
            self._acted(event)
        elif older := older_event(event):
            self._event(older)
        elif event.get("kind") not in SILENT_KINDS:
            self.totals.count_unknown(f"event {text_of(event.get('kind'))}")

    def _acted(self, event: Event) -> None:
        action, args = text_of(event.get("action")), mapping_of(event.get("args"))
        if action in SILENT_ACTIONS:
            return
        if action in ("system", "message", "recall"):
            self._flush()
            self._told(action, event, args)
            return
        if action not in ACTIONS:
            self.totals.count_unknown(f"action {action}")
        response = text_of(response_of(event).get("id"))
        if response != self._response or not response:
            self._flush()
        again = bool(response) and response in self._counted
        self._response = response
        fields = self._fields(event, again=again)
        self._waiting[text_of(event.get("id"))] = {**fields, "calls": calls_of(event), "observations": []}
        if action == "delegate":
            self._flush()
            self._delegates.append((text_of(args.get("agent")) or "delegate", call_id_of(event)))
        elif action == "finish" and not self._delegates:
            self._finished = True

    def _fields(self, event: Event, *, again: bool) -> dict[str, Any]:
        """All of a step that is not its calls; ``again``: the model's message was told by a step before."""
        args, answer, message = mapping_of(event.get("args")), response_of(event), said(event)
        text = joined_text(message.get("content")) or joined_text(args.get("thought"))
        text = text or joined_text(args.get("final_thought"))
        agent, parent = self._delegates[-1] if self._delegates else ("", "")
        tokens = None if again else completion_tokens(answer.get("usage"))
        response = text_of(answer.get("id"))
        if response:
            self._counted.add(response)
        if tokens is not None:
            self.main.add(MESSAGES, tokens)
        return {
            "source": source_of(event),
            "message": "" if again else text,
            "reasoning": "" if again else thinking_of(message),
            "timestamp": text_of(event.get("timestamp")),
            "model": text_of(answer.get("model")) or self.main.model,
            "usage": usage_from(tokens) if tokens is not None else None,
            "message_id": response,
            "agent": agent,
            "parent_call_id": parent,
        }

    def _told(self, action: str, event: Event, args: Mapping[str, Any]) -> None:
        fields = self._fields(event, again=False)
        if action != "message":
            fields |= {"source": StepSource.SYSTEM, "model": ""}
        if action == "system":
            version = text_of(args.get("openhands_version"))
            name = f"openhands {text_of(args.get('agent_class'))}".strip()
            self.totals.agent = f"{name} {version}".strip()
        if fields["source"] is not StepSource.AGENT:
            fields["model"] = ""
        text = text_of(event.get("message")) if action == "recall" else joined_text(args.get("content"))
        self.put(**{**fields, "message": text})

    def _observed(self, event: Event) -> None:
        kind, cause = text_of(event.get("observation")), text_of(event.get("cause"))
        if kind in SILENT_OBSERVATIONS:
            return
        waiting = self._waiting.get(cause) or self._waiting_for(call_id_of(event))
        if waiting is not None:
            waiting["observations"].append(observation_of(event, waiting["calls"][0].call_id))
            if all(step["observations"] for step in self._waiting.values()):
                self._flush()
            return
        self._flush()
        time, agent = text_of(event.get("timestamp")), self._delegates[-1][0] if self._delegates else ""
        if kind == "recall":
            self.put(source=StepSource.SYSTEM, message=recalled(event), timestamp=time, agent=agent)
        elif kind == "delegate":
            _, call_id = self._delegates.pop() if self._delegates else ("", "")
            observation = observation_of(event, call_id)
            self.put(source=StepSource.SYSTEM, observations=[observation], timestamp=time)
        elif kind in ("error", "failure"):
            if kind == "error":
                self.totals.retries += 1
            else:
                self.totals.add_error(joined_text(event.get("content")))
            text = joined_text(event.get("content"))
            self.put(source=StepSource.SYSTEM, message=text, is_error=True, timestamp=time, agent=agent)
        else:
            observation = observation_of(event, call_id_of(event))
            self.put(source=StepSource.SYSTEM, observations=[observation], timestamp=time, agent=agent)

    def _waiting_for(self, call_id: str) -> dict[str, Any] | None:
        """The step that has such a call and no answer yet."""
        for step in self._waiting.values():
            if not step["observations"] and any(call.call_id == call_id for call in step["calls"]):
                return step
        return None

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for fields in waiting.values():
            self.put(**fields)


def _tokens(usage: Mapping[str, Any]) -> Tokens | None:
    """The prompt has the cached ones in it."""
    if not usage:
        return None
    return [
        count_of(usage.get("prompt_tokens")),
        count_of(usage.get("cache_read_tokens")),
        count_of(usage.get("cache_write_tokens")),
        count_of(usage.get("completion_tokens")),
        count_of(usage.get("reasoning_tokens")),
    ]
