"""How wide a text is, and how tables and lines are made to fit a terminal."""

from __future__ import annotations

import os
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TextIO

GAP = 2
"""Spaces between two columns."""

COMFORT = 24
"""A column that can be cut keeps this width as long as other columns can be left out."""

LEAST = 8

NARROWEST = 40
"""No terminal is taken to be narrower than this."""


def wide(stream: TextIO) -> int | None:
    """Columns to fit in: COLUMNS if it is set, else the terminal's; None for a pipe or a file."""
    told = os.environ.get("COLUMNS", "")
    if told.isascii() and told.isdigit() and int(told):
        return max(int(told), NARROWEST)
    if not stream.isatty():
        return None
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except OSError:
        found = 0
    return max(found or 80, NARROWEST)


def fit(widths: Mapping[str, int], width: int | None, drop: Sequence[str], shorten: str) -> dict[str, int]:
    """Columns that are shown, with their widths; see ``print_table``."""
    shown = dict(widths)
    if width is None:
        return shown
    for column in drop:
        spared = max(shown.get(shorten, 0) - COMFORT, 0)
        if _total(shown) - spared <= width:
            break
        shown.pop(column, None)
    if shorten in shown:
        excess = max(_total(shown) - width, 0)
        shown[shorten] = max(shown[shorten] - excess, min(LEAST, shown[shorten]))
    return shown


def cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns: a sentence loses its end, a name its middle."""
    if text_width(text) <= width:
        return text
    tail = "" if " " in text else _from_end(text, (width - 1) // 2)
    return _from_start(text, width - 1 - text_width(tail)).rstrip() + "…" + tail


def wrapped(text: str, width: int | None, indent: int = 0) -> list[str]:
    """Lines of ``text``, broken between words only."""
    if width is None or text_width(text) <= width:
        return [text]
    lines = textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False,
        replace_whitespace=False, drop_whitespace=True,
    )  # fmt: skip
    return lines or [text]


def text_width(text: str) -> int:
    """Columns on a terminal."""
    return sum(map(_sign_width, text))


def _sign_width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def _total(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + GAP * (len(widths) - 1)


def _from_start(text: str, width: int) -> str:
    kept = 0
    for at, sign in enumerate(text):
        kept += _sign_width(sign)
        if kept > width:
            return text[:at]
    return text


def _from_end(text: str, width: int) -> str:
    return _from_start(text[::-1], width)[::-1]
