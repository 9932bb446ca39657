"""The Parquet files of a schema variant: written once a source, shared by all its tasks."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.ehr.connect import Connection, DuckDBError, connect, count, engine_failure, identifier, literal
from workbench.ehr.importers.written import PARQUET
from workbench.ehr.sources import SHARED_MODE, source_lock
from workbench.ehr.stored_files import why_damaged
from workbench.ehr.task_files import TaskFile
from workbench.ehr.variants.names import SchemaNames
from workbench.records import (
    BadInput,
    DataPaths,
    Progress,
    Settings,
    Source,
    VariantPart,
    VariantTable,
    VariantTables,
    file_sha256,
    silent,
)
from workbench.store import atomic_write, owned_folder, private_folder, writing

WAIT_S = 3600.0


def ensure_variant_files(
    data: DataPaths,
    source: Source,
    names: SchemaNames,
    files: Sequence[TaskFile],
    *,
    progress: Progress = silent,
    settings: Settings | None = None,
) -> list[TaskFile]:
    """The files under the variant's names that hold ``files`` (published names), in name order.

    What is missing or was made from something else is written. Raises BadInput where a table or column is not
    in the dictionary, or where only a part of a merged table is wanted.
    """
    wanted = _parts(names, files)
    with source_lock(data, source.name, "variants", wait_s=WAIT_S):
        kept = _load(data, source, names)
        made: list[VariantTable] = []
        for number, (new, parts) in enumerate(wanted.items()):
            progress(f"{names.variant} tables", number, len(wanted), "files")
            path = data.source(source.name).variant_table(names.variant, new)
            table = kept.table(new)
            if table is None or not _holds(table, parts, path):
                table = _write(data, names, new, parts, path, settings)
                others = [item for item in kept.tables if item.table != new]
                kept = kept.model_copy(update={"tables": sorted([*others, table], key=_name)})
                atomic_write(data.source(source.name).variant_manifest(names.variant), kept.to_json() + "\n")
            made.append(table)
    folder = data.source(source.name)
    return [
        TaskFile(table.table, folder.variant_table(names.variant, table.table), table.sha256)
        for table in sorted(made, key=_name)
    ]


def variant_bytes(data: DataPaths, source: Source, names: SchemaNames) -> int:
    """What the variant's files of this source take on disk."""
    return sum(table.bytes for table in _load(data, source, names).tables)


def _name(table: VariantTable) -> str:
    return table.table


def _parts(names: SchemaNames, files: Sequence[TaskFile]) -> dict[str, list[TaskFile]]:
    """New table to the published files in it, in the order of their kinds."""
    by_table = {file.table: file for file in files}
    found: dict[str, list[TaskFile]] = {}
    for table in by_table:
        new = names.table(table).name
        together = names.merged.get(new, [table])
        if lacking := [name for name in together if name not in by_table]:
            raise BadInput(f"{table} is merged with tables that are not there: {', '.join(lacking)}")
        found[new] = [by_table[name] for name in together]
    return dict(sorted(found.items()))


def _load(data: DataPaths, source: Source, names: SchemaNames) -> VariantTables:
    empty = VariantTables(variant=names.variant, names_hash=names_hash(names), tables=[])
    manifest = data.source(source.name).variant_manifest(names.variant)
    if not manifest.is_file():
        return empty
    try:
        kept = VariantTables.load(manifest)
    except BadInput:
        return empty
    return kept if kept.names_hash == empty.names_hash else empty


def names_hash(names: SchemaNames) -> str:
    """Of every name and its new one."""
    digest = hashlib.sha256(f"{names.variant} {names.kind_column}\n".encode())
    for table, new in names.tables.items():
        digest.update(f"{table} {new.name} {new.kind} {' '.join(names.of_table[table])}\n".encode())
    for column, name in names.columns.items():
        digest.update(f"{column} {name}\n".encode())
    return digest.hexdigest()


def _holds(table: VariantTable, parts: Sequence[TaskFile], path: Path) -> bool:
    made_of = [(part.table, part.sha256) for part in table.parts]
    return made_of == [(part.table, part.sha256) for part in parts] and not why_damaged(path, table.bytes)


def _write(
    data: DataPaths,
    names: SchemaNames,
    new: str,
    parts: Sequence[TaskFile],
    path: Path,
    settings: Settings | None,
) -> VariantTable:
    private_folder(path.parent.parent)
    private_folder(path.parent)
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    with owned_folder(data, "variant") as spill, connect(settings=settings, temp_folder=spill) as connection:
        try:
            selects = [_select(connection, names, file) for file in parts]
            ordered = ", ".join(identifier(name) for name in names.columns_of(new))
            together = " UNION ALL BY NAME ".join(selects)
            with writing(part):
                connection.execute(
                    f"COPY (SELECT {ordered} FROM ({together})) TO {literal(str(part))} ({PARQUET})"
                )
            rows = count(connection, f"SELECT count(*) FROM read_parquet({literal(str(part))})")
        except DuckDBError as error:
            part.unlink(missing_ok=True)
            raise engine_failure(error, f"writing a table of the {names.variant} variant") from None
    with writing(path):
        part.chmod(SHARED_MODE)
        part.replace(path)
    made_of = [VariantPart(table=file.table, sha256=file.sha256) for file in parts]
    return VariantTable(
        table=new, parts=made_of, rows=rows, bytes=path.stat().st_size, sha256=file_sha256(path)
    )


def _select(connection: Connection, names: SchemaNames, file: TaskFile) -> str:
    """A published table under its new names, with its kind if it is merged. Raises BadInput."""
    read = f"read_parquet({literal(str(file.path))})"
    there = [str(row[0]) for row in connection.execute(f"DESCRIBE FROM {read}").fetchall()]
    described = list(names.of_table[file.table])
    if there != described:
        other = sorted(set(there) ^ set(described))
        raise BadInput(
            f"the dictionary describes other columns of {file.table} than its file has"
            + (f": {', '.join(other)}" if other else " (in another order)"),
            remedy="Correct tasks/dictionaries.",
        )
    kind = names.tables[file.table].kind
    kinds = [f"{literal(kind)} AS {identifier(names.kind_column)}"] if kind else []
    columns = [f"{identifier(name)} AS {identifier(names.columns[name])}" for name in there]
    return f"SELECT {', '.join([*kinds, *columns])} FROM {read}"


def published_views(
    names: SchemaNames, new_files: Mapping[str, str], published: Sequence[str]
) -> dict[str, str]:
    """Published table to the query that gives it back from the variant's files.

    ``new_files``: the variant's table to its file.
    """
    views: dict[str, str] = {}
    for table in published:
        new = names.table(table)
        columns = ", ".join(
            f"{identifier(names.columns[name])} AS {identifier(name)}" for name in names.of_table[table]
        )
        only = f" WHERE {identifier(names.kind_column)} = {literal(new.kind)}" if new.kind else ""
        views[table] = f"SELECT {columns} FROM read_parquet({literal(new_files[new.name])}){only}"
    return views
