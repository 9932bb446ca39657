"""The identifiers and times of a source as sorted files of distinct values, made once and kept private."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from workbench.ehr.connect import (
    Connection,
    DuckDBError,
    engine_failure,
    engine_version,
    identifier,
    literal,
    qualified,
    rows,
)
from workbench.ehr.identifier_columns import IdentifierColumns, identifier_columns
from workbench.ehr.long_statement import execute_watched, show_progress
from workbench.ehr.source_views import open_source
from workbench.ehr.sources import scratch_folder, source_lock
from workbench.ehr.stored_files import why_damaged
from workbench.records import BadInput, DataPaths, IdentifierSet, Progress, Settings, Source, silent
from workbench.store import atomic_write, owned_name, private_folder, publish_folder, writing

RULES_VERSION = 1
"""Raised when other columns count, or their values are kept otherwise."""
WAIT_S = 600.0
KINDS = {
    "numbers": "value BIGINT, name VARCHAR",
    "keys": "value VARCHAR, name VARCHAR",
    "items": "value BIGINT",
    "days": "value DATE",
    "moments": "value TIMESTAMP",
}
"""Kind of value to its table."""
FEWEST_BEFORE_HYPHEN = 6
"""What stands before the hyphen of a text identifier is one itself where it is so long."""


def ensure_identifiers(
    data: DataPaths, source: Source, *, settings: Settings | None = None, progress: Progress = silent
) -> IdentifierSet:
    """The manifest of a source's identifier files, which are made where they are missing, stale or damaged.

    Raises BadInput where a table's file is not what was stored, Refused while another process makes them for
    longer than ten minutes, Unavailable where memory or disk do not suffice.
    """
    with source_lock(data, source.name, "identifiers", wait_s=WAIT_S):
        kept = _kept(data, source)
        return kept or _build(data, source, settings, progress)


def _kept(data: DataPaths, source: Source) -> IdentifierSet | None:
    paths = data.source(source.name)
    try:
        kept = IdentifierSet.load(paths.identifier_manifest)
    except BadInput:
        return None
    made_of = (kept.source_hash, kept.duckdb_version, kept.rules_version)
    if made_of != (source.content_hash, engine_version(), RULES_VERSION) or set(kept.file_bytes) != set(
        KINDS
    ):
        return None
    damaged = any(why_damaged(paths.identifier_values(kind), size) for kind, size in kept.file_bytes.items())
    return None if damaged else kept


def _build(data: DataPaths, source: Source, settings: Settings | None, progress: Progress) -> IdentifierSet:
    paths = data.source(source.name)
    with (
        scratch_folder(data, f"identifiers-{source.name}") as scratch,
        open_source(data, source, settings=settings) as connection,
    ):
        made = private_folder(scratch / paths.identifiers.name)
        try:
            show_progress(connection)
            columns = identifier_columns(source.database, _columns(connection, source))
            _collect(connection, source, columns, progress)
            sizes = {
                kind: _write(connection, kind, made / paths.identifier_values(kind).name) for kind in KINDS
            }
            lengths: dict[str, dict[int, int]] = {}
            for name, digits, count in rows(connection, _LENGTHS):
                lengths.setdefault(str(name), {})[int(str(digits))] = int(str(count))
        except DuckDBError as error:
            raise engine_failure(error, f"collecting the identifiers of source {source.name}") from None
        found = IdentifierSet(
            source_hash=source.content_hash,
            duckdb_version=engine_version(),
            rules_version=RULES_VERSION,
            stay_columns=sorted(columns.stay_columns),
            lengths=lengths,
            file_bytes=sizes,
        )
        atomic_write(made / paths.identifier_manifest.name, found.to_json() + "\n")
        _put_in_place(data, paths.identifiers, made)
        return found


_LENGTHS = """
SELECT name, length(abs(value)::VARCHAR) AS digits, count(*)
FROM numbers_kept
GROUP BY name, digits
ORDER BY name, digits
"""


def _columns(connection: Connection, source: Source) -> Mapping[str, Mapping[str, str]]:
    """As the files have them: an input may lack some of the published columns."""
    return {
        table.table: {
            str(name): str(kind) for name, kind, *_ in rows(connection, f"DESCRIBE {qualified(table.table)}")
        }
        for table in source.tables
    }


def _collect(connection: Connection, source: Source, columns: IdentifierColumns, progress: Progress) -> None:
    """Distinct values of each column into one table a kind."""
    for kind, fields in KINDS.items():
        connection.execute(f"CREATE TEMP TABLE {kind} ({fields})")
    weights = {table.table: table.rows for table in source.tables}
    jobs: list[tuple[str, str]] = []
    for table, column in columns.numbers:
        jobs.append((table, _insert("numbers", _as_number(column), table, column)))
    for table, column in columns.texts:
        field = f"lower(CAST({identifier(column)} AS VARCHAR))"
        jobs.append((table, _insert("keys", field, table, column)))
        jobs.append((table, _insert("numbers", f"TRY_CAST({field} AS BIGINT)", table, column)))
        before = f"CASE WHEN contains({field}, '-') THEN split_part({field}, '-', 1) END"
        jobs.append(
            (table, _insert("keys", before, table, column, f"length(value) >= {FEWEST_BEFORE_HYPHEN}"))
        )
    for table, column in columns.items:
        jobs.append((table, _insert("items", _as_number(column), table)))
    for table, column in columns.days:
        jobs.append((table, _insert("days", f"TRY_CAST({identifier(column)} AS DATE)", table)))
    for table, column in columns.moments:
        jobs.append((table, _insert("moments", f"CAST({identifier(column)} AS TIMESTAMP)", table)))
    total, done = sum(weights[table] for table, _ in jobs), 0
    for table, statement in jobs:
        execute_watched(connection, statement, partial(_tell, progress, done, weights[table], total))
        done += weights[table]
    progress("collecting identifiers", total, total, "rows")


def _tell(progress: Progress, done: int, rows: int, total: int, share: float) -> None:
    progress("collecting identifiers", done + share * rows, total, "rows")


def _as_number(column: str) -> str:
    """Whole numbers as they are; one that has a fraction, or is too large, is no identifier."""
    field = identifier(column)
    return f"CASE WHEN TRY_CAST({field} AS BIGINT) = {field} THEN TRY_CAST({field} AS BIGINT) END"


def _insert(kind: str, expression: str, table: str, column: str = "", only: str = "true") -> str:
    name = f", {literal(column.lower())}" if column else ""
    return (
        f"INSERT INTO {kind} SELECT value{name} FROM (SELECT DISTINCT {expression} AS value "
        f"FROM {qualified(table)}) WHERE value IS NOT NULL AND {only}"
    )


def _write(connection: Connection, kind: str, file: Path) -> int:
    """All distinct values in order; of times also those that are told to the minute only. Returns bytes."""
    minutes = "UNION SELECT date_trunc('minute', value) FROM moments" if kind == "moments" else ""
    connection.execute(
        f"CREATE TEMP TABLE {kind}_kept AS SELECT DISTINCT * FROM (FROM {kind} {minutes}) ORDER BY ALL"
    )
    connection.execute(f"DROP TABLE {kind}")
    connection.execute(
        f"COPY (FROM {kind}_kept ORDER BY ALL) TO {literal(str(file))} (FORMAT parquet, COMPRESSION zstd)"
    )
    with writing(file):
        file.chmod(0o600)
    return file.stat().st_size


def _put_in_place(data: DataPaths, final: Path, made: Path) -> None:
    """What was there before is renamed out of sight first: a crash leaves the old set, the new one or
    none.
    """
    going = private_folder(data.scratch) / owned_name("removed-identifiers")
    if final.exists():
        with writing(final):
            final.rename(going)
    publish_folder(made, final)
    shutil.rmtree(going, ignore_errors=True)
