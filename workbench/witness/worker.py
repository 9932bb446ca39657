"""The worker process: foreign SQL on made-up rows, with nothing around it to reach.

``python -m workbench.witness.worker`` reads a WorkerRequest from standard input and writes a WorkerAnswer
a line. Each case gets its own in-memory database with external access off and the configuration locked.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from workbench.ehr import Connection, DuckDBError, connect
from workbench.records import Settings
from workbench.records.audit import Cell
from workbench.witness.worker_request import CaseRows, WorkerAnswer, WorkerLimits, WorkerRequest

ADDRESS_SPACE_SPARE = 1024**3
"""Beside the engine's own limit: the interpreter, the engine's code, thread stacks."""
_REFUSED = "PermissionException"
_MESSAGE_CHARACTERS = 400


class _NoAnswer(Exception):
    """There is nothing to answer, or more than the limits allow."""


def main() -> int:
    """Answer the request; 0 unless the process itself breaks."""
    request = WorkerRequest.model_validate_json(sys.stdin.buffer.read())
    _limit_process(request.limits)
    for case in request.cases:
        sys.stdout.write(_answer(request, case).model_dump_json() + "\n")
        sys.stdout.flush()
    return 0


def _limit_process(limits: WorkerLimits) -> None:
    address_space = limits.memory_bytes + ADDRESS_SPACE_SPARE
    seconds = int(limits.wall_s) + 1
    for kind, value in (
        (resource.RLIMIT_AS, address_space),
        (resource.RLIMIT_CPU, seconds * 2),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(kind, (value, value))


def _answer(request: WorkerRequest, case: CaseRows) -> WorkerAnswer:
    settings = Settings(duckdb_memory_limit=f"{request.limits.memory_bytes // 1024**2}MiB", duckdb_threads=1)
    connection = connect(settings=settings)
    what = "the SQL"
    try:
        _fill(connection, request, case)
        _lock(connection)
        for name, script in request.before.items():
            what = f"the concept {name}"
            connection.execute(script)
        what = "the SQL"
        columns, rows = _run(connection, request.sql, request.limits)
        return WorkerAnswer(case=case.case, columns=columns, rows=rows)
    except DuckDBError as error:
        return WorkerAnswer(case=case.case, problem=_explain(error, what))
    except _NoAnswer as error:
        return WorkerAnswer(case=case.case, problem=str(error))
    except MemoryError:
        return WorkerAnswer(case=case.case, problem=f"{what} needs more memory than it may have")
    finally:
        connection.close()


def _fill(connection: Connection, request: WorkerRequest, case: CaseRows) -> None:
    schemas = {table.split(".")[0] for table in request.tables} | set(request.extra_schemas)
    script = [f'CREATE SCHEMA IF NOT EXISTS "{schema}"' for schema in sorted(schemas)]
    for table, types in request.tables.items():
        columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        script.append(f"CREATE TABLE {_quoted(table)} ({columns})")
    connection.execute(";\n".join(script))
    for table, rows in case.tables.items():
        for row in rows:
            names = ", ".join(f'"{name}"' for name in row)
            marks = ", ".join("?" for _ in row)
            connection.execute(f"INSERT INTO {_quoted(table)} ({names}) VALUES ({marks})", list(row.values()))


def _quoted(table: str) -> str:
    return ".".join(f'"{part}"' for part in table.split("."))


def _lock(connection: Connection) -> None:
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _run(connection: Connection, sql: str, limits: WorkerLimits) -> tuple[list[str], list[list[Cell]]]:
    """Columns and rows of the last statement."""
    if not connection.extract_statements(sql):
        raise _NoAnswer("the SQL holds no statement")
    answer = connection.execute(sql)
    description = answer.description or []
    rows = answer.fetchmany(limits.rows + 1)
    if len(rows) > limits.rows:
        raise _NoAnswer(f"the SQL gives more than {limits.rows} rows")
    cells = [[_cell(value) for value in row] for row in rows]
    if sum(len(value) for row in cells for value in row if isinstance(value, str)) > limits.answer_bytes:
        raise _NoAnswer(f"the SQL gives more than {limits.answer_bytes} characters of text")
    return [str(column[0]) for column in description], cells


def _cell(value: Any) -> Cell:
    """A value in JSON's types; times as ISO text with ``T``."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _explain(error: DuckDBError, what: str) -> str:
    """One line for the person whose SQL it is."""
    kind = type(error).__name__
    lines = str(error).splitlines()
    text = lines[0][:_MESSAGE_CHARACTERS] if lines else kind
    if kind == _REFUSED or _is_locked_door(lines):
        return f"{what} reaches outside its own database, which is refused ({text})"
    if kind == "OutOfMemoryException":
        return f"{what} needs more memory than it may have ({text})"
    return f"{what} does not run ({text})"


def _is_locked_door(lines: Sequence[str]) -> bool:
    text = " ".join(lines).lower()
    return any(
        words in text
        for words in (
            "external access",
            "configuration has been locked",
            "file system operations are disabled",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
