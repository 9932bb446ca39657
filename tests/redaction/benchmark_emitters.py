"""Writers of ATIF and of the logs of SWE-agent, mini-swe-agent and OpenHands; the list of all emitters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import emitters
import session_emitters
from emitters import Emitter, Ids, Move, Session


def _calls(move: Move) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Function, arguments and what came back."""
    if move.todo:
        yield (
            "update_plan",
            {"plan": [{"step": text, "status": "pending"} for text in move.todo]},
            "Plan updated",
        )
    if move.command:
        yield "execute_bash", {"command": move.command}, move.output
    if move.path:
        made = {"command": "create", "path": move.path, "file_text": move.content}
        yield "str_replace_editor", made, f"File created successfully at: {move.path}"
    if move.arguments:
        yield "notes_lookup", move.arguments, move.result
    if move.prompt:
        yield "task", {"prompt": move.prompt}, "done"


def atif(session: Session) -> bytes:
    """ATIF v1.7: one document."""
    ids = Ids(session.seed)
    steps: list[dict[str, Any]] = []

    def add(source: str, **values: Any) -> None:
        steps.append({"step_id": len(steps) + 1, "timestamp": ids.time(), "source": source, **values})

    add("system", message="You are an agent that works in a shell.")
    add("user", message=session.asked)
    for move in session.moves:
        made: dict[str, Any] = {"model_name": session.model, "message": move.prose}
        if move.reasoning:
            made["reasoning_content"] = move.reasoning
        calls = [(ids("call_"), *call) for call in _calls(move)]
        if calls:
            made["tool_calls"] = [
                {"tool_call_id": call_id, "function_name": name, "arguments": given}
                for call_id, name, given, _ in calls
            ]
            results = [{"source_call_id": call_id, "content": told} for call_id, _, _, told in calls]
            made["observation"] = {"results": results}
        made["metrics"] = {"prompt_tokens": 3095, "completion_tokens": 37, "cached_tokens": 2560}
        add("agent", **made)
    add("agent", model_name=session.model, message=session.final)
    document = {
        "schema_version": "ATIF-v1.7",
        "session_id": ids(),
        "agent": {
            "name": "codex",
            "version": "0.46.0",
            "model_name": session.model,
            "extra": {"cwd": session.cwd},
        },
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": 536834,
            "total_completion_tokens": 6654,
            "total_steps": len(steps),
        },
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def swe_agent(session: Session) -> bytes:
    """SWE-agent's ``.traj``: action, observation, thought; a step repeats what the model was asked and said.

    The messages of a later step leave out what came before it, as a history processor would.
    """
    ids = Ids(session.seed)
    trajectory: list[dict[str, Any]] = []
    history: list[dict[str, Any]] = [
        {
            "role": "system",
            "content": "You work in a shell.",
            "agent": "main",
            "message_type": "system_prompt",
        },
        {"role": "user", "content": session.asked, "agent": "main", "message_type": "observation"},
    ]
    for move in (*session.moves, Move(prose=session.final, command="submit")):
        thought = "\n\n".join(part for part in (move.reasoning, move.prose) if part)
        actions = [(move.command, move.output)] if move.command else []
        if move.path:
            actions.append((f"create {move.path}\n{move.content}", f"[File: {move.path} written]"))
        for action, told in actions or [("", "Your last output did not use any tool calls!")]:
            call = {"function": {"arguments": json.dumps({"command": action}), "name": "bash"},
                    "id": ids("call_"), "type": "function"}  # fmt: skip
            own: list[dict[str, Any]] = [
                {"role": "assistant", "content": thought, "thought": thought, "action": action,
                 "agent": "main",
                 "tool_calls": [call], "message_type": "action"},
                {"role": "tool", "content": told, "agent": "main", "message_type": "observation",
                 "tool_call_ids": [call["id"]]},
            ]  # fmt: skip
            trajectory.append(
                {"action": action, "observation": told, "response": thought, "thought": thought,
                 "execution_time": 0.116, "state": {"open_file": "n/a", "working_dir": session.cwd},
                 "messages": [*(history[:2] if not trajectory else ()), *own]}
            )  # fmt: skip
            history += own
            thought = ""
    stats = {
        "instance_cost": 0.31,
        "tokens_sent": 81234,
        "tokens_received": 4321,
        "api_calls": len(trajectory),
    }
    info = {"exit_status": "submitted", "submission": session.final, "model_stats": stats}
    document = {
        "trajectory": trajectory,
        "history": history,
        "info": info,
        "replay_config": None,
        "environment": "main",
    }
    return json.dumps(document, indent=2).encode()


