"""The last step of every form: a select becomes one Parquet file, or a message about bad values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr.connect import Connection, DuckDBError, count, literal
from workbench.ehr.importers.columns import BAD_VALUE, Conversion
from workbench.ehr.long_statement import execute_watched

PARQUET = "FORMAT parquet, COMPRESSION zstd"
SHOWN = 5
"""Bad places that a message lists."""


@dataclass(frozen=True)
class Written:
    """One finished table file."""

    rows: int
    missing: list[str]
    dropped: list[str]
    converted: list[str]


class BadValueFound(Exception):
    """The select met a bad value; where it is has still to be found."""

    def __init__(self, column: str) -> None:
        self.column = column
        super().__init__(column)


def write_parquet(
    connection: Connection,
    columns: Sequence[Conversion],
    relation: str,
    target: Path,
    tick: Callable[[float], None],
) -> int:
    """Write ``relation`` (SQL) converted to ``target``; the number of rows.

    Raises BadValueFound, or the engine's error.
    """
    selected = ", ".join(column.projected for column in columns)
    try:
        execute_watched(
            connection,
            f"COPY (SELECT {selected} FROM {relation}) TO {literal(str(target))} ({PARQUET})",
            tick,
        )
    except DuckDBError as error:
        column = bad_column(error)
        if column:
            raise BadValueFound(column) from None
        raise
    return rows_of(connection, target)


def write_empty(connection: Connection, columns: Sequence[Conversion], target: Path) -> None:
    """A table of the right columns without a row."""
    selected = ", ".join(column.projected for column in columns)
    connection.execute(f"COPY (SELECT {selected} LIMIT 0) TO {literal(str(target))} ({PARQUET})")


def rows_of(connection: Connection, parquet: Path) -> int:
    """Rows of a Parquet file, from its footer."""
    return count(connection, "SELECT sum(num_rows) FROM parquet_file_metadata(?)", [str(parquet)])


def bad_column(error: DuckDBError) -> str:
    """The column that a projection failed on, or empty if the error is another one."""
    _, found, tail = str(error).partition(BAD_VALUE)
    return tail.split()[0].strip("'\"") if found else ""


def bad_condition(columns: Sequence[Conversion]) -> str:
    """SQL list of the names of columns that are bad in a row."""
    tests = [
        f"CASE WHEN {column.bad} THEN {literal(column.column.name)} END" for column in columns if column.bad
    ]
    return f"list_filter([{', '.join(tests)}], lambda name: name IS NOT NULL)" if tests else "[]"


def listed(places: Sequence[str], total: int) -> str:
    """``places`` as one phrase, with how many more there are."""
    more = total - len(places)
    return "; ".join(places) + (f"; and {more} more" if more > 0 else "")
