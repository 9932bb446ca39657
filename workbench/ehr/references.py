"""References: the declared derivation run over a source, kept private, never shown to an agent."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.ehr.concept_build import concepts_in, ensure_concepts, load_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import (
    STATEMENT_FAULTS,
    Connection,
    DuckDBError,
    engine_failure,
    engine_version,
    identifier,
    literal,
)
from workbench.ehr.content_sql import refuse_beyond_tables
from workbench.ehr.long_statement import execute_watched, show_progress
from workbench.ehr.row_hash import rows_sha256
from workbench.ehr.source_views import open_source
from workbench.records import (
    BadInput,
    DataPaths,
    Progress,
    Reference,
    Refused,
    Settings,
    Source,
    Task,
    file_sha256,
    silent,
)
from workbench.store import FileLock, atomic_write, private_folder, writing

CANARY_PREFIX = "_canary"
LOCK_WAIT_S = 600.0
DERIVING = 0.9
"""The part of a reference's progress that goes to its SQL; the rest is the writing of its file."""


def ensure_reference(
    data: DataPaths,
    source: Source,
    task: Task,
    target: str,
    sql: str,
    concept_sql: ConceptSql,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Reference:
    """The reference of ``task``'s family and ``target`` over ``source``; rebuilt where stale or damaged.

    The file holds the derivation's columns in a fresh random row order and a canary column
    (``_canary_<random>``, a random token a row), so that a copy of it can be proved. Raises BadInput for
    SQL that does not run, lacks a required column, or gives missing or repeated keys; Refused for SQL that
    reads anything but tables.
    """
    refuse_beyond_tables(sql, _where(task, target))
    paths = data.source(source.name)
    manifest = paths.reference_manifest(task.family, target)
    file = paths.reference(task.family, target)
    private_folder(paths.references())
    private_folder(file.parent)
    lock = data.locks / f"reference-{source.name}-{task.family}-{target}.lock"
    with FileLock(lock, f"the reference {task.family}/{target} of {source.name}", wait_s=LOCK_WAIT_S):
        if not _why_stale(data, source, task, target, sql, concept_sql.revision):
            return Reference.load(manifest)
        return _build(data, source, task, target, sql, concept_sql, settings, progress)


def load_reference(
    data: DataPaths, source: Source, task: Task, target: str, sql: str, concept_revision: str
) -> Reference:
    """The manifest of a reference that is current and intact.

    Raises Refused where there is none, where it was made from something else (SQL, source, concept
    revision, concept files, DuckDB version), or where its file is not the one recorded.
    """
    paths = data.source(source.name)
    manifest = paths.reference_manifest(task.family, target)
    why = _why_stale(data, source, task, target, sql, concept_revision)
    if why:
        raise Refused(
            f"the reference {task.family}/{target} of {source.name} cannot be used: {why}",
            where=str(manifest),
            remedy="Build it again: workbench run does so before it starts.",
        )
    return Reference.load(manifest)


def _why_stale(data: DataPaths, source: Source, task: Task, target: str, sql: str, revision: str) -> str:
    """What is wrong with a stored reference, or an empty text."""
    paths = data.source(source.name)
    file, manifest = paths.reference(task.family, target), paths.reference_manifest(task.family, target)
    if not manifest.is_file() or not file.is_file():
        return "it is not there"
    try:
        stored = Reference.load(manifest)
    except BadInput:
        return "its manifest cannot be read"
    expected = {
        "family": task.family,
        "target": target,
        "database": task.database,
        "sql_sha256": _sha256(sql),
        "source_hash": source.content_hash,
        "concept_revision": revision,
        "concepts_sha256": _concepts_sha256(data, source, concepts_in(sql), revision),
        "duckdb_version": engine_version(),
        "keys": [key.name for key in task.keys],
    }
    changed = [name for name, value in expected.items() if getattr(stored, name) != value]
    if changed:
        return f"it was made with another {', '.join(changed)}"
    if any(name not in stored.columns for name in task.reference_columns):
        return "it lacks a required column"
    return "" if stored.file_sha256 == file_sha256(file) else "its file was changed"


def _build(
    data: DataPaths,
    source: Source,
    task: Task,
    target: str,
    sql: str,
    concept_sql: ConceptSql,
    settings: Settings | None,
    progress: Progress,
) -> Reference:
    label = f"reference {task.family}/{target}"
    paths = data.source(source.name)
    file = paths.reference(task.family, target)
    manifest = paths.reference_manifest(task.family, target)
    concepts = concepts_in(sql)
    if concepts:
        ensure_concepts(data, source, concept_sql, concepts, progress=progress, settings=settings)
    keys = [key.name for key in task.keys]
    canary = f"{CANARY_PREFIX}_{secrets.token_hex(4)}"
    part = file.with_name(f".{file.name}.{secrets.token_hex(6)}.part")

    def tick(share: float) -> None:
        progress(label, share, 1, "reference")

    try:
        with open_source(
            data,
            source,
            concept_revision=concept_sql.revision,
            concepts=concepts,
            settings=settings,
            beside=[part],
        ) as connection:
            show_progress(connection)
            columns, rows, rows_hash = _derive(connection, sql, task, target, tick)
            _write(connection, part, keys, canary, label, tick)
        reference = Reference(
            family=task.family,
            target=target,
            database=task.database,
            sql_sha256=_sha256(sql),
            source_hash=source.content_hash,
            concept_revision=concept_sql.revision,
            concepts_sha256=_concepts_sha256(data, source, concepts, concept_sql.revision),
            duckdb_version=engine_version(),
            rows=rows,
            columns=columns,
            keys=keys,
            rows_sha256=rows_hash,
            file_sha256=file_sha256(part),
            canary_column=canary,
        )
        with writing(file):
            manifest.unlink(missing_ok=True)
            part.replace(file)
        atomic_write(manifest, reference.to_json() + "\n")
    finally:
        part.unlink(missing_ok=True)
    progress(label, 1, 1, "reference")
    return reference


def _derive(
    connection: Connection, sql: str, task: Task, target: str, tick: Callable[[float], None]
) -> tuple[list[str], int, str]:
    """Run the derivation into the table ``derived``; its columns, rows, and hash of rows."""
    where = _where(task, target)
    keys = [key.name for key in task.keys]
    try:
        statement = f"CREATE TEMP TABLE derived AS\n{sql.rstrip().rstrip(';')}\n"
        execute_watched(connection, statement, lambda share: tick(share * DERIVING))
        columns = [str(row[0]) for row in connection.execute("DESCRIBE derived").fetchall()]
        rows = _check(connection, columns, keys, task, where)
        return columns, rows, rows_sha256(connection, "derived", columns, keys)
    except DuckDBError as error:
        if type(error).__name__ in STATEMENT_FAULTS:
            first_line = str(error).splitlines()[0]
            raise BadInput(f"does not run ({first_line})", where=where, remedy="Correct the SQL.") from None
        raise engine_failure(error, f"reference {task.family}/{target}") from None


def _where(task: Task, target: str) -> str:
    """Which SQL it is: that of the family as it is, or with a counterfactual's changes."""
    return f"reference SQL of {task.family}, target {target}, database {task.database}"


def _check(
    connection: Connection, columns: Sequence[str], keys: Sequence[str], task: Task, where: str
) -> int:
    """Required columns, and keys that identify rows; the number of rows.

    Raises BadInput with names and counts only.
    """
    missing = [name for name in task.reference_columns if name not in columns]
    if missing:
        raise BadInput(f"gives no column {', '.join(missing)}", where=where, remedy="Add what is missing.")
    if any(name.startswith(CANARY_PREFIX) for name in columns):
        raise BadInput(f"a column's name starts with {CANARY_PREFIX}", where=where, remedy="Rename it.")
    key = ", ".join(identifier(name) for name in keys)
    some_null = " OR ".join(f"{identifier(name)} IS NULL" for name in keys)
    nulls, rows, distinct = connection.execute(
        f"SELECT count(*) FILTER ({some_null}), count(*), count(DISTINCT ({key})) FROM derived"
    ).fetchall()[0]
    if nulls or rows != distinct:
        raise BadInput(
            f"{nulls} rows without a key and {rows - distinct} with a repeated one (keys {', '.join(keys)})",
            where=where,
            remedy="Each row needs its own key.",
        )
    return int(rows)


def _write(
    connection: Connection,
    part: Path,
    keys: Sequence[str],
    canary: str,
    label: str,
    tick: Callable[[float], None],
) -> None:
    """Write the Parquet file in the order of the canary: as random as the secret, which is not kept."""
    secret = secrets.token_hex(16)
    pieces = " || '/' || ".join(f"CAST({identifier(key)} AS VARCHAR)" for key in keys)
    try:
        execute_watched(
            connection,
            f"COPY (SELECT *, left(sha256({literal(secret)} || {pieces}), 20) AS {identifier(canary)} "
            f"FROM derived ORDER BY {identifier(canary)}) "
            f"TO {literal(str(part))} (FORMAT parquet, COMPRESSION zstd)",
            lambda share: tick(DERIVING + share * (1 - DERIVING)),
        )
    except DuckDBError as error:
        raise engine_failure(error, label, str(part.parent)) from None
    part.chmod(0o600)


def _concepts_sha256(data: DataPaths, source: Source, concepts: Sequence[str], revision: str) -> str:
    """Over the built files of ``concepts``; one that is not built counts as another content."""
    if not concepts:
        return ""
    built = load_concepts(data, source, revision)
    hashes = {concept.name: concept.sha256 for concept in built.concepts} if built else {}
    return _sha256("".join(f"{name} {hashes.get(name, '-')}\n" for name in concepts))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
