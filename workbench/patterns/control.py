"""Control and escape sequences made visible, so that hostile text can be shown and does nothing."""

from __future__ import annotations

import re
import unicodedata

_KEPT = {"\n", "\t"}
_SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """The text with everything that a terminal would act on, or that hides, spelled out.

    Control characters become pictures (``␛``, ``␇``); C1 controls, direction marks, zero-width, private,
    unassigned and lone surrogate characters become ``<U+202E>``. Line feed and tab stay; a CRLF becomes a
    line feed.
    """
    return _SUSPECT.sub(_spell, text.replace("\r\n", "\n"))


def _spell(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if unicodedata.category(character) in _HIDDEN_CATEGORIES or character == "\u00ad":
        return f"<U+{code:04X}>"
    return character
