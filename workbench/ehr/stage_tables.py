"""The reference's own intermediate tables over a source: private files, never shown to an agent."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.ehr.concept_build import concepts_in, ensure_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import (
    STATEMENT_FAULTS,
    Connection,
    DuckDBError,
    engine_failure,
    identifier,
    literal,
)
from workbench.ehr.content_sql import refuse_beyond_tables
from workbench.ehr.source_views import open_source
from workbench.records import BadInput, DatabaseStages, DataPaths, Refused, Settings, Source, Stage
from workbench.sql import query_over_steps


@dataclass(frozen=True)
class StageTable:
    """``file`` holds ``rows`` rows of keys and columns; without one ``problem`` says why, in no value."""

    rows: int = 0
    file: Path | None = None
    problem: str = ""


def stage_query(stage: Stage, reference_sql: str) -> str:
    """SQL that gives the stage's keys and columns; a row whose columns are all NULL is left out.

    Raises BadInput where the stage reads what is no step of the reference.
    """
    names = ", ".join(identifier(name) for name in stage.column_names)
    some = " OR ".join(f"{identifier(column.name)} IS NOT NULL" for column in stage.columns)
    inner = query_over_steps(reference_sql, stage.sql)
    return f"SELECT {names}\nFROM (\n{inner}\n){f' WHERE {some}' if some else ''}"


def stages_sha256(stages: DatabaseStages, reference_sql: str) -> str:
    """Over the SQL of all stages, in order."""
    text = "\x00".join([reference_sql, *(f"{stage.name}\x00{stage.sql}" for stage in stages.stages)])
    return hashlib.sha256(text.encode()).hexdigest()


def write_stage_tables(
    data: DataPaths,
    source: Source,
    stages: DatabaseStages,
    reference_sql: str,
    concept_sql: ConceptSql,
    folder: Path,
    *,
    settings: Settings | None = None,
) -> Mapping[str, StageTable]:
    """Each stage as ``<name>.parquet`` in ``folder``, which nobody else can enter; by name.

    SQL that does not run or gives no keys is a problem of its stage. Raises Unavailable where the machine
    fails.
    """
    queries: dict[str, str] = {}
    tables: dict[str, StageTable] = {}
    for stage in stages.stages:
        try:
            queries[stage.name] = stage_query(stage, reference_sql)
            refuse_beyond_tables(queries[stage.name], f"stage {stage.name}")
        except (BadInput, Refused) as error:
            tables[stage.name] = StageTable(problem=error.what)
    concepts = concepts_in(*queries.values())
    if concepts:
        ensure_concepts(data, source, concept_sql, concepts, settings=settings)
    with open_source(
        data,
        source,
        concept_revision=concept_sql.revision,
        concepts=concepts,
        settings=settings,
        beside=[folder],
    ) as connection:
        for stage in stages.stages:
            if stage.name in queries:
                tables[stage.name] = _write(connection, stage, queries[stage.name], folder)
    return tables


def _write(connection: Connection, stage: Stage, query: str, folder: Path) -> StageTable:
    file = folder / f"{stage.name}.parquet"
    try:
        connection.execute(f"COPY (\n{query}\n) TO {literal(str(file))} (FORMAT parquet, COMPRESSION zstd)")
        rows, wrong = _counted(connection, file, [key.name for key in stage.keys])
    except DuckDBError as error:
        if type(error).__name__ in STATEMENT_FAULTS:
            return StageTable(problem=f"its SQL does not run ({type(error).__name__})")
        raise engine_failure(error, f"stage {stage.name}") from None
    if wrong:
        return StageTable(problem=f"its SQL gives {wrong} rows without a key of their own")
    return StageTable(rows, file)


def _counted(connection: Connection, file: Path, keys: Sequence[str]) -> tuple[int, int]:
    """Rows, and how many of them have no key or one that another row has."""
    key = ", ".join(identifier(name) for name in keys)
    null = " OR ".join(f"{identifier(name)} IS NULL" for name in keys)
    rows, distinct = connection.execute(
        f"SELECT count(*), count(DISTINCT ({key})) FILTER (NOT ({null})) FROM read_parquet(?)", [str(file)]
    ).fetchall()[0]
    return int(rows), int(rows) - int(distinct)
