"""Answers of chat completion interfaces as LiteLLM hands them on: calls, thinking and token counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.records import ToolCall
from workbench.trajectories.tool_kinds import Tools, made_calls
from workbench.trajectories.totals import Tokens
from workbench.trajectories.values import count_of, json_object, list_of, mapping_of, text_of


def completion_tokens(usage: object) -> Tokens | None:
    """A count under either interface's names; the cached are among the input, reasoning among the output."""
    given = mapping_of(usage)
    if not given:
        return None
    into = mapping_of(given.get("prompt_tokens_details") or given.get("input_tokens_details"))
    out = mapping_of(given.get("completion_tokens_details") or given.get("output_tokens_details"))
    return [
        count_of(given.get("prompt_tokens")) or count_of(given.get("input_tokens")),
        count_of(into.get("cached_tokens")) or count_of(given.get("cache_read_input_tokens")),
        count_of(given.get("cache_creation_input_tokens")),
        count_of(given.get("completion_tokens")) or count_of(given.get("output_tokens")),
        count_of(out.get("reasoning_tokens")),
    ]


def parsed_arguments(value: object) -> object:
    """A call's arguments, which come as JSON text; the text where it is none."""
    if not isinstance(value, str):
        return value
    parsed = json_object(value.encode("utf-8", "replace"))
    return value if parsed is None else parsed


def completion_calls(message: Mapping[str, Any], tools: Tools) -> list[ToolCall]:
    """The calls of a message."""
    return [
        made
        for call in map(mapping_of, list_of(message.get("tool_calls")))
        for made in made_calls(
            tools,
            text_of(call.get("id")),
            text_of(mapping_of(call.get("function")).get("name")),
            parsed_arguments(mapping_of(call.get("function")).get("arguments")),
        )
    ]


def thinking_of(message: Mapping[str, Any]) -> str:
    """What a message says of the model's thinking."""
    text = text_of(message.get("reasoning_content"))
    blocks = [text_of(mapping_of(block).get("thinking")) for block in list_of(message.get("thinking_blocks"))]
    return text or "\n\n".join(block for block in blocks if block)
