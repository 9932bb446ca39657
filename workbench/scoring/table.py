"""The output as a table whose rows are in file order, its fields read for a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr import Connection, DuckDBError
from workbench.ehr.connect import count, engine_failure
from workbench.scoring.irregular import rewrite
from workbench.scoring.read import OutputFile
from workbench.scoring.reference import ReferenceTable

WIDEST_HEADER = 2_000
LONGEST_LINE_BYTES = 2 << 20
BUFFER_BYTES = 32 << 20
NULL_TEXT = "CAST(NULL AS VARCHAR)"
TEXT_ERRORS = {"InvalidInputException", "ConversionException"}
"""Engine errors that speak of the file's text; any other is the machine's."""


@dataclass(frozen=True)
class OutputTable:
    """Counts of a table of an output. Its columns are ``k0``… and ``v0``…; later rows of a key are gone.

    ``rows`` are those of the file; ``readable`` those whose key could be read; ``unique`` their keys.
    """

    name: str
    rows: int
    readable: int
    unique: int

    @property
    def unreadable(self) -> int:
        return self.rows - self.readable

    @property
    def duplicates(self) -> int:
        return self.readable - self.unique


def load_table(
    connection: Connection, output: OutputFile, reference: ReferenceTable, name: str, scratch: Path
) -> OutputTable:
    """Read the output for ``reference`` into the table ``name``. Raises NotReadable.

    Well-formed CSV goes straight through the engine, in parallel; anything else is first rewritten
    row by row into ``scratch``.
    """
    wanted = [key.name for key in reference.keys] + [column.task.name for column in reference.columns]
    found = {column: position for column in wanted if (position := output.position(column)) is not None}
    if not output.starts_plain or len(output.header) > WIDEST_HEADER or not found:
        return _load_irregular(connection, output, reference, name, scratch, found)
    fields = {column: f"c{position}" for column, position in found.items()}
    names = [f"c{position}" for position in range(len(output.header))]
    try:
        _create(connection, name, reference, fields, names, output.path, header=True)
    except DuckDBError as error:
        if type(error).__name__ not in TEXT_ERRORS:
            raise engine_failure(error, "reading the output") from None
        return _load_irregular(connection, output, reference, name, scratch, found)
    return _without_later_rows(connection, name, len(reference.keys))


def _load_irregular(
    connection: Connection,
    output: OutputFile,
    reference: ReferenceTable,
    name: str,
    scratch: Path,
    found: dict[str, int],
) -> OutputTable:
    clean = scratch / f"{name}.csv"
    # a file without any column asked for still has rows to count: its first column stands for them
    positions = list(found.values()) or [0]
    longest = rewrite(output, positions, clean)
    fields = {column: f"c{place}" for place, column in enumerate(found)}
    names = [f"c{place}" for place in range(len(positions))]
    try:
        _create(connection, name, reference, fields, names, str(clean), header=False, longest_bytes=longest)
    except DuckDBError as error:
        raise engine_failure(error, "reading the output") from None
    return _without_later_rows(connection, name, len(reference.keys))


def _create(
    connection: Connection,
    name: str,
    reference: ReferenceTable,
    fields: dict[str, str],
    names: Sequence[str],
    path: str,
    *,
    header: bool,
    longest_bytes: int = LONGEST_LINE_BYTES,
) -> None:
    inner, outer = [], []
    for place, key in enumerate(reference.keys):
        text = fields.get(key.name, NULL_TEXT)
        inner += [f"{text} AS text{place}", f"{key.tried.format(text=text)} AS tried{place}"]
        outer.append(f"{key.read.format(text=f'text{place}', tried=f'tried{place}')} AS k{place}")
    for place, column in enumerate(reference.columns):
        text = fields.get(column.task.name, NULL_TEXT)
        inner.append(f"{column.comparison.read(text)} AS v{place}")
        outer.append(f"v{place}")
    types = ", ".join(f"{column}: 'VARCHAR'" for column in names)
    connection.execute(f"DROP TABLE IF EXISTS {name}")
    connection.execute(
        f"""
        CREATE TABLE {name} AS
        SELECT {", ".join(outer)}
        FROM (
          SELECT {", ".join(inner)}
          FROM read_csv(
            ?,
            columns = {{{types}}},
            auto_detect = false,
            header = {str(header).lower()},
            delim = ',',
            quote = '"',
            escape = '"',
            max_line_size = {max(longest_bytes, LONGEST_LINE_BYTES)},
            buffer_size = {max(2 * longest_bytes, BUFFER_BYTES)}
          )
        )
        """,
        [path],
    )


def _without_later_rows(connection: Connection, name: str, keys: int) -> OutputTable:
    """Count, and where keys repeat keep the first row of each in file order."""
    key = ", ".join(f"k{place}" for place in range(keys))
    known = " AND ".join(f"k{place} IS NOT NULL" for place in range(keys))
    total = count(connection, f"SELECT count(*) FROM {name}")
    readable = count(connection, f"SELECT count(*) FROM {name} WHERE {known}")
    unique = count(connection, f"SELECT count(*) FROM (SELECT DISTINCT {key} FROM {name} WHERE {known})")
    if unique < readable:
        connection.execute(
            f"""
            CREATE OR REPLACE TEMP TABLE later AS
            SELECT seen.line
            FROM (SELECT {key}, rowid AS line FROM {name}) AS seen
            JOIN (
              SELECT {key}, min(rowid) AS first_line
              FROM {name}
              WHERE {known}
              GROUP BY {key}
              HAVING count(*) > 1
            ) AS repeated USING ({key})
            WHERE seen.line > repeated.first_line
            """
        )
        connection.execute(f"DELETE FROM {name} WHERE rowid IN (SELECT line FROM later)")
    return OutputTable(name, total, readable, unique)
