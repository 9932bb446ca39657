"""A step as one text to search in: what was said, thought, run, written, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.records import Step
from workbench.trajectories.values import mapping_of, text_of

_CALL_TEXTS = ("command", "path", "content", "replaced")


def step_text(step: Step) -> str:
    """Everything that a step says, parts on lines of their own."""
    return raw_step_text(step.model_dump(mode="json"))


def raw_step_text(step: Mapping[str, Any]) -> str:
    """The same of a step as it is stored; never raises."""
    parts = [text_of(step.get("message")), text_of(step.get("reasoning"))]
    parts += raw_code(step)
    parts += [text_of(back.get("text")) for back in raw_parts(step, "observations")]
    return "\n".join(part for part in parts if part)


def raw_code(step: Mapping[str, Any]) -> list[str]:
    """What a stored step's calls hold: commands, paths, contents, texts and numbers of arguments."""
    return [text for call in raw_parts(step, "calls") for text in _call_texts(call)]


def raw_parts(step: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The calls or observations of a stored step."""
    found = step.get(name)
    return map(mapping_of, found if isinstance(found, list) else ())


def raw_failed(step: Mapping[str, Any]) -> bool:
    """Whether the step is an error, or something came back as one."""
    return step.get("is_error") is True or any(
        back.get("is_error") is True or back.get("exit_code") not in (0, None)
        for back in raw_parts(step, "observations")
    )


def _call_texts(call: Mapping[str, Any]) -> Iterator[str]:
    yield from (text_of(call[name]) for name in _CALL_TEXTS if call.get(name))
    yield from _argument_texts(call.get("arguments"), 8)


def _argument_texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield text_of(value)
    elif isinstance(value, dict | list) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _argument_texts(item, depth - 1)
    elif isinstance(value, int | float):
        yield str(value)
