"""Run one long SQL statement while telling how far it is; Ctrl-C ends it at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from workbench.ehr.connect import Connection

TELL_EVERY_S = 0.2


def execute_watched(connection: Connection, sql: str, tick: Callable[[float], None]) -> None:
    """Execute ``sql``, whose answer is not wanted; ``tick`` gets the share done (0..1), 5 times a second.

    ``tick`` is called on the caller's thread; whatever it raises (KeyboardInterrupt to cancel) ends the
    statement first. Raises what the statement raises.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="statement") as pool:
        statement = pool.submit(connection.execute, sql)
        try:
            tick(0.0)
            while not _ended(statement, TELL_EVERY_S):
                tick(min(max(connection.query_progress() / 100.0, 0.0), 1.0))
        except BaseException:
            connection.interrupt()
            while not _ended(statement, TELL_EVERY_S / 10):
                connection.interrupt()
            raise
        statement.result()


def show_progress(connection: Connection) -> None:
    """Let ``query_progress`` count, without anything printed."""
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET progress_bar_time = 0")


def _ended(statement: Future[Connection], timeout_s: float) -> bool:
    return not wait([statement], timeout=timeout_s).not_done
