"""The published schema: which tables and columns a database has, their types, and what may be absent."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from workbench.catalog import Content
from workbench.records import NOT_NULL, BadInput, OwnDatabase, Part

DERIVED_SCHEMA = "mimiciv_derived"
"""Where the public concepts live; never part of a source's own tables."""

MAIN = "main"
"""DuckDB's own schema: the one of tables that are written without any."""

Database = Literal["mimic-iv", "eicu"]

TITLES: Mapping[Database, str] = {"mimic-iv": "MIMIC-IV", "eicu": "eICU-CRD"}
"""The published databases, by the names people know them under."""

IDENTIFYING = frozenset({"subject_id", "hadm_id", "stay_id", "itemid", "patientunitstayid"})
"""Published NOT NULL columns that joins rest on: NULL there is a bad value."""


@dataclass(frozen=True)
class Column:
    """One column; ``type`` is the DuckDB name, e.g. ``VARCHAR``, ``TIMESTAMP``.

    ``not_null``: an input must have it; ``filled``: and NULL there is a bad value.
    """

    name: str
    type: str
    not_null: bool
    filled: bool = False


@dataclass(frozen=True)
class TableSchema:
    """One table; ``name`` is ``<schema>.<table>``.

    ``needed``: a pinned concept or a task reads it. ``dropped``: columns that only other releases have; of an
    ``own`` table every column that is not declared. ``title`` is the database's, for messages.
    """

    name: str
    columns: tuple[Column, ...]
    needed: bool
    dropped: tuple[str, ...] = ()
    title: str = TITLES["mimic-iv"]
    own: bool = False

    def leaves_out(self, column: str) -> bool:
        """Whether an input may have that column, and it is not taken over."""
        return column not in self.types if self.own else column in self.dropped

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
    """All tables of one database, in name order: published, or declared by the user (``own``)."""

    name: str
    database: str
    tables: tuple[TableSchema, ...]
    title: str
    own: bool = False

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

    def qualified(self, name: str) -> str:
        """``name`` as a statement may write it, with its schema: a bare one is looked for in ``main``."""
        return name if "." in name else f"{MAIN}.{name}"

    def has_schema_of(self, name: str) -> bool:
        """Whether a table of that name would be one of this database's schemas."""
        return self.qualified(name).split(".")[0] in self.schemas

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
    title = TITLES[document.database]
    tables = [
        TableSchema(
            name,
            tuple(_column(column, kind, IDENTIFYING) for column, kind in columns.items()),
            name in document.needed,
            tuple(document.other_releases.get(name, ())),
            title,
        )
        for name, columns in sorted(document.tables.items())
    ]
    return PublishedSchema(document.name, document.database, tuple(tables), title)


def own_schema(declared: OwnDatabase) -> PublishedSchema:
    """The schema of a database of the user's own: all its tables are needed, and NOT NULL means it.

    Its name changes with the declaration, so that an import under an earlier one is another input.
    """
    tables = [
        TableSchema(
            name,
            tuple(_column(column, kind, columns) for column, kind in columns.items()),
            needed=True,
            title=declared.title,
            own=True,
        )
        for name, columns in sorted(declared.tables.items())
    ]
    digest = hashlib.sha256(json.dumps(declared.tables, sort_keys=True).encode()).hexdigest()[:8]
    return PublishedSchema(
        f"{declared.name}-{digest}", declared.name, tuple(tables), declared.title, own=True
    )


def schema_of(content: Content, database: str) -> PublishedSchema:
    """The schema of a published database, or of one that ``content`` declares. Raises BadInput."""
    return published_schema(database) if database in TITLES else own_schema(content.own_database(database))


def _column(name: str, kind: str, filled: Container[str]) -> Column:
    not_null = kind.endswith(NOT_NULL)
    return Column(name, kind.removesuffix(NOT_NULL), not_null, not_null and name in filled)
