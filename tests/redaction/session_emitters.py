"""Writers of the formats of Claude Code and the Gemini CLI."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from emitters import Ids, Move, Session, lines


def _claude_calls(move: Move) -> Iterator[tuple[str, dict[str, Any], str, Any, bool]]:
    """Name, input, text of the result, the structured result, and whether it failed."""
    if move.todo:
        todos = [{"content": text, "status": "pending", "activeForm": text} for text in move.todo]
        yield (
            "TodoWrite",
            {"todos": todos},
            "Todos have been modified",
            {"oldTodos": [], "newTodos": todos},
            False,
        )
    if move.command:
        result = {"stdout": move.output, "stderr": "", "interrupted": False, "isImage": False}
        failed = move.exit_code != 0
        text = f"Exit code {move.exit_code}\n{move.output}" if failed else move.output
        yield "Bash", {"command": move.command, "description": "Run it"}, text, result, failed
    if move.path:
        made = {"type": "create", "filePath": move.path, "content": move.content, "structuredPatch": []}
        text = f"File created successfully at: {move.path}"
        yield "Write", {"file_path": move.path, "content": move.content}, text, made, False
    if move.arguments:
        yield (
            "mcp__notes__lookup",
            move.arguments,
            move.result,
            [{"type": "text", "text": move.result}],
            False,
        )
    if move.prompt:
        told = {"description": "Check rows", "prompt": move.prompt, "subagent_type": "general-purpose"}
        yield "Task", told, "done", {"status": "completed"}, False


def _claude_blocks(session: Session, ids: Ids) -> Iterator[tuple[str, list[dict[str, Any]], Any]]:
    """Role, content blocks and structured result, in order; one block a line, as Claude Code writes them."""
    for move in session.moves:
        if move.reasoning:
            yield "assistant", [{"type": "thinking", "thinking": move.reasoning, "signature": ""}], None
        if move.prose:
            yield "assistant", [{"type": "text", "text": move.prose}], None
        for name, given, text, structured, failed in _claude_calls(move):
            call_id = ids("toolu_")
            yield "assistant", [{"type": "tool_use", "id": call_id, "name": name, "input": given}], None
            told = {"tool_use_id": call_id, "type": "tool_result", "content": text, "is_error": failed}
            yield "user", [told], structured
    yield "assistant", [{"type": "text", "text": session.final}], None


def _claude_message(session: Session, ids: Ids, role: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    if role == "user":
        return {"role": "user", "content": blocks}
    usage = {
        "input_tokens": 4, "cache_creation_input_tokens": 690, "cache_read_input_tokens": 17055,
        "output_tokens": 31, "service_tier": "standard",
    }  # fmt: skip
    return {
        "id": ids("msg_"), "type": "message", "role": "assistant", "model": session.model, "content": blocks,
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def claude_stream(session: Session) -> bytes:
    """Claude Code with ``--output-format stream-json``."""
    ids = Ids(session.seed)
    own = ids()

    def events() -> Iterator[dict[str, Any]]:
        yield {
            "type": "system", "subtype": "init", "cwd": session.cwd, "session_id": own,
            "tools": ["Bash", "Write"],
            "mcp_servers": [], "model": session.model, "permissionMode": "bypassPermissions",
            "slash_commands": [], "apiKeySource": "none", "claude_code_version": "2.1.138",
            "output_style": "default", "agents": [], "skills": [], "plugins": [], "uuid": ids(),
        }  # fmt: skip
        yield {
            "type": "user", "message": {"role": "user", "content": [{"type": "text", "text": session.asked}]},
            "parent_tool_use_id": None, "session_id": own, "uuid": ids(),
        }  # fmt: skip
        for role, blocks, structured in _claude_blocks(session, ids):
            event: dict[str, Any] = {
                "type": role, "message": _claude_message(session, ids, role, blocks),
                "parent_tool_use_id": None,
                "session_id": own, "uuid": ids(),
            }  # fmt: skip
            if structured is not None:
                event["tool_use_result"] = structured
                event["timestamp"] = ids.time()
            yield event
        usage = {"inputTokens": 10386, "outputTokens": 1206, "cacheReadInputTokens": 66752,
                 "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0.115,
                 "contextWindow": 200000, "maxOutputTokens": 32000}  # fmt: skip
        yield {
            "type": "result", "subtype": "success", "is_error": False, "duration_ms": 138884,
            "duration_api_ms": 127427, "num_turns": len(session.moves), "result": session.final,
            "stop_reason": "end_turn", "session_id": own, "total_cost_usd": 0.115,
            "usage": {"input_tokens": 1686, "output_tokens": 914}, "modelUsage": {session.model: usage},
            "permission_denials": [], "uuid": ids(),
        }  # fmt: skip

    return lines(events(), compact=True, ascii_only=False)


def claude_session(session: Session) -> bytes:
    """Claude Code's own session file: a chain by parentUuid."""
    ids = Ids(session.seed)
    own = ids()

    def records() -> Iterator[dict[str, Any]]:
        snapshot = {"messageId": ids(), "trackedFileBackups": {}, "timestamp": ids.time()}
        yield {"type": "file-history-snapshot", "messageId": snapshot["messageId"], "snapshot": snapshot,
               "isSnapshotUpdate": False}  # fmt: skip
        parent: str | None = None

        def record(role: str, message: dict[str, Any]) -> dict[str, Any]:
            nonlocal parent
            made: dict[str, Any] = {
                "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": session.cwd,
                "sessionId": own, "version": "2.0.27", "gitBranch": "main", "type": role, "message": message,
                "uuid": ids(), "timestamp": ids.time(),
            }  # fmt: skip
            parent = made["uuid"]
            return made

        yield record("user", {"role": "user", "content": session.asked})
        for role, blocks, structured in _claude_blocks(session, ids):
            made = record(role, _claude_message(session, ids, role, blocks))
            if role == "assistant":
                made["requestId"] = ids("req_")
            if structured is not None:
                made["toolUseResult"] = structured
            yield made

    return lines(records(), compact=True, ascii_only=False)


