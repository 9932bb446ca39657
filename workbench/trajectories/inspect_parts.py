"""Messages, calls, results and token counts as Inspect writes them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from workbench.records import Observation, ToolCall
from workbench.trajectories.completions import parsed_arguments
from workbench.trajectories.tool_kinds import made_calls
from workbench.trajectories.tool_tables import ALL_TOOLS
from workbench.trajectories.totals import Tokens
from workbench.trajectories.values import count_of, list_of, mapping_of, money_of, text_of

REFERENCE = "attachment://"
_LEVELS = 64

Raw = Mapping[str, Any]


class Attachments:
    """Long texts that stand once in a sample, and are named where they belong."""

    def __init__(self, texts: Mapping[str, Any]) -> None:
        self._texts = texts
        self.missing = 0

    def filled(self, value: Any, levels: int = _LEVELS) -> Any:
        """The same value with the texts where only their names were."""
        if isinstance(value, str):
            return self._text(value) if value.startswith(REFERENCE) else value
        if isinstance(value, list) and levels:
            return [self.filled(item, levels - 1) for item in value]
        if isinstance(value, dict) and levels:
            return {key: self.filled(item, levels - 1) for key, item in value.items()}
        return value

    def _text(self, reference: str) -> str:
        text = self._texts.get(reference.removeprefix(REFERENCE))
        if isinstance(text, str):
            return text
        self.missing += 1
        return reference


def words_of(content: object) -> str:
    """What a message says: text, or parts of which those that are no text are named."""
    if not isinstance(content, list):
        return text_of(content)
    words = [_words(mapping_of(part)) if isinstance(part, dict) else text_of(part) for part in content]
    return "\n".join(word for word in words if word)


def thinking_of(content: object) -> str:
    """The model's thinking among the parts of its message; of what was redacted, the summary."""
    thoughts = []
    for part in map(mapping_of, list_of(content)):
        if part.get("type") == "reasoning":
            redacted = part.get("redacted") is True
            thoughts.append(text_of(part.get("summary") if redacted else part.get("reasoning")))
    return "\n\n".join(thought for thought in thoughts if thought)


def calls_of(message: Raw) -> list[ToolCall]:
    """The calls of a message, and those that the model's own side carried out."""
    calls = [
        made
        for call in map(mapping_of, list_of(message.get("tool_calls")))
        for made in called(text_of(call.get("id")), text_of(call.get("function")), call.get("arguments"))
    ]
    for part in _served(message):
        arguments = parsed_arguments(part.get("arguments"))
        calls += called(text_of(part.get("id")), text_of(part.get("name")), arguments)
    return calls


def called(call_id: str, function: str, arguments: object) -> list[ToolCall]:
    """One call by its parts."""
    return made_calls(ALL_TOOLS, call_id, function, arguments if arguments is not None else {})


def served_results(message: Raw) -> list[Observation]:
    """What came back for the calls that the model's own side carried out."""
    return [
        Observation(
            call_id=text_of(part.get("id")),
            text=text_of(part.get("error") or part.get("result")),
            is_error=bool(part.get("error")),
        )
        for part in _served(message)
    ]


def result_of(call_id: str, content: object, error: object) -> Observation:
    """What came back for a call."""
    failed = mapping_of(error)
    text = words_of(content)
    if failed:
        text = "\n".join(part for part in (text, text_of(failed.get("message"))) if part)
    return Observation(call_id=call_id, text=text, is_error=bool(failed))


def tokens_of(usage: object) -> Tokens | None:
    """A count. Input is without what a cache gave or took, unless the total says that it is in it."""
    given = mapping_of(usage)
    if not given:
        return None
    plain, out = count_of(given.get("input_tokens")), count_of(given.get("output_tokens"))
    read, written = (count_of(given.get(f"input_tokens_cache_{what}")) for what in ("read", "write"))
    among = bool(read + written) and count_of(given.get("total_tokens")) == plain + out
    every = plain if among else plain + read + written
    return [every, read, written, out, count_of(given.get("reasoning_tokens"))]


def usage_by_model(value: object) -> list[tuple[Tokens, float | None]]:
    """Counts and prices of all models."""
    counts = []
    for usage in mapping_of(value).values():
        tokens = tokens_of(usage)
        if tokens is not None:
            counts.append((tokens, money_of(mapping_of(usage).get("total_cost"))))
    return counts


def message_key(message: Raw) -> str:
    """What tells a message again: its id, in old logs its words and calls."""
    message_id = text_of(message.get("id"))
    if message_id:
        return message_id
    calls = [text_of(mapping_of(call).get("id")) for call in list_of(message.get("tool_calls"))]
    parts = (text_of(message.get("role")), words_of(message.get("content")), *calls)
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def _served(message: Raw) -> list[Raw]:
    parts = map(mapping_of, list_of(message.get("content")))
    return [part for part in parts if part.get("type") == "tool_use" and "name" in part]


def _words(part: Raw) -> str:
    kind = text_of(part.get("type"))
    if kind in ("reasoning", "tool_use"):
        return ""
    return text_of(part.get("text")) if "text" in part else f"[{kind[:40]}]"
