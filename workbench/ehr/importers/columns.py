"""Match a table's columns with the published schema, and convert each to its published type or refuse it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.ehr.connect import identifier, literal
from workbench.ehr.layouts import other_database
from workbench.ehr.schema import Column, TableSchema
from workbench.records import BadInput

BAD_VALUE = "workbench bad value in column "
"""How a projection's error begins; the column's name follows."""
WHOLE = {"SMALLINT": (-(2**15), 2**15 - 1), "INTEGER": (-(2**31), 2**31 - 1), "BIGINT": (-(2**53), 2**53)}
"""Ranges of whole numbers; the widest is what a DOUBLE holds exactly, as text is read through it."""
WHOLE_TYPES = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
)
FRACTIONAL = ("DOUBLE", "FLOAT", "REAL", "DECIMAL")
TIMES = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE")


@dataclass(frozen=True)
class Matched:
    """What the given columns lack and have beyond the published ones (both lists allowed)."""

    missing: list[str]
    dropped: list[str]


@dataclass(frozen=True)
class Conversion:
    """A column's value in its published type; ``bad`` is the SQL condition of what cannot be."""

    column: Column
    value: str
    bad: str = ""

    @property
    def projected(self) -> str:
        """Select-list entry that fails on a bad value with the column's name and nothing else."""
        name = identifier(self.column.name)
        if not self.bad:
            return f"{self.value} AS {name}"
        failure = f"error({literal(BAD_VALUE + self.column.name)})"
        return f"CASE WHEN {self.bad} THEN {failure} ELSE {self.value} END AS {name}"


def match_columns(table: TableSchema, given: Sequence[str], where: str) -> Matched:
    """Compare column names, whatever their case or order.

    A published column that may be NULL may be missing. Raises BadInput naming duplicates, unknown columns
    (with the nearest published name) and missing columns.
    """
    names = [name.lower() for name in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    unknown = [name for name in names if name not in table.types and not table.leaves_out(name)]
    absent = [column for column in table.columns if column.name not in names]
    required = [column.name for column in absent if column.not_null]
    if not twice and not unknown and not required:
        return Matched([column.name for column in absent], [name for name in names if table.leaves_out(name)])
    other = other_database(set(names), table.title)
    if other:
        raise BadInput(
            f"{table.name} has the columns of {other}, not of {table.title}",
            where=where,
            remedy=f"Name {table.title} data.",
        )
    pieces = [f"column {name} is there twice" for name in twice]
    pieces += [_unknown(name, [column.name for column in absent]) for name in unknown]
    pieces += [f"column {name} is missing" for name in required]
    raise BadInput(
        f"{table.name}: " + "; ".join(pieces),
        where=where,
        remedy=f"The first line must have the published column names of {table.title}.",
    )


def _unknown(name: str, candidates: Sequence[str]) -> str:
    shown = name if name.isprintable() and len(name) <= 40 else f"of {len(name)} characters"
    near = difflib.get_close_matches(name, candidates, n=1)
    return f"unknown column {shown}" + (f" (did you mean {near[0]}?)" if near else "")


def convert(column: Column, given_type: str, reference: str) -> Conversion | None:
    """The conversion of ``reference`` (SQL, of DuckDB type ``given_type``) to the column's type.

    None where the types do not fit at all, e.g. a time for a number. Fractions in a whole-number column,
    numbers out of range, NaN and infinity are bad values, not rounded or kept.
    """
    given = given_type.split("(")[0]
    bad: list[str] = []
    if given == "VARCHAR" and column.type != "VARCHAR":
        reference = f"nullif(trim({reference}), '')"
    value = reference
    if column.type in WHOLE:
        low, high = WHOLE[column.type]
        number = f"TRY_CAST({reference} AS DOUBLE)" if given == "VARCHAR" else reference
        if given in FRACTIONAL or given == "VARCHAR":
            bad.append(f"({reference} IS NOT NULL AND ({number} = trunc({number})) IS NOT TRUE)")
        elif given not in WHOLE_TYPES and given != "BOOLEAN":
            return None
        if given != "BOOLEAN" and given != column.type:
            bad.append(f"{number} NOT BETWEEN {low} AND {high}")
        value = f"CAST({number} AS {column.type})"
    elif column.type in ("DOUBLE", "REAL"):
        if given not in FRACTIONAL and given not in WHOLE_TYPES and given != "VARCHAR":
            return None
        value = f"TRY_CAST({reference} AS {column.type})"
        if given not in WHOLE_TYPES:
            bad.append(f"({reference} IS NOT NULL AND isfinite({value}) IS NOT TRUE)")
    elif column.type in ("TIMESTAMP", "DATE"):
        if given == "TIMESTAMP WITH TIME ZONE":
            reference = f"({reference} AT TIME ZONE 'UTC')"
        elif given not in TIMES and given != "VARCHAR":
            return None
        value = f"TRY_CAST({reference} AS {column.type})"
        if given != column.type:
            bad.append(f"({reference} IS NOT NULL AND {value} IS NULL)")
    elif column.type == "BOOLEAN":
        if given not in ("BOOLEAN", "VARCHAR"):
            return None
        value = f"TRY_CAST({reference} AS BOOLEAN)"
        bad.append(f"({reference} IS NOT NULL AND {value} IS NULL)")
    elif given != "VARCHAR":
        value = f"CAST({reference} AS VARCHAR)"
    if column.filled:
        bad.append(f"{reference} IS NULL")
    return Conversion(column, value, " OR ".join(bad))


def conversions(table: TableSchema, given: Mapping[str, str], where: str) -> list[Conversion]:
    """One conversion a published column, in published order; ``given`` maps names to DuckDB types.

    Missing columns become NULL. Raises BadInput naming columns whose type cannot be the published one.
    """
    spelled = {name.lower(): name for name in given}
    found: list[Conversion] = []
    wrong: list[str] = []
    for column in table.columns:
        if column.name not in spelled:
            found.append(Conversion(column, f"CAST(NULL AS {column.type})"))
            continue
        name = spelled[column.name]
        conversion = convert(column, given[name], identifier(name))
        if conversion is None:
            wrong.append(f"{column.name} is {given[name]}, published as {column.type}")
        else:
            found.append(conversion)
    if wrong:
        raise BadInput(f"{table.name}: " + "; ".join(wrong), where=where, remedy="Export the table again.")
    return found


def text_from_other_types(table: TableSchema, given: Mapping[str, str]) -> list[str]:
    """Published text columns that came in another type: leading zeros of codes may be lost."""
    types = {name.lower(): kind for name, kind in given.items()}
    return [
        column.name
        for column in table.columns
        if column.type == "VARCHAR" and types.get(column.name, "VARCHAR") != "VARCHAR"
    ]
