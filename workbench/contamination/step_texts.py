"""Every text of a step, with where it stands: said by the agent, put into a call, or shown to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.contamination.rule import StepContext
from workbench.records import Step, ToolCall

MAX_VALUES = 2_000


class Origin(StrEnum):
    """``said``: message or reasoning; ``called``: a call's own text; ``shown``: what came back."""

    SAID = "said"
    CALLED = "called"
    SHOWN = "shown"


@dataclass(frozen=True)
class StepText:
    """One text of a step."""

    origin: Origin
    text: str


def step_texts(step: Step) -> Iterator[StepText]:
    """All texts of a step that are not empty, arguments of calls at any depth included."""
    for text in (step.message, step.reasoning):
        if text:
            yield StepText(Origin.SAID, text)
    for call in step.calls:
        for text in call_texts(call):
            yield StepText(Origin.CALLED, text)
    for observation in step.observations:
        if observation.text:
            yield StepText(Origin.SHOWN, observation.text)


def call_texts(call: ToolCall) -> Iterator[str]:
    """Command, path, content and arguments of a call, each text once."""
    given = [call.command, call.path, call.content, *_texts(call.arguments)]
    yield from dict.fromkeys(text for text in given if text)


def folded_texts(context: StepContext) -> Iterator[str]:
    """Texts that a call's code puts together: words of shell, constants of Python, as far as can be "
    "folded."""
    for action in context.actions:
        for layer in action.layers.layers:
            if layer.python is not None:
                yield from (item.text for item in layer.python.texts)
            elif layer.shell is not None:
                for command in layer.shell.commands:
                    yield from (text for word in command.argv for text in word.values)


def _texts(value: Any) -> Iterator[str]:
    waiting, seen = [value], 0
    while waiting and seen < MAX_VALUES:
        item = waiting.pop()
        seen += 1
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
