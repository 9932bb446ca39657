"""A database of the user's own: its tables and columns, declared as data."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from workbench.records.base import Record

PUBLISHED_DATABASES = ("mimic-iv", "eicu")
"""Databases whose schema comes with the program."""
COLUMN_TYPES = (
    "VARCHAR", "SMALLINT", "INTEGER", "BIGINT", "REAL", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN",
)  # fmt: skip
"""DuckDB types that a column may be declared as."""
NOT_NULL = " NOT NULL"
RESERVED_SCHEMAS = ("mimiciv_derived", "information_schema", "pg_catalog")
NAME = re.compile(r"[a-z_][a-z0-9_]*")
DATABASE_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


def _as_name(name: str) -> str:
    if not DATABASE_NAME.fullmatch(name):
        raise ValueError("write mimic-iv, eicu, or a name in lower-case letters, digits and hyphens")
    return name


DatabaseName = Annotated[str, AfterValidator(_as_name)]
"""``mimic-iv``, ``eicu``, or one that is declared in ``tasks/local/databases/``."""


def _as_table(table: str) -> str:
    parts = table.split(".")
    if len(parts) != 2 or not all(NAME.fullmatch(part) for part in parts):
        raise ValueError("write <schema>.<table> in lower-case letters, digits and '_'")
    if parts[0] in RESERVED_SCHEMAS:
        raise ValueError(f"the schema {parts[0]} is reserved")
    return table


def _as_column(column: str) -> str:
    if not NAME.fullmatch(column):
        raise ValueError("write a column's name in lower-case letters, digits and '_'")
    return column


def _as_type(kind: str) -> str:
    if kind.removesuffix(NOT_NULL) not in COLUMN_TYPES:
        raise ValueError(
            f"type {kind!r} is none of {', '.join(COLUMN_TYPES)} (each with or without{NOT_NULL})"
        )
    return kind


_Columns = Annotated[
    dict[Annotated[str, AfterValidator(_as_column)], Annotated[str, AfterValidator(_as_type)]],
    Field(min_length=1),
]


class OwnDatabase(Record):
    """``tasks/local/databases/<name>.toml``: the tables and columns that an import must have and takes over.

    ``tables`` maps ``<schema>.<table>`` to its columns and their DuckDB types, `` NOT NULL`` behind the type
    where every row must have a value. All names are in lower case.
    """

    name: DatabaseName
    title: str = Field(min_length=1)
    tables: dict[Annotated[str, AfterValidator(_as_table)], _Columns] = Field(min_length=1)

    @model_validator(mode="after")
    def _not_published(self) -> Self:
        if self.name in PUBLISHED_DATABASES:
            raise ValueError(f"{self.name} is a published database")
        return self
