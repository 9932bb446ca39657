"""``stages.toml``: the intermediate tables of a family's derivation, in the order in which they arise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import Field, model_validator

from workbench.records.base import Part, Record
from workbench.records.errors import BadInput
from workbench.records.own_database import DatabaseName
from workbench.records.task import KeyColumn, ScoredColumn

LEAST_STAGES, MOST_STAGES = 2, 6
RESULT_STAGE = "result"
"""What comes after the last stage: the output itself."""


class StageKey(KeyColumn):
    """A column that identifies a row; ``means`` is for the agent, where the name does not say it."""

    means: str = ""


class StageColumn(ScoredColumn):
    """A value column, compared as a scored one is; ``means`` is for the agent, without a recipe."""

    means: str = ""


class Stage(Part):
    """One intermediate table.

    ``rows``: what a row is, for the agent: no item ids, no tables. ``sql``: one SELECT over the steps (CTEs)
    of the reference that gives keys and columns; a row whose columns are all NULL counts as no row.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    rows: str = Field(min_length=1)
    keys: list[StageKey] = Field(min_length=1)
    columns: list[StageColumn] = []
    sql: str

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if self.name == RESULT_STAGE:
            raise ValueError(f"the name {RESULT_STAGE} is that of the output")
        _refuse_twice("columns", self.column_names)
        return self

    @property
    def column_names(self) -> list[str]:
        """Keys first."""
        return [key.name for key in self.keys] + [column.name for column in self.columns]


class DatabaseStages(Part):
    """The stages of one database, the first one first."""

    database: DatabaseName
    stages: list[Stage] = Field(min_length=LEAST_STAGES, max_length=MOST_STAGES)

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        _refuse_twice("stages", [stage.name for stage in self.stages])
        return self


class FamilyStages(Record):
    """``stages.toml`` of one family."""

    family: str
    databases: list[DatabaseStages] = Field(min_length=1)

    def of(self, database: str) -> DatabaseStages | None:
        """The stages of ``database``, if there are any."""
        return next((stages for stages in self.databases if stages.database == database), None)

    def required(self, database: str) -> DatabaseStages:
        """As ``of``; raises BadInput where there are none."""
        found = self.of(database)
        if found is None:
            raise BadInput(
                f"the family {self.family} has no stages for {database}",
                where="stages.toml",
                remedy="Write them, or choose another condition.",
            )
        return found


def _refuse_twice(what: str, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{what} named twice: {', '.join(twice)}")
