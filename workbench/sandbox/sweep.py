"""A run's leftovers: what it may leave on the host, written down before it starts, and removed later.

A run whose host process is alive is left alone. Nothing is touched but what the record in the
run's own scratch folder names, and a process only while its start time is the one recorded.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from workbench.records import BadInput, Part, Record
from workbench.sandbox.limits import remove_group
from workbench.sandbox.work_folder import FOLDER_NAME, IMAGE_NAME

RECORD_NAME = "sandbox.json"
_GONE_S = 3.0


class ProcessMark(Part):
    """A process that cannot be taken for a later one with the same number."""

    pid: int
    start_ticks: int

    def alive(self) -> bool:
        """Whether this very process still runs."""
        return _start_ticks(self.pid) == self.start_ticks


class Leftovers(Record):
    """``sandbox.json`` in a run's scratch folder, while its sandbox exists."""

    boot: str
    host: ProcessMark
    processes: list[ProcessMark] = []
    groups: list[str] = []


def mark(pid: int) -> ProcessMark:
    """The mark of a running process; of one already gone, a mark that fits none."""
    return ProcessMark(pid=pid, start_ticks=_start_ticks(pid))


def boot_id() -> str:
    """Changes with every start of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def write_leftovers(scratch: Path, leftovers: Leftovers) -> None:
    """Write the record in one step. Not flushed: after a power cut there is nothing to sweep but files."""
    draft = scratch / f".{RECORD_NAME}"
    draft.write_text(leftovers.to_json())
    draft.replace(scratch / RECORD_NAME)


def remove_leftovers(scratch: Path) -> None:
    """Remove the record and the files that a sandbox leaves in its scratch folder."""
    (scratch / IMAGE_NAME).unlink(missing_ok=True)
    work = scratch / FOLDER_NAME
    if work.exists():
        # The system's own tools: they cope with any depth, follow no link, and run nothing in the folder.
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*command, "--", work], check=False, capture_output=True)
    (scratch / RECORD_NAME).unlink(missing_ok=True)
    (scratch / f".{RECORD_NAME}").unlink(missing_ok=True)


def sweep_sandboxes(scratches: Iterable[Path]) -> list[str]:
    """Remove what dead runs left; says what was removed, a line each."""
    removed: list[str] = []
    for scratch in scratches:
        if (scratch / RECORD_NAME).is_file():
            removed += _sweep(scratch)
    return removed


def _sweep(scratch: Path) -> list[str]:
    try:
        leftovers = Leftovers.load(scratch / RECORD_NAME)
    except BadInput:
        return []
    removed: list[str] = []
    if leftovers.boot == boot_id():
        if leftovers.host.alive():
            return []
        for process in leftovers.processes:
            if _end(process):
                removed.append(f"process {process.pid} of {scratch.parent.name}")
        for folder in leftovers.groups:
            if remove_group(Path(folder)):
                removed.append(f"control group {Path(folder).name} of {scratch.parent.name}")
    remove_leftovers(scratch)
    removed.append(f"scratch files of {scratch.parent.name}")
    return removed


def _end(process: ProcessMark) -> bool:
    if not process.alive():
        return False
    try:
        opened = os.pidfd_open(process.pid)
    except OSError:
        return False
    try:
        if not process.alive():  # between the first look and the descriptor it may have changed hands
            return False
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(opened, signal.SIGKILL)
    finally:
        os.close(opened)
    deadline = time.monotonic() + _GONE_S
    while process.alive() and time.monotonic() < deadline:
        time.sleep(0.005)
    return True


def _start_ticks(pid: int) -> int:
    """Field 22 of /proc/PID/stat; 0 for a process that is gone or dead and not yet reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in "ZX" else int(fields[19])
