"""The reference computed from what an agent sees: the proof that a task can be solved."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.ehr.concept_build import concepts_read
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import (
    Connection,
    DuckDBError,
    connect,
    engine_failure,
    identifier,
    literal,
    qualified,
)
from workbench.ehr.row_hash import rows_sha256
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.task_files import TABLES_FOLDER
from workbench.ehr.variants import SchemaNames, published_views
from workbench.records import BadInput, DataPaths, Settings, TaskDatabase
from workbench.sql import build_order, reads
from workbench.store import owned_name, private_folder


def hash_from_visible(
    data: DataPaths,
    folder: Path,
    database: TaskDatabase,
    sql: str,
    concept_sql: ConceptSql,
    columns: Sequence[str],
    keys: Sequence[str],
    *,
    names: SchemaNames | None = None,
    settings: Settings | None = None,
) -> str:
    """The row hash of ``sql`` over the files of a task database in ``folder``, a variant's by its ``names``.

    Concepts that are read and not visible are made from the visible tables first, in memory. Raises
    BadInput where something that is read can neither be seen nor made.
    """
    spill = private_folder(private_folder(data.scratch) / owned_name("solvable"))
    connection = connect(settings=settings, temp_folder=spill)
    try:
        seen = visible_queries(folder, database, names)
        _show(connection, seen)
        texts = concept_sql.texts()
        for text in concepts_to_make(sql, texts, set(seen)).values():
            connection.execute(text)
        connection.execute(f"CREATE TEMP TABLE derived AS\n{sql.rstrip().rstrip(';')}\n")
        return rows_sha256(connection, "derived", columns, keys)
    except DuckDBError as error:
        raise engine_failure(error, f"deriving {database.task} from what its agent sees") from None
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


def visible_queries(folder: Path, database: TaskDatabase, names: SchemaNames | None = None) -> dict[str, str]:
    """Each published table that a task database shows, with the query that gives it from the files there."""
    files = {table: str(folder / TABLES_FOLDER / f"{table}.parquet") for table in database.tables}
    if names is None:
        return {table: f"FROM read_parquet({literal(file)})" for table, file in files.items()}
    return published_views(names, files, [table for table, new in names.tables.items() if new.name in files])


def _show(connection: Connection, queries: Mapping[str, str]) -> None:
    for schema in sorted({table.split(".")[0] for table in queries} | {DERIVED_SCHEMA}):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {identifier(schema)}")
    for table, query in queries.items():
        connection.execute(f"CREATE VIEW {qualified(table)} AS {query}")


def concepts_to_make(sql: str, texts: dict[str, str], visible: set[str]) -> dict[str, str]:
    """Concepts to make, in order, with their SQL of ``texts``: what ``sql`` reads and does not see, and what
    these read.

    Raises BadInput for a derived table that is no concept.
    """
    wanted: dict[str, str] = {}
    waiting = [
        name.split(".", 1)[1] for name in sorted(reads(sql) - visible) if name.startswith(DERIVED_SCHEMA)
    ]
    while waiting:
        name = waiting.pop()
        if name in wanted or f"{DERIVED_SCHEMA}.{name}" in visible:
            continue
        if name not in texts:
            raise BadInput(f"the reference reads {DERIVED_SCHEMA}.{name}, which is not a concept")
        wanted[name] = texts[name]
        waiting += concepts_read(texts[name], texts)
    return {name: wanted[name] for name in build_order(wanted)}
