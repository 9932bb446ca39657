"""What a SQL expression over constants comes to, asked of an engine that reaches nothing."""

from __future__ import annotations

import threading
from functools import lru_cache

from workbench.ehr import DuckDBError
from workbench.ehr.connect import Connection, connect
from workbench.records import Settings

LIMIT_S = 0.02
MAX_CHARS = 20_000


class _Engine:
    """One connection without files, extensions or settings that can be changed; made when first asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Connection | None = None

    def text(self, sql: str) -> str | None:
        """The one value of ``SELECT <sql>`` as text; None for errors, and for what takes too long."""
        with self._lock:
            connection = self._connection or self._opened()
            timer = threading.Timer(LIMIT_S, connection.interrupt)
            timer.start()
            try:
                rows = connection.execute(f"SELECT left(CAST(({sql}) AS VARCHAR), {MAX_CHARS})").fetchmany(1)
            except DuckDBError:
                return None
            finally:
                timer.cancel()
        return str(rows[0][0]) if rows and rows[0][0] is not None else None

    def _opened(self) -> Connection:
        connection = connect(threads=1, settings=Settings(duckdb_memory_limit="100MB"))
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        self._connection = connection
        return connection


_ENGINE = _Engine()


@lru_cache(maxsize=512)
def constant_text(sql: str) -> str | None:
    """The text of an expression that is made of constants by harmless functions; None for none."""
    return _ENGINE.text(sql)
