"""Blocks of Anthropic's messages as steps of the normal form: what Claude's two kinds of log share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.records import Observation, StepSource, ToolKind
from workbench.trajectories.tool_kinds import CLAUDE, made_calls
from workbench.trajectories.totals import Tokens, usage_from
from workbench.trajectories.values import MOST_PARTS, count_of, joined_text, text_of

Fields = dict[str, Any]

CALL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
DENIED = "Permission was denied."

_EXIT = re.compile(r"^(?:Error: )?Exit code (\d{1,9})\b")


def message_tokens(usage: Mapping[str, Any]) -> Tokens:
    """A message's count; Anthropic counts input from and to a cache apart from the rest."""
    cached = count_of(usage.get("cache_read_input_tokens"))
    written = count_of(usage.get("cache_creation_input_tokens"))
    return [
        count_of(usage.get("input_tokens")) + cached + written,
        cached,
        written,
        count_of(usage.get("output_tokens")),
        0,
    ]


def model_tokens(usage: Mapping[str, Any]) -> Tokens:
    """A model's count in ``modelUsage``."""
    cached = count_of(usage.get("cacheReadInputTokens"))
    written = count_of(usage.get("cacheCreationInputTokens"))
    return [
        count_of(usage.get("inputTokens")) + cached + written,
        cached,
        written,
        count_of(usage.get("outputTokens")),
        0,
    ]


def is_result(block: Mapping[str, Any]) -> bool:
    """Whether a block is what came back for a call: ``tool_result``, ``web_search_tool_result`` …"""
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith("tool_result")


def said(thread: Mapping[str, Any], words: Mapping[str, Any]) -> Fields:
    """The agent's words: texts and reasoning since a time. A message's usage is on its first step."""
    usage = None if thread["told"] else thread["usage"]
    return {
        "source": StepSource.AGENT,
        "message": "\n\n".join(words["texts"]),
        "reasoning": "\n\n".join(words["reasoning"]),
        "timestamp": text_of(words["since"]),
        "model": thread["model"],
        "usage": usage_from(usage) if usage else None,
        "message_id": thread["message"],
        "agent": thread["agent"],
        "parent_call_id": thread["parent"],
    }


def called(thread: Mapping[str, Any], call: Mapping[str, Any], result: Mapping[str, Any] | None) -> Fields:
    """A call with the words before it and what came back, if anything did."""
    fields, block = said(thread, call), call["call"]
    call_id = text_of(block.get("id"))
    fields["calls"] = made_calls(CLAUDE, call_id, text_of(block.get("name")), block.get("input"))
    if result is not None:
        command = fields["calls"][0].kind is ToolKind.COMMAND
        fields["observations"] = [_observation(call_id, result, command)]
    return fields


def told(content: object, time: object, agent: str, parent: str, by_system: bool) -> Fields:
    """What the user told the agent, or the tool around it in the user's place."""
    return {
        "source": StepSource.SYSTEM if by_system else StepSource.USER,
        "message": joined_text(content),
        "timestamp": text_of(time),
        "agent": agent,
        "parent_call_id": parent,
    }


def late_result(result: Mapping[str, Any], time: object, agent: str, parent: str) -> Fields:
    """What came back for a call that is not in the log, or has its answer already."""
    return {
        "source": StepSource.SYSTEM,
        "observations": [_observation(text_of(result.get("tool_use_id")), result, False)],
        "timestamp": text_of(time),
        "agent": agent,
        "parent_call_id": parent,
    }


def noted(message: str, time: object, is_error: bool) -> Fields:
    """Something that the tool around the agent tells."""
    return {
        "source": StepSource.SYSTEM,
        "message": text_of(message),
        "timestamp": text_of(time),
        "is_error": is_error,
    }


def _observation(call_id: str, result: Mapping[str, Any], command: bool) -> Observation:
    text = joined_text(result.get("content"))
    error = result.get("is_error")
    is_error = error if isinstance(error, bool) else None
    found = _EXIT.match(text) if command and is_error else None
    return Observation(
        call_id=call_id, text=text, exit_code=int(found[1]) if found else None, is_error=is_error
    )


def user_parts(content: object) -> tuple[list[dict[str, Any]], object]:
    """What came back for calls, and the rest of a user's message."""
    if not isinstance(content, list):
        return [], content
    if len(content) == 1:
        only = content[0]
        return (content, None) if type(only) is dict and is_result(only) else ([], content)
    blocks = content[:MOST_PARTS]
    results = [block for block in blocks if isinstance(block, dict) and is_result(block)]
    if not results:
        return [], content
    return results, [block for block in blocks if not (isinstance(block, dict) and is_result(block))]
