"""Tables of an existing DuckDB file: base tables, or views over files elsewhere on the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.ehr.connect import Connection, DuckDBError, connect, identifier, literal
from workbench.ehr.importers.typed import write_relation
from workbench.ehr.importers.written import Written
from workbench.ehr.layouts import Located
from workbench.ehr.schema import TableSchema
from workbench.records import BadInput, Settings


def open_given(path: Path, settings: Settings | None, temp_folder: Path) -> Connection:
    """The database whose tables are to be read, read-only; relative paths in its views start beside it."""
    connection = connect(path, read_only=True, settings=settings, temp_folder=temp_folder)
    connection.execute(f"SET file_search_path = {literal(str(path.parent))}")
    return connection


def write_table(
    connection: Connection, located: Located, table: TableSchema, target: Path, tick: Callable[[float], None]
) -> Written:
    """Write one relation with the published types. Raises BadInput by table and column."""
    relation = ".".join(identifier(part) for part in located.relation)
    try:
        given = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    except DuckDBError:
        raise BadInput(
            f"{table.name}: its view cannot be read, since the files it reads have moved or changed",
            where=located.where,
            remedy="Put the Parquet files back, or import their folder instead of the database.",
        ) from None
    types = {str(name): str(kind) for name, kind, *_ in given}
    return write_relation(connection, located, table, types, relation, target, tick)
