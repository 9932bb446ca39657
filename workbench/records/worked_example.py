"""Worked examples: a few made-up stays followed from their input rows to the derived values."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from workbench.records.audit import Cell, Expectation, WitnessRows
from workbench.records.base import Part, Record
from workbench.records.own_database import DatabaseName


class MappedConcept(Part):
    """Where a clinical concept is found: ``items`` as a person writes them, codes or words."""

    concept: str
    items: str
    unit: str = ""
    note: str = ""


class ExampleRow(Part):
    """One row of an intermediate step: values by column, and columns that are NULL (TOML has no null)."""

    values: dict[str, Cell] = {}
    null: list[str] = []

    @property
    def cells(self) -> dict[str, Cell]:
        """Every named column with its value."""
        return {**self.values, **dict.fromkeys(self.null)}


class IntermediateStep(Part):
    """Exactly these rows, in any order, for the columns named.

    ``step`` is a CTE of the reference, or ``mimiciv_derived.<concept>``.
    """

    step: str = Field(pattern=r"^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$")
    rows: list[ExampleRow] = []

    @model_validator(mode="after")
    def _same_columns(self) -> Self:
        if len({frozenset(row.cells) for row in self.rows}) > 1:
            raise ValueError(f"the rows of step {self.step} name different columns")
        if any(set(row.values) & set(row.null) for row in self.rows):
            raise ValueError(f"step {self.step}: a column has a value and is null")
        return self

    @property
    def columns(self) -> list[str]:
        """The columns that the rows name, in the order of the first row."""
        return list(self.rows[0].cells) if self.rows else []


class ExampleStay(Part):
    """One made-up stay: input rows, what the named steps make of them, and the derived values."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    story: str
    tables: list[WitnessRows] = Field(min_length=1)
    intermediate: list[IntermediateStep] = []
    expected: list[Expectation] = Field(min_length=1)


class WorkedExample(Record):
    """``worked-example.toml``: a family's definition, mapping and made-up stays, for one database."""

    family: str
    database: DatabaseName
    definition: str
    mapping: list[MappedConcept] = Field(min_length=1)
    edge_cases: list[str] = Field(min_length=1)
    sources: list[str] = Field(min_length=1)
    limits: list[str] = Field(min_length=1)
    stays: list[ExampleStay] = Field(min_length=2, max_length=4)

    @model_validator(mode="after")
    def _distinct_stays(self) -> Self:
        ids = [stay.id for stay in self.stays]
        if len(set(ids)) != len(ids):
            raise ValueError("two stays have the same id")
        return self
