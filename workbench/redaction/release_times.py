"""Days and times in a released text, read without knowing how the redaction read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

AFTER_TODAY = 2036
"""No log is of this year or later: a day of it is of a source whose times were shifted."""
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: at for at, name in enumerate(_NAMES, 1)}
_START = datetime(1970, 1, 1)  # noqa: DTZ001
_SECONDS = (1, 10**3, 10**6, 10**9)
_Y, _D, _M = r"(?P<y>[12]\d{3})", r"(?P<d>\d{1,2})(?:st|nd|rd|th)?", r"(?P<m>\d{1,2})"
_WORD = rf"(?P<w>{'|'.join(_MONTHS)})[a-z]*\.?"
_TIME = (
    r"(?:[ t,_]{0,3}(?:at )?(?P<h>\d{1,2})[:h.\-](?P<n>\d\d)(?:[:.\-](?P<s>\d\d))?(?: ?(?P<half>[ap])\.?m)?)?"
)
_FORMS = [
    re.compile(form)
    for form in (
        rf"(?<!\d){_Y}(?P<sep>[-/._ ]){_M}(?P=sep)(?P<d>\d{{1,2}})(?!\d){_TIME}",
        rf"(?<!\d)(?P<a>\d{{1,2}})(?P<sep>[-/._ ])(?P<b>\d{{1,2}})(?P=sep){_Y}(?!\d){_TIME}",
        rf"(?<!\d){_Y}(?P<m>\d\d)(?P<d>\d\d)(?:[t _-]?(?P<h>\d\d):?(?P<n>\d\d):?(?P<s>\d\d)?)?(?!\d)",
        rf"\({_Y}, ?{_M}, ?(?P<d>\d{{1,2}})"
        r"(?:, ?(?P<h>\d{1,2}), ?(?P<n>\d{1,2})(?:, ?(?P<s>\d{1,2}))?)?",
        rf"years?\W{{0,4}}{_Y}\W{{1,4}}months?\W{{0,4}}{_M}\W{{1,4}}days?\W{{0,4}}(?P<d>\d{{1,2}})(?!\d)",
    )
]
_WORDED = [
    re.compile(form)
    for form in (
        rf"(?<!\d){_D}(?: of)?[ \-/.,]{{0,3}}{_WORD}[ \-/.,]{{0,3}}{_Y}(?!\d){_TIME}",
        rf"(?<![a-z]){_WORD}[ \-/.,]{{0,3}}{_D}[ \-/.,]{{1,3}}{_Y}(?!\d){_TIME}",
        rf"(?<![a-z]){_WORD} {{1,2}}{_D} (?P<h>\d\d):(?P<n>\d\d):(?P<s>\d\d)(?: [a-z]{{1,5}})? {_Y}(?!\d)",
        rf"(?<!\d){_Y}[ \-/.,]{{1,3}}{_WORD}[ \-/.,]{{0,3}}{_D}(?!\d){_TIME}",
    )
]
_OF_TWO_DIGITS = re.compile(
    r"(?<![\d/.\-])(\d\d?)([/.\-])(\d\d?)\2(\d\d?)(?!\d|[/.\-]\d)"
    r"([ t,_]{0,3}(?:at )?\d{1,2}[:h]\d\d(?!\d))?"
)
_A_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d{1,3}(?!\d))")
"""Without one, alone or with a month and a day behind it, no form fits."""
_A_MONTH = re.compile("|".join(_MONTHS))


@dataclass(frozen=True, slots=True)
class TimeReading:
    """A day, with the time where one is told, and where in the text it begins."""

    day: date
    moment: datetime | None
    at: int


def times_read(text: str) -> Iterator[TimeReading]:
    """All readings of a text in lower case as a day, in every order in which its parts may stand."""
    yield from _short_years(text)
    if _A_YEAR.search(text) is None:
        return
    forms = [*_FORMS, *(_WORDED if _A_MONTH.search(text) else ())]
    for form in forms:
        for found in form.finditer(text):
            part = found.groupdict()
            month = str(_MONTHS[part["w"]]) if part.get("w") else part.get("m")
            orders = [(part.get("a"), part.get("b")), (part.get("b"), part.get("a"))] if part.get("a") else [
                (part["d"], month)
            ]  # fmt: skip
            for day, number in orders:
                try:
                    read = date(int(part["y"] or 0), int(number or 0), int(day or 0))
                except ValueError:
                    continue
                yield TimeReading(read, _moment(read, part), found.start())


def _short_years(text: str) -> Iterator[TimeReading]:
    """Days with a year of two digits, in the centuries of shifted times: before a clock, or ``19/06/35``."""
    for found in _OF_TWO_DIGITS.finditer(text):
        first, mark, middle, last, clock = found.groups()
        if clock is None and (mark != "/" or len(first + middle + last) != 6):
            continue
        readings = [(last, middle, first), (last, first, middle), (first, middle, last)]
        for year, month, day in readings:
            for century in ("21", "22") if len(year) == 2 else ():
                try:
                    read = date(int(century + year), int(month), int(day))
                except ValueError:
                    continue
                yield TimeReading(read, None, found.start())


def counted_time(number: int) -> datetime | None:
    """The time that a number is as seconds since 1970, or as thousandths, millionths or billionths of
    them."""
    for scale in _SECONDS:
        seconds = number // scale
        if number % scale == 0 and 2_082_758_400 <= seconds < 10_000_000_000:
            return _START + timedelta(seconds=seconds)
    return None


def _moment(day: date, part: dict[str, str | None]) -> datetime | None:
    if not part.get("h") or not part.get("n"):
        return None
    hour = int(part["h"] or 0)
    if part.get("half"):
        hour = hour % 12 + (12 if part["half"] == "p" else 0)
    clock = hour, int(part["n"] or 0), int(part.get("s") or 0)
    try:
        return datetime(day.year, day.month, day.day, *clock)  # noqa: DTZ001
    except ValueError:
        return None
