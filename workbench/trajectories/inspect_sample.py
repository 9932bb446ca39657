"""The events of one Inspect sample as steps.

A step of the agent is a call of the model with what came back for its calls; what else the model was given,
and what was done and found around it, are steps of the user or of the system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.records import Observation, StepSource, ToolCall, ToolKind
from workbench.trajectories.inspect_parts import (
    Attachments,
    called,
    calls_of,
    message_key,
    result_of,
    served_results,
    thinking_of,
    tokens_of,
    words_of,
)
from workbench.trajectories.inspect_source import ranges_of
from workbench.trajectories.inspect_spans import Spans
from workbench.trajectories.totals import SessionTotals, Totals, usage_from
from workbench.trajectories.values import count_of, list_of, mapping_of, number_of, text_of

EVENTS = "model events"
SILENT = frozenset(
    {
        "sample_init", "state", "store", "span_begin", "span_end", "step", "logger", "anchor", "checkpoint",
        "branch", "subtask",
    }
)  # fmt: skip
_MOST_LEVELS = 8
_ROLES = {"system": StepSource.SYSTEM, "user": StepSource.USER}

Event = Mapping[str, Any]


class SampleSteps:
    """Events in, steps put. ``pool``: messages that model events name by their places in it."""

    def __init__(
        self,
        put: Callable[..., None],
        totals: Totals,
        session: SessionTotals,
        attachments: Attachments,
        pool: list[Any],
    ) -> None:
        self._put = put
        self._totals, self._session = totals, session
        self._attachments, self._pool = attachments, pool
        self._spans = Spans()
        self._shown: set[str] = set()
        self._waiting: dict[str, Any] | None = None
        self.counts: dict[str, int] = {}
        """Events by their kind."""

    def event(self, event: object, level: int = 0) -> None:
        """The next event."""
        if not isinstance(event, dict):
            self._totals.damaged += 1
            return
        kind = text_of(event.get("event"))
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind == "span_begin":
            self._spans.begin(event)
        known = _EVENTS.get(kind)
        if known is not None:
            known(self, event)
        elif kind not in SILENT:
            self._totals.count_unknown(f"event {kind}")
        for inner in list_of(event.get("events")) if level < _MOST_LEVELS else ():
            self.event(inner, level + 1)

    def messages(self, messages: list[Any]) -> None:
        """The conversation, of a sample that has no events or not all: what of it was not yet shown."""
        for message in messages:
            if isinstance(message, dict):
                self._message(message, {})
            else:
                self._totals.damaged += 1

    def ended(self) -> None:
        """No event comes any more."""
        self._flush()

    def _model(self, event: Event) -> None:
        for message in self._input(event):
            if isinstance(message, dict):
                self._message(message, event)
        output = mapping_of(event.get("output"))
        choices = list_of(output.get("choices"))
        message = mapping_of(mapping_of(choices[0]).get("message")) if choices else {}
        self._totals.retries += count_of(event.get("retries"))
        error = text_of(event.get("error") or output.get("error"))
        if not message and not error:
            return
        self._said(message, event, output, error)

    def _input(self, event: Event) -> list[Any]:
        refs = event.get("input_refs")
        return ranges_of(refs, self._pool) if isinstance(refs, list) else list_of(event.get("input"))

    def _message(self, message: Event, event: Event) -> None:
        """A message that the model was given: a step, if it was not yet shown."""
        key = message_key(message)
        if key in self._shown:
            return
        role = text_of(message.get("role"))
        if role == "tool":
            self._tool_message(message, event)
        elif role == "assistant":
            self._said(message, event, {}, "")
        elif role in _ROLES:
            self._flush()
            text = words_of(self._attachments.filled(message.get("content")))
            self._put(
                source=_ROLES[role], message=text, message_id=text_of(message.get("id")), **self._where(event)
            )
        else:
            self._totals.count_unknown(f"message {role}")
        self._shown.add(key)

    def _said(self, message: Event, event: Event, output: Event, error: str) -> None:
        self._flush()
        message = self._attachments.filled(message)
        self._shown.add(message_key(message))
        tokens = tokens_of(output.get("usage"))
        if tokens is not None and event.get("cache") != "read":
            self._session.add(EVENTS, tokens)
        if error:
            self._totals.add_error(error)
        content = message.get("content")
        self._waiting = {
            "source": StepSource.AGENT,
            "message": words_of(content) or error,
            "reasoning": thinking_of(content),
            "calls": calls_of(message),
            "observations": served_results(message),
            "model": text_of(output.get("model") or event.get("model") or message.get("model")),
            "usage": usage_from(tokens) if tokens is not None else None,
            "message_id": text_of(message.get("id")),
            "is_error": bool(error),
            **self._where(event),
        }

    def _tool_message(self, message: Event, event: Event) -> None:
        """Shown already where there was an event for it."""
        call_id = text_of(message.get("tool_call_id"))
        if f"result {call_id}" in self._shown:
            return
        content = self._attachments.filled(message.get("content"))
        self._result(call_id, result_of(call_id, content, message.get("error")), [], event)

    def _tool(self, event: Event) -> None:
        self._spans.called(event)
        call_id, function = text_of(event.get("id")), text_of(event.get("function"))
        self._shown.add(f"result {call_id}")
        if event.get("pending") is True:
            return
        content = self._attachments.filled(event.get("result"))
        arguments = self._attachments.filled(event.get("arguments"))
        observation = result_of(call_id, content, event.get("error"))
        if event.get("failed") is True:
            observation = observation.model_copy(update={"is_error": True})
        self._result(call_id, observation, called(call_id, function, arguments), event)

    def _result(self, call_id: str, observation: Observation, calls: list[ToolCall], event: Event) -> None:
        """What came back, to the step that called; a call of no such step is one itself."""
        waiting = self._waiting
        if waiting is not None and any(call.call_id == call_id for call in waiting["calls"]):
            waiting["observations"].append(observation)
            return
        self._flush()
        source = StepSource.AGENT if calls else StepSource.SYSTEM
        self._waiting = {
            "source": source, "calls": calls, "observations": [observation], **self._where(event)
        }  # fmt: skip

    def _sandbox(self, event: Event) -> None:
        """What a call's function did tells its exit code; what was done around the calls is a step."""
        exit_code = number_of(event.get("result"))
        call_id = self._spans.call_around(event)
        if call_id:
            self._exited(call_id, exit_code)
            return
        action = text_of(event.get("action"))
        what = self._attachments.filled(event.get("cmd") or event.get("file"))
        text = self._attachments.filled(event.get("output") or event.get("input"))
        failed = exit_code != 0 if exit_code is not None else None
        observation = Observation(call_id="", text=text_of(text), exit_code=exit_code, is_error=failed)
        self._note(f"{action}: {text_of(what)}", event, observations=[observation])

    def _exited(self, call_id: str, exit_code: int | None) -> None:
        waiting = self._waiting
        if waiting is None or exit_code is None:
            return
        runs = {ToolKind.COMMAND, ToolKind.OTHER}
        if not any(call.call_id == call_id and call.kind in runs for call in waiting["calls"]):
            return
        waiting["observations"] = [
            observation.model_copy(
                update={"exit_code": exit_code, "is_error": bool(observation.is_error) or exit_code != 0}
            )
            if observation.call_id == call_id
            else observation
            for observation in waiting["observations"]
        ]

    def _score(self, event: Event) -> None:
        score = mapping_of(event.get("score") or event.get("edit"))
        name = text_of(event.get("scorer") or event.get("score_name"))
        parts = [
            f"score {name}".strip() + f": {text_of(score.get('value'))}",
            text_of(score.get("explanation")),
        ]
        self._note("\n".join(part for part in parts if part), event)

    def _limit(self, event: Event) -> None:
        message = text_of(event.get("message")) or f"limit of {text_of(event.get('type'))}"
        self._note(message, event, is_error=True)

    def _error(self, event: Event) -> None:
        self._note(text_of(mapping_of(event.get("error")).get("message")), event, is_error=True)

    def _info(self, event: Event) -> None:
        data = self._attachments.filled(event.get("data"))
        source = text_of(event.get("source"))
        self._note(": ".join(part for part in (source, text_of(data)) if part), event)

    def _input_of_person(self, event: Event) -> None:
        self._flush()
        text = text_of(self._attachments.filled(event.get("input")))
        self._put(source=StepSource.USER, message=text, **self._where(event))

    def _approval(self, event: Event) -> None:
        decision = text_of(event.get("decision"))
        if decision != "approve":
            what = text_of(mapping_of(event.get("call")).get("function"))
            why = text_of(event.get("explanation"))
            self._note(f"approval of {what}: {decision}" + (f" ({why})" if why else ""), event)

    def _compaction(self, event: Event) -> None:
        before, after = text_of(event.get("tokens_before")), text_of(event.get("tokens_after"))
        self._note(f"compaction: {before} to {after} tokens", event)

    def _interrupt(self, event: Event) -> None:
        self._note(f"interrupted by {text_of(event.get('source')) or 'someone'}", event)

    def _note(self, message: str, event: Event, **more: Any) -> None:
        self._flush()
        self._put(source=StepSource.SYSTEM, message=message, **more, **self._where(event))

    def _where(self, event: Event) -> dict[str, Any]:
        agent, parent = self._spans.agent_of(event)
        return {"timestamp": text_of(event.get("timestamp")), "agent": agent, "parent_call_id": parent}

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._put(**waiting)


_EVENTS: Mapping[str, Callable[[SampleSteps, Event], None]] = {
    "model": SampleSteps._model,
    "tool": SampleSteps._tool,
    "sandbox": SampleSteps._sandbox,
    "score": SampleSteps._score,
    "score_edit": SampleSteps._score,
    "sample_limit": SampleSteps._limit,
    "error": SampleSteps._error,
    "info": SampleSteps._info,
    "input": SampleSteps._input_of_person,
    "approval": SampleSteps._approval,
    "compaction": SampleSteps._compaction,
    "interrupt": SampleSteps._interrupt,
}
