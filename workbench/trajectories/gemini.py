"""Gemini CLI's messages, calls and token counts as steps: what its stream and its session files share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.records import Observation, StepSource, ToolKind
from workbench.trajectories.tool_kinds import GEMINI, made_calls
from workbench.trajectories.totals import Tokens, usage_from
from workbench.trajectories.values import count_of, joined_text, list_of, mapping_of, text_of

Fields = dict[str, Any]

_EXIT = re.compile(r"^Exit Code: (-?\d{1,9})\b", re.MULTILINE)
_EXIT_CHARACTERS = 400


def message_tokens(tokens: Mapping[str, Any]) -> Tokens:
    """A message's count; thoughts and the prompts of tools are counted apart from output and input there."""
    thoughts = count_of(tokens.get("thoughts"))
    return [
        count_of(tokens.get("input")) + count_of(tokens.get("tool")),
        count_of(tokens.get("cached")),
        0,
        count_of(tokens.get("output")) + thoughts,
        thoughts,
    ]


def stats_tokens(stats: Mapping[str, Any]) -> Tokens:
    """The stream's total. What is in ``total_tokens`` besides input and output are thoughts: output too."""
    given, output = count_of(stats.get("input_tokens")), count_of(stats.get("output_tokens"))
    thoughts = max(count_of(stats.get("total_tokens")) - given - output, 0)
    return [given, count_of(stats.get("cached")), 0, output + thoughts, thoughts]


def words_of(content: object) -> str:
    """The text of a message: a string, one part or several."""
    return joined_text([content] if isinstance(content, dict) else content)


def calls_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls that a session's message holds."""
    return [call for call in list_of(message.get("toolCalls")) if isinstance(call, dict)]


def answered(call: Mapping[str, Any]) -> bool:
    """Whether a session's call has come to an end."""
    ended = text_of(call.get("status")) in ("success", "error", "cancelled")
    return ended or call.get("result") is not None


def spoken(message: Mapping[str, Any], calls: list[dict[str, Any]], agent: str, *, again: bool) -> Fields:
    """A message of the model with these of its calls; told ``again``, without its words and its count."""
    tokens = mapping_of(message.get("tokens"))
    thoughts = [_thought(mapping_of(thought)) for thought in list_of(message.get("thoughts"))]
    return {
        "source": StepSource.AGENT,
        "message": "" if again else words_of(message.get("content")),
        "reasoning": "" if again else "\n\n".join(thought for thought in thoughts if thought),
        "timestamp": text_of(message.get("timestamp")),
        "model": text_of(message.get("model")),
        "usage": usage_from(message_tokens(tokens)) if tokens and not again else None,
        "message_id": text_of(message.get("id")),
        "agent": agent,
        "calls": [made for call in calls for made in _calls(call)],
        "observations": [_observation(call) for call in calls if answered(call)],
    }


def told(message: Mapping[str, Any], agent: str) -> Fields:
    """A message of the user, or of the tool itself."""
    kind = text_of(message.get("type"))
    return {
        "source": StepSource.USER if kind == "user" else StepSource.SYSTEM,
        "message": words_of(message.get("content")),
        "timestamp": text_of(message.get("timestamp")),
        "is_error": kind == "error",
        "message_id": text_of(message.get("id")),
        "agent": agent,
    }


def noted(message: str, time: str, is_error: bool) -> Fields:
    """Something that the tool around the agent tells."""
    source = StepSource.SYSTEM
    return {"source": source, "message": text_of(message), "timestamp": time, "is_error": is_error}


def stream_step(words: str, time: str, model: str) -> Fields:
    """The agent's words in the stream."""
    return {"source": StepSource.AGENT, "message": words, "timestamp": time, "model": model}


def stream_call(
    call: Mapping[str, Any], result: Mapping[str, Any] | None, words: str, time: str, model: str
) -> Fields:
    """A call in the stream, with the words before it and what came back."""
    fields = stream_step(words, time, model)
    call_id, name = text_of(call.get("tool_id")), text_of(call.get("tool_name"))
    fields["calls"] = made_calls(GEMINI, call_id, name, call.get("parameters"))
    if result is not None:
        fields["observations"] = [stream_observation(result, fields["calls"][0].kind)]
    return fields


def late_result(result: Mapping[str, Any], time: str) -> Fields:
    """What came back for a call that is not in the log, or has its answer already."""
    observations = [stream_observation(result, ToolKind.OTHER)]
    return {"source": StepSource.SYSTEM, "observations": observations, "timestamp": time}


def stream_observation(result: Mapping[str, Any], kind: ToolKind) -> Observation:
    """What came back in the stream."""
    status = text_of(result.get("status"))
    error = mapping_of(result.get("error")).get("message")
    text = "\n".join(part for part in (joined_text(result.get("output")), text_of(error)) if part)
    exit_code = _exit_code(text, kind)
    failed = status == "error" or exit_code not in (0, None)
    return Observation(
        call_id=text_of(result.get("tool_id")),
        text=text,
        exit_code=exit_code,
        is_error=failed if status or failed else None,
    )


def _calls(call: Mapping[str, Any]) -> list[Any]:
    return made_calls(GEMINI, text_of(call.get("id")), text_of(call.get("name")), call.get("args"))


def _observation(call: Mapping[str, Any]) -> Observation:
    parts = [mapping_of(mapping_of(part).get("functionResponse")) for part in list_of(call.get("result"))]
    answers = [mapping_of(part.get("response")) for part in parts]
    texts = [joined_text(answer.get("output", answer.get("error"))) for answer in answers if answer]
    if not texts:
        texts = [joined_text(call.get("result") or call.get("resultDisplay"))]
    text = "\n".join(part for part in texts if part)
    status = text_of(call.get("status"))
    exit_code = _exit_code(text, _calls(call)[0].kind)
    failed = status in ("error", "cancelled") or exit_code not in (0, None)
    return Observation(
        call_id=text_of(call.get("id")),
        text=text,
        exit_code=exit_code,
        is_error=failed if status or failed else None,
    )


def _exit_code(text: str, kind: ToolKind) -> int | None:
    found = _EXIT.findall(text[-_EXIT_CHARACTERS:]) if kind is ToolKind.COMMAND else []
    return int(found[-1]) if found else None


def _thought(thought: Mapping[str, Any]) -> str:
    subject, description = text_of(thought.get("subject")), text_of(thought.get("description"))
    return "\n".join(part for part in (f"**{subject}**" if subject else "", description) if part)
