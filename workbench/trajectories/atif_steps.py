"""What a step of an ATIF document says, as the fields of a step of ours.

Any version, and whatever is wrong with it: what cannot be used is left out. What ATIF cannot say, our writer
puts under ``extra.workbench``; there it stands as our own records write it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from workbench.records import Observation, Step, StepSource, ToolCall, Usage
from workbench.trajectories.tool_kinds import Tools, made_calls
from workbench.trajectories.totals import Tokens, usage_from
from workbench.trajectories.values import (
    count_of,
    joined_text,
    list_of,
    mapping_of,
    number_of,
    plain_json,
    text_of,
)

OURS = "workbench"
"""The key under ``extra`` of what ATIF has no place for."""

_SOURCES = {source.value: source for source in StepSource}
_CACHE_WRITE = tuple(
    f"{prefix}cache_{what}_input_tokens" for prefix in ("", "total_") for what in ("write", "creation")
)
_REASONING = ("reasoning_output_tokens", "thoughts_tokens", "total_reasoning_tokens")


def ours(raw: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What our writer added to a part of a document; None where it added nothing."""
    added = mapping_of(raw.get("extra")).get(OURS)
    return added if isinstance(added, dict) else None


def step_fields(raw: Mapping[str, Any], tools: Tools, model: str) -> dict[str, Any]:
    """All fields of a step but number and session; ``model``: the one that steps have which name none."""
    source = _SOURCES.get(text_of(raw.get("source")), StepSource.SYSTEM)
    of_agent = source is StepSource.AGENT
    fields: dict[str, Any] = {
        "source": source,
        "message": joined_text(raw.get("message")),
        "reasoning": text_of(raw.get("reasoning_content")),
        "calls": [made for call in list_of(raw.get("tool_calls")) for made in calls_of(call, tools)],
        "observations": observations_of(raw),
        "timestamp": text_of(raw.get("timestamp")),
        "model": text_of(raw.get("model_name")) or (model if of_agent else ""),
        "usage": _usage(raw.get("metrics")),
        "agent": "",
        "parent_call_id": "",
        "message_id": "",
        "is_error": False,
    }
    added = ours(raw)
    if added is None:
        return fields
    told = {name: plain_json(value) for name, value in added.items() if name in fields}
    try:
        step = Step.model_validate({**fields, **told, "number": 1})
    except ValidationError:
        return fields
    return {name: getattr(step, name) for name in fields}


def calls_of(raw: Any, tools: Tools) -> list[ToolCall]:
    """The calls that an entry of ``tool_calls`` stands for; several where one changes several files."""
    if not isinstance(raw, dict):
        return []
    call_id, name = text_of(raw.get("tool_call_id")), text_of(raw.get("function_name"))
    arguments = raw.get("arguments")
    added = ours(raw)
    if added is not None:
        kept = plain_json(arguments) if isinstance(arguments, dict) else {}
        told = {key: plain_json(value) for key, value in added.items() if key in ToolCall.model_fields}
        try:
            return [ToolCall.model_validate({"call_id": call_id, "name": name, "arguments": kept, **told})]
        except ValidationError:
            pass
    return made_calls(tools, call_id, name, arguments if arguments is not None else {})


def observations_of(raw: Mapping[str, Any]) -> list[Observation]:
    """What came back in a step, with the exit codes where Harbor's converters write them."""
    extra = mapping_of(raw.get("extra"))
    details = mapping_of(extra.get("tool_call_details"))
    found = []
    for result in list_of(mapping_of(raw.get("observation")).get("results")):
        if not isinstance(result, dict) or (result.get("content") is None and nested_refs(result)):
            continue
        call_id = text_of(result.get("source_call_id"))
        metadata = mapping_of(mapping_of(details.get(call_id)).get("metadata"))
        exit_code = number_of(metadata.get("exit_code"))
        observation = Observation(
            call_id=call_id,
            text=joined_text(result.get("content")),
            exit_code=exit_code,
            is_error=_failed(result) if exit_code is None else exit_code != 0,
        )
        found.append(_with_ours(observation, ours(result)))
    return found


def nested_refs(result: Mapping[str, Any]) -> list[str]:
    """Ids of the nested trajectories that a result leads to."""
    refs = [mapping_of(ref) for ref in list_of(result.get("subagent_trajectory_ref"))]
    return [name for ref in refs if (name := text_of(ref.get("trajectory_id") or ref.get("session_id")))]


def tokens_of(metrics: object, prefix: str = "") -> Tokens | None:
    """A count of tokens; ``prefix``: ``total_`` for that of a whole document. None where there is none."""
    given = mapping_of(metrics)
    names = [f"{prefix}prompt_tokens", f"{prefix}cached_tokens", f"{prefix}completion_tokens"]
    if all(number_of(given.get(name)) is None for name in names):
        return None
    prompt, cached, completion = (count_of(given.get(name)) for name in names)
    extra = mapping_of(given.get("extra"))
    written = next((count_of(extra[name]) for name in _CACHE_WRITE if name in extra), 0)
    detail = mapping_of(extra.get("completion_tokens_details"))
    reasoning = next((count_of(extra[name]) for name in _REASONING if name in extra), None)
    thought = count_of(detail.get("reasoning_tokens")) if reasoning is None else reasoning
    return [prompt, cached, written, completion, thought]


def _usage(metrics: object) -> Usage | None:
    tokens = tokens_of(metrics)
    return usage_from(tokens) if tokens is not None else None


def _failed(result: Mapping[str, Any]) -> bool | None:
    metadata = mapping_of(mapping_of(result.get("extra")).get("tool_result_metadata"))
    failed = mapping_of(metadata.get("raw_tool_result")).get("is_error")
    return failed if isinstance(failed, bool) else None


def _with_ours(observation: Observation, added: Mapping[str, Any] | None) -> Observation:
    if added is None:
        return observation
    told = {name: plain_json(value) for name, value in added.items() if name in Observation.model_fields}
    try:
        return Observation.model_validate({**observation.model_dump(), **told})
    except ValidationError:
        return observation
