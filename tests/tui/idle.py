"""Whether an app has anything left to do, so that tests wait for that and not for a time of silence."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import pytest

SOON_S = 0.02
"""A timer due within this time is waited for: the screen draws by one."""
LOOK_S = 0.002
BUSY = 0.25
"""Share of ``LOOK_S`` that a working thread takes at least."""


def at_work(pid: int, but: int = 0) -> bool:
    """Whether a thread of the process runs, waits for a processor or for a disk; ``but`` is one left out."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False
    return any(_state(thread) in "RD" for thread in threads if thread.name != str(but))


def with_children(pid: int) -> list[int]:
    """The process and all that descend from it."""
    found = [pid]
    for each in found:
        for path in Path(f"/proc/{each}/task").glob("*/children"):
            try:
                found += [int(child) for child in path.read_text().split()]
            except OSError:
                continue
    return found


def _state(thread: Path) -> str:
    try:
        return (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"


async def wait_for_idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Until no callback is ready, no timer was due soon and no thread is at work; in place of Textual's.

    Textual's sleeps 20 ms at least, which is most of the time of a test that presses many keys.
    """
    loop: Any = asyncio.get_running_loop()
    begun_s = monotonic()
    soon_s = loop.time() + max(min_sleep, SOON_S)
    while monotonic() - begun_s < max_sleep:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        if loop.time() < soon_s and any(
            not handle.cancelled() and handle.when() < soon_s for handle in loop._scheduled
        ):
            await asyncio.sleep(LOOK_S / 2)
            continue
        spent_s = process_time()
        await asyncio.sleep(LOOK_S)
        busy = process_time() - spent_s > LOOK_S * BUSY
        if not (loop._ready or busy or at_work(os.getpid(), threading.get_native_id())):
            return


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make pilots wait so."""
    monkeypatch.setattr("textual.pilot.wait_for_idle", wait_for_idle)
    monkeypatch.setattr("textual.app.wait_for_idle", wait_for_idle)
