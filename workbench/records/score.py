"""Scores of one output. Shares are in 0..1; no patient-level value is in here."""

from __future__ import annotations

from workbench.records.base import Part, Record
from workbench.records.task import ColumnType


class ColumnScore(Part):
    """``match_rate`` = matched / (|G| + extra + duplicates)."""

    column: str
    type: ColumnType
    present: bool
    matched: int
    match_rate: float
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
    """One check of the strict pass, in order."""

    check: str
    passed: bool
    detail: str = ""


class TargetScore(Part):
    """One output against one reference."""

    target: str
    reward: float
    ordered_nmae: float | None  # None where nothing could be compared
    keys: KeyScore | None
    columns: list[ColumnScore]
    strict_pass: bool
    strict_checks: list[StrictCheck]


class ScoreReport(Record):
    """All targets; the reward is ``public-code``'s. ``problem`` says why a reward is 0."""

    task: str
    readable: bool
    problem: str = ""
    reward: float
    strict_pass: bool
    targets: list[TargetScore] = []
