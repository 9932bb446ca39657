"""Logs of formats of lines for tests: the real ones, and made-up ones that hold what those do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Step, TrajectorySummary
from workbench.trajectories.formats import LINE_READERS
from workbench.trajectories.reader import TrajectoryReader

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trajectories"

REAL = {
    "codex_exec/heru_T-0001_merge-resolver.jsonl": "codex-exec",
    "codex_exec/agentcmd_stream-output-3_v0.46.jsonl": "codex-exec",
    "codex_rollout/agentcmd_rollout-2025-09-25T15-12-14.jsonl": "codex-rollout",
    "claude_stream/trackgentic_stream.jsonl": "claude-stream",
    "claude_session/agentcmd_full-session-four.jsonl": "claude-session",
    "gemini_session/agentcmd_session-2025-10-27T19-55-981c87cb.json": "gemini-session",
}
"""Real logs beside the project, and their formats."""


def real(name: str) -> bytes:
    """A real log; skips the test where they are not there."""
    if not SAMPLES.is_dir():
        pytest.skip("the shared sample logs are not beside the project")
    return (SAMPLES / name).read_bytes()


def lines(*events: Any) -> bytes:
    """Events as lines; text and bytes stay as they are."""
    parts = [
        event
        if isinstance(event, bytes)
        else event.encode()
        if isinstance(event, str)
        else json.dumps(event).encode()
        for event in events
    ]
    return b"".join(part + b"\n" for part in parts)


def read(name: str, data: bytes, piece: int = 1 << 20) -> tuple[list[Step], TrajectorySummary]:
    """What a reader makes of a log that comes in pieces of so many bytes."""
    reader = LINE_READERS[name]()
    return fed(reader, data, piece), reader.summary()


def fed(reader: TrajectoryReader, data: bytes, piece: int = 1 << 20) -> list[Step]:
    """All steps of what is still to come."""
    steps: list[Step] = []
    for start in range(0, len(data), piece):
        steps += reader.feed(data[start : start + piece])
    return steps + reader.close()


def item(state: str, **values: Any) -> dict[str, Any]:
    return {"type": f"item.{state}", "item": values}


CODEX_EXEC = lines(
    "Reading additional input from stdin...",
    {"type": "thread.started", "thread_id": "t1"},
    {"type": "turn.started"},
    item("completed", id="0", type="reasoning", text="why"),
    item("started", id="1", type="command_execution", command="bash -lc 'ls'", exit_code=None),
    item("started", id="2", type="command_execution", command="pwd", exit_code=None),
    item("completed", id="2", type="command_execution", command="pwd", aggregated_output="/w\n", exit_code=0),
    item("started", id="3", type="todo_list", items=[{"text": "a", "completed": False}]),
    item("completed", id="1", type="command_execution", aggregated_output="x", exit_code=2, status="failed"),
    item("updated", id="3", type="todo_list", items=[{"text": "a", "completed": True}]),
    item("completed", id="4", type="file_change", changes=[
        {"path": "a", "kind": "add"}, {"path": "b", "kind": "update"}]),
    item("completed", id="5", type="mcp_tool_call", server="s", tool="t", arguments={"q": 1},
         result={"content": [{"type": "text", "text": "r"}]}),
    item("completed", id="6", type="collab_tool_call", tool="spawn_agent", prompt="do",
         receiver_thread_ids=["z"], agents_states={"z": {"status": "done"}}),
    item("completed", id="7", type="web_search", query="q"),
    {"type": "error", "message": "Reconnecting... 1/5"},
    {"type": "error", "message": "Reconnecting... 2/5"},
    item("completed", id="3", type="todo_list", items=[{"text": "a", "completed": True}]),
    item("completed", id="8", type="agent_message", text="done é"),
    {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}},
    {"type": "item.plan.delta", "item_id": "x", "delta": "y"},
    {"type": "thread.started", "thread_id": "t2"},
    {"type": "turn.started"},
    item("started", id="1", type="command_execution", command="sleep 9"),
    {"type": "error", "message": "quota"},
    {"type": "turn.failed", "error": {"message": "quota"}},
)  # fmt: skip


def response(kind: str, **values: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": kind, **values}}


def message(kind: str, **values: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:01Z", "type": "event_msg", "payload": {"type": kind, **values}}


def tokens(total_in: int, total_out: int, last_in: int, last_out: int) -> dict[str, Any]:
    info = {
        "total_token_usage": {"input_tokens": total_in, "output_tokens": total_out},
        "last_token_usage": {"input_tokens": last_in, "output_tokens": last_out},
    }
    return message("token_count", info=info)


PATCH = (
    "*** Begin Patch\n*** Add File: a.sql\n+SELECT 1;\n*** Update File: b.py\n@@\n x\n-y\n+z\n*** End Patch\n"
)

CODEX_ROLLOUT = lines(
    {"timestamp": "t", "type": "session_meta", "payload": {"id": "s1", "cli_version": "0.50.0", "cwd": "/w"}},
    {"timestamp": "t", "type": "turn_context", "payload": {"model": "gpt-x"}},
    message("task_started"),
    response("message", role="user", content=[{"type": "input_text", "text": "derive"}]),
    message("user_message", message="derive"),
    response("reasoning", summary=[{"type": "summary_text", "text": "first look"}], encrypted_content="xx"),
    response("function_call", name="shell", arguments='{"command":["bash","-lc","ls"]}', call_id="c1"),
    response("function_call", name="exec_command", arguments='{"cmd":"pwd"}', call_id="c2"),
    tokens(10, 2, 10, 2),
    message("exec_command_end", call_id="c2", exit_code=3),
    response("function_call_output", call_id="c2", output="Exit code: 3\nWall time: 1 seconds\nOutput:\n/w"),
    response("function_call_output", call_id="c1", output='{"output":"a\\n","metadata":{"exit_code":0}}'),
    response("custom_tool_call", name="apply_patch", input=PATCH, call_id="c3"),
    tokens(30, 5, 20, 3),
    message("patch_apply_end", call_id="c3", success=False),
    response("custom_tool_call_output", call_id="c3", output="no such file"),
    response("web_search_call", id="w1", action={"type": "search", "query": "sofa"}, status="completed"),
    message("stream_error", message="stream disconnected - retrying 1/5 in 200ms"),
    response("function_call_output", call_id="unknown", output="late"),
    response("message", role="assistant", content=[{"type": "output_text", "text": "Done."}]),
    tokens(60, 9, 30, 4),
    tokens(60, 9, 30, 4),
    message("agent_message", message="Done."),
    message("task_complete", last_agent_message="Done."),
    {"timestamp": "t", "type": "compacted", "payload": {"message": "so far"}},
    response("message", role="user", content=[{"type": "input_text", "text": "again"}]),
    message("thread_rolled_back", num_turns=1),
    message("hologram"),
    response("message", role="user", content=[{"type": "input_text", "text": "other"}]),
    response("local_shell_call", call_id="c9", action={"type": "exec", "command": ["ls", "-l a"]}),
    message("turn_aborted", reason="interrupted"),
)


def claude(kind: str, uuid: str, **values: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": uuid, "session_id": "S", **values}


def said(message_id: str, *blocks: dict[str, Any], output: int = 1, cached: int = 0) -> dict[str, Any]:
    usage = {"input_tokens": 3, "cache_read_input_tokens": cached, "output_tokens": output}
    return {"message": {"id": message_id, "model": "m-1", "content": list(blocks), "usage": usage}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(call_id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}
    return {"message": {"role": "user", "content": [block]}}


CLAUDE_EVENTS: list[dict[str, Any]] = [
    claude("system", "u1", subtype="init", model="m-1", claude_code_version="2.0"),
    claude("assistant", "u2", **said("a", {"type": "thinking", "thinking": "hm"}), parent_tool_use_id=None),
    claude("assistant", "u3", **said("a", text("I look.")), parent_tool_use_id=None),
    claude("assistant", "u4", **said("a", use("c1", "Bash", command="ls")), parent_tool_use_id=None),
    claude("assistant", "u5", **said("a", use("c2", "Task", prompt="seek", subagent_type="scout"), output=7)),
    claude("user", "u6", **result("c1", "Error: Exit code 2\nno", is_error=True)),
    claude("user", "u7", message={"content": [text("seek")]}, parent_tool_use_id="c2"),
    claude("assistant", "u8", **said("b", use("c3", "Grep", path="src")), parent_tool_use_id="c2"),
    claude("user", "u9", **result("c3", [{"type": "text", "text": "hit"}]), parent_tool_use_id="c2"),
    claude("assistant", "u10", **said("b2", text("Found.")), parent_tool_use_id="c2"),
    claude("system", "u11", subtype="api_retry", attempt=1, max_retries=9, retry_delay_ms=5.5, error="429"),
    claude("user", "u12", **result("c2", [{"type": "text", "text": "Found."}])),
    claude("assistant", "u13", **said("d", use("c4", "MultiEdit", file_path="f", edits=[
        {"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]), cached=5)),
    claude("system", "u14", subtype="permission_denied", tool_use_id="c4"),
    claude("user", "u15", **result("c4", "not allowed")),
    claude("assistant", "u16", **said("e", use("c5", "TodoWrite", todos=[{"content": "x"}]))),
    claude("user", "u17", **result("c5", "ok")),
    claude("user", "u17", **result("c5", "ok")),
    claude("system", "u18", subtype="compact_boundary", compact_metadata={"pre_tokens": 1000}),
    claude("system", "u19", subtype="hook_response", hook_name="Stop", output="no", exit_code=2),
    claude("hologram", "u20"),
    claude("assistant", "u21", **said("f", text("Done."))),
    claude("result", "u22", subtype="success", result="Done.", num_turns=4, total_cost_usd=0.5,
           usage={"input_tokens": 9, "output_tokens": 8},
           modelUsage={"m-1": {"inputTokens": 20, "cacheReadInputTokens": 5, "outputTokens": 11}}),
    claude("system", "u23", subtype="init", model="m-2") | {"session_id": "S2"},
    claude("assistant", "u24", **said("g", use("c6", "Write", file_path="g", content="x")))
    | {"session_id": "S2"},
    claude("result", "u25", subtype="error_max_turns", is_error=True, num_turns=1,
           permission_denials=[{"tool_name": "Write", "tool_use_id": "c6"}]) | {"session_id": "S2"},
]  # fmt: skip
CLAUDE_STREAM = lines(*CLAUDE_EVENTS)


def node(kind: str, uuid: str, parent: str | None, **values: Any) -> dict[str, Any]:
    shape = {
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": "S",
        "version": "2.1",
        "type": kind,
        "uuid": uuid,
    }
    return {**shape, "timestamp": f"2026-01-01T00:00:{uuid[1:]:0>2}Z", **values}


def prompt(words: str) -> dict[str, Any]:
    return {"message": {"role": "user", "content": words}}


CLAUDE_SESSION = lines(
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
    node("user", "u1", None, **prompt("derive")),
    node("assistant", "u2", "u1", **said("a", text("I ask."), output=1)),
    node(
        "assistant", "u3", "u2", **said("a", use("c1", "Task", prompt="count", subagent_type="x"), output=5)
    ),
    node("user", "u4", None, **prompt("count"), isSidechain=True),
    node("assistant", "u5", "u4", **said("b", use("c2", "Read", file_path="f")), isSidechain=True),
    node("user", "u6", "u5", **result("c2", "1"), isSidechain=True),
    node("assistant", "u7", "u6", **said("b2", text("one")), isSidechain=True),
    node("user", "u8", "u3", **result("c1", "one"), toolUseResult={"agentId": "ag1"}),
    node(
        "system",
        "u9",
        "u8",
        subtype="api_error",
        retryAttempt=1,
        maxRetries=10,
        error={"message": "overloaded"},
    ),
    node("assistant", "u10", "u8", **said("c", text("It is one."))),
    node("user", "u11", "u10", **prompt("no, try again")),
    node("assistant", "u12", "u11", **said("d", text("It is two."))),
    node("user", "u13", "u10", **prompt("now truly")),
    node(
        "assistant",
        "u14",
        "u13",
        **said("e", use("c3", "Edit", file_path="f", old_string="a", new_string="b")),
    ),
    node("user", "u15", "u14", **result("c3", "ok")),
    node(
        "system",
        "u16",
        None,
        subtype="compact_boundary",
        compactMetadata={"trigger": "manual", "preTokens": 9},
    ),
    node("user", "u17", "u16", **prompt("Summary: so far"), isCompactSummary=True),
    node(
        "attachment", "u18", "u17", attachment={"type": "hook_success", "hookName": "Stop", "content": "fine"}
    ),
    node("attachment", "u19", "u18", attachment={"type": "queued_command", "prompt": "and this"}),
    node("assistant", "u20", "u19", **said("g", text("API Error: 500")), isApiErrorMessage=True),
    node("assistant", "u21", "u20", **said("h", use("c4", "Bash", command="sleep 99"))),
    {"type": "ai-title", "title": "x"},
    {"type": "hologram"},
)


def gemini(kind: str, **values: Any) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2026-01-01T00:00:00Z", **values}


GEMINI_STREAM = lines(
    "Loaded cached credentials.",
    gemini("init", session_id="g1", model="gemini-x"),
    gemini("message", role="user", content="derive"),
    gemini("message", role="assistant", content="I ", delta=True),
    gemini("message", role="assistant", content="look.", delta=True),
    gemini("tool_use", tool_name="run_shell_command", tool_id="r1", parameters={"command": "ls"}),
    gemini("tool_use", tool_name="replace", tool_id="r2",
           parameters={"file_path": "f", "old_string": "a", "new_string": "b"}),
    gemini("tool_result", tool_id="r2", status="error", error={"type": "x", "message": "no match"}),
    gemini("tool_result", tool_id="r1", status="success", output="a\nExit Code: 2"),
    gemini("tool_result", tool_id="zz", status="success", output="late"),
    gemini("error", severity="warning", message="Retrying after 429"),
    gemini("hologram"),
    gemini("message", role="assistant", content="Done.", delta=True),
    gemini("result", status="success",
           stats={"total_tokens": 130, "input_tokens": 100, "output_tokens": 20, "cached": 40}),
    gemini("init", session_id="g2", model="gemini-y"),
    gemini("tool_use", tool_name="read_file", tool_id="r3", parameters={"absolute_path": "f"}),
    gemini("result", status="error", error={"type": "FatalTurnLimited", "message": "too many turns"}),
)  # fmt: skip


def turn(message_id: str, kind: str, content: Any, **values: Any) -> dict[str, Any]:
    return {"id": message_id, "timestamp": "2026-01-01T00:00:00Z", "type": kind, "content": content, **values}


def call(call_id: str, name: str, output: str | None, **given: Any) -> dict[str, Any]:
    done = {
        "status": "success",
        "result": [{"functionResponse": {"id": call_id, "response": {"output": output}}}],
    }
    return {
        "id": call_id,
        "name": name,
        "args": given,
        **(done if output is not None else {"status": "executing"}),
    }


COUNT = {"input": 10, "output": 2, "thoughts": 3, "cached": 1}
LS = call("k1", "run_shell_command", "a", command="ls")

GEMINI_SESSION = lines(
    {"sessionId": "g1", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "messages": []},
    turn("m1", "user", "derive"),
    turn("m2", "gemini", "I look.", thoughts=[{"subject": "S", "description": "d"}], model="gemini-x"),
    turn("m2", "gemini", "I look.", toolCalls=[call("k1", "run_shell_command", None, command="ls")]),
    turn("m2", "gemini", "I look.", model="gemini-x", tokens=COUNT,
         toolCalls=[LS, call("k2", "read_file", None, file_path="f")]),
    turn("m3", "info", "Request cancelled."),
    turn("m2", "gemini", "I look.", model="gemini-x", tokens=COUNT,
         toolCalls=[LS, call("k2", "read_file", "x", file_path="f")]),
    {"$set": {"lastUpdated": "later"}},
    turn("m4", "user", [{"text": "again"}]),
    turn("m5", "gemini", "It is two.", tokens={"input": 20, "output": 1}),
    {"$rewindTo": "m4"},
    turn("m6", "user", "truly"),
    turn("m7", "gemini", "It is three.", tokens={"input": 20, "output": 1}),
    {"$set": {"messages": [turn("m1", "user", "derive"), turn("m8", "user", "summary")]}},
    {"$rewindTo": "nowhere"},
    turn("m9", "error", "quota"),
    turn("m10", "hologram", ""),
)  # fmt: skip

OURS = lines(
    {"kind": "start", "workbench": 1, "session": "w", "model": "m"},
    {"kind": "step", "step": {"number": 1, "source": "user", "message": "derive"}},
    {"kind": "step", "step": {"number": 7, "source": "agent", "calls": [
        {"call_id": "1", "name": "sh", "kind": "command", "command": "ls", "arguments": {"deep": [[1.5]]}}],
        "observations": [{"call_id": "1", "text": "a", "exit_code": 0}],
        "usage": {"input_tokens": 3, "output_tokens": 1}}},
    '{"kind":"step","step":{"number":3,"source":"agent","calls":[{"call_id":"2","name":"x","arguments":{"n":NaN}}]}}',
    {"kind": "step", "step": {"source": "nobody"}},
    {"kind": "hologram"},
    {"kind": "step", "step": {"number": 4, "source": "agent", "message": "bye", "session": "w2"}},
    {"kind": "end", "complete": True, "errors": ["e"], "final_message": "bye"},
)  # fmt: skip

MADE_UP = {
    "codex-exec": CODEX_EXEC,
    "codex-rollout": CODEX_ROLLOUT,
    "claude-stream": CLAUDE_STREAM,
    "claude-session": CLAUDE_SESSION,
    "gemini-stream": GEMINI_STREAM,
    "gemini-session": GEMINI_SESSION,
    "workbench": OURS,
}
"""One log of each format of lines, with sessions, nested agents, retries, damage and unknown events."""
