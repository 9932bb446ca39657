"""The published schema: which tables and columns a database has, their types, and what may be absent."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from workbench.records import BadInput, Part

DERIVED_SCHEMA = "mimiciv_derived"
"""Where the public concepts live; never part of a source's own tables."""

Database = Literal["mimic-iv", "eicu"]

TITLES: Mapping[Database, str] = {"mimic-iv": "MIMIC-IV", "eicu": "eICU-CRD"}
"""The databases that can be imported, by the names people know them under."""


@dataclass(frozen=True)
class Column:
    """One column; ``type`` is the DuckDB name, e.g. ``VARCHAR``, ``TIMESTAMP``."""

    name: str
    type: str
    not_null: bool


@dataclass(frozen=True)
class TableSchema:
    """One table; ``name`` is ``<schema>.<table>``.

    ``needed``: a pinned concept or a task reads it. ``dropped``: columns that only other releases have.
    ``title`` is the database's, for messages.
    """

    name: str
    columns: tuple[Column, ...]
    needed: bool
    dropped: tuple[str, ...] = ()
    title: str = TITLES["mimic-iv"]

    @property
    def schema(self) -> str:
        return self.name.split(".")[0]

    @property
    def bare(self) -> str:
        return self.name.split(".")[1]

    @property
    def types(self) -> dict[str, str]:
        """Column name to DuckDB type, in published order."""
        return {column.name: column.type for column in self.columns}


@dataclass(frozen=True)
class PublishedSchema:
    """All tables of one database, in name order."""

    name: str
    database: Database
    tables: tuple[TableSchema, ...]

    def table(self, qualified: str) -> TableSchema:
        """The table ``<schema>.<table>``. Raises BadInput with the nearest names."""
        for table in self.tables:
            if table.name == qualified:
                return table
        near = difflib.get_close_matches(qualified, self.names, n=3)
        raise BadInput(
            f"no table {qualified} in the published schema {self.name}",
            remedy=f"Did you mean {' or '.join(near)}?" if near else "",
        )

    @property
    def names(self) -> list[str]:
        return [table.name for table in self.tables]

    @property
    def title(self) -> str:
        """The database's name in messages."""
        return TITLES[self.database]

    @property
    def schemas(self) -> list[str]:
        """Distinct schema names, in order."""
        return list(dict.fromkeys(table.schema for table in self.tables))


class _Document(Part):
    """The package data's shape."""

    name: str
    database: Database
    about: str
    needed: list[str]
    other_releases: dict[str, list[str]]
    tables: dict[str, dict[str, str]]


@cache
def published_schema(database: str = "mimic-iv") -> PublishedSchema:
    """The published schema of ``database``. Raises BadInput where there is none."""
    if database not in TITLES:
        raise BadInput(
            f"no published schema for database {database!r}", remedy=f"Known: {', '.join(TITLES)}."
        )
    file = resources.files("workbench.ehr") / "schemas" / f"{database.replace('-', '_')}.json"
    document = _Document.model_validate_json(file.read_text(encoding="utf-8"))
    tables = [
        TableSchema(
            name,
            tuple(
                Column(column, kind.removesuffix(" NOT NULL"), kind.endswith(" NOT NULL"))
                for column, kind in columns.items()
            ),
            name in document.needed,
            tuple(document.other_releases.get(name, ())),
            TITLES[document.database],
        )
        for name, columns in sorted(document.tables.items())
    ]
    return PublishedSchema(document.name, document.database, tuple(tables))
