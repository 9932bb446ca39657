"""Threads for slow work that never hold up leaving the app, and when the collector runs, and through what."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

_POOL = ThreadPoolExecutor(max_workers=32, thread_name_prefix="workbench-background")
"""Not the loop's own pool: closing the loop waits for that one."""
_MANY_MODULES = 20
_YOUNG, _MIDDLE, _OLD = 700, 10, 1000
"""When the collector runs by itself: Python's own figures, but seldom through all that lives."""
_MANY_COLLECTIONS = 10
"""Of the middle generation, that make a collection of all worth while: Python's own figure, too."""
_modules_spared = 0


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run ``work`` in a thread and hand on its result or error."""
    try:
        return await asyncio.get_running_loop().run_in_executor(_POOL, work)
    finally:
        spare_modules()


def spare_modules() -> None:
    """Once many modules were imported, collect no garbage in what lives now.

    To walk through duckdb, sqlglot and their like takes longer than to draw a screen.
    """
    global _modules_spared
    if gc.isenabled() and len(sys.modules) >= _modules_spared + _MANY_MODULES:
        _modules_spared = len(sys.modules)
        gc.freeze()


def begin_collecting() -> None:
    """From now on, but through everything only in pauses: that takes longer than a key may."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)
    gc.enable()


def collect_in_a_pause() -> None:
    """Collect through everything, if there is something to expect of it. While nobody types."""
    if gc.isenabled() and gc.get_count()[2] >= _MANY_COLLECTIONS:
        gc.collect()
