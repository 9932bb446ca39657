"""How fast logs of lines are counted and read, without index and disk: seconds for a gigabyte, one core."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from typing import Any

LOG_BYTES = 40_000_000
ROUNDS = 3
PIECE_BYTES = 256 * 1024
MOST_COUNTING_S = 1000 / 130
"""130 MB/s: with disk, hash and index, the whole is then above 100."""
MOST_READING_S = 1000 / 8
"""What follows behind, search among it, needs 8 MB/s."""
_SEED = 3

Events = Callable[[int, str], list[dict[str, Any]]]


def _codex_exec(number: int, text: str) -> list[dict[str, Any]]:
    item = {"id": f"item_{number}", "type": "command_execution", "command": f"/bin/bash -lc 'echo {number}'"}
    begun = item | {"aggregated_output": "", "exit_code": None, "status": "in_progress"}
    done = item | {"aggregated_output": text, "exit_code": 0, "status": "completed"}
    return [{"type": "item.started", "item": begun}, {"type": "item.completed", "item": done}]


def _codex_rollout(number: int, text: str) -> list[dict[str, Any]]:
    call = {"name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", f"echo {number}"]})}
    count = {"input_tokens": number, "cached_input_tokens": 0, "output_tokens": number}
    info = {"total_token_usage": count, "last_token_usage": count}
    back = json.dumps({"output": text, "metadata": {"exit_code": 0}})
    payloads: list[tuple[str, dict[str, Any]]] = [
        ("response_item", {"type": "function_call", "call_id": f"c{number}", **call}),
        ("event_msg", {"type": "token_count", "info": info}),
        ("response_item", {"type": "function_call_output", "call_id": f"c{number}", "output": back}),
    ]
    return [{"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": what} for kind, what in payloads]


def _claude(number: int, text: str, shape: dict[str, Any]) -> list[dict[str, Any]]:
    call = {
        "type": "tool_use",
        "id": f"toolu_{number}",
        "name": "Bash",
        "input": {"command": f"echo {number}"},
    }
    usage = {"input_tokens": 10, "cache_read_input_tokens": 1000, "output_tokens": 5}
    message = {"id": f"msg_{number}", "role": "assistant", "model": "m", "content": [call], "usage": usage}
    back = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": text, "is_error": False}
    said = {"type": "assistant", "message": message, "uuid": f"{number}-a-00000000-0000-0000", **shape}
    came = {
        "type": "user",
        "message": {"role": "user", "content": [back]},
        "uuid": f"{number}-b-00000000-0000",
    }
    return [said, came | shape]


def _claude_stream(number: int, text: str) -> list[dict[str, Any]]:
    return _claude(number, text, {"session_id": "s", "parent_tool_use_id": None})


def _claude_session(number: int, text: str) -> list[dict[str, Any]]:
    shape = {"parentUuid": "p", "isSidechain": False, "sessionId": "s", "version": "2.1", "cwd": "/work"}
    return _claude(number, text, shape | {"timestamp": "2026-01-01T00:00:00.000Z"})


def _gemini_stream(number: int, text: str) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "tool_name": "run_shell_command", "parameters": {"command": f"echo {number}"}}
    events = [call, {"type": "tool_result", "status": "success", "output": text}]
    return [event | {"timestamp": "t", "tool_id": f"t{number}"} for event in events]


def _gemini_session(number: int, text: str) -> list[dict[str, Any]]:
    back = [{"functionResponse": {"id": "x", "response": {"output": text}}}]
    call = {"id": f"k{number}", "name": "run_shell_command", "args": {"command": "echo"}, "result": back}
    count = {"input": 10, "output": 2, "cached": 1, "thoughts": 3}
    message = {"id": f"m{number}", "timestamp": "t", "type": "gemini", "content": "I look.", "tokens": count}
    return [message | {"toolCalls": [call | {"status": "success"}], "model": "m"}]


def _workbench(number: int, text: str) -> list[dict[str, Any]]:
    from workbench.records import Observation, Step, StepSource, ToolCall, ToolKind

    call = ToolCall(call_id="1", name="shell", kind=ToolKind.COMMAND, command=f"echo {number}")
    answer = Observation(call_id="1", text=text, exit_code=0)
    step = Step(number=number + 1, source=StepSource.AGENT, calls=[call], observations=[answer])
    return [{"kind": "step", "step": step.model_dump(mode="json")}]


_FORMATS: dict[str, Events] = {
    "codex-exec": _codex_exec,
    "codex-rollout": _codex_rollout,
    "claude-stream": _claude_stream,
    "claude-session": _claude_session,
    "gemini-stream": _gemini_stream,
    "gemini-session": _gemini_session,
    "workbench": _workbench,
}


def made_log(format: str, size_bytes: int) -> tuple[bytes, int]:
    """A log of steps of 3 to 4 kB, and how many."""
    chance = random.Random(_SEED)
    texts = [
        "\n".join(
            f"{chance.randrange(10**7)}|{chance.random():.4f}|value {chance.random()}" for _ in range(70)
        )
        for _ in range(40)
    ]
    lines: list[bytes] = []
    size = number = 0
    while size < size_bytes:
        for event in _FORMATS[format](number, texts[number % len(texts)]):
            lines.append(json.dumps(event, separators=(",", ":")).encode() + b"\n")
            size += len(lines[-1])
        number += 1
    return b"".join(lines), number


def seconds_a_gigabyte(format: str, data: bytes, number: int, *, counting: bool) -> float:
    """The best of some rounds, by the processor's time."""
    from workbench.trajectories.formats import LINE_READERS

    best = float("inf")
    for _ in range(ROUNDS):
        reader = LINE_READERS[format](counting=counting)
        began = time.process_time()
        for start in range(0, len(data), PIECE_BYTES):
            reader.feed(data[start : start + PIECE_BYTES])
        reader.close()
        best = min(best, time.process_time() - began)
        assert reader.steps == number, (format, reader.steps, number)
    return best / len(data) * 1e9


def measure(size_bytes: int = LOG_BYTES) -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) of each figure."""
    figures: list[tuple[str, float, float, str]] = []
    for format in _FORMATS:
        data, number = made_log(format, size_bytes)
        counted = seconds_a_gigabyte(format, data, number, counting=True)
        read = seconds_a_gigabyte(format, data, number, counting=False)
        figures += [
            (f"{format}: counting a GB", counted, MOST_COUNTING_S, "s"),
            (f"{format}: reading a GB", read, MOST_READING_S, "s"),
        ]
    return figures
