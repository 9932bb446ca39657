"""Which format a log has, from its head: what each line or the whole document speaks for, weighed.

No single key decides: ``{"type":"error"}`` is of Codex and of Gemini alike. Lines that are no JSON are passed
over, since wrappers mix other output in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.trajectories.reader import BYTE_ORDER_MARK
from workbench.trajectories.values import cut_json, json_value, list_of, mapping_of, text_of

CODEX_EXEC = "codex-exec"
CODEX_ROLLOUT = "codex-rollout"
CLAUDE_STREAM = "claude-stream"
CLAUDE_SESSION = "claude-session"
GEMINI_JSON = "gemini-json"
GEMINI_STREAM = "gemini-stream"
GEMINI_SESSION = "gemini-session"
ATIF = "atif"
INSPECT_EVAL = "inspect-eval"
SWE_AGENT = "swe-agent"
MINI_SWE_AGENT = "mini-swe-agent"
OPENHANDS = "openhands"
WORKBENCH = "workbench"
PLAIN = "plain"

HEAD_BYTES = 64 * 1024
"""How much of a log the format is told from."""
DECISIVE = 8
"""This much more for one format than for any other settles it."""

_MOST_LINES = 200
_ZIP = b"PK\x03\x04"
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_ROLLOUT_TYPES = {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
_BARE_ROLLOUT_TYPES = {
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call",
    "custom_tool_call_output", "local_shell_call",
}  # fmt: skip
_CODEX_TURNS = {"thread.started", "turn.started", "turn.completed", "turn.failed"}
_CODEX_ITEMS = {"item.started", "item.updated", "item.completed"}
_CLAUDE_SESSION_TYPES = {
    "file-history-snapshot", "summary", "queue-operation", "custom-title", "ai-title", "last-prompt",
    "permission-mode",
}  # fmt: skip
_GEMINI_STREAM_TYPES = {"init", "message", "tool_use", "tool_result", "error", "result"}
_GEMINI_MESSAGE_TYPES = {"user", "gemini", "info", "error", "warning"}

Votes = Iterator[tuple[str, int]]


def detect_format(head: bytes) -> str:
    """The format of a log that begins with ``head``; text that is nothing known is ``plain``."""
    return leading_format(head)[0]


def leading_format(head: bytes) -> tuple[str, bool]:
    """The format that most speaks for, and whether the rest of the log can no longer change that."""
    head = head[:HEAD_BYTES].removeprefix(BYTE_ORDER_MARK)
    if head.startswith(_ZIP):
        return INSPECT_EVAL, True
    votes: Counter[str] = Counter()
    for document in _documents(head):
        for name, weight in _votes(document):
            votes[name] += weight
        if _lead(votes) >= DECISIVE:
            break
    if not votes:
        return PLAIN, False
    return votes.most_common(1)[0][0], _lead(votes) >= DECISIVE


def wide_text(head: bytes) -> bool:
    """Whether a log begins as UTF-16 does, which nothing here reads."""
    zeros = [head[first:64:2].count(0) for first in (0, 1)]
    half = len(head[:64]) // 2
    alternating = max(zeros) >= max(half * 2 // 3, 2) and min(zeros) <= half // 8
    return head.startswith(_WIDE) or (not head.startswith(_ZIP) and alternating)


def _lead(votes: Counter[str]) -> int:
    first = votes.most_common(2)
    return (first[0][1] if first else 0) - (first[1][1] if len(first) > 1 else 0)


def _documents(head: bytes) -> Iterator[Any]:
    """What is JSON in the head: lines, and one document over several lines, its end perhaps cut off."""
    start, document = 0, False
    for _ in range(_MOST_LINES):
        end = head.find(b"\n", start)
        line = head[start:] if end < 0 else head[start:end]
        if line.lstrip()[:1] in (b"{", b"["):
            value = json_value(line)
            if value is None and not document:
                value, _ = cut_json(head[start:])
                document = bool(value)
            if value:
                yield value
        if end < 0:
            return
        start = end + 1


def _votes(document: Any) -> Votes:
    if isinstance(document, list):
        yield from _array(document)
    elif isinstance(document, dict):
        yield from _ours(document)
        yield from _codex(document)
        yield from _claude(document)
        yield from _gemini(document)
        yield from _whole(document)


def _array(messages: list[Any]) -> Votes:
    """Claude prints its stream as one array on request; an older mini-swe-agent wrote bare messages."""
    for message in messages[:20]:
        if isinstance(message, dict):
            yield from _claude(message)
            if "type" not in message and {"role", "content"} <= message.keys():
                yield MINI_SWE_AGENT, 4


def _ours(line: Mapping[str, Any]) -> Votes:
    kind = line.get("kind")
    if (kind == "start" and "workbench" in line) or (kind == "step" and isinstance(line.get("step"), dict)):
        yield WORKBENCH, 10
    elif kind == "end" and "usage_source" in line:
        yield WORKBENCH, 5


def _codex(line: Mapping[str, Any]) -> Votes:
    kind = text_of(line.get("type"))
    payload = mapping_of(line.get("payload"))
    if kind in _CODEX_TURNS:
        yield CODEX_EXEC, 10
    elif kind in _CODEX_ITEMS:
        yield CODEX_EXEC, 10 if isinstance(line.get("item"), dict) else 3
    elif kind == "error" and "message" in line and "timestamp" not in line and "severity" not in line:
        yield CODEX_EXEC, 2
    elif kind in _ROLLOUT_TYPES and payload:
        yield CODEX_ROLLOUT, 10
    elif kind in _BARE_ROLLOUT_TYPES and ("role" in line or "call_id" in line or "summary" in line):
        yield CODEX_ROLLOUT, 4
    if "record_type" in line or {"id", "timestamp", "instructions"} <= line.keys():
        yield CODEX_ROLLOUT, 4


def _claude(line: Mapping[str, Any]) -> Votes:
    kind = text_of(line.get("type"))
    message = mapping_of(line.get("message"))
    if kind in ("assistant", "user") and message:
        yield CLAUDE_STREAM, 2
        yield CLAUDE_SESSION, 2
    if kind in _CLAUDE_SESSION_TYPES and "session_id" not in line:
        yield CLAUDE_SESSION, 4
    if "parentUuid" in line or "isSidechain" in line or ("sessionId" in line and "uuid" in line):
        yield CLAUDE_SESSION, 10
    if kind == "system" and line.get("subtype") == "init" and "session_id" in line:
        yield CLAUDE_STREAM, 10
    if kind == "result" and ("num_turns" in line or "total_cost_usd" in line):
        yield CLAUDE_STREAM, 10
    if "session_id" in line and ("uuid" in line or "parent_tool_use_id" in line):
        yield CLAUDE_STREAM, 10
    if "parent_tool_use_id" in line and message:
        yield CLAUDE_STREAM, 6


def _gemini(line: Mapping[str, Any]) -> Votes:
    kind = text_of(line.get("type"))
    if {"$set", "$rewindTo"} & line.keys() or {"projectHash", "sessionId"} <= line.keys():
        yield GEMINI_SESSION, 10
    elif kind in _GEMINI_MESSAGE_TYPES and "id" in line and "timestamp" in line and "message" not in line:
        yield GEMINI_SESSION, 6 if kind == "gemini" or "toolCalls" in line else 3
    elif kind in _GEMINI_STREAM_TYPES and "timestamp" in line:
        if ("tool_name" in line and "parameters" in line) or (kind == "init" and "session_id" in line):
            yield GEMINI_STREAM, 10
        elif (kind == "message" and "role" in line) or "tool_id" in line or "stats" in line:
            yield GEMINI_STREAM, 6
        elif kind in ("error", "result"):
            yield GEMINI_STREAM, 2
    elif kind == "error" and "severity" in line:
        yield GEMINI_STREAM, 2
    if not kind:
        yield from _gemini_json(line)


def _gemini_json(document: Mapping[str, Any]) -> Votes:
    if "models" in mapping_of(document.get("stats")):
        yield GEMINI_JSON, 10
    elif "response" in document and not {"messages", "trajectory"} & document.keys():
        yield GEMINI_JSON, 4
    if document.keys() <= {"session_id", "error"} and "code" in mapping_of(document.get("error")):
        yield GEMINI_JSON, 4


def _whole(document: Mapping[str, Any]) -> Votes:
    """Formats that are one document, or one a line."""
    if text_of(document.get("schema_version")).startswith("ATIF"):
        yield ATIF, 20
    elif "steps" in document and "agent" in document:
        yield ATIF, 5
    first = mapping_of(next(iter(list_of(document.get("trajectory"))), None))
    if first and ("action" in first or "observation" in first or "response" in first):
        yield SWE_AGENT, 10
    elif "environment" in document and ("trajectory" in document or "replay_config" in document):
        yield SWE_AGENT, 8
    info = mapping_of(document.get("info"))
    if text_of(document.get("trajectory_format")).startswith("mini-swe-agent") or "mini_version" in info:
        yield MINI_SWE_AGENT, 20
    elif isinstance(document.get("messages"), list) and "model_stats" in info:
        yield MINI_SWE_AGENT, 8
    if "instance_id" in document and ("history" in document or "test_result" in document):
        yield OPENHANDS, 10
    elif "instance_id" in document and "instruction" in document:
        yield OPENHANDS, 8
    if {"eval", "plan"} <= document.keys() and "status" in document:
        yield INSPECT_EVAL, 10
