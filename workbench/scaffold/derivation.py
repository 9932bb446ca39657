"""What a scaffold derives until a person writes something better: numbers of one column, a row a key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from workbench.catalog import did_you_mean
from workbench.ehr import PublishedSchema
from workbench.ehr.connect import connect, identifier, rows
from workbench.records import BadInput
from workbench.sql import parse

WHOLE = frozenset({"SMALLINT", "INTEGER", "BIGINT"})
NUMBERS = WHOLE | {"REAL", "DOUBLE"}


@dataclass(frozen=True)
class Derivation:
    """How many values of ``value`` each ``key`` has in ``table``, and the largest.

    ``also``: a further condition, which is met by a cell of that text. ``quantity``: the values in words;
    ``found``: for a skill, where they are.
    """

    table: str
    key: str
    key_type: str
    value: str
    value_type: str
    quantity: str
    found: str
    also: str = ""

    @property
    def words(self) -> Mapping[str, str]:
        """What templates fill in."""
        first, second = ("1", "2") if self.key_type in NUMBERS else ('"1"', '"2"')
        low, high = ("7", "9") if self.value_type in WHOLE else ("7.0", "9.0")
        return {
            "table": self.table,
            "table_sql": ".".join(as_sql(part) for part in self.table.split(".")),
            "key": self.key,
            "key_sql": as_sql(self.key),
            "key_kind": "nominal" if self.key_type in NUMBERS else "text",
            "value": self.value,
            "value_sql": as_sql(self.value),
            "quantity": self.quantity,
            "found": self.found,
            "items": self.also or self.value,
            "also": f"\n    AND {self.also}" if self.also else "",
            "also_short": f" AND {self.also}" if self.also else "",
            "also_cells": f", {self.also}" if self.also else "",
            "first": first,
            "second": second,
            "low": low,
            "high": high,
        }


PUBLISHED: Mapping[str, Derivation] = {
    "mimic-iv": Derivation(
        table="mimiciv_icu.chartevents",
        key="stay_id",
        key_type="INTEGER",
        value="valuenum",
        value_type="DOUBLE",
        quantity="heart rate",
        found="ICU `chartevents`, item 220045, column `valuenum`; rows belong to a stay through `stay_id`.",
        also="itemid = 220045",
    ),
    "eicu": Derivation(
        table="eicu_crd.vitalperiodic",
        key="patientunitstayid",
        key_type="INTEGER",
        value="heartrate",
        value_type="INTEGER",
        quantity="heart rate",
        found="`vitalperiodic`, column `heartrate`; rows belong to a stay through `patientunitstayid`.",
    ),
}
"""Heart rates, which both databases have for most stays."""


def as_sql(name: str) -> str:
    """A name in SQL, quoted where it means something else there (``map``, ``order``)."""
    plain = parse(
        f"SELECT {name}, max({name}) AS largest FROM {name} WHERE {name} IS NOT NULL GROUP BY {name}"
    )
    return name if plain.exact and name not in _reserved() else identifier(name)


@lru_cache(1)
def _reserved() -> frozenset[str]:
    with connect() as engine:
        words = rows(
            engine, "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category <> 'unreserved'"
        )
    return frozenset(str(word) for (word,) in words)


def derivation_of(schema: PublishedSchema, table: str = "", key: str = "", value: str = "") -> Derivation:
    """The derivation for a database; of one's own, of the columns named, or else of those that look right.

    A key is a column whose name ends in ``id``, a value a column of numbers that is none. Raises BadInput for
    names that the database lacks, and where nothing looks right.
    """
    if not (table or key or value) and schema.database in PUBLISHED:
        return PUBLISHED[schema.database]
    named = _table(schema, table) if table else ""
    for candidate in [named] if named else schema.names:
        types = schema.table(candidate).types
        if not named and not {key, value} - {""} <= types.keys():
            continue
        found_key = key or next((name for name in types if name.endswith("id")), "")
        found_value = value or next(
            (
                name
                for name, kind in types.items()
                if kind in NUMBERS and not name.endswith("id") and name != key
            ),
            "",
        )
        if found_key and found_key == found_value:
            raise BadInput(
                f"{found_key} cannot be key and value at once", remedy="Name two columns: --key and --value."
            )
        if found_key and found_value:
            return Derivation(
                candidate,
                _column(schema, candidate, found_key),
                types.get(found_key, ""),
                _number(schema, candidate, found_value),
                types.get(found_value, ""),
                quantity=found_value.replace("_", " "),
                found=f"`{candidate}`, column `{found_value}`; rows belong together through `{found_key}`.",
            )
    raise BadInput(
        f"{named or schema.title}: which columns identify a row and hold its numbers does not show",
        remedy="Name them: --table TABLE --key COLUMN --value COLUMN.",
    )


def _table(schema: PublishedSchema, name: str) -> str:
    wanted = schema.qualified(name.lower())
    if wanted in schema.names:
        return wanted
    bare = [known for known in schema.names if known.split(".")[1] == name.lower()]
    if len(bare) == 1:
        return bare[0]
    raise BadInput(
        f"{schema.title} has no table {name!r}",
        remedy=did_you_mean(name, schema.names, f"Tables: {', '.join(schema.names)}."),
    )


def _column(schema: PublishedSchema, table: str, name: str) -> str:
    types = schema.table(table).types
    if name not in types:
        raise BadInput(
            f"{table} has no column {name!r}",
            remedy=did_you_mean(name, types, f"Columns: {', '.join(types)}."),
        )
    return name


def _number(schema: PublishedSchema, table: str, name: str) -> str:
    kind = schema.table(table).types[_column(schema, table, name)]
    if kind not in NUMBERS:
        raise BadInput(
            f"column {name} of {table} holds no numbers ({kind})", remedy="Name another with --value."
        )
    return name
