"""What goes into the worker process and what comes out, a JSON line a case."""

from __future__ import annotations

from pydantic import Field

from workbench.records import Part
from workbench.records.audit import Cell


class WorkerLimits(Part):
    """Bounds on one worker, whatever its SQL says. Seconds count for all its cases together."""

    wall_s: float = Field(default=30.0, gt=0)
    memory_bytes: int = Field(default=512 * 1024**2, ge=64 * 1024**2)
    rows: int = Field(default=10_000, gt=0)
    answer_bytes: int = Field(default=4 * 1024**2, gt=0)


class CaseRows(Part):
    """A case's tables: '<schema>.<table>' to rows; columns not named are NULL."""

    case: str
    tables: dict[str, list[dict[str, Cell]]]


class WorkerRequest(Part):
    """``schema`` types every table of the database; ``before`` are scripts
    that make derived tables, by name, in the order in which they run."""

    tables: dict[str, dict[str, str]]  # '<schema>.<table>' to column to DuckDB type
    extra_schemas: list[str] = []
    cases: list[CaseRows]
    before: dict[str, str] = {}
    sql: str
    limits: WorkerLimits = WorkerLimits()


class WorkerAnswer(Part):
    """One case's rows, or why there are none."""

    case: str
    columns: list[str] = []
    rows: list[list[Cell]] = []
    problem: str = ""

    def records(self) -> list[dict[str, Cell]]:
        """Rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
