"""The worker process: foreign SQL on made-up rows, with nothing around it to reach.

``python -m workbench.witness.worker`` reads a WorkerRequest from standard input and writes a WorkerAnswer
a line. Each case gets its own in-memory database with external access off and the configuration locked; what
any SQL but a SELECT leaves behind ends with the engine it ran in.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from workbench.ehr import Connection, DuckDBError
from workbench.records.audit import Cell
from workbench.witness.case_databases import CaseDatabases
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
    databases = CaseDatabases(request)
    for case in request.cases:
        for number in range(len(request.queries)):
            answer = _answer(databases, request, case, number)
            sys.stdout.write(answer.model_dump_json() + "\n")
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


def _answer(databases: CaseDatabases, request: WorkerRequest, case: CaseRows, number: int) -> WorkerAnswer:
    query = request.queries[number]
    what = "the SQL"
    clean = False
    try:
        connection = databases.open(case)
        for name in query.concepts:
            what = f"the concept {name}"
            databases.build(connection, case, name)
        what = "the SQL"
        columns, rows = _run(connection, query.sql, request.limits)
        clean = databases.only_reads(connection, query)
        return WorkerAnswer(case=case.case, query=number, columns=columns, rows=rows)
    except DuckDBError as error:
        return WorkerAnswer(case=case.case, query=number, problem=_explain(error, what))
    except _NoAnswer as error:
        return WorkerAnswer(case=case.case, query=number, problem=str(error))
    except MemoryError:
        return WorkerAnswer(
            case=case.case, query=number, problem=f"{what} needs more memory than it may have"
        )
    finally:
        if not clean:
            databases.close()


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
