"""SQL that comes with the content: refused where it reads more than tables of the database."""

from __future__ import annotations

from workbench.records import Refused
from workbench.sql import beyond_tables

ONLY_TABLES = (
    "Write one SELECT that reads tables of the database; import what else is needed with the source."
)


def refuse_beyond_tables(sql: str, where: str) -> None:
    """Raises Refused for SQL that reads files, or is anything but one SELECT: no hash would cover it."""
    found = beyond_tables(sql)
    if found:
        raise Refused(f"the SQL {found[0]}", where=where, remedy=ONLY_TABLES)