def gemini_json(session: Session) -> bytes:
    """``gemini -o json``: the last words and counts, nothing of the way there."""
    tokens = {
        "input": 2048,
        "prompt": 5377,
        "candidates": 21,
        "total": 5434,
        "cached": 0,
        "thoughts": 36,
        "tool": 0,
    }
    api = {"totalRequests": 4, "totalErrors": 0, "totalLatencyMs": 8123}
    stats = {
        "models": {session.model: {"api": api, "tokens": tokens}},
        "tools": {
            "totalCalls": len(session.moves),
            "totalSuccess": len(session.moves),
            "totalFail": 0,
            "byName": {},
        },
        "files": {"totalLinesAdded": 12, "totalLinesRemoved": 0},
    }
    document = {"session_id": Ids(session.seed)(), "response": session.final, "stats": stats}
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def _gemini_calls(move: Move) -> Iterator[tuple[str, dict[str, Any], str, bool]]:
    """Name, arguments, output, and whether it failed."""
    if move.todo:
        todos = [{"description": text, "status": "pending"} for text in move.todo]
        yield "write_todos", {"todos": todos}, "Successfully updated the todo list.", False
    if move.command:
        told = (
            f"Command: {move.command}\nDirectory: (root)\nOutput: {move.output}\nError: (none)\n"
            f"Exit Code: {move.exit_code}\nSignal: (none)\nBackground PIDs: (none)"
        )
        yield (
            "run_shell_command",
            {"command": move.command, "description": "Run it"},
            told,
            move.exit_code != 0,
        )
    if move.path:
        told = f"Successfully created and wrote to new file: {move.path}."
        yield "write_file", {"file_path": move.path, "content": move.content}, told, False
    if move.arguments:
        yield "notes_lookup", move.arguments, move.result, False


