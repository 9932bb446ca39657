"""Small writers of every log format, true to what the tools write (the shapes of the real sample logs).

Each takes a ``Session``: what was asked, the moves of the agent, its last words. ``CARRIES`` says which parts
of a move a format has a place for; what it has none for has to be said otherwise.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

PARTS = ("prose", "reasoning", "command", "output", "path", "content", "arguments", "todo", "prompt")


@dataclass(frozen=True)
class Move:
    """One step of an agent. Empty parts are not written.

    ``command`` with ``output`` and ``exit_code`` is one shell call, ``path`` with ``content`` a written file,
    ``arguments`` (with ``result``) a call of some other tool, ``prompt`` what a nested agent was told.
    """

    prose: str = ""
    reasoning: str = ""
    command: str = ""
    output: str = ""
    exit_code: int = 0
    path: str = ""
    content: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    todo: tuple[str, ...] = ()
    prompt: str = ""


@dataclass(frozen=True)
class Session:
    """What an emitter writes."""

    asked: str
    moves: tuple[Move, ...]
    final: str
    cwd: str = "/workspace"
    user: str = "agent"
    host: str = "sandbox"
    model: str = "model-1"
    seed: int = 1


class Ids:
    """Identifiers and times as the tools make them, the same in every run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count = 0

    def __call__(self, prefix: str = "") -> str:
        self._count += 1
        word = uuid.uuid5(uuid.NAMESPACE_URL, f"{self._seed}/{self._count}")
        return prefix + word.hex[:24] if prefix else str(word)

    def time(self) -> str:
        self._count += 1
        minutes, seconds = divmod(self._count, 60)
        day, hour = 1 + self._seed % 9, 10 + minutes // 60 % 12
        return f"2026-03-0{day}T{hour}:{minutes % 60:02d}:{seconds:02d}.114Z"


def lines(documents: Iterator[dict[str, Any]], *, compact: bool = False, ascii_only: bool = True) -> bytes:
    """JSON lines."""
    separators = (",", ":") if compact else (", ", ": ")
    texts = (json.dumps(item, separators=separators, ensure_ascii=ascii_only) for item in documents)
    return "".join(text + "\n" for text in texts).encode()


USAGE = {"input_tokens": 81234, "cached_input_tokens": 70912, "output_tokens": 4321}


def codex_exec(session: Session) -> bytes:
    """``codex exec --json``: no times; a file change names the path only."""

    def events() -> Iterator[dict[str, Any]]:
        count = 0

        def item(**values: Any) -> dict[str, Any]:
            nonlocal count
            count += 1
            return {"id": f"item_{count}", **values}

        yield {"type": "thread.started", "thread_id": Ids(session.seed)()}
        yield {"type": "turn.started"}
        for move in session.moves:
            if move.reasoning:
                yield {"type": "item.completed", "item": item(type="reasoning", text=move.reasoning)}
            if move.prose:
                yield {"type": "item.completed", "item": item(type="agent_message", text=move.prose)}
            if move.todo:
                items = [{"text": text, "completed": False} for text in move.todo]
                yield {"type": "item.completed", "item": item(type="todo_list", items=items)}
            if move.command:
                quoted = move.command.replace("'", "'\"'\"'")
                begun = item(
                    type="command_execution",
                    command=f"/bin/bash -lc '{quoted}'",
                    aggregated_output="",
                    exit_code=None,
                    status="in_progress",
                )
                yield {"type": "item.started", "item": begun}
                state = "failed" if move.exit_code else "completed"
                ended = {"aggregated_output": move.output, "exit_code": move.exit_code, "status": state}
                yield {"type": "item.completed", "item": {**begun, **ended}}
            if move.path:
                changes = [{"path": move.path, "kind": "add"}]
                change = item(type="file_change", changes=changes, status="completed")
                yield {"type": "item.completed", "item": change}
            if move.arguments:
                result = {"content": [{"type": "text", "text": move.result}], "structured_content": None}
                call = item(
                    type="mcp_tool_call", server="notes", tool="lookup", arguments=move.arguments,
                    result=result, error=None, status="completed",
                )  # fmt: skip
                yield {"type": "item.completed", "item": call}
            if move.prompt:
                call = item(
                    type="collab_tool_call", tool="spawn_agent", sender_thread_id="t1",
                    receiver_thread_ids=["t2"],
                    prompt=move.prompt, agents_states={}, status="completed",
                )  # fmt: skip
                yield {"type": "item.completed", "item": call}
        yield {"type": "item.completed", "item": item(type="agent_message", text=session.final)}
        yield {"type": "turn.completed", "usage": USAGE}

    return lines(events(), compact=True, ascii_only=False)


