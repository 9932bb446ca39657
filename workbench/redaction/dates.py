"""Days and times in a text, in the orders in which people and programs write them."""

from __future__ import annotations

import calendar
import contextlib
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from workbench.redaction.spans import Found, Kind

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_FIRST, _LAST = 2_082_758_400, 10_000_000_000
"""Seconds since 1970 that are read as times: from 2036 on, to which the times of sources are shifted."""
_MONTHS = {name[:3].lower(): at for at, name in enumerate(calendar.month_name) if name}

_YEAR = r"(?P<year>[12](?<!\d\d)\d{3})"
_NAME = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_NUMBER = r"(?P<day>\d(?<!\d\d)\d?)(?:st|nd|rd|th)?"
_CLOCK = (
    r"(?:(?:[ t,_]|at ){0,3}(?P<hour>\d{1,2})[:h-](?P<minute>\d{2})(?:[:-]\d{2}(?:\.\d{1,9})?)?"
    r"(?: ?(?P<half>[ap]m))?)?"
)
_ORDERS = [
    re.compile(pattern)
    for pattern in (
        rf"{_YEAR}(?P<mark>[-/._ ])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})(?!\d){_CLOCK}",
        rf"(?P<one>\d(?<!\d\d)\d?)(?P<mark>[-/._ ])(?P<two>\d{{1,2}})(?P=mark){_YEAR}(?!\d){_CLOCK}",
        r"\(\s{0,3}" + _YEAR + r",\s{0,3}(?P<month>\d{1,2}),\s{0,3}(?P<day>\d{1,2})"
        r"(?:,\s{0,3}(?P<hour>\d{1,2}),\s{0,3}(?P<minute>\d{1,2})(?:,\s{0,3}\d{1,2})?)?",
        rf"{_YEAR}(?P<month>[01]\d)(?P<day>[0-3]\d)(?:[t_]?(?P<hour>\d\d):?(?P<minute>\d\d)(?::?\d\d)?)?"
        r"(?!\d)",
        rf"year[\"' =:_]{{0,5}}{_YEAR}\W{{1,4}}month[\"' =:_]{{0,5}}(?P<month>\d{{1,2}})"
        r"\W{1,4}day[\"' =:_]{0,5}(?P<day>\d{1,2})(?!\d)",
    )
]
_NAMED = [
    re.compile(pattern)
    for pattern in (
        rf"{_NUMBER}(?:[ \-/.,]|of ){{0,4}}{_NAME}[ \-/.,]{{0,3}}{_YEAR}(?!\d){_CLOCK}",
        rf"{_NAME}[ \-/.,]{{0,3}}{_NUMBER}[ \-/.,]{{1,3}}{_YEAR}(?!\d){_CLOCK}",
        rf"{_NAME} {{1,3}}{_NUMBER} {{1,3}}(?P<hour>\d\d):(?P<minute>\d\d):\d\d (?:[a-z]{{3,4}} )?{_YEAR}"
        r"(?!\d)",
        rf"{_YEAR}[ \-/.,]{{1,3}}{_NAME}[ \-/.,]{{0,3}}{_NUMBER}(?!\d){_CLOCK}",
    )
]
_SHORT = re.compile(
    r"(?<![\d/.-])(?P<one>\d{1,2})(?P<mark>[-/.])(?P<two>\d{1,2})(?P=mark)(?P<three>\d{1,2})(?![\d/]|[.-]\d)"
    r"(?P<clock>(?:[ t,_]|at ){0,3}\d{1,2}[:h]\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]m)?)?"
)
"""A year of two digits: a time stands behind it, or all three parts have two digits and strokes between."""
_CENTURIES = (2100, 2200)
"""To which the times of sources are shifted."""
_MONTH = re.compile("jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec")


def days_in(low: str) -> Iterator[Found]:
    """Days, each with the clock time that stands beside it, of a text in lower case."""
    named = _MONTH.search(low) is not None
    for pattern in [*_ORDERS, *(_NAMED if named else [])]:
        for match in pattern.finditer(low):
            part = match.groupdict()
            if part.get("one"):
                orders = [(part["one"], part["two"]), (part["two"], part["one"])]
            else:
                orders = [(part["day"], _MONTHS[part["name"][:3]] if part.get("name") else part["month"])]
            for number, month in orders:
                try:
                    day = date(int(part["year"]), int(month), int(number))
                except ValueError:
                    continue
                yield Found(*match.span(), Kind.DAY, day, view=low, at=match.start())
    for match in _SHORT.finditer(low):
        yield from (Found(*match.span(), Kind.DAY, day, view=low, at=match.start()) for day in _short(match))


def _short(match: re.Match[str]) -> Iterator[date]:
    """The days that a date with a year of two digits may be, its parts in any usual order."""
    one, two, three = match["one"], match["two"], match["three"]
    if not match["clock"] and (match["mark"] != "/" or {len(one), len(two), len(three)} != {2}):
        return
    orders = {(three, two, one), (three, one, two)} if len(three) == 2 else set()
    if len(one) == 2:
        orders.add((one, two, three))
    for year, month, number in orders:
        for century in _CENTURIES:
            with contextlib.suppress(ValueError):
                yield date(century + int(year), int(month), int(number))


def since_1970(number: int) -> datetime | None:
    """The time after today that a count of seconds is, or of thousandths, millionths, billionths."""
    for scale in (1, 1_000, 1_000_000, 1_000_000_000):
        if number % scale == 0 and _FIRST <= number // scale < _LAST:
            return _EPOCH + timedelta(seconds=number // scale)
    return None
