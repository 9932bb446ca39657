"""An agent's ``declaration.toml``, read without trust: which fields it filled, and with what words."""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from workbench.records import (
    DECLARATION_NAME,
    Declaration,
    DeclaredField,
    Step,
    ToolCall,
    parse_toml,
    read_regular,
)

MOST_BYTES = 64 * 1024
MOST_CHARACTERS = 1_000
"""Of one field."""
CUT = "…"
LEFT_OUT = "[number]"
_LONG_NUMBER = re.compile(r"\d(?:[_.,:'’/-]?\d){5,}")
"""Six digits or more, in groups too: identifiers of patients and times of day with their dates."""


def read_declaration(path: Path, steps: Sequence[Step], public_numbers: Collection[str] = ()) -> Declaration:
    """What is in the file, whatever it is. Numbers of six digits or more are left out of the texts, as they
    may be a patient's, unless they are ``public_numbers`` (item ids that skill or reference name).
    """
    told = {"step": _first_naming(steps), "steps": len(steps)}
    try:
        text = read_regular(path, MOST_BYTES, follow_link=False).decode("utf-8-sig")
        found = parse_toml(text)
    except FileNotFoundError:
        return _nothing(f"there is no {DECLARATION_NAME}", told)
    except OSError as error:
        return _nothing(_why_unread(error), told)
    except UnicodeDecodeError:
        return _nothing("it is not UTF-8 text", told)
    except tomllib.TOMLDecodeError:
        return _nothing("it is not valid TOML", told)
    filled: dict[DeclaredField, str] = {}
    missing, unusable = [], []
    for field in DeclaredField:
        words = _words(found.get(field.value, ""))
        if words is None:
            unusable.append(field)
        elif not words:
            missing.append(field)
        else:
            filled[field] = _without_numbers(words, public_numbers)
    others = len(found.keys() - {field.value for field in DeclaredField})
    return Declaration(filled=filled, missing=missing, unusable=unusable, others=others, **told)


def long_numbers(text: str) -> set[str]:
    """The numbers of a text that would be left out of a declaration."""
    return {found.group() for found in _LONG_NUMBER.finditer(text)}


def _nothing(problem: str, told: dict[str, int | None]) -> Declaration:
    return Declaration(problem=problem, missing=list(DeclaredField), **told)


def _why_unread(error: OSError) -> str:
    known = {
        errno.ELOOP: "it is a symbolic link",
        errno.EFBIG: f"it is larger than {MOST_BYTES // 1024} KiB",
        errno.EISDIR: "it is a folder",
        errno.EINVAL: "it is not a regular file",
    }
    return known.get(error.errno or 0, f"it cannot be read ({error.strerror})")


def _words(value: Any) -> str | None:
    """A text, a number, or a list of such as one text; None for anything else."""
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str | int | float) for item in items):
        return None
    return "; ".join(" ".join(str(item).split()) for item in items if str(item).strip())


def _without_numbers(words: str, public: Collection[str]) -> str:
    kept = _LONG_NUMBER.sub(lambda found: found[0] if found[0] in public else LEFT_OUT, words)
    return kept if len(kept) <= MOST_CHARACTERS else kept[: MOST_CHARACTERS - 1] + CUT


def _first_naming(steps: Sequence[Step]) -> int | None:
    """The first step whose call names the file; copying the form to it does."""
    return next((step.number for step in steps if any(_names_it(call) for call in step.calls)), None)


def _names_it(call: ToolCall) -> bool:
    return any(DECLARATION_NAME in text for text in (call.command, call.path, call.content) if text)
