"""Numbers in a sentence: with what comparator, what unit, and what a ladder gives for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workbench.rules.phrases import phrases
from workbench.rules.rule import hours, number

_WORDS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "twelve": "12", "twenty-four": "24",
}  # fmt: skip
_TIME = r"(?:seconds?|minutes?|mins?|min|hours?|hrs?|h|days?|d|weeks?|months?|years?)"
_LONG = {"min": "minute", "mins": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "d": "day"}
_FOUND = re.compile(
    rf"(?<![\w.\d/])(?P<number>(?:(?<![\w)\]]\s)[-−](?=\d))?\d+(?:,\d{{3}})*(?:\.\d+)?|\b(?:{'|'.join(_WORDS)})\b(?=[\s-]{_TIME}\b|\sdecimals?))"
    rf"(?:[\s-]?(?P<time>{_TIME})\b(?!/))?(?P<unit>\s?(?:%|mmHg|mg/dL|g/dL|mmol/L|mEq/L|mL|mcg/kg/min|kg|°C|K/µL)(?!\w))?",
    re.IGNORECASE,
)
_SERIES = re.compile(r"^(?:\s*(?:,|or|and|/|, and|, or)\s*)(?:[<>≤≥=]+\s*)?$", re.IGNORECASE)
_RANGE = re.compile(r"^\s*(?:,?\s*to|–|-|and up to|, up to)\s*$", re.IGNORECASE)
_GIVES = re.compile(r"^\s*(?:points?)?\s*(?::|gives?|=|→|counts?)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Quantity:
    """A number at ``start`` of its sentence. ``duration``: in hours, empty for what is no time.

    ``series``: where the list of numbers that it stands in begins.
    """

    start: int
    end: int
    value: str
    operator: str = ""
    unit: str = ""
    duration: str = ""
    gives: str = ""
    series: int = -1


def quantities(text: str, head: str = "") -> list[Quantity]:
    """All numbers of ``text`` in order; those that a ladder gives are told with their limits.

    ``head``: of the column of a table; a comparator there (``below x: points``) is that of a ladder without.
    """
    found = [_one(match) for match in _FOUND.finditer(text)]
    found = _units_of_series(text, found)
    found = _operators(text, found)
    return _ladders(text, found, _operator_of(head))


def _one(match: re.Match[str]) -> Quantity:
    raw = match["number"].replace("−", "-")
    value = number(_WORDS.get(raw.lower(), raw))
    time = (match["time"] or "").lower()
    duration = hours(value, _LONG.get(time, time)) if time else ""
    return Quantity(match.start(), match.end(), value, "", (match["unit"] or "").strip(), duration)


def _between(text: str, left: Quantity, right: Quantity) -> str:
    return text[left.end : right.start]


def _units_of_series(text: str, found: list[Quantity]) -> list[Quantity]:
    """``6, 12 and 24 hours``: all three are hours."""
    result = list(found)
    for place in range(len(result) - 2, -1, -1):
        here, following = result[place], result[place + 1]
        gap = _between(text, here, following)
        if following.duration and not here.duration and (_SERIES.match(gap) or _RANGE.match(gap)):
            factor = float(following.duration) / float(following.value) if _is_float(following) else None
            if factor is not None:
                result[place] = replace(here, duration=number(f"{float(here.value) * factor:.6g}"))
    return result


def _is_float(quantity: Quantity) -> bool:
    try:
        return float(quantity.duration) >= 0 and float(quantity.value) != 0
    except ValueError:
        return False


def _operators(text: str, found: list[Quantity]) -> list[Quantity]:
    result: list[Quantity] = []
    for place, here in enumerate(found):
        before = text[found[place - 1].end if place else 0 : here.start]
        sign = next((sign for pattern, sign in phrases().before if pattern.search(before)), "")
        sign = next((other for pattern, other in phrases().after if pattern.match(text[here.end :])), sign)
        if place and not sign and _RANGE.match(before):
            sign = "<="
            if not result[-1].operator:
                result[-1] = replace(result[-1], operator=">=")
        elif place and not sign and _SERIES.match(before):
            sign = result[-1].operator
        result.append(replace(here, operator=sign))
    return result


def _operator_of(head: str) -> str:
    """The comparator that the head of a column ends a phrase with."""
    for part in re.split(r"[:,;]", head):
        bare = re.sub(r"\s+\w$", " ", part)
        found = next((sign for pattern, sign in phrases().before if pattern.search(bare)), "")
        if found:
            return found
    return ""


def _ladders(text: str, found: list[Quantity], usual: str) -> list[Quantity]:
    """Limits and what they give: ``below 6, 10: 4, 3`` pairs 6 with 4 and 10 with 3."""
    runs: list[list[Quantity]] = []
    for here in found:
        if runs and _SERIES.match(_between(text, runs[-1][-1], here)):
            runs[-1].append(here)
        else:
            runs.append([here])
    result: list[Quantity] = []
    place = 0
    while place < len(runs):
        run = runs[place]
        following = runs[place + 1] if place + 1 < len(runs) else []
        paired = (
            len(run) == len(following)
            and (run[0].operator or usual) not in ("", "not")
            and _GIVES.match(_between(text, run[-1], following[0]))
            and not any(item.operator not in ("", "=") or item.duration for item in following)
        )
        if paired:
            result += [
                replace(one, operator=one.operator or usual, gives=other.value, series=run[0].start)
                for one, other in zip(run, following, strict=True)
            ]
            place += 2
        else:
            result += [replace(one, series=run[0].start) for one in run]
            place += 1
    return result
