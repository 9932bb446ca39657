"""Tables as one Parquet file each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.ehr.connect import Connection, DuckDBError, literal
from workbench.ehr.importers.typed import write_relation
from workbench.ehr.importers.written import Written
from workbench.ehr.layouts import Located
from workbench.ehr.schema import TableSchema
from workbench.records import BadInput


def write_table(
    connection: Connection, located: Located, table: TableSchema, target: Path, tick: Callable[[float], None]
) -> Written:
    """Write one Parquet file with the published types. Raises BadInput by table, column and row number."""
    relation = f"read_parquet({literal(str(located.path))})"
    try:
        given = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    except DuckDBError:
        raise BadInput(
            f"{table.name}: not a readable Parquet file (truncated, or of another kind)",
            where=located.where,
            remedy="Write or download the file again.",
        ) from None
    types = {str(name): str(kind) for name, kind, *_ in given}
    return write_relation(connection, located, table, types, relation, target, tick)
