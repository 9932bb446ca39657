"""Caveats, their witness cases, and deviations of a reference from the pinned concept."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from workbench.records.base import Part, Record

Cell = str | int | float | bool | None


class Severity(StrEnum):
    """Judged effect on cohort or score, not a prevalence."""

    MINOR = "minor"
    MODERATE = "moderate"
    MAJOR = "major"


class Bias(StrEnum):
    """Which way the derived value leans against the source definition."""

    OVER = "over"
    UNDER = "under"
    BOTH = "both"
    EARLY = "early"
    LATE = "late"
    NONE = "none"


class EvidenceKind(StrEnum):
    """Where the caveat is known from."""

    REPRODUCED = "reproduced"
    CODE = "code"
    PUBLIC_REPORT = "public-report"
    REVIEW = "review"
    LITERATURE = "literature"


class WitnessRows(Part):
    """Rows of one table; columns not named are NULL. Values in JSON types, times as ISO text."""

    table: str  # '<schema>.<table>'
    rows: list[dict[str, Cell]] = Field(min_length=1)


class Expectation(Part):
    """The value at one output row: ``key`` selects it, ``absent`` says there must be none."""

    key: dict[str, Cell]
    values: dict[str, Cell] = {}
    null: list[str] = []  # columns that must be NULL there: TOML has no null
    absent: bool = False


class WitnessCase(Part):
    """Minimal rows on which the reference gives a stated value."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    story: str  # one sentence a clinician understands
    tables: list[WitnessRows] = Field(min_length=1)
    reference: list[Expectation] = Field(min_length=1)
    definition: list[Expectation] = []  # the source definition's value, where it differs
    definition_source: str = ""
    concept_differs: bool = False  # the pinned concept gives another value (a deviation)
    concept_open: bool = False  # the pinned concept leaves a tie open: its value here is arbitrary


class Caveat(Part):
    """One reference-validity caveat."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str
    severity: Severity
    bias: Bias
    rule: str  # the affected rule, or item ids
    evidence: list[EvidenceKind] = Field(min_length=1)
    source: str
    status: Literal["open", "accepted", "fixed-upstream", "deviates"] = "open"
    explanation: str
    witness: list[WitnessCase] = []


class FamilyAudit(Record):
    """``audits/<family>.toml``."""

    family: str
    caveats: list[Caveat] = Field(min_length=1)


class Deviation(Part):
    """Where a reference departs from the pinned concept on purpose.

    ``predicate`` is a SQL condition over columns ``r.<column>`` (reference) and ``c.<column>``
    (concept) that holds for every row that may differ for this reason.
    """

    id: str
    what: str
    why: str
    columns: list[str] = Field(min_length=1)
    predicate: str
    witness: str  # id of a witness case


class FamilyDeviations(Record):
    """``deviations.toml``; an empty list says the reference equals the concept."""

    family: str
    deviations: list[Deviation] = []
