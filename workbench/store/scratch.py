"""Half-made things in folders whose name says who makes them, and what dead makers left is removed."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.records import DataPaths, read_regular
from workbench.store.files import private_folder
from workbench.store.processes import boot_id, start_ticks

OWNER_NAME = ".owner"
"""File in a folder of a fixed name that holds its maker's mark."""
PROBE_PREFIX = "workbench-probe-"
"""Folders of probes, in the system's temporary folder."""

_UNMARKED_S = 24 * 3600
_MARK = re.compile(r"@(?P<boot>[0-9a-f]{0,8})-(?P<pid>\d{1,10})-(?P<ticks>\d{1,20})(?:[@-]|\Z)")


def owner_mark() -> str:
    """This process, in a form that a file name can hold: boot, pid, start time in clock ticks."""
    pid = os.getpid()
    return f"@{boot_id()[:8]}-{pid}-{start_ticks(pid) or 0}"


def owned_name(label: str) -> str:
    """A new name that starts with ``label`` and names this process as its maker."""
    return f"{label}-{secrets.token_hex(4)}{owner_mark()}"


def mark_owner(folder: Path) -> None:
    """Say in ``folder``, whose name is fixed, that this process makes it."""
    (folder / OWNER_NAME).write_text(owner_mark(), encoding="ascii")


@contextmanager
def owned_folder(data: DataPaths, label: str) -> Iterator[Path]:
    """A new private folder below ``data.scratch``, gone afterwards; the sweep removes it after a kill."""
    private_folder(data.root)
    folder = data.scratch / owned_name(label)
    try:
        yield private_folder(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def abandoned(data: DataPaths) -> list[Path]:
    """Entries of ``data.scratch``, and our probes in the temporary folder, whose maker is dead.

    What names no maker counts as abandoned a day after its last change. Links are never followed.
    """
    temporary = Path(tempfile.gettempdir())
    found = [entry for entry in _entries(data.scratch, "") if _maker_is_dead(entry, unmarked=True)]
    found += [entry for entry in _entries(temporary, PROBE_PREFIX) if _maker_is_dead(entry, unmarked=False)]
    return found


def remove_abandoned_beside(folder: Path, begin: str) -> None:
    """Remove folders of our own user in ``folder`` that have the name ``owned_name(begin)`` gave and whose
    maker is dead: of this machine since it started, or else, of another one that shares the disk, for a day.
    """
    name = re.compile(re.escape(begin) + r"-[0-9a-f]{8}@[0-9a-f]{0,8}-\d{1,10}-\d{1,20}")
    for entry in _entries(folder, begin):
        here = f"@{boot_id()[:8]}-" in entry.name
        with contextlib.suppress(OSError):
            old = time.time() - entry.lstat().st_mtime > _UNMARKED_S
            mine = name.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()
            if mine and (here or old) and _maker_is_dead(entry, unmarked=False):
                shutil.rmtree(entry, ignore_errors=True)


def _entries(folder: Path, prefix: str) -> list[Path]:
    """Our own entries, by name."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                Path(entry.path)
                for entry in entries
                if entry.name.startswith(prefix) and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
            )
    except OSError:
        return []


def _maker_is_dead(entry: Path, *, unmarked: bool) -> bool:
    mark = _MARK.search(entry.name) or _MARK.search(_owner_text(entry))
    if mark is None:
        try:
            return unmarked and time.time() - entry.lstat().st_mtime > _UNMARKED_S
        except OSError:
            return False
    if mark["boot"] != boot_id()[:8]:
        return True
    return start_ticks(int(mark["pid"])) != int(mark["ticks"])


def _owner_text(entry: Path) -> str:
    if entry.is_symlink():
        return ""
    try:
        return read_regular(entry / OWNER_NAME, 100).decode("ascii", "replace")
    except OSError:
        return ""
