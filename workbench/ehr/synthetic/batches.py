"""Patients in batches, several at a time: each batch is one Parquet part a table."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue

from workbench.ehr.connect import Connection, count
from workbench.ehr.schema import TableSchema, published_schema
from workbench.ehr.synthetic.generate import copy_to, set_variables, typed
from workbench.ehr.synthetic.scripts import Recipe
from workbench.records import Progress

MOST_AT_ONCE = 4
TELL_EVERY_S = 0.2


def write_batches(
    connection: Connection, recipe: Recipe, batches: int, parts: Path, progress: Progress
) -> None:
    """Make all patients below ``parts``, as many batches at a time as the engine has threads (at most four).

    A batch has its own cursor with its own temporary tables, so batches do not meet. Whatever ``progress``
    raises ends the statements under way first; raises what the engine raises.
    """
    tables = [
        (published_schema(recipe.database).table(name), select)
        for part in recipe.table_scripts
        for name, select in recipe.sections(part).items()
    ]
    scripts = [recipe.script(name) for name in recipe.batch_scripts]
    for table, _ in tables:
        (parts / table.name).mkdir(parents=True)
    at_once = min(MOST_AT_ONCE, batches, count(connection, "SELECT current_setting('threads')::INTEGER"))
    cursors = [connection.cursor() for _ in range(at_once)]
    free: SimpleQueue[Connection] = SimpleQueue()
    for cursor in cursors:
        set_variables(cursor)
        free.put(cursor)
    with ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="patients") as pool:
        jobs: list[Future[None]] = []
        try:
            jobs += (
                pool.submit(_write_batch, free, batch, scripts, tables, parts) for batch in range(batches)
            )
            _watch(jobs, progress)
        except BaseException:
            started = [job for job in jobs if not job.cancel()]
            while wait(started, timeout=TELL_EVERY_S / 10).not_done:
                for cursor in cursors:
                    cursor.interrupt()
            raise
    for cursor in cursors:
        cursor.close()


def _watch(jobs: list[Future[None]], progress: Progress) -> None:
    """Tell how many batches are done until all are; raises the first failure of any."""
    done = 0
    while done < len(jobs):
        progress("patients", done, len(jobs), "batches")
        finished = wait(jobs, timeout=TELL_EVERY_S).done
        for job in finished:
            job.result()
        done = len(finished)
    progress("patients", done, len(jobs), "batches")


def _write_batch(
    free: SimpleQueue[Connection],
    batch: int,
    scripts: Sequence[str],
    tables: Sequence[tuple[TableSchema, str]],
    parts: Path,
) -> None:
    cursor = free.get()
    try:
        cursor.execute(f"SET VARIABLE batch = {batch}")
        for text in scripts:
            cursor.execute(text)
        for table, select in tables:
            target = parts / table.name / f"{batch:06d}.parquet"
            cursor.execute(copy_to(typed(table, select), target, "COMPRESSION snappy"))
    finally:
        free.put(cursor)
