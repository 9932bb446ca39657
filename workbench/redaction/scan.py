"""Everything in a text that may have to go, wherever and however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from workbench.redaction.dates import days_in, since_1970
from workbench.redaction.encoded import encoded_in
from workbench.redaction.numbers import numbers_in
from workbench.redaction.people import KnownNames, people_in
from workbench.redaction.quotes import Quoted
from workbench.redaction.secret_shapes import secrets_in
from workbench.redaction.spans import Found, Kind
from workbench.redaction.views import View, views

DEPTH = 3
"""Encodings inside each other."""
BEFORE = 200
"""Characters before an encoded stretch that may name the column of what it says."""
_DIGIT = re.compile(r"\d")


class Scanner:
    """Finds, and leaves it to others whether a number or a day is of the source."""

    def __init__(self, quoted: Quoted, names: KnownNames, threshold: int) -> None:
        self._quoted, self._names, self._threshold = quoted, names, threshold

    def scan(self, text: str) -> list[Found]:
        """Places are of ``text``; a stretch may be found several times."""
        return list(self._scan(text, DEPTH)) if text else []

    def _scan(self, text: str, depth: int, before: str = "") -> Iterator[Found]:
        for view in views(text):
            yield from _placed(view, self._in_view(view, before))
            if depth:
                for stretch in encoded_in(view.text):
                    around = view.text[max(stretch.start - BEFORE, 0) : stretch.start]
                    start, end = view.span(stretch.start, stretch.end)
                    for found in self._scan(stretch.says, depth - 1, f"{before}{around} "):
                        yield replace(found, start=start, end=end)

    def _in_view(self, view: View, before: str) -> Iterator[Found]:
        yield from secrets_in(view.text, view.low)
        yield from people_in(view.text)
        yield from self._names.found_in(view.text)
        yield from self._of_the_source(view, before)
        yield from self._quoted.found_in(view.text, self._threshold)

    def _of_the_source(self, view: View, before: str) -> Iterator[Found]:
        """What has to be looked up. It comes before what was quoted: of the same stretch it says more."""
        if _DIGIT.search(view.low) is None:
            return
        for found in numbers_in(view.low):
            yield replace(found, view=before + view.low, at=len(before) + found.at) if before else found
            if found.kind is Kind.NUMBER and (moment := since_1970(int(str(found.value)))) is not None:
                for told in {moment, moment.replace(second=0)}:
                    yield Found(found.start, found.end, Kind.MOMENT, told)
        yield from days_in(view.low)


def _placed(view: View, found: Iterable[Found]) -> Iterator[Found]:
    for one in found:
        start, end = view.span(one.start, one.end)
        yield replace(one, start=start, end=end) if (start, end) != (one.start, one.end) else one
