"""Caveats, their witness cases, and deviations of a reference from the pinned concept."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from workbench.records.base import Part, Record
from workbench.records.caveat_review import (
    CaveatAnchor,
    CaveatEntry,
    CaveatStatus,
    EvidenceLink,
    confirmed_by,
    status_after,
)
from workbench.records.hashing import blob_hash
from workbench.records.own_database import DatabaseName

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
    """Minimal rows on which the reference gives a stated value.

    ``database``: whose tables and reference; without it, those of the family's first task.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    story: str  # one sentence a clinician understands
    database: DatabaseName | None = None
    tables: list[WitnessRows] = Field(min_length=1)
    reference: list[Expectation] = Field(min_length=1)
    definition: list[Expectation] = []  # the source definition's value, where it differs
    definition_source: str = ""
    concept_differs: bool = False  # the pinned concept gives another value (a deviation)
    concept_open: bool = False  # the pinned concept leaves a tie open: its value here is arbitrary


class Caveat(Part):
    """One reference-validity caveat.

    ``status``: what the reference does about it; how far its review is follows from ``entries``.
    """

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
    anchors: list[CaveatAnchor] = []
    links: list[EvidenceLink] = []
    entries: list[CaveatEntry] = []

    @property
    def content_hash(self) -> str:
        """Git blob hash of what reviewers judge: everything but anchors, links and discussion."""
        said = self.model_dump(mode="json", exclude={"anchors", "links", "entries"}, exclude_defaults=True)
        return blob_hash(json.dumps(said, sort_keys=True).encode())

    @property
    def review(self) -> CaveatStatus:
        """How far the review is; a caveat without entries stands as its ``status`` says."""
        return status_after(self.entries, _BEGIN[self.status], self.content_hash)

    @property
    def confirmed_by(self) -> list[str]:
        """Reviewers whose confirmation counts."""
        return confirmed_by(self.entries, self.content_hash)


_BEGIN = {
    "open": CaveatStatus.PROPOSED,
    "accepted": CaveatStatus.RETAINED,
    "fixed-upstream": CaveatStatus.RESOLVED,
    "deviates": CaveatStatus.RESOLVED,
}


class ReportedFault(Part):
    """A fault that somebody reported about the public code: tried as a witness case, or why not."""

    id: str = Field(pattern=r"^[A-Z][0-9]{2,3}$")
    witness: str = ""  # id of a case of the same audit
    reason: str = ""

    @model_validator(mode="after")
    def _one_answer(self) -> Self:
        if bool(self.witness.strip()) == bool(self.reason.strip()):
            raise ValueError(f"reported fault {self.id} needs a witness or a reason, and not both")
        return self


class FamilyAudit(Record):
    """``audits/<family>.toml``; what concerns no single family is in ``audits/_general.toml``."""

    family: str
    caveats: list[Caveat] = []
    reported: list[ReportedFault] = []

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.caveats and not self.reported:
            raise ValueError("holds neither caveats nor reported faults")
        cases = [case.id for caveat in self.caveats for case in caveat.witness]
        for what, ids in (
            ("caveats", [caveat.id for caveat in self.caveats]),
            ("witness cases", cases),
            ("reported faults", [fault.id for fault in self.reported]),
        ):
            repeated = sorted({name for name in ids if ids.count(name) > 1})
            if repeated:
                raise ValueError(f"{what} with the same id: {', '.join(repeated)}")
        lost = [
            f"{fault.id}: {fault.witness}" for fault in self.reported if fault.witness not in ("", *cases)
        ]
        if lost:
            raise ValueError(f"reported faults name no witness case of this audit: {', '.join(lost)}")
        return self


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
