"""Which process is meant: a pid alone is used again by the system."""

from __future__ import annotations

import os
from pathlib import Path


def boot_id() -> str:
    """Changes with every start of the machine; '' where the kernel does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def start_ticks(pid: int) -> int | None:
    """When ``pid`` was started, in clock ticks since boot; None if there is no such process.

    A process that ended and was not yet waited for counts as ended. 0 where the kernel has no /proc and
    the process is there.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0 if not Path("/proc/self").exists() and _answers(pid) else None
    fields = text.rpartition(")")[2].split()
    if fields[0] in ("Z", "X"):
        return None
    return int(fields[19])


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
