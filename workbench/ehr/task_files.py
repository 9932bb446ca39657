"""Which tables a task's agent sees, which are removed, and the folder that holds the visible ones' files."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr.concept_build import concept_order, concepts_read
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.sources import SHARED_MODE
from workbench.ehr.stored_files import check_concepts, check_tables
from workbench.records import BadInput, ConceptSet, DataPaths, Mode, Progress, Refused, Source, Task
from workbench.store import writing

FOLDER_MODE = 0o755
"""Readable by the agent's user; the folders above are private and not mounted."""
TABLES_FOLDER = "parquet"
CATALOG = "ehr.duckdb"
NO_LINK = frozenset({errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP})
"""A copy is made instead: other file system, links forbidden or too many."""


@dataclass(frozen=True)
class TaskFile:
    """One visible table's file on the host."""

    table: str
    path: Path
    sha256: str

    @property
    def name(self) -> str:
        """The file's name inside ``TABLES_FOLDER``."""
        return f"{self.table}.parquet"


def removed_tables(task: Task, sql: ConceptSql) -> list[str]:
    """Qualified names of what the agent must not find: the task's list, in raw mode every derived table."""
    names = set(task.removed_tables)
    if task.mode is Mode.RAW:
        names |= set(sql.scripts)
    return sorted(f"{DERIVED_SCHEMA}.{name}" for name in names)


def visible_concepts(task: Task, sql: ConceptSql) -> list[str]:
    """The derived tables of a standard task's database; none in raw mode. Raises BadInput for wrong names."""
    for name in (*task.removed_tables, *(kept.table for kept in task.kept_tables)):
        sql.path(name)
    both = {kept.table for kept in task.kept_tables}.intersection(task.removed_tables)
    if both:
        raise BadInput(
            f"removed and kept at once: {', '.join(sorted(both))}",
            where=f"task {task.id}",
            remedy="Correct removed_tables or kept_tables.",
        )
    return [] if task.mode is Mode.RAW else [name for name in sql.scripts if name not in task.removed_tables]


def refuse_dependents(task: Task, sql: ConceptSql) -> None:
    """A visible derived table built from a removed one gives it away: Refused, unless it is declared kept.

    Built from it at any remove: through other tables, visible or not.
    """
    texts = sql.texts()
    telling_of: set[str] = set(task.removed_tables)
    for name in concept_order(texts):
        if telling_of.intersection(concepts_read(texts[name], texts)):
            telling_of.add(name)
    kept = {entry.table for entry in task.kept_tables}
    telling = sorted(telling_of.intersection(visible_concepts(task, sql)) - kept)
    if telling:
        raise Refused(
            f"derived tables built from removed ones would be visible: {', '.join(telling)}",
            where=f"task {task.id}",
            remedy="Add them to removed_tables, or to kept_tables with the reason.",
        )


def visible_files(
    data: DataPaths, source: Source, task: Task, sql: ConceptSql, concepts: ConceptSet
) -> list[TaskFile]:
    """The files of every visible table, in name order. Raises BadInput for a damaged one."""
    check_tables(data, source)
    paths = data.source(source.name)
    files = [TaskFile(table.table, paths.table(table.table), table.sha256) for table in source.tables]
    hashes = {concept.name: concept.sha256 for concept in concepts.concepts}
    derived = {name: paths.concept(sql.revision, name) for name in visible_concepts(task, sql)}
    check_concepts(data, source, derived)
    files += [TaskFile(f"{DERIVED_SCHEMA}.{name}", path, hashes[name]) for name, path in derived.items()]
    return sorted(files, key=lambda file: file.table)


def link_files(files: Sequence[TaskFile], folder: Path, progress: Progress) -> None:
    """Fill ``folder``/parquet with hard links (copies where links do not work), readable to all."""
    tables = folder / TABLES_FOLDER
    with writing(folder):
        tables.mkdir()
        tables.chmod(FOLDER_MODE)
        folder.chmod(FOLDER_MODE)
        for number, file in enumerate(files):
            progress("linking tables", number, len(files), "files")
            target = tables / file.name
            try:
                os.link(file.path, target)
            except OSError as error:
                if error.errno not in NO_LINK:
                    raise
                shutil.copyfile(file.path, target)
            target.chmod(SHARED_MODE)


def linked_ones_hold(files: Sequence[TaskFile], folder: Path) -> bool:
    """Whether ``folder`` still has exactly these files: the same inodes, or copies of the same size."""
    tables = folder / TABLES_FOLDER
    try:
        names = {entry.name for entry in tables.iterdir()}
        return names == {file.name for file in files} and all(
            os.path.samestat(one, two) or one.st_size == two.st_size
            for file in files
            for one, two in [((tables / file.name).lstat(), file.path.stat())]
        )
    except OSError:
        return False


def views(files: Sequence[TaskFile], folder: str) -> Mapping[str, str]:
    """Table to file as the agent sees it, with ``folder`` the neutral place."""
    return {file.table: f"{folder}/{TABLES_FOLDER}/{file.name}" for file in files}
