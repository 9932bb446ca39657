"""A hash of a table's rows that depends on neither their stored order nor the number of threads."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from workbench.ehr.connect import Connection, identifier

BATCH_ROWS = 100_000


def rows_sha256(connection: Connection, relation: str, columns: Sequence[str], keys: Sequence[str]) -> str:
    """SHA-256 over all rows of ``relation`` (a table's or view's SQL) in key order; ``keys`` are unique.

    Every field goes in with its length, and NULL differs from empty text, so that no two tables share
    an input.
    """
    field = "COALESCE(strlen(CAST({0} AS VARCHAR)) || ':' || CAST({0} AS VARCHAR), '-')"
    row = " || ',' || ".join(field.format(identifier(name)) for name in columns)
    order = ", ".join(f"{identifier(key)} ASC NULLS FIRST" for key in keys)
    answer = connection.execute(f"SELECT sha256({row}) FROM {relation} ORDER BY {order}")
    digest = hashlib.sha256(",".join(columns).encode())
    while batch := answer.fetchmany(BATCH_ROWS):
        digest.update("".join(text for (text,) in batch).encode())
    return digest.hexdigest()
