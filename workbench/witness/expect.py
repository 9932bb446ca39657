"""Hold rows against what a case expects of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from workbench.records import Expectation
from workbench.records.audit import Cell

_TIME = re.compile(r"^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?(\.\d+)?$")
Row = dict[str, Cell]


def unmet(expectations: Sequence[Expectation], rows: Sequence[Row]) -> list[str]:
    """What does not hold, a line each; empty if everything does."""
    return [line for expectation in expectations for line in _unmet_one(expectation, rows)]


def same(expected: Cell, found: Cell) -> bool:
    """Numbers by value, times in either ISO spelling, text by letter; NULL only with NULL."""
    if expected is None or found is None:
        return expected is None and found is None
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-12)
    return _plain(expected) == _plain(found)


def _unmet_one(expectation: Expectation, rows: Sequence[Row]) -> list[str]:
    key = ", ".join(f"{name} {shown(value)}" for name, value in expectation.key.items())
    values = {**expectation.values, **dict.fromkeys(expectation.null)}
    lacking = sorted((set(expectation.key) | set(values)) - set(rows[0])) if rows else []
    if lacking:
        return [f"no column {', '.join(lacking)}"]
    found = [row for row in rows if all(same(value, row[name]) for name, value in expectation.key.items())]
    if expectation.absent:
        return [f"row at {key}: expected none, found {len(found)}"] if found else []
    if len(found) != 1:
        return [f"row at {key}: expected one, found {len(found)}"]
    return [
        f"{name} at {key}: expected {shown(value)}, found {shown(found[0][name])}"
        for name, value in values.items()
        if not same(value, found[0][name])
    ]


def _plain(value: Cell) -> str:
    text = str(value)
    time = _TIME.match(text)
    if time is None:
        return text
    fraction = (time[4] or "").rstrip("0").rstrip(".")
    return f"{time[1]} {time[2]}{time[3] or ':00'}{fraction}"


def shown(value: Cell) -> str:
    """A cell as SQL would write it."""
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)
