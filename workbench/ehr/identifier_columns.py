"""Which columns of a source name a person, a stay, an order or a row, and which are common to all patients.

Told from the tables: a table that does not know whose rows it has lists what is common to all (items, care
givers, providers, hospitals), and so its keys name nobody, under whatever longer name other tables have them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.ehr.schema import TITLES

STAY_TABLES = {"mimic-iv": "mimiciv_icu.icustays", "eicu": "eicu_crd.patient"}
"""One row a stay: its identifiers are those of persons, admissions and stays."""

_INTEGER = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?")
_REAL = re.compile(r"DOUBLE|FLOAT|DECIMAL.*")
_NUMBER_ID = re.compile(r"id\Z", re.IGNORECASE)
_TEXT_ID = re.compile(
    r"(?:(?:\A|_)(?:id|mrn)|(?:p|patient|stay|subject|person|case|encounter|visit)id)\Z", re.IGNORECASE
)
_COMMON = re.compile(r"(?:item|type|hospital|ward|unit|care_?giver|provider|ndc|gsn)_?id\Z", re.IGNORECASE)
"""Common to all patients, where no table of their own says so."""
_ITEM = re.compile(r"item_?id\Z", re.IGNORECASE)


@dataclass(frozen=True)
class IdentifierColumns:
    """Pairs of table (``<schema>.<table>``) and column. ``stay_columns``: names only."""

    numbers: tuple[tuple[str, str], ...]
    texts: tuple[tuple[str, str], ...]
    items: tuple[tuple[str, str], ...]
    days: tuple[tuple[str, str], ...]
    moments: tuple[tuple[str, str], ...]
    stay_columns: frozenset[str]


def identifier_columns(database: str, tables: Mapping[str, Mapping[str, str]]) -> IdentifierColumns:
    """``tables``: table to column to DuckDB type, as the source's files have them.

    The keys of a table without the column that most tables share are common to all patients; of a database of
    the user's own this is believed of tables named ``d_...`` only, as a wrong guess would let identifiers
    pass.
    """
    ids = [
        (table, column, kind)
        for table, columns in tables.items()
        for column, kind in columns.items()
        if _is_number(kind, column) or _is_text(kind, column)
    ]
    whose = _most_shared(column for _, column, _ in ids)
    common = tuple(
        column
        for table, column, _ in ids
        if whose not in tables[table] and (database in TITLES or table.split(".")[-1].startswith("d_"))
    )
    named = [
        (table, column, kind)
        for table, column, kind in ids
        if not _COMMON.search(column) and not (common and column.endswith(common))
    ]
    stays = STAY_TABLES.get(database, "")
    return IdentifierColumns(
        numbers=tuple((table, column) for table, column, kind in named if _is_number(kind, column)),
        texts=tuple((table, column) for table, column, kind in named if _is_text(kind, column)),
        items=tuple((table, column) for table, column, _ in ids if _ITEM.search(column)),
        days=_of_type(tables, "DATE", "TIMESTAMP"),
        moments=_of_type(tables, "TIMESTAMP"),
        stay_columns=frozenset(column for table, column, _ in named if table == stays) | {whose} - {""},
    )


def _is_number(kind: str, column: str) -> bool:
    return bool((_INTEGER.fullmatch(kind) or _REAL.fullmatch(kind)) and _NUMBER_ID.search(column))


def _is_text(kind: str, column: str) -> bool:
    return kind in ("VARCHAR", "UUID") and bool(_TEXT_ID.search(column))


def _most_shared(columns: Iterable[str]) -> str:
    counts = Counter(columns)
    return max(sorted(counts), key=lambda column: counts[column], default="")


def _of_type(tables: Mapping[str, Mapping[str, str]], *kinds: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (table, column)
        for table, columns in tables.items()
        for column, kind in columns.items()
        if kind.startswith(kinds)
    )
