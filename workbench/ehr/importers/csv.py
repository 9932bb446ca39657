"""Tables as .csv or .csv.gz, as PhysioNet hands them out: every bad value is told by table and line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.ehr.connect import Connection, DuckDBError, count, disk_failure, engine_failure, literal
from workbench.ehr.importers.columns import WHOLE, Conversion, conversions, match_columns
from workbench.ehr.importers.csv_lines import RETRY, first_odd_line, header, lines_at, lines_of, truncated
from workbench.ehr.importers.written import (
    SHOWN,
    BadValueFound,
    Written,
    bad_condition,
    listed,
    write_parquet,
)
from workbench.ehr.layouts import Located
from workbench.ehr.schema import TableSchema
from workbench.records import BadInput, WorkbenchError

REJECTS_KEPT = 100
FAULTS = {
    "CAST": "no valid {type}",
    "MISSING COLUMNS": "too few fields",
    "TOO MANY COLUMNS": "too many fields",
    "UNQUOTED VALUE": "a quote that does not end",
    "INVALID ENCODING": "not UTF-8",
    "LINE SIZE OVER MAXIMUM": "too long",
}
"""The engine's kinds of rejected lines in words."""


def write_table(
    connection: Connection, located: Located, table: TableSchema, target: Path, tick: Callable[[float], None]
) -> Written:
    """Write one CSV file as typed Parquet. Raises BadInput by table, line and column, never with a value."""
    where = str(located.path)
    names = header(located, table)
    matched = match_columns(table, names, where)
    read_as = {name: _read_type(table, name) for name in names}
    columns = conversions(table, read_as, where)
    relation = _relation(located.path, read_as)
    _forget_rejects(connection)
    try:
        rows = write_parquet(connection, columns, relation, target, tick)
    except BadValueFound:
        raise _bad_values(connection, located, table, columns, relation) from None
    except DuckDBError as error:
        raise _unreadable(error, located, table, len(names)) from None
    rejected = _rejected(connection, located, table)
    if rejected:
        raise _refusal(table, located, rejected, _rejected_total(connection))
    return Written(rows, matched.missing, matched.dropped, [])


def _read_type(table: TableSchema, name: str) -> str:
    """Whole numbers are read as DOUBLE, since the engine would round a fraction in silence."""
    kind = table.types.get(name.lower(), "VARCHAR")
    return "DOUBLE" if kind in WHOLE or kind == "REAL" else kind


def _relation(path: Path, read_as: dict[str, str]) -> str:
    declared = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in read_as.items())
    return (
        f"read_csv({literal(str(path))}, columns = {{{declared}}}, header = true, auto_detect = false, "
        "delim = ',', quote = '\"', escape = '\"', nullstr = '', store_rejects = true, "
        f"rejects_limit = {REJECTS_KEPT})"
    )


def _unreadable(error: DuckDBError, located: Located, table: TableSchema, width: int) -> WorkbenchError:
    text = str(error)
    if full := disk_failure(error, f"importing {table.name}"):
        return full
    if "GZIP" in text.upper():
        return truncated(located, table)
    if "CSV" not in text:
        return engine_failure(error, f"importing {table.name}", str(located.path))
    line = first_odd_line(located, table, width)
    place, why = (f", line {line}", "") if line else ("", " (mixed line ends or quotes)")
    return BadInput(
        f"{table.name}{place}: cannot be parsed as CSV{why}", where=str(located.path), remedy=RETRY
    )


def _forget_rejects(connection: Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS reject_errors")
    connection.execute("DROP TABLE IF EXISTS reject_scans")


def _rejected(connection: Connection, located: Located, table: TableSchema) -> list[str]:
    """The first rejected lines in words. The engine counts records, so lines are found by byte position."""
    found = connection.execute(
        "SELECT line_byte_position - 1, arg_min(column_name, column_idx), "
        "coalesce(arg_min(error_type, column_idx), any_value(error_type)) "
        f"FROM reject_errors GROUP BY line_byte_position ORDER BY line_byte_position LIMIT {SHOWN}"
    ).fetchall()
    lines = lines_at(located, [int(position) for position, _, _ in found])
    return [
        _phrase(table, line, column, str(kind)) for line, (_, column, kind) in zip(lines, found, strict=True)
    ]


def _rejected_total(connection: Connection) -> int:
    return count(connection, "SELECT count(DISTINCT line_byte_position) FROM reject_errors")


def _phrase(table: TableSchema, line: int, column: str | None, kind: str) -> str:
    what = FAULTS.get(kind, "cannot be parsed").format(type=table.types.get(str(column).lower(), "text"))
    named = f", column {column}" if kind == "CAST" and column else ""
    return f"line {line}{named}: {what}"


def _refusal(table: TableSchema, located: Located, places: Sequence[str], total: int) -> BadInput:
    more = "at least " if total >= REJECTS_KEPT else ""
    lines = "1 bad line" if total == 1 else f"{more}{total} bad lines"
    return BadInput(f"{table.name}: {lines}: {listed(places, total)}", where=str(located.path), remedy=RETRY)


def _bad_values(
    connection: Connection, located: Located, table: TableSchema, columns: Sequence[Conversion], relation: str
) -> BadInput:
    """Read once more to find the lines: the engine's rejected ones first, else those of bad values."""
    _forget_rejects(connection)
    found = connection.execute(
        f"SELECT record, bad[1] FROM (SELECT row_number() OVER () AS record, {bad_condition(columns)} AS bad "
        f"FROM {relation}) WHERE len(bad) > 0 ORDER BY record LIMIT {REJECTS_KEPT}"
    ).fetchall()
    rejected = _rejected(connection, located, table)
    if rejected:
        return _refusal(table, located, rejected, _rejected_total(connection))
    lines = lines_of(located, table, [int(record) for record, _ in found[:SHOWN]])
    places = [
        f"line {line}, column {name}: no valid {table.types[name]}"
        for line, (_, name) in zip(lines, found, strict=False)
    ]
    return _refusal(table, located, places, len(found))
