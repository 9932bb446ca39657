"""The files of a source in a schema variant. Counts and hashes only."""

from __future__ import annotations

from workbench.records.base import Part, Record
from workbench.records.plan import SchemaVariant


class VariantPart(Part):
    """One published table in a variant's file."""

    table: str
    sha256: str


class VariantTable(Part):
    """One Parquet file of a variant: a renamed table, or several merged."""

    table: str  # the new '<schema>.<table>'
    parts: list[VariantPart]
    rows: int
    bytes: int
    sha256: str


class VariantTables(Record):
    """``manifest.json`` of the files of one variant of a source; tables are added as tasks need them."""

    variant: SchemaVariant
    names_hash: str  # of the mapping of names; other names mean other files
    tables: list[VariantTable]

    def table(self, name: str) -> VariantTable | None:
        """The file of that new name, if it was made."""
        return next((item for item in self.tables if item.table == name), None)
