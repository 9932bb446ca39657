"""Whole numbers in a text, in every spelling that an identifier may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.redaction.spans import Found, Kind

# Each pattern begins with a digit and looks back after it: so the engine skips what is none.
FEWEST_DIGITS = 5
SPLIT_DIGITS, MOST_DIGITS = 6, 19
_DIGITS = re.compile(r"\d(?<!\d\d)(?<!\d\.\d)\d{4,39}(?!\d)(?:\.0{1,9}(?![\d.]))?")
_GROUPED = re.compile(r"\d(?<![\d.]\d)\d{0,2}(?P<mark>[,_'’. ])\d{3}(?:(?P=mark)\d{3}){0,9}(?!\d)")
_SPLIT = re.compile(r"\d(?<!\d\d)\d{0,3}(?P<mark>[-_ ./·|,:'’])\d{1,4}(?:(?P=mark)\d{1,4}){0,40}(?!\d)")
_SCIENTIFIC = re.compile(r"\d(?<![\d.]\d)(?:\.\d{1,20})?e\+?\d{1,2}(?!\d)")
_HEX = re.compile(r"[0-9a-f](?<![0-9a-z].)(?:(?<=0)x)?[0-9a-f]{3,30}(?![0-9a-z])")
_BASED = re.compile(r"0(?<!\w.)(?:o[0-7]{6,22}|b[01]{17,64})(?!\w)")
_KEY = re.compile(r"\d(?<![\d-]\d)\d{0,9}-\d{1,10}(?![\d-])")
_LISTED = re.compile(r"\d(?<!\d\d)(?:[\"']?, ?[\"']?\d(?!\d)){5,18}")
_ADDED = re.compile(r"[\"']\d{1,9}[\"'](?: ?\+ ?[\"']\d{1,9}[\"']){1,8}")
_TOKEN = re.compile(
    r"[a-z0-9](?<![a-z0-9_-].)(?=[a-z-]{0,39}(?<=[a-z-])\d|(?<=\d)[0-9-]{0,39}[a-z])[a-z0-9]{0,39}"
    r"(?:-[a-z0-9]{1,39}){0,5}(?![a-z0-9_-])"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = re.compile(r"[0-9a-z+]{0,100}")
_TURN = re.compile(r"[a-z][0-9]")
_COUNTED_UP = "0123456789"
"""A list of such digits counts, and names nobody."""
RUN_TOGETHER = range(6, 12)
"""Digits of identifiers that may stand one after the other without a mark between them."""


def numbers_in(low: str) -> Iterator[Found]:
    """Numbers of five and more digits, and keys such as ``123-4567`` or ``p00123``, of a text in lower case.

    Those inside hashes and UUIDs are left out, which have any short number in them by chance.
    """
    taken = [match.span() for match in _UUID.finditer(low)] if low.count("-") > 3 else []
    for found in _all(low):
        if any(start <= found.start < end for start, end in taken) or _in_hash(low, found):
            continue
        yield found


def _all(low: str) -> Iterator[Found]:
    for match in _DIGITS.finditer(low):
        word = match[0].partition(".")[0]
        yield _number(low, match, int(word), False)
        if len(word) >= 2 * RUN_TOGETHER[0]:
            for size in RUN_TOGETHER:
                if len(word) % size == 0:
                    for start in range(0, len(word), size):
                        yield _number(low, match, int(word[start : start + size]), False)
    for match in _GROUPED.finditer(low):
        value = int(re.sub(r"\D", "", match[0]))
        if value >= 10_000:
            yield _number(low, match, value, match["mark"] in " .")
    for match in _SPLIT.finditer(low):
        yield from _split(low, match)
    for match in _LISTED.finditer(low):
        digits = re.sub(r"\D", "", match[0])
        yield _number(low, match, int(digits), digits in _COUNTED_UP)
    if "+" in low:
        for match in _ADDED.finditer(low):
            yield _number(low, match, int(re.sub(r"\D", "", match[0])), False)
    if "e" in low:
        for match in _SCIENTIFIC.finditer(low):
            number = float(match[0])
            if 1e4 <= number < 1e15 and number == int(number):
                yield _number(low, match, int(number), False)
    for match in _HEX.finditer(low):
        signed = match[0].startswith("0x")
        digits = match[0].removeprefix("0x").lstrip("0")
        if 4 <= len(digits) <= 10 and (signed or not digits.isdigit()):
            yield _number(low, match, int(digits, 16), not signed)
    for match in _BASED.finditer(low):
        yield _number(low, match, int(match[0], 0), False)
    if "-" in low:
        for match in _KEY.finditer(low):
            yield Found(*match.span(), Kind.KEY, match[0], view=low, at=match.start())
    for match in _TOKEN.finditer(low):
        if 6 <= len(match[0]) <= 40:
            yield Found(*match.span(), Kind.KEY, match[0], view=low, at=match.start())


def _split(low: str, match: re.Match[str]) -> Iterator[Found]:
    mark = match["mark"]
    parts = match[0].split(mark)
    if not set(match[0]) - set("01" + mark):
        return
    offsets = [0]
    for part in parts:
        offsets.append(offsets[-1] + len(part) + 1)
    for first in range(len(parts)):
        if _is_day(parts[first : first + 3]):
            continue
        digits = ""
        for last in range(first, len(parts)):
            digits += parts[last]
            if len(digits) > MOST_DIGITS:
                break
            if last > first and len(digits) >= SPLIT_DIGITS:
                thousands = len(parts[first]) <= 3 and {
                    len(part) for part in parts[first + 1 : last + 1]
                } == {3}
                loose = not thousands and len(digits) < 7
                start, end = match.start() + offsets[first], match.start() + offsets[last + 1] - 1
                yield Found(start, end, Kind.NUMBER, int(digits), loose, low, start)


def _is_day(parts: list[str]) -> bool:
    """Whether parts are a year, a month and a day, which are read as that."""
    return (
        len(parts) == 3
        and len(parts[0]) == 4
        and 1900 <= int(parts[0]) < 2300
        and 1 <= int(parts[1]) <= 12
        and 1 <= int(parts[2]) <= 31
    )


def _number(low: str, match: re.Match[str], value: int, loose: bool) -> Found:
    return Found(*match.span(), Kind.NUMBER, value, loose, low, match.start())


def _in_hash(low: str, found: Found) -> bool:
    """Whether it stands in a long word in which letters and digits take turns."""
    before, after = low[found.start - 1 : found.start], low[found.end : found.end + 1]
    if not (before.isalpha() or after.isalpha()) or found.loose:
        return False
    start = found.start
    while start > max(found.start - 60, 0) and low[start - 1].isalnum():
        start -= 1
    word = low[start : found.end] + (match[0] if (match := _HASH.match(low, found.end)) else "")
    return len(word) >= 24 and len(_TURN.findall(word)) >= 3
