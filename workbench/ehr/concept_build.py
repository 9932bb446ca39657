"""Concepts of one source: built in dependency order into Parquet beside it, each once a revision."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import Connection, DuckDBError, engine_failure, engine_version, literal, qualified
from workbench.ehr.importers.written import PARQUET, rows_of
from workbench.ehr.long_statement import execute_watched, show_progress
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.source_views import open_source
from workbench.ehr.sources import SHARED_MODE, scratch_folder, source_lock
from workbench.ehr.stored_files import why_damaged
from workbench.records import (
    BadInput,
    Concept,
    ConceptSet,
    DataPaths,
    Progress,
    Settings,
    Source,
    file_sha256,
    silent,
)
from workbench.sql import build_order, reads
from workbench.store import atomic_write, private_folder, writing

WAIT_S = 3600.0
"""How long to wait for another process that builds concepts of the same source."""
ONE_THREAD_ROWS = 20_000_000
"""Below so many rows in the source one thread builds: where the SQL leaves ties open, every machine then
settles them alike, and task databases are the same everywhere."""
MACHINE_FAULTS = frozenset({"OutOfMemoryException", "IOException", "InternalException", "FatalException"})
"""The engine's errors that are not the SQL's."""


def ensure_concepts(
    data: DataPaths,
    source: Source,
    sql: ConceptSql,
    names: Sequence[str] | None = None,
    *,
    progress: Progress = silent,
    settings: Settings | None = None,
) -> ConceptSet:
    """Build what is missing of ``names`` (all if None) and what they are built from.

    A concept is built again when its SQL, the source, the engine's version or one it reads has changed. The
    manifest grows with every concept, so that an interrupted build goes on where it was. ``progress`` gets
    concepts done.

    Raises BadInput for unknown names or SQL that does not run on the published schema, Unavailable for lack
    of memory or disk.
    """
    wanted = list(sql.scripts) if names is None else list(names)
    for name in wanted:
        sql.path(name)
    if wanted and source.database != "mimic-iv":
        raise BadInput(
            f"the public concepts are for MIMIC-IV; source {source.name} is {source.database}",
            remedy="Choose another source (workbench data list).",
        )
    with source_lock(data, source.name, "concepts", wait_s=WAIT_S):
        kept = load_concepts(data, source, sql.revision)
        texts = sql.texts()
        there = kept.concepts if kept else []
        good = {item.name for item in there if item.sql_sha256 == _hash(texts.get(item.name, ""))}
        if kept and good.issuperset(wanted):
            return kept
        plan = _plan(texts, wanted, good)
        present = [item for item in there if item.name in plan.keep]
        return _build(data, source, sql, texts, plan, present, progress, settings)


def load_concepts(data: DataPaths, source: Source, revision: str) -> ConceptSet | None:
    """The built concepts that still hold for ``source``: files as stored, same source, same engine."""
    paths = data.source(source.name)
    manifest = paths.concept_manifest(revision)
    if not manifest.is_file():
        return None
    kept = ConceptSet.load(manifest)
    if kept.source_hash != source.content_hash or kept.duckdb_version != engine_version():
        return None
    there = [
        concept
        for concept in kept.concepts
        if not why_damaged(paths.concept(revision, concept.name), concept.bytes)
    ]
    return kept.model_copy(update={"concepts": there})


@dataclass(frozen=True)
class _Plan:
    """``build`` in order; ``show``: kept concepts that these read; ``keep``: what stays in the manifest."""

    build: list[str]
    show: list[str]
    keep: set[str]


def _plan(texts: Mapping[str, str], wanted: Sequence[str], good: set[str]) -> _Plan:
    """What to build for ``wanted``, given that ``good`` are built from the very same SQL.

    Whatever reads a concept that is built again is no longer good, wanted or not.
    """
    order = concept_order(texts)
    read = {name: concepts_read(texts[name], texts) for name in order}
    needed: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += read[name]
    stale: set[str] = set()
    for name in order:
        if (name in needed and name not in good) or stale.intersection(read[name]):
            stale.add(name)
    build = [name for name in order if name in stale & needed]
    shown = {other for name in build for other in read[name]} - stale
    return _Plan(build, sorted(shown), good - stale)


def concepts_read(text: str, known: Mapping[str, str]) -> list[str]:
    """The concepts among ``known`` that a script reads, in name order."""
    return [name for name in concepts_in(text) if name in known]


def concept_texts(sql: ConceptSql, name: str) -> dict[str, str]:
    """The SQL of a concept and of all that it builds on; none where there is no such concept."""
    texts = sql.texts()
    found: dict[str, str] = {}
    waiting = [name] if name in texts else []
    while waiting:
        current = waiting.pop()
        if current not in found:
            found[current] = texts[current]
            waiting += concepts_read(texts[current], texts)
    return found


def concepts_in(*statements: str) -> list[str]:
    """The concepts that any of the statements names, known or not, in name order."""
    prefix = f"{DERIVED_SCHEMA}."
    read = {name for text in statements for name in _reads(text) if name.startswith(prefix)}
    return sorted(name.removeprefix(prefix) for name in read)


@lru_cache(maxsize=256)
def _reads(text: str) -> frozenset[str]:
    """Parsing dominates small builds: each script once a process."""
    return frozenset(reads(text))


def concept_order(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Names of all scripts, each after those it reads; worked out once a process. Raises BadInput."""
    return _order(tuple(texts.items()))


