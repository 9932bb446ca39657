"""OpenAI-style APIs: Responses, Chat Completions, list of models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.gateway.provider import Meter, Refusal, Route
from workbench.gateway.providers.allowed import check_body
from workbench.records import Usage

ROUTES = {
    ("POST", "/v1/responses"): Route("POST", "/responses", True),
    ("POST", "/v1/chat/completions"): Route("POST", "/chat/completions", True),
    ("GET", "/v1/models"): Route("GET", "/models", False),
}
EVENT_LIMIT_BYTES = 16 * 1024 * 1024
BODY_LIMIT_BYTES = 32 * 1024 * 1024
"""A larger unstreamed answer passes, but is not counted."""


class OpenAI:
    """Provider: exactly three paths; bodies that hold nothing but what is known to be harmless."""

    def route(self, method: str, target: str) -> Route | Refusal:
        """Origin form only; a query is allowed and not sent on."""
        path = target.split("?", 1)[0]
        if not path.startswith("/") or path.startswith("//"):
            return Refusal(403, "only paths of the model are allowed")
        if "%" in path or "\\" in path or "#" in target or ".." in path or "//" in path:
            return Refusal(403, "encoded or dotted paths are not allowed")
        if (method, path) in ROUTES:
            return ROUTES[method, path]
        if any(path == known for _, known in ROUTES):
            return Refusal(405, "method not allowed")
        return Refusal(403, "only paths of the model are allowed")

    def check(self, route: Route, body: Mapping[str, Any]) -> Refusal | None:
        """The first thing in the body that may reach beyond the model."""
        return check_body(body)

    def prepare(self, route: Route, body: dict[str, Any]) -> dict[str, Any]:
        """Streamed chat answers say their usage only when asked to."""
        if route.path == "/chat/completions" and body.get("stream"):
            options = body.get("stream_options")
            options = options if isinstance(options, dict) else {}
            return {**body, "stream_options": {**options, "include_usage": True}}
        return body

    def credentials(self, key: str) -> dict[str, str]:
        """The key as a bearer token; nothing without one."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def meter(self, content_type: str) -> Meter:
        """By the kind of answer."""
        return EventMeter() if content_type.lower().startswith("text/event-stream") else BodyMeter()


class EventMeter:
    """Usage in a stream of server-sent events: the last one that is told."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._usage: Usage | None = None

    def feed(self, data: bytes) -> None:
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > EVENT_LIMIT_BYTES:
            self._rest = b""
        for line in lines:
            self._line(line.removesuffix(b"\r"))

    def usage(self) -> Usage | None:
        self._line(self._rest)
        self._line(b"")
        self._rest = b""
        return self._usage

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            event, self._data = b"\n".join(self._data), []
            if b'"usage"' in event:
                self._usage = _usage(event) or self._usage


class BodyMeter:
    """Usage in one JSON document."""

    def __init__(self) -> None:
        self._body = bytearray()
        self._whole = True

    def feed(self, data: bytes) -> None:
        self._whole = self._whole and len(self._body) + len(data) <= BODY_LIMIT_BYTES
        if self._whole:
            self._body += data

    def usage(self) -> Usage | None:
        return _usage(bytes(self._body)) if self._whole else None


def _usage(document: bytes) -> Usage | None:
    try:
        value = json.loads(document)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    answer = value.get("response")
    raw = answer.get("usage") if isinstance(answer, dict) else value.get("usage")
    if not isinstance(raw, dict):
        return None
    return Usage(
        input_tokens=_count(raw, "input_tokens", "prompt_tokens"),
        cached_input_tokens=_count(
            _part(raw, "input_tokens_details", "prompt_tokens_details"), "cached_tokens"
        ),
        output_tokens=_count(raw, "output_tokens", "completion_tokens"),
        reasoning_output_tokens=_count(
            _part(raw, "output_tokens_details", "completion_tokens_details"), "reasoning_tokens"
        ),
    )


def _part(raw: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        if isinstance(raw.get(name), dict):
            part: Mapping[str, Any] = raw[name]
            return part
    return {}


def _count(raw: Mapping[str, Any], *names: str) -> int:
    for name in names:
        value = raw.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53:
            return value
    return 0
