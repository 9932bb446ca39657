"""Rows of a rule diff that a reviewer accepts as intended."""

from __future__ import annotations

from pydantic import Field

from workbench.records.base import Part, Record


class AcceptedRow(Part):
    """One accepted row, bound to what both sides said when it was accepted."""

    row: str = Field(pattern=r"^[0-9a-f]{16}$")  # which row: of its kind, its rules and their subjects
    reason: str = Field(min_length=3)
    reviewer: str = ""  # C1, C2, …
    withdrawn: str = ""  # why it is intended no longer; empty while it holds
    first: str = Field(pattern=r"^[0-9a-f]{40}$")  # content hash of the first side's texts
    second: str = Field(pattern=r"^[0-9a-f]{40}$")


class AcceptedRows(Record):
    """``audits/rules/<skill>.json``."""

    skill: str
    rows: list[AcceptedRow] = []
