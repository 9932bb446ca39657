"""Threads for slow work that never hold up leaving the app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

_POOL = ThreadPoolExecutor(max_workers=32, thread_name_prefix="workbench-background")
"""Not the loop's own pool: closing the loop waits for that one."""


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run ``work`` in a thread and hand on its result or error."""
    return await asyncio.get_running_loop().run_in_executor(_POOL, work)
