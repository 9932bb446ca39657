"""What a body may hold: names of fields, kinds of tools, keys and kinds of content. All else is refused.

Sources: the request schemas of OpenAI's Responses and Chat Completions; what Codex 0.171 sends; the sampling
options of vLLM, llama.cpp, SGLang and Ollama. Providers add fields that search, fetch and read stored files
faster than a list of those could follow.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from workbench.gateway.provider import Refusal


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


CLIENT_TOOLS = frozenset({"function", "custom", "namespace", "local_shell", "apply_patch"})
"""Kinds of tools that the agent itself executes; every other kind is executed by the provider."""
TOOL_KEYS = _names(
    "type name description parameters strict function custom format tools defer_loading output_schema"
)

PLAIN_FIELDS = _names(
    "model instructions parallel_tool_calls stream reasoning_effort temperature top_p top_k top_a min_p "
    "typical_p max_tokens max_output_tokens max_completion_tokens min_tokens max_tool_calls stop "
    "stop_token_ids seed n logprobs top_logprobs presence_penalty frequency_penalty repetition_penalty "
    "repeat_penalty user prompt_cache_key prompt_cache_retention service_tier truncation safety_identifier "
    "verbosity modalities cache_prompt ignore_eos enable_thinking thinking_budget"
)
"""Fields that hold a text, number or flag, or a list of them."""

OBJECT_FIELDS: Mapping[str, frozenset[str] | None] = {
    "stream_options": frozenset({"include_usage", "include_obfuscation", "continuous_usage_stats"}),
    "reasoning": frozenset({"effort", "summary", "generate_summary", "max_tokens", "enabled", "context"}),
    "text": frozenset({"format", "verbosity"}),
    "thinking": frozenset({"type", "budget_tokens"}),
    "chat_template_kwargs": frozenset({"enable_thinking", "thinking", "reasoning_effort"}),
    "response_format": frozenset({"type", "json_schema"}),
    "logit_bias": None,
    "metadata": None,
    "client_metadata": None,
}
"""Fields that hold an object, with its keys where they are known."""

INCLUDED = frozenset({"reasoning.encrypted_content"})
SEARCHING_MODELS = re.compile(
    r"search-preview|search-api|deep-research|:online\b|(^|/)sonar", re.ASCII | re.I
)

CONTENT_TYPES = _names(
    "message text input_text output_text refusal image_url input_image function custom function_call "
    "function_call_output custom_tool_call custom_tool_call_output local_shell_call local_shell_call_output "
    "apply_patch_call apply_patch_call_output exec create_file update_file delete_file tool_search_call "
    "tool_search_output additional_tools reasoning reasoning_text summary_text thinking agent_message "
    "encrypted_content compaction compaction_summary"
)
CONTENT_KEYS = _names(
    "type id role status phase name namespace content text annotations logprobs call_id arguments output "
    "input tool_calls tool_call_id function function_call custom index summary encrypted_content refusal "
    "reasoning reasoning_content thinking signature image_url detail action operation path diff command env "
    "working_directory timeout_ms user tools execution prefix author recipient end_turn"
)
"""Keys of objects anywhere in what the model reads. None of them holds an address but ``image_url``."""
OPAQUE_KEYS = frozenset({"env", "arguments"})
"""Keys whose value was given by the model for the agent to execute; nobody else acts on what is in it."""


def check_body(body: Mapping[str, Any]) -> Refusal | None:
    """The first thing in the body that is not known to stay between the agent and the model."""
    for field, value in body.items():
        if value is not None:
            refusal = _check_field(field, value)
            if refusal is not None:
                return refusal
    return None


def _check_field(field: str, value: Any) -> Refusal | None:
    if field in ("input", "messages"):
        return _check_content(value)
    if field == "tools":
        return _check_tools(value)
    if field == "tool_choice":
        return _check_choice(value)
    if field == "include":
        return _check_include(value)
    if field in ("store", "background"):
        return None if value is False else _refused(field)
    if field in OBJECT_FIELDS:
        return _check_object(field, value)
    if field not in PLAIN_FIELDS or not _is_plain(value):
        return _refused(field)
    if field == "model" and (not isinstance(value, str) or SEARCHING_MODELS.search(value)):
        return Refusal(
            403, "field 'model' is not allowed: no name, or a model that searches the web by itself"
        )
    if field == "modalities" and value != ["text"]:
        return _refused(field)
    return None


def _is_plain(value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    return not any(isinstance(one, (dict, list)) for one in values)


def _check_include(value: object) -> Refusal | None:
    known = isinstance(value, list) and all(isinstance(one, str) and one in INCLUDED for one in value)
    return None if known else _refused("include")


def _check_object(field: str, value: object) -> Refusal | None:
    if not isinstance(value, dict):
        return _refused(field)
    keys = OBJECT_FIELDS[field]
    return None if keys is None else _unknown_key(value, keys, f"{field}.")


def _check_choice(choice: object) -> Refusal | None:
    if isinstance(choice, str):
        return None
    if not isinstance(choice, dict):
        return _refused("tool_choice")
    if choice.get("type") != "allowed_tools":
        return _check_tools([choice])
    inner = choice.get("allowed_tools", choice)
    return _check_tools(inner.get("tools") if isinstance(inner, dict) else None)


def _check_tools(tools: object) -> Refusal | None:
    waiting = [tools]
    while waiting:
        found = waiting.pop()
        if not isinstance(found, list):
            return Refusal(400, "malformed tools")
        for tool in found:
            kind = tool.get("type") if isinstance(tool, dict) else None
            if not isinstance(kind, str):
                return Refusal(400, "malformed tools")
            if kind not in CLIENT_TOOLS:
                return Refusal(403, f"tool '{_shown(kind)}' is not allowed: the provider would execute it")
            refusal = _unknown_key(tool, TOOL_KEYS, "tools.")
            if refusal is not None:
                return refusal
            if kind == "namespace":
                waiting.append(tool.get("tools", []))
    return None


def _check_content(value: object) -> Refusal | None:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        if not isinstance(node, dict):
            continue
        refusal = _check_node(node)
        if refusal is not None:
            return refusal
        skipped = {"tools", "image_url"} | OPAQUE_KEYS
        waiting.extend(child for key, child in node.items() if key not in skipped)
    return None


def _check_node(node: Mapping[str, Any]) -> Refusal | None:
    refusal = _unknown_key(node, CONTENT_KEYS, "")
    if refusal is not None:
        return refusal
    kind = node.get("type")
    if kind is not None and not (isinstance(kind, str) and kind in CONTENT_TYPES):
        shown = _shown(kind) if isinstance(kind, str) else "?"
        return Refusal(403, f"content of type '{shown}' is not allowed")
    if node.get("image_url") is not None and not _is_inline(node["image_url"]):
        return Refusal(403, "field 'image_url' is not allowed: the provider would fetch it")
    return _check_tools(node["tools"]) if node.get("tools") is not None else None


def _is_inline(image: object) -> bool:
    if isinstance(image, dict):
        if not image.keys() <= {"url", "detail"} or not _is_plain(image.get("detail")):
            return False
        image = image.get("url")
    return isinstance(image, str) and image.startswith("data:")


def _unknown_key(node: Mapping[str, Any], known: Collection[str], prefix: str) -> Refusal | None:
    for key, value in node.items():
        if key not in known and value is not None:
            return _refused(f"{prefix}{key}")
    return None


def _refused(field: str) -> Refusal:
    return Refusal(403, f"field '{_shown(field)}' is not allowed: the provider might do more than answer")


def _shown(name: str) -> str:
    return re.sub(r"[^\w.:-]", "?", name[:60], flags=re.ASCII)
