"""Scores of one output. Shares are in 0..1; no patient-level value is in here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from workbench.records.base import Part, Record
from workbench.records.task import ColumnType

MOST_TARGETS, MOST_COLUMNS, MOST_GROUPS = 50, 500, 100_000
"""More than any task has: a file that says so is damaged."""
OTHER_GROUPS = "other"
NO_GROUP = "not known"
TABLE_CELLS = 70
"""Width of the table of groups, so that it fits 80 cells wherever it is shown."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class ColumnScore(Part):
    """``match_rate`` = matched / (|G| + extra + duplicates)."""

    column: str
    type: ColumnType
    present: bool
    matched: int
    match_rate: float = Field(ge=0, le=1)
    nmae: float | None = None  # ordered columns only, over matched keys


class KeyScore(Part):
    """Unique keys; ``duplicates`` counts further rows with a key seen before."""

    reference_rows: int
    output_rows: int
    matched: int
    missing: int
    extra: int
    duplicates: int
    unreadable: int  # output rows whose key cannot be read; part of ``extra``
    precision: float
    recall: float
    f1: float


class StrictCheck(Part):
    """One check of the strict pass, in order. ``threshold``: the share that it asks for, if it does."""

    check: str
    passed: bool
    detail: str = ""
    threshold: float | None = None


class GroupScore(Part):
    """The reference's rows with one value of a ``report_by`` column.

    Shares are of these rows: an extra row of the output belongs to no group. ``group`` is the value,
    ``not known`` where it is missing, or ``other`` for ``pooled`` values that have few rows. ``match_rates``
    are in the order of the target's columns.
    """

    by: str
    group: str
    pooled: int = 0
    reference_rows: int
    matched: int
    key_coverage: float = Field(ge=0, le=1)
    match_rates: list[float] = Field(max_length=MOST_COLUMNS)

    @property
    def title(self) -> str:
        """The group as a person reads it."""
        return f"{self.group} ({self.pooled})" if self.pooled else self.group


class TargetScore(Part):
    """One output against one reference."""

    target: str
    status: Literal["draft", "declared"] = "declared"
    reward: float
    ordered_nmae: float | None  # None where nothing could be compared
    keys: KeyScore | None
    columns: list[ColumnScore] = Field(max_length=MOST_COLUMNS)
    strict_pass: bool
    strict_checks: list[StrictCheck]
    groups: list[GroupScore] = Field(default=[], max_length=MOST_GROUPS)

    @property
    def title(self) -> str:
        """The target's name, with the word draft where nobody has decided on it."""
        return f"{self.target} (draft)" if self.status == "draft" else self.target

    @property
    def group_rows(self) -> list[str]:
        """``groups`` as text of ``TABLE_CELLS`` cells: what the letters stand for, then a line a group.

        Shares are cut to two places, so that 1.00 means all.
        """
        if not self.groups:
            return []
        names = [column.column for column in self.columns]
        letters = [_letter(place) for place in range(len(names))]
        rows = [f"{letter}: {name}" for letter, name in zip(letters, names, strict=True)]
        for by in dict.fromkeys(group.by for group in self.groups):
            rows += _group_table(by, [group for group in self.groups if group.by == by], letters)
        return rows


class ScoreReport(Record):
    """All targets; the reward is ``public-code``'s. ``problem`` says why a reward is 0."""

    task: str
    readable: bool
    problem: str = ""
    reward: float
    strict_pass: bool
    targets: list[TargetScore] = Field(default=[], max_length=MOST_TARGETS)

    @property
    def side_by_side(self) -> list[tuple[str, list[float]]]:
        """Column to its match rate with each target, in the order of ``targets``; the reward comes first.

        Empty where there is only one target.
        """
        if len(self.targets) < 2:
            return []
        rates = [{column.column: column.match_rate for column in target.columns} for target in self.targets]
        everywhere = [name for name in rates[0] if all(name in rate for rate in rates)]
        columns = [(name, [rate[name] for rate in rates]) for name in everywhere]
        return [("reward", [target.reward for target in self.targets]), *columns]

    @property
    def side_by_side_rows(self) -> list[str]:
        """``side_by_side`` as text that fits 80 cells: what the letters stand for, then a letter a target."""
        told = self.side_by_side
        if not told:
            return []
        letters = [chr(ord("A") + at) for at in range(len(self.targets))]
        width = max(len(name) for name, _ in told)
        return [
            *(f"{letter}: {target.title}" for letter, target in zip(letters, self.targets, strict=True)),
            f"{'':<{width}}{''.join(f'{letter:>7}' for letter in letters)}",
            *(f"{name:<{width}}{''.join(f'{rate:7.3f}' for rate in rates)}" for name, rates in told),
        ]


def _letter(place: int) -> str:
    """A to Z, then A1 and so on."""
    turn, letter = divmod(place, len(_LETTERS))
    return f"{_LETTERS[letter]}{turn or ''}"


def _group_table(by: str, groups: Sequence[GroupScore], letters: Sequence[str]) -> list[str]:
    """Lines of one ``report_by`` column; as many tables below each other as its columns need."""
    width = max(len(by), *(len(group.title) for group in groups))
    at_once = max(1, (TABLE_CELLS - width - 14) // 5)
    rows = []
    for first in range(0, len(letters), at_once):
        shown = range(first, min(first + at_once, len(letters)))
        rows.append(
            f"{by:<{width}}{'rows':>9}{'keys':>5}" + "".join(f"{letters[place]:>5}" for place in shown)
        )
        for group in groups:
            shares = [group.key_coverage, *(group.match_rates[place] for place in shown)]
            rates = "".join(f"{int(share * 100) / 100:5.2f}" for share in shares)
            rows.append(f"{group.title:<{width}}{group.reference_rows:9,}{rates}")
    return rows
