"""A variant's database as an agent could read it: no published name in it, and every value as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.ehr.connect import connect, count, literal
from workbench.ehr.leak_check import TEXTS
from workbench.ehr.task_files import CATALOG, TABLES_FOLDER
from workbench.ehr.variants.names import SchemaNames
from workbench.ehr.variants.texts import names_left
from workbench.records import DataPaths, Settings
from workbench.store import owned_folder


def names_in_database(folder: Path, names: SchemaNames) -> list[str]:
    """Where a task database tells a published name: file names, catalog, Parquet columns and metadata."""
    found = [
        f"file {path.relative_to(folder)} tells {name}"
        for path in sorted(folder.rglob("*"))
        for name in names_left(path.name.removesuffix(".parquet"), names, all_code=True)
    ]
    with connect(folder / CATALOG, read_only=True) as connection:
        for kind, (listing, named, texts) in TEXTS.items():
            own = "" if listing in ("duckdb_sequences", "duckdb_indexes") else "WHERE NOT internal"
            query = f"SELECT {named}, concat_ws(' ', {texts}) FROM {listing}() {own}"
            for name, text in connection.execute(query).fetchall():
                found += [f"{kind} {name} tells {left}" for left in _left(names, f"{name} {text or ''}")]
        files = str(folder / TABLES_FOLDER / "*.parquet")
        told = connection.execute(
            "SELECT file_name, concat_ws(' ', decode(key), decode(value)) FROM parquet_kv_metadata($1) "
            "UNION ALL SELECT file_name, name FROM parquet_schema($1)",
            [files],
        ).fetchall()
        for file, text in told:
            found += [f"{Path(str(file)).name} tells {left}" for left in _left(names, str(text))]
    return sorted(set(found))


def _left(names: SchemaNames, text: str) -> list[str]:
    """Names in a text of DuckDB's own making, whose words for views and columns are no names."""
    return names_left(text, names, all_code=True)


def changed_tables(
    data: DataPaths,
    files: Mapping[str, Path],
    given_back: Mapping[str, str],
    *,
    settings: Settings | None = None,
) -> list[str]:
    """Published tables (to their files) that ``given_back`` (to queries over a variant's database) does not
    hold row by row, with how many rows differ; empty if all are the same. Repeated rows count as often as
    they stand there.
    """
    with (
        owned_folder(data, "equivalence") as spill,
        connect(settings=settings, temp_folder=spill) as connection,
    ):

        def differing() -> Iterator[str]:
            for table, query in given_back.items():
                before, now = f"SELECT * FROM read_parquet({literal(str(files[table]))})", query
                types = [
                    [row[:2] for row in connection.execute(f"DESCRIBE {query}").fetchall()]
                    for query in (before, now)
                ]
                if types[0] != types[1]:
                    yield f"{table}: other columns or types"
                    continue
                lost = count(connection, f"SELECT count(*) FROM ({before} EXCEPT ALL {now})")
                new = count(connection, f"SELECT count(*) FROM ({now} EXCEPT ALL {before})")
                if lost or new:
                    yield f"{table}: {lost} rows lost, {new} rows new"

        return list(differing())
