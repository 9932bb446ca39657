"""That nothing removed is left: catalog and mounted files are read as an agent could read them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from workbench.ehr.connect import Connection, connect, literal
from workbench.ehr.importers.written import rows_of
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.task_files import CATALOG, TABLES_FOLDER
from workbench.records import BadInput, file_sha256, read_regular

SHORTEST_IN_BYTES = 6
"""Shorter names could stand in a binary file by chance."""
TEXTS = {
    "schema": ("duckdb_schemas", "schema_name", "schema_name, sql, comment"),
    "table": ("duckdb_tables", "table_name", "table_name, sql, comment"),
    "view": ("duckdb_views", "view_name", "view_name, sql, comment"),
    "macro": ("duckdb_functions", "function_name", "function_name, macro_definition, comment, description"),
    "type": ("duckdb_types", "type_name", "type_name, comment, array_to_string(labels, ' ')"),
    "sequence": ("duckdb_sequences", "sequence_name", "sequence_name, sql, comment"),
    "index": ("duckdb_indexes", "index_name", "index_name, sql, comment"),
    "comment on column": ("duckdb_columns", "column_name", "comment"),
}
"""Everything in a catalog that holds text, by kind: where it is listed, its name, its texts."""
NO_ORIGINALS: Mapping[str, tuple[Path, str]] = {}
ALL_OURS = frozenset({"duckdb_sequences", "duckdb_indexes"})
"""Lists without built-in entries."""
IDENTIFIERS = (
    "SELECT column_name FROM duckdb_columns() WHERE NOT internal "
    "UNION SELECT view_name FROM duckdb_views() WHERE NOT internal"
)


def leaks(
    folder: Path,
    visible: Mapping[str, str],
    removed: Collection[str],
    *,
    declared: Collection[str] = (),
    removed_files: Collection[Path] = (),
    originals: Mapping[str, tuple[Path, str]] = NO_ORIGINALS,
) -> list[str]:
    """What a task database ``folder`` tells of ``removed`` (qualified names); empty if nothing.

    ``visible`` maps each allowed table to its file inside; ``declared`` are allowed tables whose column names
    may equal a removed table's; ``removed_files`` are files whose bytes must not be there under any name;
    ``originals`` are each allowed table's own file and SHA-256: that inside must be a link to it or a copy.

    The catalog may hold the allowed views and nothing else, whatever it says: no comment, macro or table.
    """
    names = {name.split(".")[1] for name in removed}
    if not any(table.startswith(f"{DERIVED_SCHEMA}.") for table in visible):
        names.add(DERIVED_SCHEMA)
    found = [*_unexpected_files(folder, visible), *_other_content(folder, visible, originals)]
    try:
        connection = connect(folder / CATALOG, read_only=True)
    except BadInput as error:
        return [*found, f"{CATALOG}: {error.what}"]
    try:
        found += _in_catalog(connection, visible, names, declared)
        found += _besides_views(connection, visible)
        found += _in_parquet(connection, folder, names, declared)
        found += _same_bytes(connection, folder, removed_files)
        identifiers = {row[0] for row in connection.execute(IDENTIFIERS).fetchall()}
    finally:
        connection.close()
    found += _in_bytes(folder / CATALOG, names, identifiers)
    return found


def _mentions(text: str, names: Collection[str]) -> list[str]:
    """The names that stand in ``text`` as whole identifiers, whatever their case."""
    words = {word.lower() for word in re.findall(r"\w+", text)}
    return sorted(words.intersection(name.lower() for name in names))


def _unexpected_files(folder: Path, visible: Mapping[str, str]) -> Iterator[str]:
    allowed = {CATALOG, TABLES_FOLDER} | {f"{TABLES_FOLDER}/{Path(file).name}" for file in visible.values()}
    there = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
    for name, path in there.items():
        if name not in allowed:
            yield f"unexpected file {name}"
        elif path.is_symlink() or not (path.is_file() or name == TABLES_FOLDER):
            yield f"{name} is no regular file"
    yield from (f"missing file {name}" for name in sorted(allowed - there.keys()))


def _other_content(
    folder: Path, visible: Mapping[str, str], originals: Mapping[str, tuple[Path, str]]
) -> Iterator[str]:
    """Allowed names with other files under them, such as a target's rows renamed, rounded or shuffled."""
    for table, (original, sha256) in originals.items():
        path = folder / TABLES_FOLDER / Path(visible[table]).name
        if path.is_file() and not path.samefile(original) and file_sha256(path) != sha256:
            yield f"file {path.name} does not hold the table {table}"


