"""What a reference file says about itself: types, rows, and how each of its columns is compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.ehr import Connection, DuckDBError
from workbench.ehr.connect import count, identifier, rows
from workbench.records import ColumnType, KeyColumn, ScoredColumn, Task, WorkbenchError
from workbench.scoring.values import (
    EXACT_WHOLE,
    Comparison,
    Moments,
    Numbers,
    Texts,
    TextsOfMoments,
    TextsOfNumbers,
    WideWholes,
)

WHOLE_TYPES = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
HUGE_TYPES = {"UBIGINT", "HUGEINT", "UHUGEINT"}
UNTRIED = "NULL"
NUMBER = "double_of({text})"
MOMENT = "TRY_CAST({text} AS TIMESTAMP)"
NOT_NAN = "nullif({tried}, CAST('NaN' AS DOUBLE))"
LABELS = {ColumnType.ORDERED, ColumnType.NOMINAL}
REBUILD = "Build the reference again."


@dataclass(frozen=True)
class Spread:
    """Least and greatest finite number of a column, and whether all its numbers are finite."""

    least: float = 0.0
    most: float = 0.0
    finite: bool = True


@dataclass(frozen=True)
class ReferenceKey:
    """How the output's text becomes a key, and what it is compared with.

    ``read`` is SQL over ``{text}`` and ``{tried}``, NULL where no key can be read; ``tried`` is SQL over
    ``{text}``, computed first.
    """

    name: str
    tried: str
    read: str
    reference: str


@dataclass(frozen=True)
class ReferenceColumn:
    """A scored column. ``span`` is max - min over the whole reference; ``error`` needs an order."""

    task: ScoredColumn
    comparison: Comparison
    span: float = 0.0

    @property
    def reference(self) -> str:
        return self.comparison.reference(identifier(self.task.name))

    @property
    def ordered(self) -> bool:
        """Whether the column counts for nMAE."""
        if self.task.type is not ColumnType.ORDERED:
            return False
        return self.comparison.error("v", "y", self.task.tolerance, self.span) is not None


@dataclass(frozen=True)
class ReferenceTable:
    """One target's reference. Its file holds hidden values; this holds none but the spans."""

    target: str
    path: Path
    row_count: int
    keys: tuple[ReferenceKey, ...]
    columns: tuple[ReferenceColumn, ...]

    @property
    def reading(self) -> tuple[str, ...]:
        """How an output is read for this reference; equal for targets of equal types."""
        keys = [key.read for key in self.keys]
        return (*keys, *(column.comparison.read("{text}") for column in self.columns))


def describe(connection: Connection, target: str, path: Path, task: Task) -> ReferenceTable:
    """Look at the Parquet file of one target. Raises WorkbenchError where it cannot serve as a reference."""
    where = f"reference {target} of {task.id}"
    return describe_table(
        connection, target, path, task.keys, task.scored_columns, where, more=task.report_by
    )


def describe_table(
    connection: Connection,
    target: str,
    path: Path,
    task_keys: Sequence[KeyColumn],
    task_columns: Sequence[ScoredColumn],
    where: str,
    *,
    more: Sequence[str] = (),
    may_be_empty: bool = False,
) -> ReferenceTable:
    """As ``describe``, of a file with these columns and ``more``; ``where`` names it in errors."""
    try:
        types = {
            str(row[0]): str(row[1])
            for row in rows(connection, "DESCRIBE SELECT * FROM read_parquet(?)", [str(path)])
        }
        wanted = [key.name for key in task_keys] + [column.name for column in task_columns] + [*more]
        missing = [name for name in wanted if name not in types]
        if missing:
            raise WorkbenchError(f"has no column {', '.join(missing)}", where=where, remedy=REBUILD)
        keys = tuple(key_reading(key, types[key.name]) for key in task_keys)
        row_count = _checked_rows(connection, path, keys, where, may_be_empty=may_be_empty)
        spreads = _spreads(connection, path, task_columns, types)
        columns = tuple(_column(column, types[column.name], spreads[column.name]) for column in task_columns)
    except DuckDBError as error:
        raise WorkbenchError(
            f"cannot be read ({type(error).__name__})", where=where, remedy=REBUILD
        ) from None
    return ReferenceTable(target, path, row_count, keys, columns)


def _checked_rows(
    connection: Connection, path: Path, keys: Sequence[ReferenceKey], where: str, *, may_be_empty: bool
) -> int:
    named = ", ".join(key.reference for key in keys)
    null = " OR ".join(f"{key.reference} IS NULL" for key in keys)
    file = [str(path)]
    total = count(connection, "SELECT count(*) FROM read_parquet(?)", file)
    nulls = count(connection, f"SELECT count(*) FROM read_parquet(?) WHERE {null}", file)
    distinct = count(connection, f"SELECT count(*) FROM (SELECT DISTINCT {named} FROM read_parquet(?))", file)
    if not total and not may_be_empty:
        raise WorkbenchError("has no rows", where=where, remedy="Take a source that has rows for this task.")
    if nulls or distinct < total:
        raise WorkbenchError(
            f"has {nulls} rows without a key and {total - distinct} with a repeated one",
            where=where,
            remedy="Build the reference again; each row needs its own key.",
        )
    return total


