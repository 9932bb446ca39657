"""One source's Parquet files as views under their published names."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.ehr.connect import Connection, connect, identifier, literal, qualified
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.stored_files import check_concepts, check_tables
from workbench.records import DataPaths, Settings, Source
from workbench.store import owned_name, private_folder


@contextlib.contextmanager
def open_source(
    data: DataPaths,
    source: Source,
    *,
    concept_revision: str = "",
    concepts: Iterable[str] = (),
    settings: Settings | None = None,
    beside: Iterable[Path] | None = None,
) -> Iterator[Connection]:
    """An in-memory database whose tables are the source's files and the named concepts, as views.

    With ``beside`` statements reach the tables, these files and folders, and no other file of the host.
    Spilled data goes to a private folder below the scratch folder that is removed at the end. Raises BadInput
    for a file that is not what was stored: the engine would wait for a pipe, and quote what it finds.
    """
    paths = data.source(source.name)
    files = {table.table: paths.table(table.table) for table in source.tables}
    derived = {f"{DERIVED_SCHEMA}.{name}": paths.concept(concept_revision, name) for name in concepts}
    check_tables(data, source)
    check_concepts(data, source, derived)
    spill = private_folder(data.scratch) / owned_name("duckdb")
    private_folder(spill)
    try:
        connection = connect(settings=settings, temp_folder=spill)
        try:
            _create_views(connection, files | derived)
            if beside is not None:
                _confine(connection, [*files.values(), *derived.values(), *beside])
            yield connection
        finally:
            connection.close()
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _create_views(connection: Connection, files: dict[str, Path]) -> None:
    for schema in sorted({table.split(".")[0] for table in files}):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {identifier(schema)}")
    for table, file in files.items():
        connection.execute(
            f"CREATE VIEW {qualified(table)} AS SELECT * FROM read_parquet({literal(str(file))})"
        )


def _confine(connection: Connection, places: Iterable[Path]) -> None:
    """Content's SQL is refused before it comes here; this holds for what a refusal may not see."""
    folders: list[str] = []
    files: list[str] = []
    for place in places:
        (folders if place.is_dir() else files).append(literal(f"{place}/" if place.is_dir() else str(place)))
    connection.execute(f"SET allowed_directories = [{', '.join(folders)}]")
    connection.execute(f"SET allowed_paths = [{', '.join(files)}]")
    connection.execute("SET enable_external_access = false")