def gemini_stream(session: Session) -> bytes:
    """``gemini -o stream-json``: messages in pieces; no thoughts."""
    ids = Ids(session.seed)

    def said(text: str) -> Iterator[dict[str, Any]]:
        for start in range(0, len(text), 400):
            yield {"type": "message", "timestamp": ids.time(), "role": "assistant",
                   "content": text[start : start + 400], "delta": True}  # fmt: skip

    def events() -> Iterator[dict[str, Any]]:
        yield {"type": "init", "timestamp": ids.time(), "session_id": ids(), "model": session.model}
        yield {"type": "message", "timestamp": ids.time(), "role": "user", "content": session.asked}
        for move in session.moves:
            yield from said(move.prose)
            for name, given, told, failed in _gemini_calls(move):
                call_id = f"{name}-{ids()[:13]}"
                yield {"type": "tool_use", "timestamp": ids.time(), "tool_name": name, "tool_id": call_id,
                       "parameters": given}  # fmt: skip
                status = "error" if failed else "success"
                ended: dict[str, Any] = {"type": "tool_result", "timestamp": ids.time(), "tool_id": call_id,
                                         "status": status, "output": told}  # fmt: skip
                if failed:
                    ended["error"] = {"type": "shell_execute_error", "message": told}
                yield ended
        yield from said(session.final)
        stats = {"total_tokens": 5434, "input_tokens": 5377, "output_tokens": 57, "cached": 0, "input": 5377,
                 "duration_ms": 8123, "tool_calls": len(session.moves), "models": {}}  # fmt: skip
        yield {"type": "result", "timestamp": ids.time(), "status": "success", "stats": stats}

    return lines(events(), compact=True, ascii_only=False)


def _gemini_messages(session: Session, ids: Ids) -> Iterator[dict[str, Any]]:
    yield {"id": ids(), "timestamp": ids.time(), "type": "user", "content": session.asked}
    for move in (*session.moves, Move(prose=session.final)):
        calls = []
        for name, given, told, failed in _gemini_calls(move):
            call_id = f"{name}-{ids()[:13]}"
            answer = {"functionResponse": {"id": call_id, "name": name, "response": {"output": told}}}
            calls.append(
                {"id": call_id, "name": name, "args": given, "result": [answer], "timestamp": ids.time(),
                 "status": "error" if failed else "success", "resultDisplay": told, "displayName": name,
                 "description": "", "renderOutputAsMarkdown": True}
            )  # fmt: skip
        thoughts = [{"subject": "Looking", "description": move.reasoning, "timestamp": ids.time()}]
        tokens = {"input": 5377, "output": 21, "cached": 0, "thoughts": 36, "tool": 0, "total": 5434}
        yield {
            "id": ids(), "timestamp": ids.time(), "type": "gemini", "content": move.prose,
            **({"toolCalls": calls} if calls else {}), "thoughts": thoughts if move.reasoning else [],
            "tokens": tokens, "model": session.model,
        }  # fmt: skip


def gemini_session(session: Session) -> bytes:
    """The chat file of older Gemini CLIs: one JSON document."""
    ids = Ids(session.seed)
    messages = list(_gemini_messages(session, ids))
    head = {"sessionId": ids(), "projectHash": "1b37d21d2d347dc4deb92958752b51d6f657340f",
            "startTime": ids.time(), "lastUpdated": ids.time()}  # fmt: skip
    return json.dumps({**head, "messages": messages}, indent=2, ensure_ascii=False).encode()


def gemini_session_lines(session: Session) -> bytes:
    """The chat file of newer ones: a log of records, with changes to the head."""
    ids = Ids(session.seed)

    def records() -> Iterator[dict[str, Any]]:
        yield {"sessionId": ids(), "projectHash": "1b37d21d2d347dc4deb92958752b51d6", "startTime": ids.time(),
               "lastUpdated": ids.time(), "kind": "main"}  # fmt: skip
        for message in _gemini_messages(session, ids):
            yield message
            yield {"$set": {"lastUpdated": ids.time()}}

    return lines(records(), compact=True, ascii_only=False)
