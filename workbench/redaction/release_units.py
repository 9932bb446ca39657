"""A released file cut into texts with the place of each, read as JSON and by nothing of the redaction."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.records import BadInput, Observation, Step, ToolCall, Usage, open_regular

COUNTED = frozenset(
    (
        *("usage", "usage_counts", "metrics", "final_metrics", "number", "step_id", "first_step", "steps"),
        *("retries", "damaged_lines", "unknown_events", "cost_usd", "bytes", "replaced"),
    )
)
"""Keys below which numbers are counts, of the provider or our own: where they have as many digits as an
identifier, they are one by chance. What an agent gave a tool is no count, whatever it is called."""
_GIVEN = frozenset(("calls", "tool_calls", "arguments"))
_OWN_KEYS = frozenset(
    key for model in (Step, ToolCall, Observation, Usage) for key in model.model_fields if key.isidentifier()
)
"""Names of our own format, which say nothing."""


@dataclass(frozen=True, slots=True)
class Unit:
    """``place`` names the step and its part; ``path``: the keys above, which may be columns."""

    place: str
    text: str
    path: str = ""


def units_of(path: Path, format: str) -> Iterator[Unit]:
    """All texts, keys and numbers of a released file: our own lines, or one JSON document.

    Raises BadInput with the line where it is no JSON.
    """
    if format == "workbench":
        with open_regular(path) as file:
            for at, line in enumerate(file, 1):
                if line.isspace():
                    continue
                document = _parsed(line, f"line {at}")
                step = document.get("step") if isinstance(document, dict) else None
                if isinstance(step, dict):
                    yield from _of_step(step, f"step {step.get('number', at)}")
                else:
                    yield from _walk(document, f"line {at}")
        return
    with open_regular(path) as file:
        document = _parsed(file.read(), "the document")
    if not isinstance(document, dict):
        raise BadInput("is not a JSON object", where="the document")
    for key, value in document.items():
        if key == "steps" and isinstance(value, list):
            for at, step in enumerate(value, 1):
                yield from _of_step(step, f"step {at}")
        else:
            yield from _walk({key: value}, f"part {key}" if key.isidentifier() else "a part")


def units_of_text(text: str) -> Iterator[Unit]:
    """Those of another text of a release: of its values where it is JSON, else the whole."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = text
    yield from _walk(document, "the text")


def _parsed(text: bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput("is not valid JSON", where=where) from None


def _of_step(step: Any, place: str) -> Iterator[Unit]:
    if not isinstance(step, dict):
        yield from _walk(step, place)
        return
    for key, value in step.items():
        part = f"{place}, {key}" if key.isidentifier() and len(key) < 30 else place
        yield from _walk({key: value}, part)


def _walk(value: Any, place: str, path: str = "", counted: bool | None = False) -> Iterator[Unit]:
    """``counted``: whether numbers are counts; None where they are no more, whatever the keys."""
    if isinstance(value, str):
        if value:
            yield Unit(place, value, path)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        if not counted:
            yield Unit(place, repr(value), path)
    elif isinstance(value, list):
        for one in value:
            yield from _walk(one, place, path, counted)
    else:
        for key, one in value.items():
            if key not in _OWN_KEYS:
                yield Unit(place, key, path)
            count = key in COUNTED and not (key == "steps" and isinstance(one, list))
            now = None if key in _GIVEN or counted is None else counted or count
            yield from _walk(one, place, f"{path} {key}"[-300:], now)
