"""One pass over the rows whose keys agree: what matched, and how far off ordered values are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from workbench.ehr import Connection, DuckDBError
from workbench.ehr.connect import engine_failure
from workbench.records import ColumnScore, KeyScore
from workbench.scoring.reference import ReferenceColumn, ReferenceTable
from workbench.scoring.values import ERROR_SCALE


@dataclass(frozen=True)
class Agreement:
    """Matched keys; per scored column the matched values, and the summed ordered error where it has one."""

    keys: int
    values: tuple[int, ...]
    errors: tuple[int | None, ...]


def compare(
    connection: Connection, table: str, reference: ReferenceTable, present: Collection[str]
) -> Agreement:
    """Compare the columns that are ``present``; the others match nothing.

    Keys are unique on both sides. Every sum is over whole numbers, so neither row order nor the number
    of threads changes it.
    """
    asked = [place for place, column in enumerate(reference.columns) if column.task.name in present]
    measures = ["count(*)"]
    for place in asked:
        column = reference.columns[place]
        measures.append(f"count(*) FILTER ({equality(column, place)})")
        error = _error(column, place)
        measures.append(f"sum(CAST({error} AS BIGINT))" if error else "NULL")
    hidden = [f"{key.reference} AS k{place}" for place, key in enumerate(reference.keys)]
    hidden += [f"{reference.columns[place].reference} AS y{place}" for place in asked]
    key = ", ".join(f"k{place}" for place in range(len(reference.keys)))
    try:
        answer = connection.execute(
            f"""
            SELECT {", ".join(measures)}
            FROM {table}
            JOIN (SELECT {", ".join(hidden)} FROM read_parquet(?)) AS hidden USING ({key})
            """,
            [str(reference.path)],
        ).fetchall()[0]
    except DuckDBError as error:
        raise engine_failure(error, f"scoring against {reference.target}") from None
    values = dict(zip(asked, answer[1::2], strict=True))
    errors = dict(zip(asked, answer[2::2], strict=True))
    return Agreement(
        keys=int(answer[0]),
        values=tuple(int(values.get(place, 0)) for place in range(len(reference.columns))),
        errors=tuple(
            int(errors.get(place) or 0) if place in asked and column.ordered else None
            for place, column in enumerate(reference.columns)
        ),
    )


def column_scores(
    reference: ReferenceTable, present: Collection[str], keys: KeyScore, agreement: Agreement
) -> list[ColumnScore]:
    """Match rates over reference rows, extra rows and duplicates; nMAE over matched keys."""
    rows = keys.reference_rows + keys.extra + keys.duplicates
    scores = []
    for column, matched, error in zip(reference.columns, agreement.values, agreement.errors, strict=True):
        is_present = column.task.name in present
        nmae = None
        if column.ordered and keys.matched:
            nmae = error / ERROR_SCALE / keys.matched if error is not None else 1.0
        scores.append(
            ColumnScore(
                column=column.task.name,
                type=column.task.type,
                present=is_present,
                matched=matched,
                match_rate=matched / rows,
                nmae=nmae,
            )
        )
    return scores


def equality(column: ReferenceColumn, place: int) -> str:
    """SQL that holds where the output's value ``v<place>`` equals the reference's ``y<place>``."""
    return column.comparison.equal(f"v{place}", f"y{place}", column.task.tolerance)


def _error(column: ReferenceColumn, place: int) -> str | None:
    if not column.ordered:
        return None
    return column.comparison.error(f"v{place}", f"y{place}", column.task.tolerance, column.span)
