"""Checks of an output that need no reference: what ``output-checks.toml`` declares, and what came of it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from workbench.records.audit import Cell
from workbench.records.base import Part, Record
from workbench.records.own_database import DatabaseName


class OutputRange(Part):
    """What one column may hold: bounds (inclusive) or a list of values; ``nulls``: it may be empty."""

    column: str
    low: float | None = None
    high: float | None = None
    values: list[Cell] = []
    nulls: bool = True

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.values and (self.low is not None or self.high is not None):
            raise ValueError("give values, or low and high, not both")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("low is above high")
        return self

    @property
    def asks_for_numbers(self) -> bool:
        """Whether only a number can meet it."""
        numbers = any(isinstance(value, int | float) for value in self.values)
        return numbers or self.low is not None or self.high is not None


class OutputRelation(Part):
    """A SQL condition over the columns of one output row that holds for every row."""

    says: str
    sql: str
    null_holds: bool = False  # a condition that gives NULL counts as held


class OutputCount(Part):
    """A number of an intermediate step, over raw tables, to compare with one's own."""

    step: str
    sql: str
    says: str = ""


class DatabaseChecks(Part):
    """The checks of one database. ``cohort`` is one SELECT over raw tables that gives ``cohort_keys``.

    ``cohort_rule`` ``all``: the output has each of them exactly once; ``some``: the output's are among them.
    """

    database: DatabaseName
    cohort: str
    cohort_keys: list[str] = Field(min_length=1)
    cohort_rule: Literal["all", "some"]
    ranges: list[OutputRange] = []
    relations: list[OutputRelation] = []
    counts: list[OutputCount] = []


class OutputChecks(Record):
    """``output-checks.toml`` of one family."""

    family: str
    databases: list[DatabaseChecks] = Field(min_length=1)

    def of(self, database: str) -> DatabaseChecks | None:
        """The checks of ``database``, if there are any."""
        return next((checks for checks in self.databases if checks.database == database), None)


class OutputFinding(Part):
    """One check of one output: how many rows, keys or columns offend. Never a value."""

    check: str
    passed: bool
    offending: int = 0
    says: str = ""


class OutputStep(Part):
    """An intermediate count over the source."""

    step: str
    count: int
    says: str = ""


class OutputReport(Record):
    """What the checks of one output came to."""

    task: str
    source: str
    rows: int
    findings: list[OutputFinding]
    steps: list[OutputStep] = []

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings)
