"""Scores of one output. Shares are in 0..1; no patient-level value is in here."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from workbench.records.base import Part, Record
from workbench.records.task import ColumnType

MOST_TARGETS, MOST_COLUMNS = 50, 500
"""More than any task has: a file that says so is damaged."""


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

    @property
    def title(self) -> str:
        """The target's name, with the word draft where nobody has decided on it."""
        return f"{self.target} (draft)" if self.status == "draft" else self.target


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
