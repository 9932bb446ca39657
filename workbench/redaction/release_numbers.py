"""Whole numbers in a released text, read without knowing how the redaction read them.

Digits and what may stand between them are cut into groups; every joining of groups that an identifier could
be is a reading. What chance makes often (numbers put together over spaces and dots, bare hexadecimal) is
``loose``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FEWEST, MOST = 6, 19
"""Digits. Shorter numbers are everywhere in a log."""
_STRETCH = re.compile(r"\d(?:\d|[ ,._'’\-/·|:](?=\d))*")
_GROUP = re.compile(r"\d+")
_PIECES = range(6, 12)
"""Lengths of identifiers that may be run together without a mark between them."""
_LOOSE_MARKS = frozenset(" .:")
_POWER = re.compile(r"(?<![\w.])(\d(?:\.\d{1,18})?)e\+?(\d{1,2})(?![\w.])")
_BASED = re.compile(r"(?<![\w])0(?:x([0-9a-f]{4,16})|o([0-7]{6,22})|b([01]{17,64}))(?!\w)")
_DIGIT_LIST = re.compile(r"(?<!\d)(?:\d['\"]?, ?['\"]?){5,18}\d(?!\d)")
_CONCATENATED = re.compile(r"(?:['\"]\d+['\"]\s?\+\s?)+['\"]\d+['\"]")
_BARE_HEX = re.compile(r"(?<![\w])0{0,8}([0-9a-f]{5,10})(?!\w)")
_MIXED = re.compile(r"(?<![0-9a-z+/_-])[0-9a-z+/_-]{24,}")
_ALTERNATING = re.compile(r"[a-z]+[0-9]+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Reading:
    """A value that may be an identifier, and where in the text it begins."""

    value: int
    at: int
    loose: bool = False


def numbers_read(text: str) -> Iterator[Reading]:
    """All readings of a text in lower case. Hashes and UUIDs hold any number by chance and are left out."""
    text = _without_hashes(text)
    for stretch in _STRETCH.finditer(text):
        if len(stretch[0]) >= FEWEST:
            yield from _joined(text, stretch)
    for found in _POWER.finditer(text) if "e" in text else ():
        value = float(f"{found[1]}e{found[2]}")
        if 10 ** (FEWEST - 1) <= value < 1e17 and value == int(value):
            yield Reading(int(value), found.start())
    for spelled in (_DIGIT_LIST, _CONCATENATED) if "," in text or "+" in text else ():
        for found in spelled.finditer(text):
            digits = "".join(_GROUP.findall(found[0]))
            if FEWEST <= len(digits) <= MOST:
                yield Reading(int(digits), found.start(), loose=digits in "0123456789")
    for found in _BASED.finditer(text):
        digits, base = (found[1], 16) if found[1] else (found[2], 8) if found[2] else (found[3], 2)
        yield Reading(int(digits, base), found.start())
    for found in _BARE_HEX.finditer(text):
        if not found[1].isdigit() and not found[1].isalpha():
            yield Reading(int(found[1], 16), found.start(), loose=True)


def _without_hashes(text: str) -> str:
    if "-" in text:
        text = _UUID.sub(_blank, text)
    return _MIXED.sub(lambda found: _blank(found) if _is_hash(found[0]) else found[0], text)


def _is_hash(word: str) -> bool:
    return any(len(_ALTERNATING.findall(part)) >= 3 for part in re.split(r"[/_+-]", word) if len(part) >= 20)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _joined(text: str, stretch: re.Match[str]) -> Iterator[Reading]:
    groups = [(group[0], stretch.start() + group.start()) for group in _GROUP.finditer(stretch[0])]
    for place, (digits, at) in enumerate(groups):
        if not (text[at - 1 : at] == "." and place):  # else the digits of a fraction
            yield from _of_group(digits, at)
    for first in range(len(groups)):
        yield from _from(text, groups, first)


def _of_group(digits: str, at: int) -> Iterator[Reading]:
    if FEWEST <= len(digits) <= MOST:
        yield Reading(
            int(digits), at, loose=len(digits) == 8 and _is_day(digits[:4], digits[4:6], digits[6:])
        )
    if len(digits) >= 2 * FEWEST:
        for size in _PIECES:
            if len(digits) % size == 0:
                for start in range(0, len(digits), size):
                    yield Reading(int(digits[start : start + size]), at + start)


def _from(text: str, groups: list[tuple[str, int]], first: int) -> Iterator[Reading]:
    """Groups of at most four digits put together as long as one mark stands between them."""
    digits, at = groups[first]
    if len(digits) > 4 or (
        first + 2 < len(groups) and _is_day(digits, groups[first + 1][0], groups[first + 2][0])
    ):
        return
    mark, sizes = "", [len(digits)]
    for following, start in groups[first + 1 : first + MOST]:
        mark = mark or text[start - 1]
        if text[start - 1] != mark or len(following) > 4:
            return
        digits += following
        sizes.append(len(following))
        if len(digits) > MOST:
            return
        if len(digits) >= FEWEST:
            thousands = sizes[0] <= 3 and set(sizes[1:]) == {3}
            loose = (
                mark in _LOOSE_MARKS or (not thousands and len(digits) < 7) or not set(digits) - {"0", "1"}
            )
            yield Reading(int(digits), at, loose)


def _is_day(year: str, month: str, day: str) -> bool:
    """Whether groups are a day, which is read as one: the digits of days of today are in the range of
    stays."""
    return (
        len(year) == 4 and 1900 <= int(year) < 2300 and 1 <= int(month) <= 12 and 1 <= int(day[:2] or 0) <= 31
    )
