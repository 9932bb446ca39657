"""SQL bound on empty tables of a database's schema: which names it gets wrong, before there are any data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from workbench.catalog import did_you_mean
from workbench.ehr.connect import DuckDBError, connect, identifier, qualified
from workbench.ehr.schema import PublishedSchema

KEPT = 32
"""Statements that were asked about lately are not bound again."""
_LINE = re.compile(r"^LINE (\d+):", re.MULTILINE)
_CANDIDATES = re.compile(r'^Candidate bindings: :? ?(".*")$', re.MULTILINE)
_MEANT = re.compile(r"^Did you mean (.*)$", re.MULTILINE)
_KIND = re.compile(r"^\w+ Error: ")
_QUOTED = re.compile(r'"([^"]+)"')
_OF_A_NAME = re.compile(r"not found|does not have a column|does not exist")


@dataclass(frozen=True)
class SqlFault:
    """What the engine says of a statement, and where; ``syntax``: it cannot even be parsed.

    ``of_a_name``: it is about a column, table or function that is not there, whatever the types.
    """

    line: int
    what: str
    remedy: str
    syntax: bool
    of_a_name: bool


class EmptyTables:
    """The tables of a schema without a row, where nothing of the host can be reached. No SQL is executed."""

    def __init__(self, schema: PublishedSchema) -> None:
        self._connection = connect(threads=1)
        self._told: dict[str, dict[str, str] | SqlFault] = {}
        self._connection.execute("SET enable_external_access = false")
        for name in schema.schemas:
            self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {identifier(name)}")
        for table in schema.tables:
            columns = ", ".join(f"{identifier(name)} {kind}" for name, kind in table.types.items())
            self._connection.execute(f"CREATE TABLE {qualified(table.name)} ({columns})")

    def columns(self, sql: str) -> dict[str, str] | SqlFault:
        """The columns that one SELECT gives, with their types; or what is wrong with it."""
        if sql not in self._told:
            if len(self._told) >= KEPT:
                self._told.clear()
            self._told[sql] = self._columns(sql)
        return self._told[sql]

    def _columns(self, sql: str) -> dict[str, str] | SqlFault:
        try:
            cursor = self._connection.cursor()
            statements = cursor.extract_statements(f"DESCRIBE {sql}")
            if len(statements) != 1:
                return SqlFault(1, f"{len(statements)} statements", "Write one SELECT.", True, False)
            rows = cursor.execute(statements[0]).fetchall()
        except DuckDBError as error:
            return _fault(str(error), syntax=type(error).__name__ == "ParserException")
        return {str(row[0]): str(row[1]) for row in rows}

    def fault_in_condition(self, condition: str, table: str, types: Mapping[str, str]) -> SqlFault | None:
        """What is wrong with a condition over rows of ``table``, which has columns of these types."""
        columns = ", ".join(f"CAST(NULL AS {kind}) AS {identifier(name)}" for name, kind in types.items())
        told = self.columns(f"WITH {table} AS (SELECT {columns}) SELECT ({condition}\n) FROM {table}")
        return told if isinstance(told, SqlFault) else None


@lru_cache(maxsize=4)
def empty_tables(schema: PublishedSchema) -> EmptyTables:
    """Those of ``schema``, made once."""
    return EmptyTables(schema)


def _fault(message: str, *, syntax: bool) -> SqlFault:
    first = _KIND.sub("", message.splitlines()[0]) if message else "does not run"
    place, listed, meant = (pattern.search(message) for pattern in (_LINE, _CANDIDATES, _MEANT))
    named = _QUOTED.findall(first)
    remedy = f"Did you mean {meant[1]}" if meant else ""
    if listed and named:
        known = _QUOTED.findall(listed[1])
        remedy = did_you_mean(named[-1], known, f"There are {', '.join(known)}.")
    return SqlFault(
        int(place[1]) if place else 1, first, remedy, syntax, not syntax and bool(_OF_A_NAME.search(first))
    )
