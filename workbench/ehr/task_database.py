"""A task's database: what its agent sees, built once a source, checked for leaks every time."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from workbench.ehr.concept_build import ensure_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import engine_version
from workbench.ehr.leak_check import leaks
from workbench.ehr.lineage_check import refuse_same_lineage
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.sources import SHARED_MODE, scratch_folder, source_lock
from workbench.ehr.task_catalog import STORAGE_VERSION, write_catalog
from workbench.ehr.task_files import (
    CATALOG,
    TaskFile,
    link_files,
    linked_ones_hold,
    refuse_dependents,
    removed_tables,
    views,
    visible_concepts,
    visible_files,
)
from workbench.ehr.variants import SchemaNames, ensure_variant_files, names_in_database
from workbench.records import (
    DATABASE_FOLDER,
    DataPaths,
    Progress,
    Refused,
    SchemaVariant,
    Settings,
    Source,
    Task,
    TaskDatabase,
    file_sha256,
    silent,
)
from workbench.sandbox import Sandbox, ensure_python_runtime
from workbench.store import atomic_write, private_folder, publish_folder, writing

WAIT_S = 3600.0


def ensure_task_database(
    data: DataPaths,
    source: Source,
    task: Task,
    concept_sql: ConceptSql,
    sandbox: Sandbox,
    *,
    names: SchemaNames | None = None,
    progress: Progress = silent,
    settings: Settings | None = None,
    references: Sequence[str] = (),
) -> TaskDatabase:
    """The folder ``data.source(...).task_database(task.id, variant)``, built if it is missing or stale.

    It holds ``ehr.duckdb`` (views over ``/data/parquet``) and hard links to the files of the visible tables;
    files are shared by all tasks. ``names``: those of a schema variant, whose own files it then holds. The
    manifest's ``removed`` has qualified names, of a variant under both names: the task's, in raw mode all
    derived tables. ``references``: the SQL of the task's references, whose scored columns no visible table
    may work out in the same way.

    Raises Refused if anything removed, or in a variant a published name, can be found in it, or if a visible
    table gives a scored column away, BadInput for a task that names unknown tables, Unavailable where no
    sandbox works.
    """
    paths = data.source(source.name)
    variant = names.variant if names else SchemaVariant.NATIVE
    folder = paths.task_database(task.id, variant)
    manifest = paths.task_database_manifest(task.id, variant)
    removed = removed_tables(task, concept_sql)
    if names:
        removed = sorted({*removed, *(names.table(table).name for table in removed)})
    shown = visible_concepts(task, concept_sql)
    concepts = ensure_concepts(data, source, concept_sql, shown, progress=progress, settings=settings)
    with source_lock(data, source.name, "task-databases", wait_s=WAIT_S):
        files = visible_files(data, source, task, concept_sql, concepts)
        if names:
            files = ensure_variant_files(data, source, names, files, progress=progress, settings=settings)
        wanted = TaskDatabase(
            task=task.id,
            source=source.name,
            source_hash=source.content_hash,
            concept_revision=concept_sql.revision,
            duckdb_version=engine_version(),
            schema_variant=variant,
            tables=[file.table for file in files],
            removed=removed,
            file_sha256="",
            database_hash=_database_hash(files),
        )
        kept = _kept(manifest, folder, wanted, files)
        hidden = [paths.concepts(concept_sql.revision) / f"{name}.parquet" for name in removed]
        if names:
            hidden += [paths.variant_table(variant, name) for name in removed]
        if kept is None:
            refuse_dependents(task, concept_sql)
            refuse_same_lineage(task, concept_sql, references)
            with scratch_folder(data, f"task-database-{source.name}") as scratch:
                made = _build(data, files, sandbox, scratch, progress)
                _refuse_leaks(made, hidden, task, files, removed, names)
                kept = wanted.model_copy(update={"file_sha256": file_sha256(made / CATALOG)})
                _publish(made, folder, scratch)
                atomic_write(manifest, kept.to_json() + "\n")
        else:
            _refuse_leaks(folder, hidden, task, files, removed, names)
    return kept


def _database_hash(files: Sequence[TaskFile]) -> str:
    """Of what an agent can see: the views and their files' contents, not the catalog's accidental bytes."""
    digest = hashlib.sha256(f"{STORAGE_VERSION}\n".encode())
    for table, inside in views(files, DATABASE_FOLDER).items():
        digest.update(f"{table} {inside}\n".encode())
    for file in files:
        digest.update(f"{file.table} {file.sha256}\n".encode())
    return digest.hexdigest()


def _kept(
    manifest: Path, folder: Path, wanted: TaskDatabase, files: Sequence[TaskFile]
) -> TaskDatabase | None:
    """The manifest on disk if it says ``wanted`` and the folder is as it was written."""
    catalog = folder / CATALOG
    if not manifest.is_file() or not catalog.is_file():
        return None
    kept = TaskDatabase.load(manifest)
    same = kept.model_copy(update={"file_sha256": ""}) == wanted
    return (
        kept
        if same and kept.file_sha256 == file_sha256(catalog) and linked_ones_hold(files, folder)
        else None
    )


def _build(
    data: DataPaths, files: Sequence[TaskFile], sandbox: Sandbox, scratch: Path, progress: Progress
) -> Path:
    made = private_folder(scratch / "made")
    link_files(files, made, progress)
    progress("writing the catalog", 0, 1, "files")
    catalog = write_catalog(
        made, views(files, DATABASE_FOLDER), sandbox, ensure_python_runtime(data), scratch
    )
    with writing(made):
        shutil.copyfile(catalog, made / CATALOG)
        (made / CATALOG).chmod(SHARED_MODE)
    progress("writing the catalog", 1, 1, "files")
    return made


def _refuse_leaks(
    folder: Path,
    hidden: Sequence[Path],
    task: Task,
    files: Sequence[TaskFile],
    removed: Sequence[str],
    names: SchemaNames | None,
) -> None:
    kept = [f"{DERIVED_SCHEMA}.{kept.table}" for kept in task.kept_tables]
    found = leaks(
        folder,
        views(files, DATABASE_FOLDER),
        removed,
        declared=[names.table(table).name for table in kept] if names else kept,
        removed_files=hidden,
        originals={file.table: (file.path, file.sha256) for file in files},
    )
    if names:
        found += names_in_database(folder, names)
    if found:
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise Refused(
            f"the database of task {task.id} shows what was removed: {'; '.join(found[:5])}{more}",
            where=str(folder),
            remedy="Remove that folder to build it anew; if this comes again, the task or its tables leak.",
        )


def _publish(made: Path, folder: Path, scratch: Path) -> None:
    private_folder(folder.parent)
    if folder.exists():
        with writing(folder):
            folder.rename(scratch / "earlier")
    publish_folder(made, folder)
