"""The only place that opens DuckDB: limits, time zone, temporary folder and extensions are set here.

The engine is loaded on first use, so that the package can hand on ``connect`` without loading it.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.records import BadInput, Settings, Unavailable
from workbench.store import disk_error

if TYPE_CHECKING:
    import duckdb

    Connection = duckdb.DuckDBPyConnection
    DuckDBError = duckdb.Error

IN_MEMORY = ":memory:"
LEAST_MEMORY_BYTES = 64 * 1024**2
BYTES = {"bytes": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4}
STATEMENT_FAULTS = frozenset({"ParserException", "BinderException", "CatalogException"})
"""Engine errors that speak of the statement only and quote no value of a row."""
DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
"""What the engine hands on of the system when a file cannot be written, as the system's words."""
_ENGINE_NAMES = {"Connection": "DuckDBPyConnection", "DuckDBError": "Error"}


def __getattr__(name: str) -> Any:
    if name not in _ENGINE_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import duckdb

    return getattr(duckdb, _ENGINE_NAMES[name])


def engine_version() -> str:
    """The DuckDB version that goes into manifests."""
    import duckdb

    return str(duckdb.__version__)


def connect(
    database: str | Path = IN_MEMORY,
    *,
    read_only: bool = False,
    settings: Settings | None = None,
    temp_folder: Path | None = None,
    workers: int = 1,
    threads: int | None = None,
) -> Connection:
    """Open a database with the product's limits.

    ``workers`` processes share the memory limit and the threads; ``threads`` overrides the setting.
    ``temp_folder`` takes spilled data (bytes derived from patients: it must be private); without it an
    in-memory database does not spill. Raises BadInput for a file that is no DuckDB database, a newer or
    locked one, or a wrong limit.
    """
    import duckdb

    settings = settings or Settings()
    share = max(1, workers)
    try:
        connection = duckdb.connect(
            str(database),
            read_only=read_only,
            config={
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "allow_community_extensions": False,
                "temp_directory": str(temp_folder) if temp_folder else "",
            },
        )
    except duckdb.Error as error:
        raise BadInput(
            _why_unopened(error), where=str(database), remedy="Name a DuckDB database file."
        ) from None
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET memory_limit = {literal(settings.duckdb_memory_limit)}")
        if share > 1:
            limit = _limit_bytes(connection) // share
            connection.execute(f"SET memory_limit = '{max(limit, LEAST_MEMORY_BYTES)}B'")
        wanted = threads or settings.duckdb_threads or os.cpu_count() or 1
        connection.execute(f"SET threads = {max(1, wanted // share)}")
    except duckdb.Error as error:
        connection.close()
        raise BadInput(
            f"DuckDB does not take the limits ({_first_line(error)})",
            where="settings duckdb_memory_limit, duckdb_threads",
            remedy="Write the memory limit like 4GB and the threads as a whole number.",
        ) from None
    return connection


def engine_failure(error: duckdb.Error, doing: str, where: str = "") -> Unavailable:
    """What a person is told when the engine fails for reasons of the machine: memory, disk, a bug.

    Only the kind of error is handed on, since the engine's messages quote values.
    """
    import duckdb

    if full := disk_failure(error, doing):
        return full
    if isinstance(error, duckdb.OutOfMemoryException):
        return Unavailable(
            f"{doing}: DuckDB ran out of memory or temporary space",
            where=where,
            remedy="Raise duckdb_memory_limit, lower duckdb_threads, or free disk space.",
        )
    return Unavailable(
        f"{doing}: DuckDB failed ({type(error).__name__})",
        where=where,
        remedy="Check free disk space and permissions of the data directory.",
    )


def disk_failure(error: duckdb.Error, doing: str) -> Unavailable | None:
    """What a person is told when the disk is full or cannot be written; None for any other error."""
    import duckdb

    if not isinstance(error, duckdb.IOException):
        return None
    found = [code for code in DISK_FAULTS if os.strerror(code) in str(error)]
    if not found:
        return None
    why = os.strerror(found[0])
    remedy = disk_error(OSError(found[0], why), Path()).remedy
    return Unavailable(f"{doing}: the disk cannot be written ({why})", remedy=remedy)


def literal(text: str) -> str:
    """A SQL string literal, for statements that take no bound parameters."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def qualified(table: str) -> str:
    """``schema.table`` with both parts quoted."""
    return ".".join(identifier(part) for part in table.split("."))


def rows(connection: Connection, sql: str, parameters: object = None) -> list[tuple[object, ...]]:
    """All rows of a small answer."""
    return connection.execute(sql, parameters).fetchall()


def count(connection: Connection, sql: str, parameters: object = None) -> int:
    """The single whole number that ``sql`` answers with."""
    answer = connection.execute(sql, parameters).fetchall()
    return int(answer[0][0])


def _limit_bytes(connection: Connection) -> int:
    """The memory limit in force; DuckDB tells it as text in binary units."""
    text = str(connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])
    number, unit = text.split()
    return int(float(number) * BYTES[unit])


def _first_line(error: duckdb.Error) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _why_unopened(error: duckdb.Error) -> str:
    text = str(error)
    if "not a valid DuckDB database" in text:
        return "not a DuckDB database"
    if "lock" in text.lower():
        return "is open for writing in another process"
    if "version" in text.lower():
        return "was written by another DuckDB version that this one cannot read"
    return f"DuckDB cannot open it ({type(error).__name__})"
