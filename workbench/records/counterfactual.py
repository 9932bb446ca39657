"""Counterfactuals: one rule of a family changed alike in everything that states it."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from workbench.records.base import Part, Record
from workbench.records.own_database import DatabaseName
from workbench.records.plan import Condition


class ChangedText(StrEnum):
    """Which text of the family states the rule."""

    REFERENCE = "reference"
    TASK = "task"
    SKILL = "skill"
    INSTRUCTION = "instruction"
    OPERATIONAL_SPEC = "operational-spec"
    OUTPUT_CHECKS = "output-checks"
    WORKED_EXAMPLE = "worked-example"
    STAGES = "stages"


OF_ONE_TASK = (ChangedText.TASK, ChangedText.INSTRUCTION, ChangedText.OPERATIONAL_SPEC)


class TextChange(Part):
    """``find`` becomes ``put`` at each of the exactly ``count`` places where it stands in the text ``in``.

    ``task`` (``task.toml``), instruction and operational spec are those of every task of the family on the
    database, or of the one named by ``task``. ``skill``: which one, for a skill.
    """

    model_config = ConfigDict(validate_by_name=True)

    where: ChangedText = Field(alias="in")
    skill: str = ""
    task: str = ""
    find: str = Field(min_length=1)
    put: str
    count: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if bool(self.skill) != (self.where is ChangedText.SKILL):
            raise ValueError("skill is named where a skill is changed, and nowhere else")
        if self.task and self.where not in OF_ONE_TASK:
            raise ValueError("task is named for task, instruction and operational-spec only")
        if self.find == self.put:
            raise ValueError("find and put are equal")
        return self


class Difference(Part):
    """Which rows and columns of the reference change; everything else stays equal.

    ``columns``: no other one changes. ``rows``: a SELECT over published tables and concepts, not made from
    the reference, that gives the keys of exactly the rows that change (or go, or come); a further column of
    it holds that column's new value.
    """

    columns: list[str] = Field(min_length=1)
    rows: str


class RefusedCondition(Part):
    """A condition whose texts cannot be changed alike, and why."""

    condition: Condition
    why: str = Field(min_length=1)


class Counterfactual(Part):
    """One changed rule. ``gone``: passages of the old rule that no text of the tasks may still hold."""

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)
    says: str = Field(min_length=1)
    database: DatabaseName
    rule: str  # of the reference
    changes: list[TextChange] = Field(min_length=1)
    gone: list[str] = Field(min_length=1)
    refuses: list[RefusedCondition] = []
    differs: Difference

    @model_validator(mode="after")
    def _changes_the_reference(self) -> Self:
        if ChangedText.REFERENCE not in {change.where for change in self.changes}:
            raise ValueError("no change is in the reference")
        return self


class FamilyCounterfactuals(Record):
    """``counterfactuals.toml``."""

    family: str
    counterfactuals: list[Counterfactual] = Field(min_length=1)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        names = [(item.database, item.name) for item in self.counterfactuals]
        twice = sorted({name for database, name in names if names.count((database, name)) > 1})
        if twice:
            raise ValueError(f"twice on one database: {', '.join(twice)}")
        return self