def key_reading(key: KeyColumn, kind: str) -> ReferenceKey:
    """How a key of a column of DuckDB type ``kind`` is read."""
    column = identifier(key.name)
    if kind in WHOLE_TYPES:
        return ReferenceKey(key.name, NUMBER, "whole({text}, {tried})", f"CAST({column} AS BIGINT)")
    if kind in HUGE_TYPES or (kind.startswith("DECIMAL") and kind.endswith(",0)")):
        return ReferenceKey(key.name, UNTRIED, "huge_whole({text})", f"CAST({column} AS HUGEINT)")
    if kind == "BOOLEAN":
        return ReferenceKey(key.name, "flag({text})", NOT_NAN, f"CAST({column} AS DOUBLE)")
    if kind == "FLOAT":
        return ReferenceKey(key.name, "single_number({text})", NOT_NAN, f"CAST({column} AS DOUBLE)")
    if kind == "DOUBLE" or kind.startswith("DECIMAL"):
        return ReferenceKey(key.name, NUMBER, NOT_NAN, f"CAST({column} AS DOUBLE)")
    if _is_time(kind):
        return ReferenceKey(key.name, MOMENT, "tried_moment({text}, {tried})", f"CAST({column} AS TIMESTAMP)")
    return ReferenceKey(key.name, UNTRIED, "{text}", f"nullif(CAST({column} AS VARCHAR), '')")


def _column(column: ScoredColumn, kind: str, spread: Spread) -> ReferenceColumn:
    flags = kind == "BOOLEAN" or column.type is ColumnType.NOMINAL
    span = spread.most - spread.least
    if _is_time(kind):
        return ReferenceColumn(column, Moments())
    if kind in HUGE_TYPES | {"BIGINT"} and max(abs(spread.least), abs(spread.most)) >= EXACT_WHOLE:
        return ReferenceColumn(column, WideWholes(), span)
    if _is_number(kind):
        numbers = Numbers(flags=flags, single=kind == "FLOAT", finite=spread.finite)
        return ReferenceColumn(column, numbers, span)
    if column.type is ColumnType.TIME:
        return ReferenceColumn(column, TextsOfMoments())
    if column.type is ColumnType.TEXT:
        return ReferenceColumn(column, Texts())
    return ReferenceColumn(column, TextsOfNumbers(), span)


def _is_time(kind: str) -> bool:
    return kind == "DATE" or kind.startswith("TIMESTAMP")


def _is_number(kind: str) -> bool:
    return kind in WHOLE_TYPES | HUGE_TYPES | {"BOOLEAN", "FLOAT", "DOUBLE"} or kind.startswith("DECIMAL")


def _spreads(
    connection: Connection, path: Path, columns: Sequence[ScoredColumn], types: Mapping[str, str]
) -> dict[str, Spread]:
    """The spread of each column that may hold numbers; the others' is empty."""
    spreads = {column.name: Spread() for column in columns}
    asked = [
        column.name
        for column in columns
        if _is_number(types[column.name]) or (column.type in LABELS and not _is_time(types[column.name]))
    ]
    if not asked:
        return spreads
    measures = []
    for name in asked:
        # the least and greatest of a numeric column are in the file's statistics: no row is read for them
        inner = identifier(name) if _is_number(types[name]) else _number(name, types[name])
        measures += [f"CAST(min({inner}) AS DOUBLE)", f"CAST(max({inner}) AS DOUBLE)"]
    answer = _row(connection, path, measures)
    for place, name in enumerate(asked):
        spreads[name] = _finite_spread(connection, path, _number(name, types[name]), *answer[2 * place :][:2])
    return spreads


def _finite_spread(
    connection: Connection, path: Path, number: str, least: float | None, most: float | None
) -> Spread:
    """The spread, looking again where infinity, or NaN as the engine's greatest number, is in it."""
    if least is None or most is None:
        return Spread()
    if math.isfinite(least) and math.isfinite(most):
        return Spread(least, most)
    only = f"FILTER (isfinite({number}))"
    least, most = _row(connection, path, [f"min({number}) {only}", f"max({number}) {only}"])
    return Spread(least or 0.0, most or 0.0, finite=False)


def _number(name: str, kind: str) -> str:
    """A column as double; text that is no number is NULL."""
    column = identifier(name)
    return f"CAST({column} AS DOUBLE)" if _is_number(kind) else f"double_of(CAST({column} AS VARCHAR))"


def _row(connection: Connection, path: Path, measures: Sequence[str]) -> tuple[Any, ...]:
    """One row of measures over the whole reference."""
    sql = f"SELECT {', '.join(measures)} FROM read_parquet(?)"
    row: tuple[Any, ...] = connection.execute(sql, [str(path)]).fetchall()[0]
    return row
