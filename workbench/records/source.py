"""Manifests: sources, concept sets, references, task databases. Counts and hashes only."""

from __future__ import annotations

import re
from typing import Literal

from workbench.records.base import Part, Record, UtcTime
from workbench.records.own_database import DatabaseName
from workbench.records.plan import SchemaVariant


class TableFile(Part):
    """One Parquet file of a source."""

    table: str  # '<schema>.<table>'
    rows: int
    bytes: int
    sha256: str
    empty_because_missing: bool = False
    missing_columns: list[str] = []  # published, not in the input: NULL in every row
    converted_columns: list[str] = []  # published as text, came as numbers: leading zeros may be lost
    dropped_columns: list[str] = []  # in the input, known from other releases, or not declared


SOURCE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
SYNTHETIC_NAME = re.compile(r"synthetic-(?:(?P<database>eicu)-)?(?P<stays>\d{1,7})-(?P<seed>\d{1,9})")
"""A source of such a name can be made, and is, wherever it is asked for; no other may have one."""


class Source(Record):
    """``manifest.json`` of an imported or synthetic source."""

    name: str
    database: DatabaseName
    kind: Literal["synthetic", "imported"]
    origin: str  # how it was made: 'stays=500 seed=1', or the form of the import; never a path
    origin_hash: str  # of the input; equal means an import is a no-op
    schema_name: str  # which published schema, or which of one's own
    generator_version: str = ""
    created: UtcTime
    tables: list[TableFile]

    @property
    def content_hash(self) -> str:
        """Hash over all tables' hashes, in name order; 16 hex digits."""
        import hashlib

        digest = hashlib.sha256()
        for table in sorted(self.tables, key=lambda item: item.table):
            digest.update(f"{table.table} {table.sha256}\n".encode())
        return digest.hexdigest()[:16]


class Concept(Part):
    """One built concept table."""

    name: str
    sql_sha256: str
    rows: int
    bytes: int | None = None  # not in the manifests of earlier versions
    sha256: str


class ConceptSet(Record):
    """The concepts built for one source at one revision."""

    revision: str
    source_hash: str
    duckdb_version: str
    concepts: list[Concept]


class Reference(Record):
    """Manifest of one private reference; a stale one is refused."""

    family: str
    target: str
    database: str
    sql_sha256: str
    source_hash: str
    concept_revision: str
    concepts_sha256: str = ""  # over the concept files that the SQL reads; empty if it reads none
    duckdb_version: str
    rows: int
    columns: list[str]
    keys: list[str]
    rows_sha256: str  # of rows sorted by key, independent of order and threads
    file_sha256: str
    canary_column: str


class TaskDatabase(Record):
    """Manifest of what one task's agent gets."""

    task: str
    source: str
    source_hash: str
    concept_revision: str
    duckdb_version: str
    schema_variant: SchemaVariant = SchemaVariant.NATIVE
    tables: list[str]  # visible, '<schema>.<table>' as the variant has it
    removed: list[str]  # of a variant both names
    file_sha256: str
    database_hash: str  # over catalog and linked files: part of a cell's identity
