"""Manifest of the sorted identifiers and times of one source. Names of columns and counts, no value."""

from __future__ import annotations

from workbench.records.base import Record


class IdentifierSet(Record):
    """What ``identifiers/`` of a source was made from; another source, engine or rules make it anew.

    ``lengths``: column to number of digits to how many distinct numbers of that length it has.
    ``stay_columns``: those that name a person, an admission or a stay. ``file_bytes``: kind of value to size.
    """

    source_hash: str
    duckdb_version: str
    rules_version: int
    stay_columns: list[str]
    lengths: dict[str, dict[int, int]]
    file_bytes: dict[str, int]
