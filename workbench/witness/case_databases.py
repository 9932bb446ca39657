"""One locked engine after another, with a database of its own for each case."""

from __future__ import annotations

import json

from workbench.ehr import Connection, connect
from workbench.records import Settings
from workbench.witness.worker_request import CaseRows, Query, WorkerRequest

EMPTY = "memory"
"""DuckDB's name of the database that an engine in memory starts with: here all tables, without rows."""


class CaseDatabases:
    """The databases of a request's cases, and the concepts built in them.

    An engine serves one case after another for as long as nothing but SELECTs and plain concepts ran in it:
    starting one and making all tables costs more than most cases. A concept is built once for all cases that
    have the same rows in the tables behind it.
    """

    def __init__(self, request: WorkerRequest) -> None:
        self._request = request
        self._scripts = {script.name: script for script in request.scripts}
        self._connection: Connection | None = None
        self._case: CaseRows | None = None
        self._number = 0
        self._made: set[str] = set()
        self._kept: dict[tuple[str, str], str] = {}

    def open(self, case: CaseRows) -> Connection:
        """The case's own database with its rows: external access off, configuration locked."""
        connection = self._connection or self._engine()
        if self._case is not case:
            self._number += 1
            self._made = set()
            connection.execute(f"ATTACH ':memory:' AS {self._name}")
            connection.execute(f"COPY FROM DATABASE {EMPTY} TO {self._name} (SCHEMA)")
            connection.execute(f"USE {self._name}")
            self._fill(connection, case)
            self._case = case
        return connection

    def build(self, connection: Connection, case: CaseRows, name: str) -> None:
        """The concept ``name`` in the case's database; what it reads is there already."""
        if name in self._made:
            return
        script = self._scripts[name]
        rows = (
            "" if script.behind is None else json.dumps([case.tables.get(table) for table in script.behind])
        )
        there = self._kept.get((name, rows)) if rows else None
        if there:
            table = _quoted(script.makes)
            connection.execute(f"CREATE VIEW {table} AS FROM {there}.{table}")
        else:
            connection.execute(script.sql)
            self._kept[name, rows] = self._name
        self._made.add(name)

    def only_reads(self, connection: Connection, query: Query) -> bool:
        """Whether the query, and the concepts it needs, leave nothing behind for the next one to find."""
        statements = connection.extract_statements(query.sql)
        return all(statement.type.name == "SELECT" for statement in statements) and all(
            self._scripts[name].behind is not None for name in query.concepts
        )

    def close(self) -> None:
        """End the engine; the next ``open`` starts another."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._case = None
        self._kept = {}

    @property
    def _name(self) -> str:
        return f"case_{self._number}"

    def _engine(self) -> Connection:
        limit = f"{self._request.limits.memory_bytes // 1024**2}MiB"
        connection = connect(settings=Settings(duckdb_memory_limit=limit, duckdb_threads=1))
        self._connection = connection
        connection.execute(_tables_sql(self._request))
        connection.execute("SET python_enable_replacements = false")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        return connection

    def _fill(self, connection: Connection, case: CaseRows) -> None:
        for table, rows in case.tables.items():
            for row in rows:
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join("?" for _ in row)
                connection.execute(
                    f"INSERT INTO {_quoted(table)} ({names}) VALUES ({marks})", list(row.values())
                )


def _tables_sql(request: WorkerRequest) -> str:
    schemas = {table.split(".")[0] for table in request.tables} | set(request.extra_schemas)
    script = [f'CREATE SCHEMA IF NOT EXISTS "{schema}"' for schema in sorted(schemas)]
    for table, types in request.tables.items():
        columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        script.append(f"CREATE TABLE {_quoted(table)} ({columns})")
    return ";\n".join(script)


def _quoted(table: str) -> str:
    return ".".join(f'"{part}"' for part in table.split("."))
