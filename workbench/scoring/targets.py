"""One output against every reference of its task."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from workbench.ehr import Connection, connect
from workbench.records import (
    ColumnScore,
    ScoreReport,
    Settings,
    StrictCheck,
    TargetScore,
    Task,
    WorkbenchError,
)
from workbench.scoring.columns import column_scores, compare
from workbench.scoring.groups import group_scores
from workbench.scoring.keys import key_score
from workbench.scoring.read import NotReadable, OutputFile, missing_columns, open_output
from workbench.scoring.reference import ReferenceTable, describe
from workbench.scoring.spellings import MACROS
from workbench.scoring.strict import checks_of_unreadable, passes, strict_checks
from workbench.scoring.table import OutputTable, load_table
from workbench.store import writing

PRIMARY = "public-code"
MEMORY_LIMIT = "1100MB"
MOST_THREADS = 4


def score_output(
    output: Path | None,
    task: Task,
    references: Mapping[str, Path],
    *,
    column_names: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    scratch: Path | None = None,
) -> ScoreReport:
    """Score ``output`` against the Parquet file of each target of ``task`` in ``references``.

    Whatever the output is, the answer is a report; an unreadable one has reward 0 and says why. The
    reward is that of ``public-code``. ``column_names``: what the output's columns were asked to be called,
    where that is not as in ``task``, with the task's names.
    ``scratch`` is where a private working folder is made and removed (by default the system's temporary
    folder). Raises WorkbenchError where a reference is missing or broken, and Unavailable where the machine
    fails. Rules: docs/scoring.md.
    """
    targets = [target.name for target in task.targets if target.name in references]
    if PRIMARY not in targets:
        raise WorkbenchError(
            f"no {PRIMARY} reference is given", where=f"task {task.id}", remedy="Build the reference first."
        )
    with workplace(settings, scratch) as (connection, folder):
        tables = [describe(connection, target, references[target], task) for target in targets]
        try:
            with open_output(output) as file:
                return _score(connection, file.under(column_names or {}), task, tables, folder)
        except NotReadable as error:
            return _unreadable(task, tables, error)


@contextmanager
def workplace(settings: Settings | None, scratch: Path | None) -> Iterator[tuple[Connection, Path]]:
    """A connection with the reading macros, in a folder that only this user can enter."""
    settings = (settings or Settings()).model_copy(update={"duckdb_memory_limit": MEMORY_LIMIT})
    threads = min(settings.duckdb_threads or os.cpu_count() or 1, MOST_THREADS)
    place = scratch or Path(tempfile.gettempdir())
    with writing(place), tempfile.TemporaryDirectory(prefix="scoring-", dir=place) as name:
        folder = Path(name)
        connection = connect(settings=settings, temp_folder=folder / "spill", threads=threads)
        try:
            for macro in MACROS:
                connection.execute(macro)
            yield connection, folder
        finally:
            connection.close()


def _score(
    connection: Connection, file: OutputFile, task: Task, references: Sequence[ReferenceTable], folder: Path
) -> ScoreReport:
    missing = [name for name in task.required_columns if file.position(name) is None]
    detail = missing_columns(file, missing)
    read: dict[tuple[str, ...], OutputTable] = {}
    scores = []
    for reference in references:
        if reference.reading not in read:
            name = f"output_{len(read)}"
            read[reference.reading] = load_table(connection, file, reference, name, folder)
        scores.append(_against(connection, file, task, reference, read[reference.reading], missing, detail))
    primary = next(score for score in scores if score.target == PRIMARY)
    return ScoreReport(
        task=task.id,
        readable=True,
        problem=_why_zero(primary) if primary.reward == 0 else "",
        reward=primary.reward,
        strict_pass=primary.strict_pass,
        targets=scores,
    )


def _against(
    connection: Connection,
    file: OutputFile,
    task: Task,
    reference: ReferenceTable,
    table: OutputTable,
    missing: Sequence[str],
    missing_detail: str,
) -> TargetScore:
    present = {name for name in task.required_columns if file.position(name) is not None}
    agreement = compare(connection, table.name, reference, present)
    keys = key_score(reference.row_count, table, agreement.keys)
    columns = column_scores(reference, present, keys, agreement)
    checks = strict_checks(task, missing, missing_detail, keys, columns)
    return TargetScore(
        target=reference.target,
        status=_status(task, reference.target),
        reward=math.fsum(column.match_rate for column in columns) / len(columns),
        ordered_nmae=_ordered_nmae(task, columns),
        keys=keys,
        columns=columns,
        strict_pass=passes(checks),
        strict_checks=checks,
        groups=group_scores(connection, table.name, reference, present, task.report_by),
    )


def _status(task: Task, name: str) -> Literal["draft", "declared"]:
    return next(target.status for target in task.targets if target.name == name)


def _ordered_nmae(task: Task, columns: Sequence[ColumnScore]) -> float | None:
    """Mean over the ordered value columns; None where no key matched or no such column exists."""
    errors = [
        column.nmae for column in columns if column.column in task.value_columns and column.nmae is not None
    ]
    return math.fsum(errors) / len(errors) if errors else None


def _why_zero(score: TargetScore) -> str:
    failed: StrictCheck | None = next((check for check in score.strict_checks[:3] if not check.passed), None)
    if failed is not None:
        return failed.detail
    if score.keys is not None and not score.keys.matched:
        return "no key of the output is in the reference"
    return "no value of the output matches the reference"


def _unreadable(task: Task, references: Sequence[ReferenceTable], error: NotReadable) -> ScoreReport:
    checks = checks_of_unreadable(error.reason, found=error.found)
    columns = [
        ColumnScore(column=column.name, type=column.type, present=False, matched=0, match_rate=0.0)
        for column in task.scored_columns
    ]
    return ScoreReport(
        task=task.id,
        readable=False,
        problem=error.reason,
        reward=0.0,
        strict_pass=False,
        targets=[
            TargetScore(
                target=reference.target,
                status=_status(task, reference.target),
                reward=0.0,
                ordered_nmae=None,
                keys=None,
                columns=columns,
                strict_pass=False,
                strict_checks=checks,
            )
            for reference in references
        ],
    )
