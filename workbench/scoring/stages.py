"""An agent's intermediate tables beside the reference's: which is the first that differs."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.ehr import Connection
from workbench.ehr.connect import count
from workbench.ehr.stage_tables import StageTable
from workbench.records import (
    RESULT_STAGE,
    STAGES_FOLDER,
    DatabaseStages,
    KeyScore,
    Settings,
    Stage,
    StageScore,
    StageStatus,
)
from workbench.scoring.columns import column_scores, compare
from workbench.scoring.keys import key_score
from workbench.scoring.read import NotReadable, OutputFile, missing_columns, open_output
from workbench.scoring.reference import ReferenceTable, describe_table
from workbench.scoring.table import OutputTable, load_table
from workbench.scoring.targets import workplace


def score_stages(
    folder: Path,
    stages: DatabaseStages,
    tables: Mapping[str, StageTable],
    *,
    asked: DatabaseStages | None = None,
    refused: Sequence[str] = (),
    settings: Settings | None = None,
    scratch: Path | None = None,
) -> list[StageScore]:
    """Every stage in order: ``<stage>.csv`` in ``folder`` against the file of ``tables``.

    ``asked``: the same stages as the agent was asked for them, where their names are not those of ``stages``;
    ``refused``: what collecting the results refused, as ``kind: relative/name``. Whatever the files are,
    the answer is a score a stage. Raises Unavailable where the machine fails.
    """
    pairs = zip(stages.stages, (asked or stages).stages, strict=True)
    with workplace(settings, scratch) as (connection, place):
        return [
            _score(connection, folder, stage, as_asked, tables[stage.name], refused, place)
            for stage, as_asked in pairs
        ]


def first_diverging(stages: Sequence[StageScore], reward: float) -> str:
    """The first stage that was compared and differs, else the result where its reward is below 1."""
    differing = (stage.name for stage in stages if stage.status is StageStatus.DIFFERS)
    return next(differing, RESULT_STAGE if reward < 1 else "")


def _score(
    connection: Connection,
    folder: Path,
    stage: Stage,
    asked: Stage,
    table: StageTable,
    refused: Sequence[str],
    place: Path,
) -> StageScore:
    path, name = folder / f"{asked.name}.csv", f"{STAGES_FOLDER}/{asked.name}.csv"
    if table.file is None:
        return StageScore(name=stage.name, status=StageStatus.NOT_COMPUTED, problem=table.problem)
    if folder.is_symlink() or not os.path.lexists(path):
        why = next((text for text in refused if text.endswith((f": {name}", f": {STAGES_FOLDER}"))), "")
        problem = f"refused: {why}" if why else f"there is no {name}"
        return StageScore(name=stage.name, status=StageStatus.MISSING, problem=problem)
    where = f"stage {stage.name}"
    reference = describe_table(
        connection, stage.name, table.file, stage.keys, stage.columns, where, may_be_empty=True
    )
    try:
        with open_output(path) as file:
            names = dict(zip(asked.column_names, stage.column_names, strict=True))
            return _compare(connection, file.under(names), stage, reference, place)
    except NotReadable as error:
        return StageScore(name=stage.name, status=StageStatus.UNREADABLE, problem=error.reason)


def _compare(
    connection: Connection, file: OutputFile, stage: Stage, reference: ReferenceTable, place: Path
) -> StageScore:
    name = f"stage_{stage.name}"
    table = load_table(connection, file, reference, name, place)
    if stage.columns:
        table = _without_empty_rows(connection, table, reference)
    present = {column for column in stage.column_names if file.position(column) is not None}
    agreement = compare(connection, name, reference, present)
    connection.execute(f"DROP TABLE {name}")
    missing = missing_columns(file, [column for column in stage.column_names if column not in present])
    if not reference.row_count:
        return _of_none(stage, table, missing)
    keys = key_score(reference.row_count, table, agreement.keys)
    columns = column_scores(reference, present, keys, agreement)
    rates = [column.match_rate for column in columns] or [_key_rate(keys)]
    rate = math.fsum(rates) / len(rates)
    return StageScore(
        name=stage.name,
        status=StageStatus.EQUAL if rate == 1 else StageStatus.DIFFERS,
        rate=rate,
        problem=missing,
        keys=keys,
        columns=columns,
    )


def _without_empty_rows(connection: Connection, table: OutputTable, reference: ReferenceTable) -> OutputTable:
    """Rows without any value, of which the reference has none, say nothing: they are no extra rows."""
    keys = [f"k{place}" for place in range(len(reference.keys))]
    hidden = ", ".join(f"{key.reference} AS k{place}" for place, key in enumerate(reference.keys))
    known = " AND ".join(f"mine.{key} IS NOT NULL" for key in keys)
    empty = " AND ".join(f"mine.v{place} IS NULL" for place in range(len(reference.columns)))
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE empty_rows AS
        SELECT mine.line
        FROM (SELECT *, rowid AS line FROM {table.name}) AS mine
        ANTI JOIN (SELECT {hidden} FROM read_parquet(?)) AS hidden USING ({", ".join(keys)})
        WHERE {known} AND {empty}
        """,
        [str(reference.path)],
    )
    dropped = count(connection, "SELECT count(*) FROM empty_rows")
    if not dropped:
        return table
    connection.execute(f"DELETE FROM {table.name} WHERE rowid IN (SELECT line FROM empty_rows)")
    return replace(
        table, rows=table.rows - dropped, readable=table.readable - dropped, unique=table.unique - dropped
    )


def _key_rate(keys: KeyScore) -> float:
    return keys.matched / (keys.reference_rows + keys.extra + keys.duplicates)


def _of_none(stage: Stage, table: OutputTable, missing: str) -> StageScore:
    """Against a table without rows: equal is one with the columns and no row either."""
    equal = not table.rows and not missing
    return StageScore(
        name=stage.name,
        status=StageStatus.EQUAL if equal else StageStatus.DIFFERS,
        rate=float(equal),
        problem=missing or (f"{table.rows} rows where the reference has none" if table.rows else ""),
    )