def _in_catalog(
    connection: Connection, visible: Mapping[str, str], names: Collection[str], declared: Collection[str]
) -> Iterator[str]:
    for kind, (listing, named, texts) in TEXTS.items():
        own = "" if listing in ALL_OURS else "WHERE NOT internal"
        query = f"SELECT {named}, concat_ws(' ', {texts}) FROM {listing}() {own}"
        for name, text in connection.execute(query).fetchall():
            yield from (f"{kind} {name} mentions {word}" for word in _mentions(str(text or ""), names))
    columns = connection.execute(
        "SELECT schema_name || '.' || table_name, column_name FROM duckdb_columns() WHERE NOT internal"
    ).fetchall()
    for table, column in columns:
        if table not in declared:
            yield from (f"column {table}.{column} mentions {word}" for word in _mentions(str(column), names))
    views = connection.execute(
        "SELECT schema_name || '.' || view_name, sql FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    for table, sql in views:
        if table not in visible:
            yield f"view {table} is not among the allowed tables"
        elif not str(sql).endswith(f" AS SELECT * FROM read_parquet({literal(visible[table])});"):
            yield f"view {table} reads something else than its own file"
    yield from (f"no view {table}" for table in sorted(visible.keys() - {table for table, _ in views}))


def _besides_views(connection: Connection, visible: Mapping[str, str]) -> Iterator[str]:
    """What a catalog of views alone does not have, such as a macro or comment that holds a target's SQL."""
    for kind in ("table", "macro", "type", "sequence", "index"):
        listing, named, _ = TEXTS[kind]
        own = "" if listing in ALL_OURS else "WHERE NOT internal"
        there = f"SELECT DISTINCT {named} FROM {listing}() {own} ORDER BY ALL"
        yield from (f"{kind} {name} is not allowed" for (name,) in connection.execute(there).fetchall())
    schemas = {table.split(".")[0] for table in visible}
    there = "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal ORDER BY ALL"
    for (name,) in connection.execute(there).fetchall():
        if name not in schemas:
            yield f"schema {name} is not among those of the allowed tables"
    for kind, (listing, named, texts) in TEXTS.items():
        if "comment" in texts and kind != "macro":
            on = "column" if kind == "comment on column" else kind
            there = f"SELECT DISTINCT {named} FROM {listing}() WHERE comment IS NOT NULL ORDER BY ALL"
            yield from (f"a comment on {on} {name}" for (name,) in connection.execute(there).fetchall())


def _in_parquet(
    connection: Connection, folder: Path, names: Collection[str], declared: Collection[str]
) -> Iterator[str]:
    files = str(folder / TABLES_FOLDER / "*.parquet")
    texts = connection.execute(
        "SELECT file_name, concat_ws(' ', decode(key), decode(value)), TRUE FROM parquet_kv_metadata($1) "
        "UNION ALL SELECT file_name, created_by, TRUE FROM parquet_file_metadata($1) "
        "UNION ALL SELECT file_name, name, FALSE FROM parquet_schema($1)",
        [files],
    ).fetchall()
    for file, text, metadata in texts:
        table = Path(str(file)).name.removesuffix(".parquet")
        if metadata or table not in declared:
            place = "metadata" if metadata else "a column name"
            yield from (f"file of {table}: {place} mentions {word}" for word in _mentions(str(text), names))


def _in_bytes(catalog: Path, names: Collection[str], identifiers: Collection[str]) -> Iterator[str]:
    """Traces of dropped objects in the file; names that are part of an allowed identifier are left out."""
    content = read_regular(catalog).lower()
    for name in sorted(names):
        if len(name) < SHORTEST_IN_BYTES or any(name in identifier for identifier in identifiers):
            continue
        if name.encode() in content:
            yield f"{CATALOG} holds the bytes of the name {name}"


def _same_bytes(connection: Connection, folder: Path, removed_files: Collection[Path]) -> Iterator[str]:
    """A removed table's file under another name; tables without rows are alike and tell nothing."""
    sizes: dict[int, list[Path]] = {}
    for path in removed_files:
        if path.is_file() and rows_of(connection, path):
            sizes.setdefault(path.stat().st_size, []).append(path)
    for path in sorted((folder / TABLES_FOLDER).glob("*.parquet")):
        for hidden in sizes.get(path.stat().st_size, []):
            if path.samefile(hidden) or file_sha256(path) == file_sha256(hidden):
                yield f"file {path.name} has the content of a removed table"
