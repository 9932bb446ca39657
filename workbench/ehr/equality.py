"""A reference against the pinned concept, row for row: equal, tied, deviating on purpose, or unexplained."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from workbench.ehr.schema import DERIVED_SCHEMA
from workbench.ehr.source_views import open_source
from workbench.records import (
    BadInput,
    DataPaths,
    Deviation,
    FamilyDeviations,
    Part,
    Progress,
    Reference,
    Settings,
    Source,
    Task,
    silent,
)

TIE_GROUP = "tie_group"
FLOAT_TOLERANCE = 1e-9
"""Relative; sums of floats in another order differ by less."""
FLOATS = frozenset({"DOUBLE", "FLOAT"})


class UnexplainedRow(Part):
    """One key's differing columns as text, each as (reference, concept); None is NULL or no such row.

    It may hold patients' values: for a person's eyes, never stored.
    """

    key: dict[str, str | None]
    in_reference: bool
    in_concept: bool
    differing: dict[str, tuple[str | None, str | None]]


class EqualityReport(Part):
    """Counts of keys; no value but those of ``examples``. ``unexplained`` must be 0."""

    rows: int  # keys of either side
    equal: int
    tied: int  # another of the rows that the concept may give
    deviating: dict[str, int]  # deviation id to keys
    unexplained: int
    only_reference: int  # unexplained keys that the concept lacks
    only_concept: int  # unexplained keys that the reference lacks
    unexplained_columns: dict[str, int]  # differing columns among unexplained keys
    examples: list[UnexplainedRow] = []  # only where asked for


def compare_with_concept(
    data: DataPaths,
    source: Source,
    task: Task,
    reference: Reference,
    concept_sql: ConceptSql,
    deviations: FamilyDeviations,
    *,
    concept: str = "",
    admissible: str = "",
    examples: int = 0,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> EqualityReport:
    """Compare a built reference with the pinned concept on the same source.

    ``concept`` is SQL that gives the concept in the reference's grain and columns; empty: the table
    ``task.reference_concept`` is compared as it is. Values are equal if SQL says so, floats also within a
    relative ``FLOAT_TOLERANCE``.

    ``admissible`` is SQL for the rows that the concept may give where its rules leave ties open: the key
    columns, ``tie_group``, and any of the value columns. A differing row counts as tied when its values
    are among those of its key and the columns that ``admissible`` does not name only change places
    within the group. Raises BadInput for SQL that does not run, and where there is no concept at all.
    """
    if not concept and not task.reference_concept:
        raise BadInput(f"task {task.id} has no public concept to compare with")
    concept = concept or f"SELECT * FROM {DERIVED_SCHEMA}.{task.reference_concept}"
    predicates = [f"SELECT 1 WHERE {deviation.predicate}" for deviation in deviations.deviations]
    needed = concepts_in(concept, admissible, *predicates)
    for sql in (concept, admissible, *predicates):
        if sql.strip():
            refuse_beyond_tables(sql, f"concept, ties or deviations of {task.family}, {task.database}")
    if needed:
        ensure_concepts(data, source, concept_sql, needed, settings=settings, progress=progress)
    file = data.source(source.name).reference(task.family, reference.target)
    with open_source(
        data, source, concept_revision=concept_sql.revision, concepts=needed, settings=settings, beside=[file]
    ) as connection:
        try:
            return classify_rows(
                connection,
                reference=file,
                concept=concept,
                keys=reference.keys,
                columns=[name for name in reference.columns if name not in reference.keys],
                deviations=deviations.deviations,
                admissible=admissible,
                examples=examples,
            )
        except DuckDBError as error:
            raise engine_failure(error, f"comparing {task.family} with the pinned concept") from None


def classify_rows(
    connection: Connection,
    *,
    reference: Path,
    concept: str,
    keys: Sequence[str],
    columns: Sequence[str],
    deviations: Sequence[Deviation],
    admissible: str,
    examples: int = 0,
) -> EqualityReport:
    """Sort every key of either side into one class; ``concept`` is a SELECT over ``connection``.

    ``examples``: how many unexplained rows to give with their values, the first in key order.
    """
    floats = _join(connection, reference, concept, keys, columns)
    _mark_ties(connection, keys, columns, floats, admissible)
    why = ["CASE WHEN same THEN 'equal' WHEN tied THEN 'tied'"]
    for number, deviation in enumerate(deviations):
        unknown = [name for name in deviation.columns if name not in columns]
        if unknown:
            raise BadInput(
                f"deviation {deviation.id} names no column of the reference: {', '.join(unknown)}",
                remedy="Correct deviations.toml.",
            )
        _check_predicate(connection, deviation)
        elsewhere = [_same(name, floats) for name in columns if name not in deviation.columns]
        condition = " AND ".join([f"coalesce({deviation.predicate}, false)", *elsewhere])
        why.append(f"WHEN {condition} THEN 'deviation {number}'")
    differing = ", ".join(
        f"count(*) FILTER (class = 'unexplained' AND r.there AND c.there AND NOT {_same(name, floats)})"
        for name in columns
    )
    connection.execute(
        f"CREATE TEMP TABLE classed AS SELECT *, {' '.join(why)} ELSE 'unexplained' END AS class "
        "FROM compared"
    )
    counted = {
        str(name): int(number)
        for name, number in connection.execute(
            "SELECT class, count(*) FROM classed GROUP BY class"
        ).fetchall()
    }
    only_reference, only_concept, *by_column = connection.execute(
        "SELECT count(*) FILTER (class = 'unexplained' AND c.there IS NULL), "
        f"count(*) FILTER (class = 'unexplained' AND r.there IS NULL), {differing} FROM classed"
    ).fetchall()[0]
    return EqualityReport(
        rows=sum(counted.values()),
        equal=counted.get("equal", 0),
        tied=counted.get("tied", 0),
        deviating={
            deviation.id: counted.get(f"deviation {number}", 0) for number, deviation in enumerate(deviations)
        },
        unexplained=counted.get("unexplained", 0),
        only_reference=only_reference,
        only_concept=only_concept,
        unexplained_columns={name: n for name, n in zip(columns, by_column, strict=True) if n},
        examples=_examples(connection, keys, columns, floats, examples) if examples else [],
    )


def _examples(
    connection: Connection, keys: Sequence[str], columns: Sequence[str], floats: Collection[str], limit: int
) -> list[UnexplainedRow]:
    told = [f"CAST({side}.{identifier(name)} AS VARCHAR)" for name in columns for side in ("r", "c")]
    differs = [f"NOT {_same(name, floats)}" for name in columns]
    key = [f"CAST(coalesce(r.{identifier(name)}, c.{identifier(name)}) AS VARCHAR)" for name in keys]
    order = ", ".join(f"coalesce(r.{identifier(name)}, c.{identifier(name)})" for name in keys)
    rows = connection.execute(
        f"SELECT r.there IS NOT NULL, c.there IS NOT NULL, {', '.join([*key, *differs, *told])} "
        f"FROM classed WHERE class = 'unexplained' ORDER BY {order} LIMIT {limit}"
    ).fetchall()
    found = []
    for in_reference, in_concept, *cells in rows:
        names, cells = cells[: len(keys)], cells[len(keys) :]
        differing, values = cells[: len(columns)], cells[len(columns) :]
        pairs = dict(zip(columns, zip(values[::2], values[1::2], strict=True), strict=True))
        found.append(
            UnexplainedRow(
                key=dict(zip(keys, names, strict=True)),
                in_reference=in_reference,
                in_concept=in_concept,
                differing={
                    name: pairs[name] for name, differs in zip(columns, differing, strict=True) if differs
                },
            )
        )
    return found


def _same(column: str, floats: Collection[str], left: str = "r", right: str = "c") -> str:
    """A condition that is never NULL."""
    one, other = f"{left}.{identifier(column)}", f"{right}.{identifier(column)}"
    equal = f"{one} IS NOT DISTINCT FROM {other}"
    if column not in floats:
        return equal
    near = f"abs({one} - {other}) <= {FLOAT_TOLERANCE} * greatest(abs({one}), abs({other}))"
    return f"({equal} OR coalesce({near}, false))"


def _join(
    connection: Connection, reference: Path, concept: str, keys: Sequence[str], columns: Sequence[str]
) -> set[str]:
    """``compared``: one row a key, with the structs ``r`` and ``c`` (``there``: has the key) and ``same``.

    A key that the concept repeats stays repeated, so that no such row can pass unseen. Gives the columns
    that are floats on either side.
    """
    names = [identifier(name) for name in (*keys, *columns)]
    packed = f"struct_pack({', '.join(f'{name} := {name}' for name in names)}, there := true)"
    connection.execute(
        f"CREATE TEMP TABLE reference_given AS SELECT * FROM read_parquet({literal(str(reference))})"
    )
    _run_select(connection, "concept_given", concept, "the concept", "concept.<database>.sql")
    types = [
        dict(connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table})").fetchall())
        for table in ("reference_given", "concept_given")
    ]
    lacking = [name for name in (*keys, *columns) if name not in types[1]]
    if lacking:
        raise BadInput(
            f"the SQL for the concept gives no {', '.join(lacking)}",
            remedy="concept.<database>.sql needs every column of the reference.",
        )
    floats = {name for name in columns if FLOATS.intersection((types[0][name], types[1][name]))}
    connection.execute(f"CREATE TEMP TABLE reference_rows AS SELECT {packed} AS r FROM reference_given")
    connection.execute(f"CREATE TEMP TABLE concept_rows AS SELECT {packed} AS c FROM concept_given")
    on = " AND ".join(_same(key, ()) for key in keys)
    same = " AND ".join(["r.there", "c.there", *(_same(name, floats) for name in columns)])
    connection.execute(
        f"CREATE TEMP TABLE compared AS SELECT *, coalesce({same}, false) AS same, false AS tied "
        f"FROM reference_rows FULL JOIN concept_rows ON {on}"
    )
    return floats


def _run_select(connection: Connection, table: str, sql: str, what: str, file: str) -> None:
    try:
        connection.execute(f"CREATE TEMP TABLE {table} AS\n{sql.rstrip().rstrip(';')}\n")
    except DuckDBError as error:
        if type(error).__name__ in STATEMENT_FAULTS:
            raise BadInput(
                f"the SQL for {what} does not run ({str(error).splitlines()[0]})", remedy=f"Correct {file}."
            ) from None
        raise


def _check_predicate(connection: Connection, deviation: Deviation) -> None:
    try:
        connection.execute(f"SELECT 1 FROM compared WHERE {deviation.predicate} LIMIT 0")
    except DuckDBError as error:
        if type(error).__name__ in STATEMENT_FAULTS:
            raise BadInput(
                f"the predicate of deviation {deviation.id} does not run ({str(error).splitlines()[0]})",
                remedy="Correct deviations.toml.",
            ) from None
        raise


def _mark_ties(
    connection: Connection,
    keys: Sequence[str],
    columns: Sequence[str],
    floats: Collection[str],
    admissible: str,
) -> None:
    """Set ``tied`` on differing rows that the concept might as well have given."""
    if not admissible.strip():
        return
    _run_select(connection, "admissible", admissible, "admissible rows", "admissible.<database>.sql")
    given = {str(row[0]) for row in connection.execute("DESCRIBE admissible").fetchall()}
    lacking = {*keys, TIE_GROUP} - given
    if lacking:
        raise BadInput(f"the SQL for admissible rows gives no {', '.join(sorted(lacking))}")
    chosen = [name for name in columns if name in given]
    moving = [name for name in columns if name not in given]
    if lost := sorted(set(moving).intersection(floats)):
        raise BadInput(
            f"the SQL for admissible rows leaves out {', '.join(lost)}: a float cannot be told by its value",
            remedy="Name it in admissible.<database>.sql.",
        )
    _mark_balanced_groups(connection, keys, moving)
    for side in ("r", "c"):
        match = " AND ".join(_same(name, floats, f"compared.{side}", "a") for name in (*keys, *chosen))
        connection.execute(
            f"CREATE TEMP TABLE admitted_{side} AS SELECT DISTINCT compared.rowid AS row "
            f"FROM compared INNER JOIN admissible AS a ON {match} "
            f"INNER JOIN balanced USING ({TIE_GROUP}) WHERE NOT compared.same"
        )
    connection.execute(
        "UPDATE compared SET tied = true WHERE rowid IN (SELECT row FROM admitted_r) "
        "AND rowid IN (SELECT row FROM admitted_c)"
    )


def _mark_balanced_groups(connection: Connection, keys: Sequence[str], moving: Sequence[str]) -> None:
    """``balanced``: tie groups in which both sides hold the same rows of the columns that may move."""
    names = [identifier(name) for name in moving] or ["there"]
    on = " AND ".join(f"side.{identifier(key)} = a.{identifier(key)}" for key in keys)
    by_name = ", ".join(names)
    groups = f"SELECT DISTINCT {TIE_GROUP}, {', '.join(identifier(key) for key in keys)} FROM admissible"
    sides = " UNION ALL ".join(
        f"SELECT a.{TIE_GROUP}, {by_name}, {weight} AS weight FROM "
        f"(SELECT unnest({side}) FROM compared WHERE {side}.there) AS side INNER JOIN a ON {on}"
        for side, weight in (("r", 1), ("c", -1))
    )
    connection.execute(
        f"CREATE TEMP TABLE balanced AS WITH a AS ({groups}), sides AS ({sides}) "
        f"SELECT {TIE_GROUP} FROM a EXCEPT SELECT {TIE_GROUP} FROM sides "
        f"GROUP BY {TIE_GROUP}, {by_name} HAVING sum(weight) <> 0"
    )
