"""What goes into the worker process and what comes out, a JSON line an answer."""

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


class ConceptScript(Part):
    """SQL that makes the table ``makes`` ('<schema>.<table>').

    ``behind`` are the raw tables it is made from, through other concepts too: cases with the same rows there
    share the table. None where the script does anything besides making that one table.
    """

    name: str
    sql: str
    makes: str
    behind: list[str] | None = None


class Query(Part):
    """SQL whose rows are wanted; ``concepts`` are the scripts that it needs, in the order they run in."""

    sql: str
    concepts: list[str] = []


class WorkerRequest(Part):
    """Every query is answered on every case; ``tables`` are all that a case's database has."""

    tables: dict[str, dict[str, str]]  # '<schema>.<table>' to column to DuckDB type
    extra_schemas: list[str] = []
    cases: list[CaseRows]
    scripts: list[ConceptScript] = []
    queries: list[Query]
    limits: WorkerLimits = WorkerLimits()


class WorkerAnswer(Part):
    """The rows of one query (its place in the request) on one case, or why there are none."""

    case: str
    query: int = 0
    columns: list[str] = []
    rows: list[list[Cell]] = []
    problem: str = ""

    def records(self) -> list[dict[str, Cell]]:
        """Rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
