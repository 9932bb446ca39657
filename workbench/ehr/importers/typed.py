"""Tables that come with types (Parquet, DuckDB): converted to the published ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from workbench.ehr.connect import Connection, DuckDBError, disk_failure, engine_failure
from workbench.ehr.importers.columns import conversions, match_columns, text_from_other_types
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
from workbench.records import BadInput


def write_relation(
    connection: Connection,
    located: Located,
    table: TableSchema,
    given: Mapping[str, str],
    relation: str,
    target: Path,
    tick: Callable[[float], None],
) -> Written:
    """Write ``relation`` (SQL) whose columns have the types ``given``. Raises BadInput, Unavailable."""
    matched = match_columns(table, list(given), located.where)
    columns = conversions(table, given, located.where)
    try:
        rows = write_parquet(connection, columns, relation, target, tick)
    except BadValueFound:
        found = connection.execute(
            "SELECT name, count(*), min(record) FROM (SELECT record, unnest(bad) AS name FROM "
            f"(SELECT row_number() OVER () AS record, {bad_condition(columns)} AS bad FROM {relation})) "
            "GROUP BY name ORDER BY min(record)"
        ).fetchall()
        places = [
            f"column {name}: {rows} rows with no valid {table.types[name]}, the first is row {first}"
            for name, rows, first in found[:SHOWN]
        ]
        raise BadInput(
            f"{table.name}: {listed(places, len(found))}",
            where=located.where,
            remedy="Correct the rows, or export the table again.",
        ) from None
    except DuckDBError as error:
        if full := disk_failure(error, f"importing {table.name}"):
            raise full from None
        if "parquet" in str(error).lower():
            raise BadInput(
                f"{table.name}: the Parquet file is damaged",
                where=located.where,
                remedy="Write or download the file again.",
            ) from None
        raise engine_failure(error, f"importing {table.name}", located.where) from None
    return Written(rows, matched.missing, matched.dropped, text_from_other_types(table, given))
