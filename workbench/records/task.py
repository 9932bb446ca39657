"""Families, tasks, targets and scored columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from workbench.records.base import Part, Record
from workbench.records.own_database import DatabaseName

UNCHANGED = "unchanged"
"""The further target of a run under a counterfactual: the reference as it is without the change."""


class Mode(StrEnum):
    """What is removed: the target concept, or the target and every derived table."""

    STANDARD = "standard"
    RAW = "raw"


class ColumnType(StrEnum):
    """How a column's values are read and compared."""

    ORDERED = "ordered"  # numbers with an order: count for nMAE
    NOMINAL = "nominal"  # numbers or labels without an order
    TEXT = "text"
    TIME = "time"


class KeyColumn(Part):
    """A column that identifies a row."""

    name: str
    type: ColumnType = ColumnType.NOMINAL


class ScoredColumn(Part):
    """A column that the reward averages over. ``tolerance``: absolute and inclusive, seconds for time."""

    name: str
    type: ColumnType
    tolerance: float = Field(default=0.0, ge=0)


class Thresholds(Part):
    """Strict pass: shares in 0..1."""

    key_coverage: float = Field(ge=0, le=1)
    column_accuracy: float = Field(ge=0, le=1)


class Target(Part):
    """One reference that outputs are scored against. The reward comes from ``public-code``."""

    name: str = Field(pattern=r"^(public-code|adjudicated|accepted-[a-z0-9-]+|unchanged)$")
    status: Literal["draft", "declared"] = "declared"
    note: str = ""


class KeptTable(Part):
    """A derived table left in a standard database on purpose although it is close to the target."""

    table: str
    reason: str


class Task(Record):
    """``task.toml``: one derivation task."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    family: str
    title: str
    database: DatabaseName
    mode: Mode
    keys: list[KeyColumn] = Field(min_length=1)
    scored_columns: list[ScoredColumn] = Field(min_length=1)
    value_columns: list[str] = Field(min_length=1)
    further_columns: list[str] = []  # required in the output, not scored (identifiers)
    thresholds: Thresholds
    removed_tables: list[str]  # bare names in mimiciv_derived; raw removes that schema as a whole too
    kept_tables: list[KeptTable] = []
    skills: list[str] = Field(min_length=1)
    decoy_skill: str
    targets: list[Target] = [Target(name="public-code")]
    reference_concept: str = ""  # the pinned concept the reference is compared with, where there is one
    published_rows: int | None = None
    report_by: list[str] = []  # columns of the reference to break the score down by; no output has them

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        scored = [column.name for column in self.scored_columns]
        keys = [key.name for key in self.keys]
        if len(set(scored)) != len(scored) or set(scored) & set(keys):
            raise ValueError("scored_columns must be distinct and no keys")
        missing = [name for name in self.value_columns if name not in scored]
        if missing:
            raise ValueError(f"value_columns not in scored_columns: {', '.join(missing)}")
        if "public-code" not in [target.name for target in self.targets]:
            raise ValueError("targets must contain public-code")
        if UNCHANGED in [target.name for target in self.targets]:
            raise ValueError(f"the target {UNCHANGED} is that of runs under a counterfactual")
        if len(set(self.report_by)) != len(self.report_by) or set(self.report_by) & {*scored, *keys}:
            raise ValueError("report_by must be distinct, and neither keys nor scored columns")
        return self

    @property
    def required_columns(self) -> list[str]:
        """What the output must have, keys first."""
        names = [key.name for key in self.keys] + [column.name for column in self.scored_columns]
        return names + [name for name in self.further_columns if name not in names]

    @property
    def reference_columns(self) -> list[str]:
        """What the reference must have: that, and what the score is broken down by."""
        names = self.required_columns
        return names + [name for name in self.report_by if name not in names]


class RuleTime(Part):
    """When a reference rule's inputs become knowable, relative to the row's own time."""

    rule: str
    knowable: Literal["at-time", "later", "after-discharge"]
    delay: str  # e.g. 'up to 24 h (culture after antibiotic)'
    note: str = ""


class Family(Record):
    """``family.toml``: what the tasks of one family share."""

    name: str
    title: str
    aliases: list[str] = []
    summary: str
    definition_source: str
    grain: str
    sources: list[str] = []  # provenance: papers, pinned revision, reports
    time_frame: list[RuleTime] = Field(min_length=1)
    tasks: list[str] = Field(min_length=1)  # in order of presentation