@lru_cache(maxsize=4)
def _order(texts: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple(build_order(dict(texts)))


def _build(
    data: DataPaths,
    source: Source,
    sql: ConceptSql,
    texts: Mapping[str, str],
    plan: _Plan,
    present: Sequence[Concept],
    progress: Progress,
    settings: Settings | None,
) -> ConceptSet:
    paths = data.source(source.name)
    folder = private_folder(paths.concepts(sql.revision))
    built = ConceptSet(
        revision=sql.revision,
        source_hash=source.content_hash,
        duckdb_version=engine_version(),
        concepts=list(present),
    )
    total = len(plan.build)
    if sum(table.rows for table in source.tables) < ONE_THREAD_ROWS:
        settings = (settings or Settings()).model_copy(update={"duckdb_threads": 1})
    with (
        scratch_folder(data, f"concepts-{source.name}") as scratch,
        open_source(
            data, source, concept_revision=sql.revision, concepts=plan.show, settings=settings
        ) as connection,
    ):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {DERIVED_SCHEMA}")
        show_progress(connection)
        _confine(connection, [paths.tables, folder, scratch])
        for number, name in enumerate(plan.build):
            made, file = scratch / f"{name}.parquet", paths.concept(sql.revision, name)
            tick = partial(_tell, progress, name, number, total)
            _run(connection, name, texts[name], made, tick)
            concept = Concept(
                name=name,
                sql_sha256=_hash(texts[name]),
                rows=rows_of(connection, made),
                bytes=made.stat().st_size,
                sha256=file_sha256(made),
            )
            with writing(file):
                made.chmod(SHARED_MODE)
                made.replace(file)
            _show(connection, name, file)
            concepts = sorted([*built.concepts, concept], key=lambda item: item.name)
            built = built.model_copy(update={"concepts": concepts})
            atomic_write(paths.concept_manifest(sql.revision), built.to_json() + "\n")
        progress("concepts", total, total, "concepts")
    return built


def _tell(progress: Progress, name: str, before: int, total: int, share: float) -> None:
    progress(name, before + share, total, "concepts")


def _confine(connection: Connection, folders: Sequence[Path]) -> None:
    """The SQL may come from a user's folder: it reads and writes nowhere else, and changes no setting."""
    spill = connection.execute("SELECT current_setting('temp_directory')").fetchall()[0][0]
    allowed = ", ".join(literal(f"{folder}/") for folder in (*folders, spill))
    connection.execute(f"SET allowed_directories = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _run(connection: Connection, name: str, text: str, target: Path, tick: Callable[[float], None]) -> None:
    """Run one script and write the table that it makes to ``target``."""
    table = qualified(f"{DERIVED_SCHEMA}.{name}")
    try:
        execute_watched(connection, text, tick)
        copied = f"COPY (FROM {table} ORDER BY ALL) TO {literal(str(target))} ({PARQUET})"
        execute_watched(connection, copied, lambda share: tick(1.0))
        connection.execute(f"DROP TABLE {table}")
    except DuckDBError as error:
        kind = type(error).__name__
        if kind in MACHINE_FAULTS:
            raise engine_failure(error, f"building the concept {name}") from None
        raise BadInput(
            f"the concept {name} does not run on the published schema ({kind})",
            remedy="Use the pinned concepts, or a mimic-code folder for the same MIMIC-IV version.",
        ) from None


def _show(connection: Connection, name: str, file: Path) -> None:
    table = qualified(f"{DERIVED_SCHEMA}.{name}")
    connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet({literal(str(file))})")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
