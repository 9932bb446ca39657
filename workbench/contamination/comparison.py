"""A table-like file beside a private reference: positions of its rows, and how many values agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.contamination.fingerprint import CANARY_PREFIX
from workbench.contamination.row_order import MAX_ROWS, order_chance
from workbench.ehr.connect import Connection, connect, identifier, literal
from workbench.records import Task

_CSV = (
    "read_csv($file, header = true, all_varchar = true, strict_mode = false, null_padding = true, {delimiter}"
    "quote = '\"', escape = '\"', ignore_errors = true, max_line_size = 10000000, parallel = false)"
)
_READERS = {
    ".csv": _CSV.format(delimiter="delim = ',', "),
    ".tsv": _CSV.format(delimiter="delim = '\t', "),
    ".txt": "read_csv($file, header = true, all_varchar = true, ignore_errors = true)",
    ".parquet": "read_parquet($file)",
    ".json": "read_json_auto($file)",
    ".jsonl": "read_json_auto($file, format = 'newline_delimited')",
    ".ndjson": "read_json_auto($file, format = 'newline_delimited')",
}


MAX_CHECKED_ROWS = 50_000
EXPLAINED_BELOW_LOG10 = -6.0
"""Log10 of the chance below which a sorting explains the reference's own order."""


@dataclass(frozen=True)
class Comparison:
    """``positions``: place in the reference's file of each row that has a partner, in the file's order.

    ``agreeing``: rows whose required columns all agree (None where a column is missing).
    ``reference_random``: no column of the reference explains its own order, so order can prove something.
    """

    rows: int
    positions: Sequence[int]
    agreeing: int | None
    reference_random: bool


def comparable(name: str) -> str:
    """The reader for a file of this name; empty for others. ``.CSV.gz`` counts as CSV."""
    lowered = name.lower()
    for packed in (".gz", ".zst"):
        lowered = lowered.removesuffix(packed)
    return next((reader for suffix, reader in _READERS.items() if lowered.endswith(suffix)), "")


def compare(
    path: Path, reader: str, reference: Path, task: Task, column_names: Mapping[str, str] | None = None
) -> Comparison | None:
    """Compare a file's first MAX_ROWS rows with a reference; None where the file lacks a key column.

    ``column_names``: what columns may be called in the file, with the task's names. Raises the engine's
    error where the file cannot be read.
    """
    keys = [key.name for key in task.keys]
    own = column_names or {}
    with connect(threads=1) as connection:
        parameters = {"file": str(path)}
        offered = {
            own.get(name := str(row[0]).strip().lower(), name): str(row[0])
            for row in connection.execute(f"DESCRIBE SELECT * FROM {reader}", parameters).fetchall()
        }
        if any(key not in offered for key in keys):
            return None
        types = _reference_view(connection, reference)
        wanted = [name for name in task.required_columns if name in offered and name in types]
        picked = ", ".join(
            f"nullif(trim(CAST({identifier(offered[name])} AS VARCHAR)), '') AS {identifier(name)}"
            for name in wanted
        )
        connection.execute(
            f"CREATE TEMP TABLE given AS SELECT row_number() OVER () AS given_position, {picked} "
            f"FROM {reader} LIMIT {MAX_ROWS}",
            parameters,
        )
        same_key = " AND ".join("{} = {}".format(*_pair(name, types[name])) for name in keys)
        tolerances = {column.name: column.tolerance for column in task.scored_columns}
        agree = " AND ".join(_agrees(name, types[name], tolerances.get(name, 0.0)) for name in wanted)
        matched = connection.execute(
            f"SELECT r.reference_position, {agree} FROM given g JOIN reference r ON {same_key} "
            "ORDER BY g.given_position"
        ).fetchall()
        rows = connection.execute("SELECT count(*) FROM given").fetchall()[0][0]
        random = _is_random(connection, keys, list(types))
    complete = all(name in wanted for name in task.required_columns)
    agreeing = sum(bool(row[1]) for row in matched) if complete else None
    return Comparison(int(rows), [int(row[0]) for row in matched], agreeing, random)


def _reference_view(connection: Connection, reference: Path) -> dict[str, str]:
    """The reference with its row positions as a view; its columns' types, canary left out."""
    connection.execute(
        "CREATE TEMP VIEW reference AS SELECT * EXCLUDE (file_row_number), "
        f"file_row_number AS reference_position FROM read_parquet({literal(str(reference))}, "
        "file_row_number = true)"
    )
    described = connection.execute("DESCRIBE reference").fetchall()
    return {
        str(row[0]): str(row[1])
        for row in described
        if not str(row[0]).lower().startswith(CANARY_PREFIX) and row[0] != "reference_position"
    }


def _pair(name: str, kind: str) -> tuple[str, str]:
    """SQL of the given and the known value in the reference's kind of type."""
    column = identifier(name)
    if kind.startswith(("TIMESTAMP", "DATE")):
        return f"TRY_CAST(g.{column} AS TIMESTAMP)", f"CAST(r.{column} AS TIMESTAMP)"
    if kind == "VARCHAR":
        return f"g.{column}", f"trim(r.{column})"
    return f"TRY_CAST(g.{column} AS DOUBLE)", f"CAST(r.{column} AS DOUBLE)"


def _agrees(name: str, kind: str, tolerance: float) -> str:
    """SQL for 'given value equals reference value'; two missing values do."""
    given, known = _pair(name, kind)
    numeric = given.endswith("DOUBLE)")
    same = f"abs({given} - {known}) <= {tolerance + 1e-9!r}" if numeric else f"{given} = {known}"
    column = identifier(name)
    return f"((g.{column} IS NULL AND r.{column} IS NULL) OR coalesce({same}, false))"


def _is_random(connection: Connection, keys: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether sorting the reference by its keys, or by any one column, leaves its order unexplained.

    Else an honest output sorted that way would look like a copy.
    """
    by_key = ", ".join(identifier(key) for key in keys)
    for first in ["", *columns]:
        order = f"{identifier(first)}, {by_key}" if first else by_key
        rows = connection.execute(
            f"SELECT reference_position FROM reference WHERE reference_position < {MAX_CHECKED_ROWS} "
            f"ORDER BY {order}"
        ).fetchall()
        if order_chance([int(row[0]) for row in rows]) < EXPLAINED_BELOW_LOG10:
            return False
    return True
