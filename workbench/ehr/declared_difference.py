"""Two references of one task: whether they differ in exactly the rows and columns that are declared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.ehr.concept_build import concepts_in, ensure_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import STATEMENT_FAULTS, Connection, DuckDBError, engine_failure, identifier
from workbench.ehr.content_sql import refuse_beyond_tables
from workbench.ehr.source_views import open_source
from workbench.records import BadInput, ColumnType, DataPaths, Difference, Settings, Source, Task

NEAR = 1e-6
"""Computed numbers as near as this are equal; values of two references are compared exactly."""


@dataclass(frozen=True)
class DeclaredDifference:
    """``rows``: of the unchanged reference; ``changed``: those that differ, gone and new ones too.

    ``columns``: in which rows of both differ; ``problems``: where that is not what is declared. Counts and
    names only.
    """

    rows: int
    changed: int
    columns: list[str]
    problems: list[str]


def compare_difference(
    data: DataPaths,
    source: Source,
    task: Task,
    unchanged_sql: str,
    changed_sql: str,
    difference: Difference,
    concept_sql: ConceptSql,
    *,
    settings: Settings | None = None,
) -> DeclaredDifference:
    """Both references over ``source`` beside ``difference``. Raises BadInput for SQL that does not run."""
    concepts = concepts_in(unchanged_sql, changed_sql, difference.rows)
    if concepts:
        ensure_concepts(data, source, concept_sql, concepts, settings=settings)
    with open_source(
        data, source, concept_revision=concept_sql.revision, concepts=concepts, settings=settings, beside=[]
    ) as connection:
        return difference_in(connection, task, unchanged_sql, changed_sql, difference)


def difference_in(
    connection: Connection, task: Task, unchanged_sql: str, changed_sql: str, difference: Difference
) -> DeclaredDifference:
    """As ``compare_difference``, on a connection that has the tables."""
    keys = [key.name for key in task.keys]
    columns = _derive(connection, "unchanged", unchanged_sql, task)
    _derive(connection, "changed", changed_sql, task)
    declared = _derive(connection, "declared", difference.rows, task)
    _check_declared(connection, declared, keys, difference)
    values = [name for name in columns if name not in keys]
    try:
        rows = _count(connection, "SELECT count(*) FROM unchanged")
        counts = _compare(connection, keys, values)
        changed = _count(connection, "SELECT count(*) FROM differing")
        differing = [name for name, number in counts.items() if number]
        problems = [
            *_keys_that_disagree(connection, keys),
            *_columns_that_disagree(differing, difference.columns),
            *_values_that_disagree(connection, task, keys, [name for name in declared if name not in keys]),
        ]
    except DuckDBError as error:
        raise engine_failure(error, f"comparing references of {task.family}") from None
    return DeclaredDifference(rows, changed, differing, problems)


def _derive(connection: Connection, table: str, sql: str, task: Task) -> list[str]:
    where = f"the rows {table} of {task.family}, {task.database}"
    refuse_beyond_tables(sql, where)
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS\n{sql.rstrip().rstrip(';')}\n")
        return [str(row[0]) for row in connection.execute(f"DESCRIBE {table}").fetchall()]
    except DuckDBError as error:
        if type(error).__name__ in STATEMENT_FAULTS:
            raise BadInput(f"does not run ({str(error).splitlines()[0]})", where=where) from None
        raise engine_failure(error, f"the rows {table} of {task.family}") from None


def _check_declared(
    connection: Connection, declared: Sequence[str], keys: Sequence[str], difference: Difference
) -> None:
    lacking = [name for name in keys if name not in declared]
    more = [name for name in declared if name not in keys and name not in difference.columns]
    if lacking or more:
        told = f"no key column {', '.join(lacking)}" if lacking else f"undeclared column {', '.join(more)}"
        raise BadInput(f"the declared rows have {told}", remedy="Give the keys, and columns of `columns`.")
    key = ", ".join(map(identifier, keys))
    twice = _count(connection, f"SELECT count(*) - count(DISTINCT ({key})) FROM declared")
    if twice:
        raise BadInput(f"{twice} declared rows repeat a key", remedy="Give each row once.")


def _compare(connection: Connection, keys: Sequence[str], values: Sequence[str]) -> dict[str, int]:
    """Makes the table ``differing`` of keys; in how many rows of both each column differs."""
    shared = ", ".join(map(identifier, keys))
    distinct = {name: f"a.{identifier(name)} IS DISTINCT FROM b.{identifier(name)}" for name in values}
    some = " OR ".join(distinct.values())
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE differing AS SELECT {shared} "
        f"FROM (SELECT *, TRUE AS here FROM unchanged) AS a "
        f"FULL JOIN (SELECT *, TRUE AS here FROM changed) AS b USING ({shared}) "
        f"WHERE a.here IS NULL OR b.here IS NULL OR {some}"
    )
    counted = ", ".join(f"count(*) FILTER ({told})" for told in distinct.values())
    row = connection.execute(
        f"SELECT {counted} FROM unchanged AS a JOIN changed AS b USING ({shared})"
    ).fetchall()[0]
    return dict(zip(values, map(int, row), strict=True))


def _keys_that_disagree(connection: Connection, keys: Sequence[str]) -> list[str]:
    shared = ", ".join(map(identifier, keys))
    quiet = _count(connection, f"SELECT count(*) FROM declared ANTI JOIN differing USING ({shared})")
    untold = _count(connection, f"SELECT count(*) FROM differing ANTI JOIN declared USING ({shared})")
    told = ((quiet, "rows are declared to change and do not"), (untold, "rows change and are not declared"))
    return [f"{number} {words}" for number, words in told if number]


def _columns_that_disagree(differing: Sequence[str], declared: Sequence[str]) -> list[str]:
    untold = [name for name in differing if name not in declared]
    return [f"columns change and are not declared: {', '.join(untold)}"] if untold else []


def _values_that_disagree(
    connection: Connection, task: Task, keys: Sequence[str], given: Sequence[str]
) -> list[str]:
    """New values that the declaration gives, beside those of the changed reference."""
    numbers = {column.name for column in task.scored_columns if column.type is ColumnType.ORDERED}
    shared = ", ".join(map(identifier, keys))
    problems = []
    for name in given:
        column = identifier(name)
        unlike = f"d.{column} IS DISTINCT FROM b.{column}"
        if name in numbers:
            unlike = f"({unlike}) AND coalesce(abs(d.{column} - b.{column}) > {NEAR}, TRUE)"
        number = _count(
            connection,
            f"SELECT count(*) FROM declared AS d JOIN changed AS b USING ({shared}) WHERE {unlike}",
        )
        if number:
            problems.append(f"{number} rows have another new {name} than declared")
    return problems


def _count(connection: Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchall()[0][0])
