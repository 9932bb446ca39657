"""The listing of runs as a person reads it: what its columns say, filtered by words, ordered by a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from workbench.records import RunRow


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _tokens(row: RunRow) -> int | None:
    return None if row.input_tokens is None else row.input_tokens + (row.output_tokens or 0)


def _strict(row: RunRow) -> str:
    return "-" if row.strict_pass is None else "passed" if row.strict_pass else "no"


def _counted(row: RunRow) -> str:
    tokens = _tokens(row)
    return "-" if tokens is None else f"{tokens:,}"


LISTED: dict[str, Callable[[RunRow], str]] = {
    "verdict": lambda row: row.said,
    "reward": lambda row: _number(row.reward, ".3f"),
    "task": lambda row: row.task,
    "condition": lambda row: f"{row.condition} {row.counterfactual}".rstrip(),
    "begun": lambda row: row.created[5:19].replace("T", " "),
    "agent": lambda row: row.agent,
    "fails": lambda row: str(row.fails),
    "warns": lambda row: str(row.warns),
    "strict": _strict,
    "run": lambda row: row.run_id,
    "source": lambda row: row.source,
    "model": lambda row: row.model or "-",
    "seconds": lambda row: _number(row.wall_s, ".1f"),
    "trial": lambda row: str(row.trial),
    "attempt": lambda row: str(row.attempt),
    "tokens": _counted,
}
"""Column to its text."""

ORDERED: dict[str, Callable[[RunRow], Any]] = {
    "reward": lambda row: row.reward,
    "begun": lambda row: row.created,
    "fails": lambda row: row.fails,
    "warns": lambda row: row.warns,
    "seconds": lambda row: row.wall_s,
    "trial": lambda row: row.trial,
    "attempt": lambda row: row.attempt,
    "tokens": _tokens,
}
"""Columns that are ordered by something other than their text; None comes last."""


def runs_with_words(rows: Sequence[RunRow], words: str) -> list[RunRow]:
    """Rows in which every word occurs in some column, whatever its case."""
    wanted = words.lower().split()
    texts = ((row, " ".join(text(row) for text in LISTED.values()).lower()) for row in rows)
    return [row for row, text in texts if all(word in text for word in wanted)]


def runs_in_order(rows: Sequence[RunRow], column: str, *, falling: bool = False) -> list[RunRow]:
    """By a column of ``LISTED``; what has no value comes last either way."""
    value = ORDERED.get(column, LISTED[column])
    known = [row for row in rows if value(row) is not None]
    unknown = [row for row in rows if value(row) is None]
    return sorted(known, key=value, reverse=falling) + unknown
