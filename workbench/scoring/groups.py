"""A score broken down by columns of the reference, such as the hospital; small groups are pooled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.ehr import Connection, DuckDBError
from workbench.ehr.connect import engine_failure, identifier
from workbench.records import NO_GROUP, OTHER_GROUPS, GroupScore
from workbench.scoring.columns import equality
from workbench.scoring.reference import ReferenceTable

SMALLEST = 10
"""Groups with fewer keys are pooled, so that no figure speaks of a few patients."""


@dataclass(frozen=True)
class _Counted:
    """Rows of the reference in one group or several, matched keys, matched values a column."""

    group: str
    rows: int
    keys: int
    values: tuple[int, ...]


def group_scores(
    connection: Connection,
    table: str,
    reference: ReferenceTable,
    present: Collection[str],
    report_by: Sequence[str],
) -> list[GroupScore]:
    """The groups of each ``report_by`` column, in the order of their values, what is pooled last.

    One pass over the reference a column, set based. An output's extra and repeated rows belong to no
    group. Groups below ``SMALLEST`` keys are pooled as ``other``, with the next larger ones until ``other``
    has as many; where all together have fewer there are no groups.
    """
    found: list[GroupScore] = []
    for by in report_by:
        kept, small = pool(_counted(connection, table, reference, present, by))
        found += [_score(by, item) for item in kept]
        if small:
            found.append(_score(by, _together(small), pooled=len(small)))
    return found


def pool(counted: Sequence[_Counted]) -> tuple[list[_Counted], list[_Counted]]:
    """What stands on its own, in the given order, and what has to be pooled."""
    by_size = sorted(range(len(counted)), key=lambda place: (counted[place].rows, place))
    small: set[int] = set()
    rows = 0
    for place in by_size:
        if counted[place].rows >= SMALLEST and (not small or rows >= SMALLEST):
            break
        small.add(place)
        rows += counted[place].rows
    if rows < SMALLEST and small:
        return [], []
    return (
        [item for place, item in enumerate(counted) if place not in small],
        [item for place, item in enumerate(counted) if place in small],
    )


def _counted(
    connection: Connection, table: str, reference: ReferenceTable, present: Collection[str], by: str
) -> list[_Counted]:
    asked = [place for place, column in enumerate(reference.columns) if column.task.name in present]
    hidden = [f"{key.reference} AS k{place}" for place, key in enumerate(reference.keys)]
    hidden += [f"{reference.columns[place].reference} AS y{place}" for place in asked]
    key = ", ".join(f"k{place}" for place in range(len(reference.keys)))
    measures = [
        f"count(*) FILTER (here AND ({equality(reference.columns[place], place)}))" for place in asked
    ]
    try:
        answer = connection.execute(
            f"""
            SELECT {", ".join(["CAST(part AS VARCHAR)", "count(*)", "count(here)", *measures])}
            FROM (SELECT {", ".join(hidden)}, {identifier(by)} AS part FROM read_parquet(?)) AS hidden
            LEFT JOIN (SELECT *, TRUE AS here FROM {table}) AS seen USING ({key})
            GROUP BY part
            ORDER BY part NULLS LAST
            """,
            [str(reference.path)],
        ).fetchall()
    except DuckDBError as error:
        raise engine_failure(error, f"scoring against {reference.target} by {by}") from None
    counted = []
    for part, rows, keys, *values in answer:
        matched = dict(zip(asked, values, strict=True))
        places = range(len(reference.columns))
        group = NO_GROUP if part is None else str(part)
        counted.append(_Counted(group, rows, keys, tuple(int(matched.get(place, 0)) for place in places)))
    return counted


def _together(items: Sequence[_Counted]) -> _Counted:
    return _Counted(
        OTHER_GROUPS,
        sum(item.rows for item in items),
        sum(item.keys for item in items),
        tuple(sum(values) for values in zip(*(item.values for item in items), strict=True)),
    )


def _score(by: str, item: _Counted, pooled: int = 0) -> GroupScore:
    return GroupScore(
        by=by,
        group=item.group,
        pooled=pooled,
        reference_rows=item.rows,
        matched=item.keys,
        key_coverage=item.keys / item.rows,
        match_rates=[matched / item.rows for matched in item.values],
    )
