"""Reading values out of JSON that nobody vouches for: never raises, never trusts a type."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from workbench.records import Usage

ERROR_TEXT_LIMIT = 2_000
"""Characters of one error message that a summary keeps."""
MOST_PARTS = 10_000
"""Parts of one message that are read; no tool writes so many."""
_PLACE = re.compile(r"at line (\d+) column (\d+)$")
_CUTS = 8

DEPTH_LIMIT = 64
"""Levels of nesting that are kept of a call's arguments."""


def json_value(text: bytes) -> Any:
    """The JSON value that ``text`` is; None where it is none, however deep or odd it is.

    Read by the fast parser; what that refuses (half characters, bytes that are no UTF-8, more than 200
    levels) by the tolerant one. Where both read a text, they read the same.
    """
    try:
        return from_json(text)
    except ValueError:
        pass
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def cut_json(text: bytes) -> tuple[Any, bool]:
    """A JSON value as far as it goes, and whether that is all of the text.

    What is behind the first damage is lost; None where nothing is before it.
    """
    value = json_value(text)
    if value is not None:
        return value, True
    for _ in range(_CUTS):
        try:
            return from_json(text, allow_partial="trailing-strings"), False
        except ValueError as error:
            place = _PLACE.search(str(error))
        if place is None:
            break
        start = 0
        for _line in range(int(place[1]) - 1):
            start = text.find(b"\n", start) + 1
        text = text[: min(start + int(place[2]) - 1, len(text) - 1)]
    return None, False


def json_object(line: bytes) -> dict[str, Any] | None:
    """The line as a JSON object; None where it is none."""
    value = json_value(line)
    return value if isinstance(value, dict) else None


def text_of(value: object) -> str:
    """A string that can be stored as UTF-8: lone surrogates replaced, other types as JSON."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if value is None:
        return ""
    try:
        return text_of(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return ""


def number_of(value: object) -> int | None:
    """A whole number of at most 63 bits, else None; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -(2**63) < value < 2**63 else None


def count_of(value: object) -> int:
    """A token count: 0 where there is none."""
    return value if type(value) is int and 0 <= value < 2**63 else 0


def mapping_of(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def money_of(value: object) -> float | None:
    """A sum in US dollars; None where there is none that is finite and not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < 1e12 else None


def joined_text(content: object) -> str:
    """The text of a message: a string, or a list of parts of which those that are text count."""
    if isinstance(content, list):
        texts = [text for part in content[:MOST_PARTS] if (text := _part_text(part))]
        left = len(content) - MOST_PARTS
        return "\n".join([*texts, f"[{left:,} more parts]"] if left > 0 else texts)
    return text_of(content)


def _part_text(part: object) -> str:
    if not isinstance(part, dict):
        return text_of(part)
    if "text" in part:
        return text_of(part["text"])
    kind = text_of(part.get("type"))[:40]
    return f"[{kind}]" if kind else text_of(part)


def plain_json(value: object, depth: int = DEPTH_LIMIT) -> Any:
    """The same JSON value, storable: strings as UTF-8, odd numbers as text, '…' below ``depth`` levels."""
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (dict, list)) and depth == 0:
        return "…"
    if isinstance(value, dict):
        return {text_of(key): plain_json(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_json(item, depth - 1) for item in value]
    return value


def usage_of(value: object) -> Usage | None:
    """Token counts under the names that OpenAI's tools use."""
    if not isinstance(value, dict):
        return None
    return Usage(
        input_tokens=count_of(value.get("input_tokens")),
        cached_input_tokens=count_of(value.get("cached_input_tokens")),
        cache_write_input_tokens=count_of(value.get("cache_write_input_tokens")),
        output_tokens=count_of(value.get("output_tokens")),
        reasoning_output_tokens=count_of(value.get("reasoning_output_tokens")),
    )