def _mini_messages(session: Session) -> Iterator[dict[str, Any]]:
    yield {"role": "system", "content": "Answer with ONE bash code block."}
    yield {"role": "user", "content": session.asked}
    for move in (
        *session.moves,
        Move(prose=session.final, command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
    ):
        thought = "\n\n".join(part for part in (move.reasoning, move.prose) if part)
        block = f"\n\n```mswea_bash_command\n{move.command}\n```" if move.command else ""
        yield {"role": "assistant", "content": f"{thought}{block}"}
        told = f"<returncode>{move.exit_code}</returncode>\n<output>\n{move.output}\n</output>"
        yield {"role": "user", "content": told if move.command else "No action found in the last output."}


def mini_swe_agent(session: Session) -> bytes:
    """mini-swe-agent 1.1: messages, with the action and its price beside them."""
    ids = Ids(session.seed)
    messages = []
    for message in _mini_messages(session):
        if message["role"] == "assistant":
            action = message["content"].partition("```mswea_bash_command\n")[2].rpartition("\n```")[0]
            actions = [{"command": action, "tool_call_id": ids("call_")}] if action else []
            message["extra"] = {"actions": actions, "cost": 0.01, "timestamp": 1772359200.5}
        messages.append(message)
    info = {
        "model_stats": {"instance_cost": 0.3, "api_calls": len(session.moves)},
        "config": {"environment": {"cwd": session.cwd, "timeout": 60},
                   "model": {"model_name": session.model}},
        "mini_version": "2.0.0", "exit_status": "Submitted", "submission": session.final,
    }  # fmt: skip
    document = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    return json.dumps(document, indent=2, ensure_ascii=False).encode()


def mini_swe_agent_list(session: Session) -> bytes:
    """The older form: a bare list of messages."""
    return json.dumps(list(_mini_messages(session)), indent=2).encode()


def openhands(session: Session) -> bytes:
    """OpenHands' ``output.jsonl``: one line an instance, with the whole history."""
    ids = Ids(session.seed)
    history: list[dict[str, Any]] = []

    def add(source: str, message: str, **values: Any) -> int:
        number = len(history)
        event = {"id": number, "timestamp": ids.time()[:-1], "source": source, "message": message, **values}
        history.append(event)
        return number

    system = {"content": "You are OpenHands agent.", "tools": [], "openhands_version": "0.35.0"}
    add("agent", "You are OpenHands agent.", action="system", args=system)
    add("user", session.asked, action="message", args={"content": session.asked, "image_urls": None})
    for move in session.moves:
        thought = move.prose
        if move.reasoning:
            cause = add(
                "agent",
                "I am thinking...: " + move.reasoning,
                action="think",
                args={"thought": move.reasoning},
            )
            add("agent", "Your thought has been logged.", cause=cause, observation="think",
                content="Your thought has been logged.", extras={})  # fmt: skip
        if move.command:
            given = {
                "command": move.command,
                "is_input": False,
                "thought": thought,
                "blocking": False,
                "hidden": False,
            }
            cause = add("agent", f"Running command: {move.command}", action="run", args=given)
            about = {"exit_code": move.exit_code, "pid": -1, "username": session.user,
                     "hostname": session.host,
                     "working_dir": session.cwd, "prefix": "",
                     "suffix": f"\n[The command completed with exit code {move.exit_code}.]"}  # fmt: skip
            add("agent", f"Command `{move.command}` executed with exit code {move.exit_code}.", cause=cause,
                observation="run", content=move.output, success=move.exit_code == 0,
                extras={"command": move.command, "metadata": about, "hidden": False})  # fmt: skip
            thought = ""
        if move.path:
            given = {"path": move.path, "command": "create", "file_text": move.content, "thought": thought}
            cause = add("agent", "", action="edit", args=given)
            extras = {
                "path": move.path,
                "prev_exist": False,
                "old_content": None,
                "new_content": move.content,
            }
            add("agent", f"I edited the file {move.path}.", cause=cause, observation="edit",
                content=f"File created successfully at: {move.path}", extras=extras)  # fmt: skip
            thought = ""
        if move.arguments:
            given = {"name": "notes_lookup", "arguments": move.arguments, "thought": thought}
            cause = add("agent", "I am interacting with the MCP server", action="call_tool_mcp", args=given)
            add("agent", move.result, cause=cause, observation="mcp", content=move.result, extras={})
            thought = ""
        if thought:
            add("agent", thought, action="message", args={"content": thought, "wait_for_response": False})
    finish = {"final_thought": session.final, "task_completed": "true", "outputs": {}, "thought": ""}
    add("agent", session.final, action="finish", args=finish)
    metrics = {
        "accumulated_cost": 0.4,
        "accumulated_token_usage": {"prompt_tokens": 565158, "completion_tokens": 2558},
    }
    document = {
        "instance_id": "stays__derive-1", "test_result": {"git_patch": ""}, "instruction": session.asked,
        "metadata": {"agent_class": "CodeActAgent",
                     "llm_config": {"model": session.model, "api_key": "**********"}},
        "history": history, "metrics": metrics, "error": None,
    }  # fmt: skip
    return (json.dumps(document) + "\n").encode()


EMITTERS: dict[str, Emitter] = {
    "codex-exec": emitters.codex_exec,
    "codex-rollout": emitters.codex_rollout,
    "claude-stream": session_emitters.claude_stream,
    "claude-session": session_emitters.claude_session,
    "gemini-json": session_emitters.gemini_json,
    "gemini-stream": session_emitters.gemini_stream,
    "gemini-session": session_emitters.gemini_session,
    "gemini-session-lines": session_emitters.gemini_session_lines,
    "atif": atif,
    "swe-agent": swe_agent,
    "mini-swe-agent": mini_swe_agent,
    "mini-swe-agent-list": mini_swe_agent_list,
    "openhands": openhands,
    "workbench": emitters.workbench_own,
    "plain": emitters.plain,
}
"""Format to its writer. The two ``-lines`` and ``-list`` are other forms of the format before them."""

_ALL = frozenset({*emitters.PARTS, "asked"})
_SHELL = frozenset({"prose", "reasoning", "command", "output", "asked"})
CARRIES: dict[str, frozenset[str]] = {
    "codex-exec": _ALL - {"content", "asked"},
    "codex-rollout": _ALL,
    "claude-stream": _ALL,
    "claude-session": _ALL,
    "gemini-json": frozenset(),
    "gemini-stream": _ALL - {"reasoning", "prompt"},
    "gemini-session": _ALL - {"prompt"},
    "gemini-session-lines": _ALL - {"prompt"},
    "atif": _ALL,
    "swe-agent": _SHELL | {"path", "content"},
    "mini-swe-agent": _SHELL,
    "mini-swe-agent-list": _SHELL,
    "openhands": _ALL - {"todo", "prompt"},
    "workbench": _ALL,
    "plain": _ALL,
}
"""Format to the parts of a move that it has a place for, and whether it has what was asked; all have
the last words."""
