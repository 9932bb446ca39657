"""Which of the numbers, keys and times that were found are the source's: asked in batches, answers kept."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from functools import lru_cache

from workbench.redaction.lookup import IdentifierLookup
from workbench.redaction.pseudonyms import Pseudonyms, label_of
from workbench.redaction.spans import Change, Found, Kind

SHORT_ITEM = 10**7
"""Item numbers below this stay although an identifier column has the number, too."""
MOST_ASKED = 100_000
NEAR_BEFORE, NEAR_AFTER = 4_000, 600
"""Characters before and after a number in which its column may be named: a table's head is far above."""


class Membership:
    """Answers of one source for one log."""

    def __init__(self, lookup: IdentifierLookup, pseudonyms: Pseudonyms) -> None:
        self._lookup, self._pseudonyms = lookup, pseudonyms
        self._asked: set[object] = set()
        self._numbers: dict[int, AbstractSet[str]] = {}
        self._keys: dict[str, AbstractSet[str]] = {}
        self._items: set[int] = set()
        self._times: set[date] = set()
        self._dense: dict[tuple[str, int], bool] = {}

    def ask(self, found: Iterable[Found]) -> None:
        """Ask the source for all values that were not asked for before. Many answers are forgotten first."""
        if len(self._asked) > MOST_ASKED:
            for kept in (self._asked, self._numbers, self._keys, self._items, self._times):
                kept.clear()
        new: dict[Kind, set[object]] = {
            Kind.NUMBER: set(),
            Kind.KEY: set(),
            Kind.DAY: set(),
            Kind.MOMENT: set(),
        }
        for one in found:
            if one.kind in new and (one.kind, one.value) not in self._asked:
                self._asked.add((one.kind, one.value))
                new[one.kind].add(one.value)
        numbers = {value for value in new[Kind.NUMBER] if isinstance(value, int) and value < 2**62}
        keys = {value for value in new[Kind.KEY] if isinstance(value, str)}
        if numbers:
            self._numbers.update(self._lookup.numbers(numbers))
            self._items |= self._lookup.items([value for value in numbers if value < SHORT_ITEM])
        if keys:
            self._keys.update(self._lookup.keys(keys))
        if days := {value for value in new[Kind.DAY] if isinstance(value, date)}:
            self._times |= self._lookup.days(days)
        if moments := {value for value in new[Kind.MOMENT] if isinstance(value, datetime)}:
            self._times |= self._lookup.moments(moments)

    def change(self, found: Found) -> Change | None:
        """What becomes of a stretch; nothing where it may stay."""
        value = found.value
        if found.kind is Kind.NUMBER and isinstance(value, int):
            columns = self._numbers.get(value)
            if not columns or (value in self._items and value < SHORT_ITEM):
                return None
            if not any(self._tells(found, column, value) for column in columns):
                return None
            if len(columns) > 1:
                # A row number may be of several tables; of whom it is, is told by what stands near it.
                columns = {name for name in columns if _is_named(name, found)} or columns
            return self._named(found, label_of(columns), str(value))
        if found.kind is Kind.KEY:
            columns = self._keys.get(str(value))
            return self._named(found, label_of(columns), str(value)) if columns else None
        if found.kind in (Kind.DAY, Kind.MOMENT):
            if value not in self._times or not isinstance(value, date):
                return None
            return self._named(found, "date", value.strftime("%Y-%m-%d"))
        return None

    def _tells(self, found: Found, column: str, value: int) -> bool:
        """Whether the number is this column's and not by chance: a dense column has to be named near it."""
        if not found.loose and not self._is_dense(column, len(str(value))):
            return True
        return _is_named(column, found)

    def _is_dense(self, column: str, digits: int) -> bool:
        if (column, digits) not in self._dense:
            self._dense[column, digits] = self._lookup.dense(column, digits)
        return self._dense[column, digits]

    def _named(self, found: Found, label: str, value: str) -> Change:
        return Change(found.start, found.end, self._pseudonyms.mark(label, value), label)


def _is_named(column: str, found: Found) -> bool:
    places = _places(column, found.view)
    at = bisect_left(places, found.at - NEAR_BEFORE)
    return at < len(places) and places[at] < found.at + NEAR_AFTER


@lru_cache(maxsize=100)
def _places(column: str, text: str) -> list[int]:
    """Where a text in lower case names a column, with whatever stands between its letters but letters."""
    return [match.start() for match in _spelled(column).finditer(text)]


@lru_cache(maxsize=500)
def _spelled(column: str) -> re.Pattern[str]:
    return re.compile("[^a-z]{0,3}".join(column.lower().replace("_", "")))
