"""Programs that an app which was killed leaves on its terminal: its guard adopts them and ends them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_HANG_UP_S = 3.0
"""Enough for an editor to keep what was typed in its own recovery file."""
_LOOK_S = 0.05


def adopt_orphans() -> None:
    """From now on this process becomes the parent of what its children leave behind."""
    import ctypes  # the app, started already, does not wait for it

    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_here(parent: int) -> list[int]:
    """Its children in this process's group, which share the terminal with us. Runs have other groups."""
    try:
        found = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    group, here = os.getpgrp(), []
    for pid in map(int, found):
        with contextlib.suppress(ProcessLookupError):
            if os.getpgid(pid) == group:
                here.append(pid)
    return here


def end_orphans() -> None:
    """Hang up on the programs that are left on the terminal, and on theirs; kill those that stay."""
    told: set[int] = set()
    give_up = time.monotonic() + _HANG_UP_S
    while left := children_here(os.getpid()):
        late = time.monotonic() > give_up
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                if late:
                    os.kill(pid, signal.SIGKILL)
                elif pid not in told:
                    os.kill(pid, signal.SIGHUP)
                    os.kill(pid, signal.SIGCONT)
        told.update(left)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0 if late else os.WNOHANG)
        if not late:
            time.sleep(_LOOK_S)
