"""Examples of what differs between an output and one reference: for a person's eyes, never stored.

They hold patients' values. They are computed when they are asked for and go to the screen only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench.ehr import Connection, DuckDBError
from workbench.ehr.connect import engine_failure
from workbench.records import BadInput, Settings, Task
from workbench.scoring.read import NotReadable, open_output
from workbench.scoring.reference import ReferenceTable, describe
from workbench.scoring.table import load_table
from workbench.scoring.targets import workplace

UNREADABLE = "(cannot be read as this type)"
_MARKERS = ("nan", "infinity")


@dataclass(frozen=True)
class Mismatch:
    """One difference. ``key``: the key columns' values.

    ``value``: both have the row, but not the same in ``column``; ``missing``: only the reference has it;
    ``extra``: only the output has it (``column`` empty for both). ``got`` is the output's, ``wanted`` the
    reference's; None is null.
    """

    kind: Literal["value", "missing", "extra"]
    column: str
    key: tuple[str, ...]
    got: str | None = None
    wanted: str | None = None


def mismatches(
    output: Path | None,
    task: Task,
    reference: Path,
    limit: int = 5,
    *,
    column_names: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> list[Mismatch]:
    """At most ``limit`` examples a scored column, of missing keys, and of extra keys; the lowest keys first.

    Columns that the output does not have give none. Repeated keys count with their first row. Raises
    BadInput for an output that cannot be read, otherwise as ``score_output``.
    """
    with workplace(settings, None) as (connection, folder):
        described = describe(connection, "chosen", reference, task)
        try:
            with open_output(output) as opened:
                file = opened.under(column_names or {})
                table = load_table(connection, file, described, "output_0", folder)
                present = [name for name in task.required_columns if file.position(name) is not None]
                return list(_all(connection, table.name, described, present, limit))
        except NotReadable as error:
            raise BadInput(f"the output cannot be compared: {error.reason}") from None
        except DuckDBError as error:
            raise engine_failure(error, "looking for differences") from None


def _all(
    connection: Connection, table: str, reference: ReferenceTable, present: Sequence[str], limit: int
) -> Iterator[Mismatch]:
    keys = [f"k{place}" for place in range(len(reference.keys))]
    using = ", ".join(keys)
    shown = [f"CAST({key} AS VARCHAR)" for key in keys]
    hidden = [f"{key.reference} AS k{place}" for place, key in enumerate(reference.keys)]

    def ask(selected: Sequence[str], rest: str, *more: str) -> list[tuple[Any, ...]]:
        source = f"(SELECT {', '.join([*hidden, *more])} FROM read_parquet(?)) AS hidden"
        sql = (
            f"SELECT {', '.join(selected)} FROM {rest.format(source=source)} "
            f"ORDER BY {using} LIMIT {max(0, limit)}"
        )
        return connection.execute(sql, [str(reference.path)]).fetchall()

    for place, column in enumerate(reference.columns):
        if column.task.name not in present:
            continue
        equal = column.comparison.equal("v", "y", column.task.tolerance)
        mine = f"(SELECT {using}, v{place} AS v FROM {table}) AS mine"
        found = ask(
            [*shown, "CAST(v AS VARCHAR)", "CAST(y AS VARCHAR)"],
            f"{mine} JOIN {{source}} USING ({using}) WHERE NOT coalesce({equal}, FALSE)",
            f"{column.reference} AS y",
        )
        for row in found:
            got = UNREADABLE if row[-2] in _MARKERS else row[-2]
            yield Mismatch("value", column.task.name, tuple(row[:-2]), got, row[-1])
    for row in ask(shown, f"{{source}} ANTI JOIN {table} USING ({using})"):
        yield Mismatch("missing", "", tuple(row))
    known = " AND ".join(f"{key} IS NOT NULL" for key in keys)
    for row in ask(shown, f"{table} ANTI JOIN {{source}} USING ({using}) WHERE {known}"):
        yield Mismatch("extra", "", tuple(row))
