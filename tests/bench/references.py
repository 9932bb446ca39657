"""All references and all native task databases at several numbers of stays: 60 s, 120 s, 1.3 times the space.

The limits are those of 2,000 stays; elsewhere time may grow with the stays. Concepts are built before and
are not part of either time.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import (
    concept_sql_of,
    ensure_concepts,
    ensure_reference,
    ensure_task_database,
    make_synthetic,
    synthetic_name,
)
from workbench.records import ContentPaths, DataPaths, Settings, Source, Task
from workbench.sandbox import choose_sandbox, ensure_python_runtime

ROOT = Path(__file__).resolve().parents[2]
STAYS = [int(word) for word in os.environ.get("BENCH_STAYS", "500 1000 2000 4000").split()]
LIMIT_STAYS = 2_000
REFERENCES_S, DATABASES_S, SPACE = 60.0, 120.0, 1.3
TWO_CORES = Settings(duckdb_threads=2)
Figure = tuple[str, float, float, str]


def measure() -> list[Figure]:
    """(name, value, target, unit) of each figure; no figure may exceed its target."""
    content = Content(ContentPaths(ROOT))
    figures: list[Figure] = []
    for stays in STAYS:
        with tempfile.TemporaryDirectory() as folder:
            figures += _at(content, DataPaths(Path(folder) / "home"), stays)
    return figures


def _at(content: Content, data: DataPaths, stays: int) -> list[Figure]:
    tasks = content.tasks()
    sources: dict[str, Source] = {}
    for database in dict.fromkeys(task.database for task in tasks):
        sys.stderr.write(f"making {synthetic_name(database, stays, 1)} and its concepts …\n")
        source = make_synthetic(data, stays, 1, database=database, settings=TWO_CORES)
        ensure_concepts(data, source, concept_sql_of(database, data), settings=TWO_CORES)
        sources[database] = source
    scale = max(1.0, stays / LIMIT_STAYS)
    targets = list(
        dict.fromkeys((task.family, task.database, target.name) for task in tasks for target in task.targets)
    )
    references_s = _references(content, data, tasks, sources)
    databases_s = _databases(data, tasks, sources)
    return [
        (f"{len(targets)} references, {stays:,} stays", references_s, REFERENCES_S * scale, "s"),
        (f"{len(tasks)} task databases, {stays:,} stays", databases_s, DATABASES_S * scale, "s"),
        (
            f"{len(tasks)} task databases over their sources, {stays:,} stays",
            _space(data, sources),
            SPACE,
            "times",
        ),
    ]


def _references(content: Content, data: DataPaths, tasks: list[Task], sources: dict[str, Source]) -> float:
    """Seconds for all targets of all families, each built once."""
    started_s = time.monotonic()
    for task in tasks:
        sql = concept_sql_of(task.database, data)
        for target in task.targets:
            text = content.reference_sql(task.family, target.name, task.database)
            source = sources[task.database]
            begun_s = time.monotonic()
            ensure_reference(data, source, task, target.name, text, sql, settings=TWO_CORES)
            sys.stderr.write(f"  {task.family} {target.name}: {time.monotonic() - begun_s:.1f} s\n")
    return time.monotonic() - started_s


def _databases(data: DataPaths, tasks: list[Task], sources: dict[str, Source]) -> float:
    """Seconds for the databases of all tasks."""
    sandbox = choose_sandbox("auto")
    ensure_python_runtime(data)
    started_s = time.monotonic()
    for task in tasks:
        source = sources[task.database]
        ensure_task_database(data, source, task, concept_sql_of(task.database, data), sandbox)
    return time.monotonic() - started_s


def _space(data: DataPaths, sources: dict[str, Source]) -> float:
    """All task databases, files shared by several counted once, over sources with their concepts."""
    databases, made = set(), set()
    for source in sources.values():
        folder = data.source(source.name).folder
        for path in folder.rglob("*"):
            if path.is_file():
                status = path.lstat()
                entry = (status.st_ino, status.st_size)
                place = path.relative_to(folder).parts[0]
                if place == "task-databases":
                    databases.add(entry)
                elif place in ("tables", "concepts"):
                    made.add(entry)
    return sum(size for _, size in databases) / sum(size for _, size in made)
