"""The texts of a step and of a summary, and both with other texts in their places.

Nothing else is handed on: what is no text is a number of tokens, a sign or a kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from workbench.records import SessionSummary, Step, ToolCall, TrajectorySummary, UsageCount

Clean = Callable[[str], str]
Word = Callable[[str, str], str]
DEPTH = 30
_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")
_CALL = ("name", "command", "path", "content", "replaced")


def call_texts(call: ToolCall) -> Iterator[str]:
    """All texts of a call, those of its arguments too."""
    for name in _CALL:
        if text := getattr(call, name):
            yield text
    yield from _texts(call.arguments, DEPTH)


def said_texts(step: Step) -> Iterator[str]:
    """All texts of a step but those that came back."""
    yield from (step.message, step.reasoning, step.model)
    for call in step.calls:
        yield from call_texts(call)


def summary_texts(summary: TrajectorySummary) -> Iterator[str]:
    """All texts of a summary but its errors."""
    yield from (summary.final_message, summary.model, summary.agent, summary.usage_source)
    yield from (count.source for count in summary.usage_counts)
    yield from summary.unknown_events
    for session in summary.sessions:
        yield from (session.model, session.usage_source, session.final_message)


def with_call_texts(call: ToolCall, clean: Clean, word: Word) -> ToolCall:
    """The call with cleaned texts and another name for its id."""
    made: dict[str, Any] = {name: clean(text) for name in _CALL if (text := getattr(call, name))}
    made["arguments"] = _cleaned(call.arguments, clean, DEPTH)
    return call.model_copy(update=made | {"call_id": word("call", call.call_id)})


def with_step_texts(step: Step, clean: Clean, word: Word) -> Step:
    """The step with cleaned texts, other names for its ids, and a time only where that is one."""
    return step.model_copy(
        update={
            "message": clean(step.message),
            "reasoning": clean(step.reasoning),
            "model": clean(step.model),
            "observations": [
                back.model_copy(
                    update={"call_id": word("call", back.call_id), "exit_code": _exit_code(back.exit_code)}
                )
                for back in step.observations
            ],
            "calls": [with_call_texts(call, clean, word) for call in step.calls],
            "timestamp": step.timestamp if _TIME.fullmatch(step.timestamp) else "",
            "session": word("session", step.session),
            "agent": word("agent", step.agent),
            "parent_call_id": word("call", step.parent_call_id),
            "message_id": word("message", step.message_id),
        }
    )


def with_summary_texts(
    summary: TrajectorySummary, clean: Clean, word: Word, error: Clean
) -> TrajectorySummary:
    """The summary with cleaned texts; ``error`` describes what went wrong."""
    return summary.model_copy(
        update={
            "final_message": clean(summary.final_message),
            "model": clean(summary.model),
            "agent": clean(summary.agent),
            "usage_source": clean(summary.usage_source),
            "usage_counts": [_with_source(count, clean) for count in summary.usage_counts],
            "session": word("session", summary.session),
            "sessions": [_with_session_texts(one, clean, word) for one in summary.sessions],
            "unknown_events": {clean(name): count for name, count in summary.unknown_events.items()},
            "errors": [error(text) for text in summary.errors],
        }
    )


def _with_source(count: UsageCount, clean: Clean) -> UsageCount:
    return count.model_copy(update={"source": clean(count.source)})


def _with_session_texts(session: SessionSummary, clean: Clean, word: Word) -> SessionSummary:
    return session.model_copy(
        update={
            "session": word("session", session.session),
            "model": clean(session.model),
            "usage_source": clean(session.usage_source),
            "final_message": clean(session.final_message),
        }
    )


def _exit_code(code: int | None) -> int | None:
    return code if code is not None and -256 < code < 256 else None


def _texts(value: object, depth: int, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None or not depth:
        return
    elif isinstance(value, int | float):
        yield f"{key} {_number(value)}"
    elif isinstance(value, dict):
        for name, item in value.items():
            yield str(name)
            yield from _texts(item, depth - 1, str(name))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1, key)


def _cleaned(value: Any, clean: Clean, depth: int, key: str = "") -> Any:
    """``key``: the name under which a number stands, which may say what it is."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        text = f"{key} {_number(value)}"
        made = clean(text)
        return value if made == text else made.removeprefix(f"{key} ")
    if not depth:
        return "[too deep]"
    if isinstance(value, dict):
        return {clean(str(name)): _cleaned(item, clean, depth - 1, str(name)) for name, item in value.items()}
    return [_cleaned(item, clean, depth - 1, key) for item in value]


def _number(value: float) -> str:
    try:
        return str(value)
    except ValueError:
        return "0"  # more digits than Python spells out
