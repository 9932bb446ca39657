"""Whether an answer can be read off a table that its agent sees: values equal by key, whatever the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN")
_TIMES = ("TIMESTAMP", "DATE")


class ReadOff(Part):
    """A visible column that equals a scored one; ``share`` is of the rows that tell something, 0 to 1."""

    table: str
    column: str
    scored_column: str
    share: float


@dataclass(frozen=True)
class Telling:
    """A scored column: its kind, and its numbers of rows that tell something and of rows that do not."""

    kind: str
    telling: int
    rest: int


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
) -> dict[str, Telling]:
    """The tables ``answer_<kind>``: a row for each value of a scored column, by key, and whether it tells
    something.

    Gives what is known of each scored column that has enough telling rows.
    """
    file = f"read_parquet({literal(str(reference))})"
    kinds = _kinds(connection, file)
    found: dict[str, Telling] = {}
    for kind in sorted(set(kinds.values())):
        columns = [column for column in scored if kinds.get(column) == kind]
        if not columns:
            continue
        values = _long(file, keys, {column: identifier(column) for column in columns}, kind)
        connection.execute(
            f"CREATE TEMP TABLE answer_{kind} AS WITH long AS ({values}), "
            f"common AS (SELECT name, mode(value) AS usual FROM long GROUP BY name) "
            f"SELECT long.*, value <> usual AS telling FROM long JOIN common USING (name)"
        )
        rows = connection.execute(
            f"SELECT name, count(*) FILTER (telling), count(*) FILTER (NOT telling) "
            f"FROM answer_{kind} GROUP BY name"
        ).fetchall()
        found |= {name: Telling(kind, telling, rest) for name, telling, rest in rows if telling >= LEAST_ROWS}
    return found


def equal_columns(
    connection: Connection, table: str, keys: Sequence[str], telling: Mapping[str, Telling]
) -> list[ReadOff]:
    """Columns of ``table`` that equal a column of the answer on most telling rows; the best for each."""
    kinds = _kinds(connection, qualified(table))
    if not set(keys) <= kinds.keys():
        return []
    by_key = ", ".join(identifier(key) for key in keys)
    best: dict[str, ReadOff] = {}
    for kind in sorted({known.kind for known in telling.values()}):
        columns = [column for column, other in kinds.items() if other == kind and column not in keys]
        if not columns:
            continue
        ends = {
            f"{end} {column}": f"{end}({identifier(column)})" for column in columns for end in ("min", "max")
        }
        beside = _long(qualified(table), keys, ends, kind, grouped=True)
        counted = connection.execute(
            f"SELECT one.name, other.name, count(*) FILTER (telling AND {_EQUAL[kind]}), "
            f"count(*) FILTER (NOT telling AND NOT ({_EQUAL[kind]})) "
            f"FROM answer_{kind} AS one JOIN ({beside}) AS other USING ({by_key}) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        for scored, column, equal, gainsaid in counted:
            known = telling.get(scored)
            if known is None or equal < MOST * known.telling or gainsaid > (1 - MOST) * known.rest:
                continue
            share = equal / known.telling
            if scored not in best or share > best[scored].share:
                name = column.partition(" ")[2]
                best[scored] = ReadOff(table=table, column=name, scored_column=scored, share=share)
    return list(best.values())


_EQUAL = {
    "number": f"abs(one.value - other.value) <= {NEAR}",
    "time": "one.value = other.value",
    "text": "one.value = other.value",
}
_TYPE = {"number": "DOUBLE", "time": "TIMESTAMP", "text": "VARCHAR"}


def _long(
    table: str, keys: Sequence[str], columns: Mapping[str, str], kind: str, *, grouped: bool = False
) -> str:
    """SQL that gives a row for each value that is there: the keys, the column's name, the value."""
    by_key = ", ".join(identifier(key) for key in keys)
    cast = ", ".join(f"CAST({sql} AS {_TYPE[kind]}) AS {identifier(name)}" for name, sql in columns.items())
    names = ", ".join(identifier(name) for name in columns)
    end = f" GROUP BY {by_key}" if grouped else ""
    return f"UNPIVOT (SELECT {by_key}, {cast} FROM {table}{end}) ON {names} INTO NAME name VALUE value"


def _kinds(connection: Connection, table: str) -> dict[str, str]:
    """Column to kind; columns of other types are left out."""
    described = connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE FROM {table})").fetchall()
    kinds = {}
    for name, declared in described:
        if declared.startswith(_NUMBERS):
            kinds[name] = "number"
        elif declared.startswith(_TIMES):
            kinds[name] = "time"
        elif declared == "VARCHAR":
            kinds[name] = "text"
    return kinds
