"""Spans of an Inspect sample: which nested agent an event is of, and inside which call it happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.trajectories.values import text_of

_MOST_LEVELS = 200


@dataclass
class _Span:
    parent: str
    kind: str
    name: str
    call_id: str = ""


class Spans:
    """Told of every span and call as they come."""

    def __init__(self) -> None:
        self._spans: dict[str, _Span] = {}
        self._uncalled: dict[str, list[str]] = {}
        self._by_agent: dict[str, str] = {}

    def begin(self, event: Mapping[str, Any]) -> None:
        """A span begins."""
        span_id, kind = text_of(event.get("id")), text_of(event.get("type"))
        name = text_of(event.get("name"))
        self._spans[span_id] = _Span(text_of(event.get("parent_id")), kind, name)
        if kind == "tool":
            self._uncalled.setdefault(name, []).append(span_id)

    def called(self, event: Mapping[str, Any]) -> None:
        """A call: the span that began last for its function is its own."""
        call_id = text_of(event.get("id"))
        waiting = self._uncalled.get(text_of(event.get("function")))
        if waiting:
            self._spans[waiting.pop()].call_id = call_id
        agent_span = text_of(event.get("agent_span_id"))
        if agent_span:
            self._by_agent[agent_span] = call_id

    def call_around(self, event: Mapping[str, Any]) -> str:
        """The call inside which an event happened; empty outside of all."""
        return next((span.call_id for _, span in self._up(event) if span.kind == "tool" and span.call_id), "")

    def agent_of(self, event: Mapping[str, Any]) -> tuple[str, str]:
        """The nested agent that an event is of, and the call that began it; empty for the main agent."""
        agent = ""
        agent_span = ""
        for span_id, span in self._up(event):
            if span.kind == "agent" and not agent:
                agent, agent_span = span.name or "agent", span_id
            elif agent and (span.kind in ("tool", "agent", "handoff") or agent_span in self._by_agent):
                call_id = self._by_agent.get(agent_span, "") or self._call_above(event, agent_span)
                return agent, call_id
        return "", ""

    def _call_above(self, event: Mapping[str, Any], agent_span: str) -> str:
        above = False
        for span_id, span in self._up(event):
            if above and span.kind == "tool" and span.call_id:
                return span.call_id
            above = above or span_id == agent_span
        return ""

    def _up(self, event: Mapping[str, Any]) -> list[tuple[str, _Span]]:
        """The spans around an event, the innermost first."""
        found = []
        span_id = text_of(event.get("span_id"))
        for _ in range(_MOST_LEVELS):
            span = self._spans.get(span_id)
            if span is None:
                break
            found.append((span_id, span))
            span_id = span.parent
        return found
