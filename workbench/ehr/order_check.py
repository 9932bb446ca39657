"""Whether a reference's rows depend on the stored order of its inputs or on the number of threads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.ehr.concept_build import concepts_in, ensure_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import Connection, DuckDBError, engine_failure, identifier, literal, qualified
from workbench.ehr.schema import DERIVED_SCHEMA, MAIN
from workbench.ehr.source_views import open_source
from workbench.records import DataPaths, Part, Reference, Settings, Source, Task
from workbench.sql import reads

MOST_ROWS = 3_000_000
"""Of all tables that are read: above, deriving it twice more takes too long for a test."""
NEAR = 1e-9
"""Computed numbers as near as this, relatively, are equal: sums round otherwise in another order."""
ORDERS = (("file_row_number DESC", 1), ("hash(file_row_number)", 4))
"""Orders of the rows, each with a number of threads."""


class OrderCheck(Part):
    """``columns``: in how many rows each differs at most; ``rows``: that come or go; ``skipped``: why not."""

    columns: dict[str, int] = {}
    rows: int = 0
    skipped: str = ""


def depends_on_order(
    data: DataPaths,
    source: Source,
    task: Task,
    reference: Reference,
    sql: str,
    concept_sql: ConceptSql,
    *,
    settings: Settings | None = None,
) -> OrderCheck:
    """The built ``reference`` beside what ``sql`` gives on the same rows in other orders. Counts only."""
    concepts = concepts_in(sql)
    if concepts:
        ensure_concepts(data, source, concept_sql, concepts, settings=settings)
    paths, read = data.source(source.name), reads(sql)
    read |= {f"{MAIN}.{name}" for name in read if "." not in name}
    counts = {table.table: table.rows for table in source.tables if table.table in read}
    if sum(counts.values()) > MOST_ROWS:
        return OrderCheck(skipped=f"more than {MOST_ROWS} rows are read")
    files = {name: paths.table(name) for name in counts}
    files |= {f"{DERIVED_SCHEMA}.{name}": paths.concept(concept_sql.revision, name) for name in concepts}
    stored = paths.reference(task.family, reference.target)
    found = OrderCheck()
    for order, threads in ORDERS:
        used = (settings or Settings()).model_copy(update={"duckdb_threads": threads})
        opened = open_source(
            data, source, concept_revision=concept_sql.revision, concepts=concepts, settings=used,
            beside=[stored],
        )  # fmt: skip
        with opened as connection:
            try:
                _reorder(connection, files, order)
                more = _compare(connection, sql, stored, reference)
            except DuckDBError as error:
                raise engine_failure(error, f"deriving {task.family} in another order of rows") from None
        columns = {
            name: max(found.columns.get(name, 0), more.columns.get(name, 0))
            for name in reference.columns
            if name in found.columns or name in more.columns
        }
        found = OrderCheck(columns=columns, rows=max(found.rows, more.rows))
    return found


def _reorder(connection: Connection, files: Mapping[str, Path], order: str) -> None:
    """Tables in place of the views of them, with rows stored in that order."""
    for name, file in files.items():
        rows = f"read_parquet({literal(str(file))}, file_row_number = true)"
        connection.execute(f"DROP VIEW {qualified(name)}")
        connection.execute(
            f"CREATE TABLE {qualified(name)} AS "
            f"SELECT * EXCLUDE (file_row_number) FROM {rows} ORDER BY {order}"
        )


def _compare(connection: Connection, sql: str, stored: Path, reference: Reference) -> OrderCheck:
    connection.execute(f"CREATE TEMP TABLE derived AS\n{sql.rstrip().rstrip(';')}\n")
    kinds = {str(row[0]): str(row[1]) for row in connection.execute("DESCRIBE derived").fetchall()}
    shared = ", ".join(map(identifier, reference.keys))
    values = [name for name in reference.columns if name not in reference.keys]
    unlike = [_differs(identifier(name), kinds[name]) for name in values]
    differs = [f"count(*) FILTER (a.here AND b.here AND {told})" for told in unlike]
    lone, *numbers = connection.execute(
        f"SELECT {', '.join(['count(*) FILTER (a.here IS NULL OR b.here IS NULL)', *differs])} "
        f"FROM (SELECT *, TRUE AS here FROM read_parquet({literal(str(stored))})) AS a "
        f"FULL JOIN (SELECT *, TRUE AS here FROM derived) AS b USING ({shared})"
    ).fetchall()[0]
    return OrderCheck(
        columns={name: int(number) for name, number in zip(values, numbers, strict=True) if number},
        rows=int(lone),
    )


def _differs(column: str, kind: str) -> str:
    distinct = f"a.{column} IS DISTINCT FROM b.{column}"
    if kind not in ("DOUBLE", "FLOAT"):
        return distinct
    far = f"abs(a.{column} - b.{column}) > {NEAR} * greatest(abs(a.{column}), abs(b.{column}))"
    return f"{distinct} AND coalesce({far}, TRUE)"
