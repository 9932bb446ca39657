"""Whether an answer can be read off a table that its agent sees: values equal by key, whatever the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.ehr.concept_build import ensure_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import Connection, DuckDBError, engine_failure, identifier, literal, qualified
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.source_views import open_source
from workbench.ehr.task_files import visible_concepts
from workbench.records import DataPaths, Part, Progress, Reference, Settings, Source, Task, silent

MOST = 0.9
"""Share of telling rows from which a column counts as the answer."""
LEAST_ROWS = 20
"""With fewer telling rows equality may be chance."""
NEAR = 0.005
"""Numbers are compared as if rounded to two places."""
PAIRS_AT_ONCE = 100
"""Pairs of columns compared by one query; thousands at once take more memory than a machine has."""
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN")
_TIMES = ("TIMESTAMP", "DATE")


class ReadOff(Part):
    """A visible column that equals a scored one; ``share`` is of the rows that tell something, 0 to 1."""

    table: str
    column: str
    scored_column: str
    share: float


def find_read_off(
    data: DataPaths,
    source: Source,
    task: Task,
    reference: Reference,
    concept_sql: ConceptSql,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> list[ReadOff]:
    """Visible derived tables, not declared kept, from whose columns a scored column can be read by key.

    A row tells something where the scored value is neither NULL nor the column's most frequent one, so that
    columns of many zeros do not match by chance. The other rows must not gainsay it on most of them, so that
    neither does a column of one value. Of a table with several rows a key, the lowest and the highest value
    count, each for itself. Raises BadInput for a task that names unknown tables, Unavailable where the engine
    fails.
    """
    kept = {entry.table for entry in task.kept_tables}
    shown = [name for name in visible_concepts(task, concept_sql) if name not in kept]
    if not shown:
        return []
    ensure_concepts(data, source, concept_sql, shown, settings=settings, progress=progress)
    file = data.source(source.name).reference(task.family, reference.target)
    keys, scored = reference.keys, [column.name for column in task.scored_columns]
    found: list[ReadOff] = []
    with open_source(
        data, source, concept_revision=concept_sql.revision, concepts=shown, settings=settings
    ) as connection:
        try:
            telling = load_answer(connection, file, keys, scored)
            for number, name in enumerate(shown):
                progress(f"values of {name}", number, len(shown), "tables")
                found += equal_columns(connection, f"{DERIVED_SCHEMA}.{name}", keys, telling)
        except DuckDBError as error:
            raise engine_failure(error, f"looking for the answer of {task.id}") from None
    return found


def load_answer(
    connection: Connection, reference: Path, keys: Sequence[str], scored: Sequence[str]
) -> dict[str, str]:
    """The table ``answer``: keys, scored columns with NULL where a value tells nothing, and the values there
    as ``rest <column>``.

    Gives the kind of each scored column that has enough telling rows: ``number``, ``time`` or ``text``.
    """
    connection.execute(f"CREATE TEMP VIEW given AS FROM read_parquet({literal(str(reference))})")
    names = [identifier(name) for name in scored]
    modes = ", ".join(f"mode({name}) AS {name}" for name in names)
    telling = ", ".join(
        f"nullif(given.{name}, common.{name}) AS {name}, "
        f"CASE WHEN given.{name} = common.{name} THEN given.{name} END AS {identifier(f'rest {column}')}"
        for name, column in zip(names, scored, strict=True)
    )
    by_key = ", ".join(identifier(key) for key in keys)
    connection.execute(
        f"CREATE TEMP TABLE answer AS SELECT {by_key}, {telling} "
        f"FROM given, (SELECT {modes} FROM given) AS common"
    )
    counts = connection.execute(
        f"SELECT {', '.join(f'count({name})' for name in names)} FROM answer"
    ).fetchall()[0]
    kinds = _kinds(connection, "answer")
    return {name: kinds[name] for name, rows in zip(scored, counts, strict=True) if rows >= LEAST_ROWS}


def equal_columns(
    connection: Connection, table: str, keys: Sequence[str], telling: Mapping[str, str]
) -> list[ReadOff]:
    """Columns of ``table`` that equal a column of ``answer`` on most telling rows; the best for each."""
    kinds = _kinds(connection, qualified(table))
    if not set(keys) <= kinds.keys() or not telling:
        return []
    pairs = [
        (scored, column)
        for scored, kind in telling.items()
        for column, other in kinds.items()
        if kind == other and column not in keys
    ]
    if not pairs:
        return []
    columns = sorted({column for _, column in pairs})
    ends = ", ".join(
        f"{end}({identifier(column)}) AS {identifier(f'{end} {column}')}"
        for column in columns
        for end in ("min", "max")
    )
    grouped = ", ".join(identifier(key) for key in keys)
    candidates = [(scored, column, end) for scored, column in pairs for end in ("min", "max")]
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE beside AS "
        f"SELECT {grouped}, {ends} FROM {qualified(table)} GROUP BY {grouped}"
    )
    counted: list[float] = []
    for first in range(0, len(candidates), PAIRS_AT_ONCE):
        shares = ", ".join(
            _shares(scored, f"{end} {column}", telling[scored])
            for scored, column, end in candidates[first : first + PAIRS_AT_ONCE]
        )
        counted += connection.execute(
            f"SELECT {shares} FROM answer AS a LEFT JOIN beside AS t USING ({grouped})"
        ).fetchall()[0]
    best: dict[str, ReadOff] = {}
    for (scored, column, _), share, gainsaid in zip(candidates, counted[::2], counted[1::2], strict=True):
        if share >= MOST and gainsaid <= 1 - MOST and (scored not in best or share > best[scored].share):
            best[scored] = ReadOff(table=table, column=column, scored_column=scored, share=share)
    return list(best.values())


def _shares(scored: str, other: str, kind: str) -> str:
    """SQL of two shares: of the telling rows that are equal, and of the rest that are not."""
    telling, rest = f"a.{identifier(scored)}", f"a.{identifier(f'rest {scored}')}"
    value = f"t.{identifier(other)}"
    return (
        f"count(*) FILTER ({_equal(telling, value, kind)}) / count({telling}), "
        f"coalesce(count(*) FILTER (NOT ({_equal(rest, value, kind)})) / nullif(count({rest}), 0), 0)"
    )


def _equal(one: str, other: str, kind: str) -> str:
    if kind == "number":
        return f"abs(CAST({one} AS DOUBLE) - CAST({other} AS DOUBLE)) <= {NEAR}"
    return f"{one} = {other}"


def _kinds(connection: Connection, table: str) -> dict[str, str]:
    """Column to kind; columns of other types are left out."""
    described = connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table})").fetchall()
    kinds = {}
    for name, declared in described:
        if declared.startswith(_NUMBERS):
            kinds[name] = "number"
        elif declared.startswith(_TIMES):
            kinds[name] = "time"
        elif declared == "VARCHAR":
            kinds[name] = "text"
    return kinds
