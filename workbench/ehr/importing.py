"""Import a source: all of it or nothing, typed from the published schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.ehr.connect import Connection, connect
from workbench.ehr.fingerprint import content_hash, input_files
from workbench.ehr.importers import csv, duckdb, parquet
from workbench.ehr.importers.columns import conversions
from workbench.ehr.importers.written import Written, write_empty
from workbench.ehr.layouts import Form, Layout, Located, find_database, find_tables
from workbench.ehr.long_statement import show_progress
from workbench.ehr.schema import PublishedSchema, TableSchema, published_schema
from workbench.ehr.sources import (
    check_name,
    load_source,
    publish_source,
    scratch_folder,
    table_file,
    whole_source_lock,
)
from workbench.ehr.stored_files import tables_hold
from workbench.records import (
    SYNTHETIC_NAME,
    BadInput,
    Clock,
    DataPaths,
    Progress,
    Refused,
    Settings,
    Source,
    SourcePaths,
    SystemClock,
    TableFile,
    silent,
)
from workbench.store import get_log, private_folder

Writer = Callable[[Connection, Located, TableSchema, Path, Callable[[float], None]], Written]
WRITERS: dict[Form, Writer] = {
    Form.CSV: csv.write_table,
    Form.PARQUET: parquet.write_table,
    Form.DUCKDB: duckdb.write_table,
}
ORIGINS = {Form.CSV: "CSV files", Form.PARQUET: "Parquet files", Form.DUCKDB: "DuckDB file"}


def import_source(
    data: DataPaths,
    given: Path,
    name: str,
    *,
    database: str | PublishedSchema = "",
    replace: bool = False,
    progress: Progress = silent,
    clock: Clock | None = None,
    settings: Settings | None = None,
) -> Source:
    """Import a database from ``given``: a folder of .csv or .csv.gz, of Parquet, or a DuckDB file.

    Whether it is MIMIC-IV or eICU-CRD shows by the tables' names, unless ``database`` says it; one of the
    user's own is given as its schema.

    The same input under the same name is left as it is while its files are whole; another input replaces the
    source of that name, with all that was derived from it, only where ``replace`` says so. Missing tables
    that nothing needs become empty ones. An error or Ctrl-C leaves what was there. ``progress`` gets bytes of
    the input.

    Raises BadInput by table and line, Refused for a name that another input has and while another process
    uses the source, Unavailable for the disk.
    """
    given = given.expanduser().absolute()
    if isinstance(database, PublishedSchema):
        schema = database
    else:
        schema = published_schema(database) if database else find_database(given)
    layout = find_tables(given, schema)
    check_name(name)
    if SYNTHETIC_NAME.fullmatch(name):
        raise BadInput(f"the name {name} means synthetic data", remedy="Give the import another name.")
    paths = data.source(name)
    with whole_source_lock(data, name):
        total = sum(path.stat().st_size for path in input_files(layout))
        origin_hash = content_hash(
            layout, schema.name, lambda done: progress("checking the input", done, total, "bytes")
        )
        earlier = load_source(data, name) if paths.manifest.is_file() else None
        if earlier and earlier.kind != "imported":
            raise BadInput(
                f"the name {name} is taken by a synthetic source", remedy="Give the import another name."
            )
        same = earlier is not None and earlier.origin_hash == origin_hash
        if earlier and same and tables_hold(data, earlier):
            return earlier
        if earlier and not same and not replace:
            raise Refused(
                f"a source named {name} was imported from another input",
                remedy="Give this one another --name, or add --replace: the earlier source goes, with the "
                "concepts, references and task databases built from it.",
            )
        with scratch_folder(data, f"source-{name}") as scratch:
            made = private_folder(scratch / "made")
            tables = _write_tables(layout, schema, SourcePaths(made), scratch, progress, settings)
            source = Source(
                name=name,
                database=schema.database,
                kind="imported",
                origin=ORIGINS[layout.form],
                origin_hash=origin_hash,
                schema_name=schema.name,
                created=(clock or SystemClock()).now(),
                tables=tables,
            )
            source = publish_source(data, source, made)
    get_log(data).info(
        "source imported",
        extra={
            "ids": {"source": name},
            "counts": {"tables": len(tables), "rows": sum(table.rows for table in tables)},
        },
    )
    return source


@dataclass
class _Meter:
    """Turns shares of single tables into bytes of the whole input."""

    progress: Progress
    total: int
    done: float = 0.0
    label: str = ""
    size: int = field(default=0)

    def begin(self, label: str, size: int) -> None:
        self.label, self.size = label, size
        self.tick(0.0)

    def tick(self, share: float) -> None:
        self.progress(self.label, self.done + share * self.size, self.total, "bytes")

    def end(self) -> None:
        self.done += self.size
        self.size = 0
        self.tick(0.0)


def _write_tables(
    layout: Layout,
    schema: PublishedSchema,
    made: SourcePaths,
    scratch: Path,
    progress: Progress,
    settings: Settings | None,
) -> list[TableFile]:
    private_folder(made.tables)
    sizes = _sizes(layout)
    meter = _Meter(progress, sum(sizes.values()))
    spill = private_folder(scratch / "spill")
    if layout.form is Form.DUCKDB:
        connection = duckdb.open_given(layout.root, settings, spill)
    else:
        connection = connect(settings=settings, temp_folder=spill)
    try:
        show_progress(connection)
        files = []
        for table in schema.tables:
            target = made.table(table.name)
            located = layout.tables.get(table.name)
            if located is None:
                write_empty(connection, conversions(table, {}, ""), target)
                files.append(table_file(target, table.name, 0, empty_because_missing=True))
                continue
            meter.begin(table.name, sizes[table.name])
            written = WRITERS[layout.form](connection, located, table, target, meter.tick)
            files.append(
                table_file(target, table.name, written.rows).model_copy(
                    update={
                        "missing_columns": written.missing,
                        "dropped_columns": written.dropped,
                        "converted_columns": written.converted,
                    }
                )
            )
            meter.end()
    finally:
        connection.close()
    return files


def _sizes(layout: Layout) -> dict[str, int]:
    """Bytes by table; the tables of one DuckDB file count alike."""
    if layout.form is not Form.DUCKDB:
        return {name: located.path.stat().st_size for name, located in layout.tables.items()}
    share = sum(path.stat().st_size for path in input_files(layout)) // len(layout.tables)
    return dict.fromkeys(layout.tables, share)