def codex_rollout(session: Session) -> bytes:
    """Codex's own session file: arguments are JSON inside a string, outputs too."""
    ids = Ids(session.seed)

    def record(name: str, /, **payload: Any) -> dict[str, Any]:
        return {"timestamp": ids.time(), "type": name, "payload": payload}

    def message(role: str, text: str) -> dict[str, Any]:
        part = "output_text" if role == "assistant" else "input_text"
        return record("response_item", type="message", role=role, content=[{"type": part, "text": text}])

    def call(
        name: str, arguments: dict[str, Any], output: str, exit_code: int = 0
    ) -> Iterator[dict[str, Any]]:
        call_id = ids("call_")
        yield record(
            "response_item", type="function_call", name=name, arguments=json.dumps(arguments), call_id=call_id
        )
        told = {"output": output, "metadata": {"exit_code": exit_code, "duration_seconds": 0.1}}
        yield record("response_item", type="function_call_output", call_id=call_id, output=json.dumps(told))

    def records() -> Iterator[dict[str, Any]]:
        yield record(
            "session_meta", id=ids(), timestamp=ids.time(), cwd=session.cwd, originator="codex_cli_rs",
            cli_version="0.46.0", instructions=None, source="cli",
        )  # fmt: skip
        yield message("user", session.asked)
        yield record("event_msg", type="user_message", message=session.asked, kind="plain")
        yield record(
            "turn_context", cwd=session.cwd, approval_policy="never",
            sandbox_policy={"mode": "workspace-write"},
            model=session.model, effort="high", summary="auto",
        )  # fmt: skip
        for move in session.moves:
            if move.reasoning:
                yield record("event_msg", type="agent_reasoning", text=move.reasoning)
                summary = [{"type": "summary_text", "text": move.reasoning}]
                yield record(
                    "response_item", type="reasoning", summary=summary, content=None, encrypted_content=None
                )
            if move.prose:
                yield record("event_msg", type="agent_message", message=move.prose)
                yield message("assistant", move.prose)
            if move.todo:
                plan = [{"step": text, "status": "pending"} for text in move.todo]
                yield from call("update_plan", {"plan": plan}, "Plan updated")
            if move.command:
                arguments = {
                    "command": ["bash", "-lc", move.command],
                    "workdir": session.cwd,
                    "timeout_ms": 120000,
                }
                yield from call("shell", arguments, move.output, move.exit_code)
            if move.path:
                added = "\n".join("+" + line for line in move.content.splitlines())
                patch = f"*** Begin Patch\n*** Add File: {move.path}\n{added}\n*** End Patch"
                call_id = ids("call_")
                yield record(
                    "response_item", type="custom_tool_call", status="completed", call_id=call_id,
                    name="apply_patch", input=patch,
                )  # fmt: skip
                told = json.dumps(
                    {"output": "Success. Updated the following files", "metadata": {"exit_code": 0}}
                )
                yield record("response_item", type="custom_tool_call_output", call_id=call_id, output=told)
            if move.arguments:
                yield from call("notes__lookup", move.arguments, move.result)
            if move.prompt:
                yield from call("spawn_agent", {"message": move.prompt}, '{"agent_id":"a2"}')
        yield message("assistant", session.final)
        total = {**USAGE, "reasoning_output_tokens": 1200, "total_tokens": 85555}
        info = {"total_token_usage": total, "last_token_usage": total, "model_context_window": 272000}
        yield record("event_msg", type="token_count", info=info, rate_limits=None)

    return lines(records(), compact=True, ascii_only=False)


def workbench_own(session: Session) -> bytes:
    """The product's own format, written out by hand."""

    def steps() -> Iterator[dict[str, Any]]:
        number = 0

        def step(source: str, /, **values: Any) -> dict[str, Any]:
            nonlocal number
            number += 1
            return {"kind": "step", "step": {"number": number, "source": source, **values}}

        def call(
            name: str, kind: str, output: str, exit_code: int | None = None, /, **values: Any
        ) -> dict[str, Any]:
            told = {"call_id": "c1", "text": output, "exit_code": exit_code, "is_error": bool(exit_code)}
            return {
                "calls": [{"call_id": "c1", "name": name, "kind": kind, **values}],
                "observations": [told],
            }

        yield {"kind": "start", "workbench": 1, "session": Ids(session.seed)(), "model": session.model}
        yield step("user", message=session.asked)
        for move in session.moves:
            if move.prose or move.reasoning:
                yield step("agent", message=move.prose, reasoning=move.reasoning)
            if move.todo:
                yield step("agent", **call("update_plan", "other", "", arguments={"plan": list(move.todo)}))
            if move.command:
                made = call("shell", "command", move.output, move.exit_code, command=move.command)
                yield step("agent", **made)
            if move.path:
                made = call("write_file", "file-change", "", path=move.path, content=move.content)
                yield step("agent", **made)
            if move.arguments:
                yield step("agent", **call("notes.lookup", "other", move.result, arguments=move.arguments))
            if move.prompt:
                yield step("agent", **call("spawn_agent", "agent", "", arguments={"prompt": move.prompt}))
        yield step("agent", message=session.final)
        yield {"kind": "end", "complete": True, "usage": USAGE, "usage_source": "turn.completed",
               "final_message": session.final, "errors": []}  # fmt: skip

    return lines(steps(), ascii_only=False)


def plain(session: Session) -> bytes:
    """What a terminal showed."""
    parts = [f"{session.user}@{session.host}:{session.cwd}$ agent", session.asked]
    for move in session.moves:
        parts += [move.reasoning, move.prose, *(f"[ ] {text}" for text in move.todo)]
        if move.command:
            parts += [f"$ {move.command}", move.output, f"[exit {move.exit_code}]" if move.exit_code else ""]
        if move.path:
            parts += [f"write {move.path}", move.content]
        if move.arguments:
            parts += [f"notes.lookup({json.dumps(move.arguments)})", move.result]
        parts += [move.prompt]
    return ("\n".join(part for part in [*parts, session.final] if part) + "\n").encode()


Emitter = Callable[[Session], bytes]
