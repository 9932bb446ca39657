"""A reference against the pinned concept, row for row: equal, tied, deviating on purpose, or unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.ehr.concept_build import ensure_concepts
from workbench.ehr.concepts import ConceptSql
from workbench.ehr.connect import Connection, DuckDBError, engine_failure, identifier, literal
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
from workbench.sql import reads

TIE_GROUP = "tie_group"


class EqualityReport(Part):
    """Counts of keys; no value. ``unexplained`` must be 0."""

    rows: int  # keys of either side
    equal: int
    tied: int  # another of the rows that the concept may give
    deviating: dict[str, int]  # deviation id to keys
    unexplained: int
    only_reference: int  # unexplained keys that the concept lacks
    only_concept: int  # unexplained keys that the reference lacks
    unexplained_columns: dict[str, int]  # differing columns among unexplained keys


def compare_with_concept(
    data: DataPaths,
    source: Source,
    task: Task,
    reference: Reference,
    concept_sql: ConceptSql,
    deviations: FamilyDeviations,
    *,
    admissible: str = "",
    settings: Settings | None = None,
    progress: Progress = silent,
) -> EqualityReport:
    """Compare a built reference with ``task.reference_concept`` on the same source.

    ``admissible`` is SQL for the rows that the concept may give where its rules leave ties open: the key
    columns, ``tie_group``, and any of the value columns. A differing row counts as tied when its values
    are among those of its key and the columns that ``admissible`` does not name only change places
    within the group. Raises BadInput for SQL that does not run.
    """
    concept = task.reference_concept
    needed = {concept} | {
        name.split(".", 1)[1] for name in reads(admissible) if name.startswith(f"{DERIVED_SCHEMA}.")
    }
    ensure_concepts(data, source, concept_sql, sorted(needed), progress=progress)
    file = data.source(source.name).reference(task.family, reference.target)
    with open_source(
        data, source, concept_revision=concept_sql.revision, concepts=sorted(needed), settings=settings
    ) as connection:
        try:
            return classify_rows(
                connection,
                reference=file,
                concept=f"{DERIVED_SCHEMA}.{concept}",
                keys=reference.keys,
                columns=[name for name in reference.columns if name not in reference.keys],
                deviations=deviations.deviations,
                admissible=admissible,
            )
        except DuckDBError as error:
            raise engine_failure(error, f"comparing {task.family} with {concept}") from None


def classify_rows(
    connection: Connection,
    *,
    reference: Path,
    concept: str,
    keys: Sequence[str],
    columns: Sequence[str],
    deviations: Sequence[Deviation],
    admissible: str,
) -> EqualityReport:
    """Sort every key of either side into one class; ``concept`` is a table of ``connection``."""
    _join(connection, reference, concept, keys, columns)
    _mark_ties(connection, keys, columns, concept, admissible)
    why = ["CASE WHEN same THEN 'equal' WHEN tied THEN 'tied'"]
    for number, deviation in enumerate(deviations):
        unknown = [name for name in deviation.columns if name not in columns]
        if unknown:
            raise BadInput(
                f"deviation {deviation.id} names no column of the reference: {', '.join(unknown)}",
                remedy="Correct deviations.toml.",
            )
        elsewhere = [_same(name) for name in columns if name not in deviation.columns]
        condition = " AND ".join([f"coalesce({deviation.predicate}, false)", *elsewhere])
        why.append(f"WHEN {condition} THEN 'deviation {number}'")
    differing = ", ".join(
        f"count(*) FILTER (class = 'unexplained' AND r.there AND c.there AND NOT {_same(name)})"
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
    )


def _same(column: str) -> str:
    return f"r.{identifier(column)} IS NOT DISTINCT FROM c.{identifier(column)}"


def _join(
    connection: Connection, reference: Path, concept: str, keys: Sequence[str], columns: Sequence[str]
) -> None:
    """``compared``: one row a key, with the structs ``r`` and ``c`` (``there``: has the key) and ``same``.

    A key that the concept repeats stays repeated, so that no such row can pass unseen.
    """
    names = [identifier(name) for name in (*keys, *columns)]
    packed = f"struct_pack({', '.join(f'{name} := {name}' for name in names)}, there := true)"
    connection.execute(
        f"CREATE TEMP TABLE reference_rows AS SELECT {packed} AS r "
        f"FROM read_parquet({literal(str(reference))})"
    )
    connection.execute(f"CREATE TEMP TABLE concept_rows AS SELECT {packed} AS c FROM {concept}")
    on = " AND ".join(_same(key) for key in keys)
    same = " AND ".join(["r.there", "c.there", *(_same(name) for name in columns)])
    connection.execute(
        f"CREATE TEMP TABLE compared AS SELECT *, coalesce({same}, false) AS same, false AS tied "
        f"FROM reference_rows FULL JOIN concept_rows ON {on}"
    )


def _mark_ties(
    connection: Connection, keys: Sequence[str], columns: Sequence[str], concept: str, admissible: str
) -> None:
    """Set ``tied`` on differing rows that the concept might as well have given."""
    if not admissible.strip():
        return
    try:
        connection.execute(f"CREATE TEMP TABLE admissible AS\n{admissible.rstrip().rstrip(';')}\n")
    except DuckDBError as error:
        raise BadInput(
            f"the SQL for admissible rows of {concept} does not run ({type(error).__name__})",
            remedy="Correct admissible.<database>.sql.",
        ) from None
    given = {str(row[0]) for row in connection.execute("DESCRIBE admissible").fetchall()}
    lacking = {*keys, TIE_GROUP} - given
    if lacking:
        raise BadInput(f"the SQL for admissible rows gives no {', '.join(sorted(lacking))}")
    chosen = [name for name in columns if name in given]
    moving = [name for name in columns if name not in given]
    _mark_balanced_groups(connection, keys, moving)
    for side in ("r", "c"):
        match = " AND ".join(
            f"compared.{side}.{identifier(name)} IS NOT DISTINCT FROM a.{identifier(name)}"
            for name in (*keys, *chosen)
        )
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
