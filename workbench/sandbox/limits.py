"""Bounds on one sandbox: control groups of version 2 or 1, else rlimits and a supervisor.

Standard library only: the stager runs this. A group lies under the caller's own (version 2: under
the nearest ancestor that hands on the controllers), and its name carries the run's token.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

GROUP_PREFIX = "workbench-"
SANDBOX_PROCESSES = 3  # bubblewrap's own, beside the agent's
SUPERVISOR_INTERVAL_S = 0.05
_REMOVAL_S = 3.0


class Group(NamedTuple):
    """One control group folder of a run; ``controllers`` are those limited in it."""

    version: int
    folder: str
    controllers: tuple[str, ...]

    @property
    def path(self) -> Path:
        return Path(self.folder)


def plan_groups(token: str, own_groups: str | None = None, mount_table: str | None = None) -> list[Group]:
    """Groups that this process could make for a run, for ``memory`` and ``pids``; none where it cannot.

    ``own_groups`` and ``mount_table`` are texts like ``/proc/self/cgroup`` and ``/proc/self/mountinfo``.
    """
    try:
        own = Path("/proc/self/cgroup").read_text() if own_groups is None else own_groups
        table = Path("/proc/self/mountinfo").read_text() if mount_table is None else mount_table
    except OSError:
        return []
    planned: dict[str, Group] = {}
    for line in own.splitlines():
        _, names, inside = line.split(":", 2)
        controllers = tuple(name for name in names.split(",") if name in ("memory", "pids"))
        if controllers:
            folder = _group_folder(table, "cgroup", controllers[0], inside)
            if folder is not None and os.access(folder, os.W_OK):
                group = Group(1, str(folder / f"{GROUP_PREFIX}{token}"), controllers)
                planned.update(dict.fromkeys(controllers, group))
        elif not names:
            parent = _handing_on(_group_folder(table, "cgroup2", None, inside))
            if parent is not None:
                group = Group(2, str(parent / f"{GROUP_PREFIX}{token}"), ("memory", "pids"))
                for name in group.controllers:
                    planned.setdefault(name, group)
    return sorted(set(planned.values()), key=lambda group: group.folder)


def _group_folder(mount_table: str, kind: str, controller: str | None, inside: str) -> Path | None:
    """Where the hierarchy with ``controller`` shows the group ``inside``."""
    for line in mount_table.splitlines():
        before, _, after = line.partition(" - ")
        fields, (found_kind, _, options) = before.split(), after.split(" ", 2)
        if found_kind != kind or (controller and controller not in options.split(",")):
            continue
        root, point = fields[3], Path(fields[4])
        relative = os.path.relpath(inside, root)
        if relative.startswith(".."):
            relative = "."
        folder = point / relative
        if folder.is_dir():
            return folder
    return None


def _handing_on(folder: Path | None) -> Path | None:
    """The nearest group from ``folder`` upward whose children may be limited by this process."""
    while folder is not None:
        try:
            handed = (folder / "cgroup.subtree_control").read_text().split()
        except OSError:
            return None
        if {"memory", "pids"} <= set(handed) and os.access(folder, os.W_OK):
            return folder
        folder = folder.parent
    return None


def make_group(group: Group, memory_bytes: int, processes: int) -> None:
    """Make the folder and write its limits. Raises OSError, leaving nothing."""
    group.path.mkdir()
    try:
        if "memory" in group.controllers:
            if group.version == 2:
                _write(group, "memory.max", memory_bytes)
                _write_if_there(group, "memory.swap.max", 0)
            else:
                _write(group, "memory.limit_in_bytes", memory_bytes)
                _write_if_there(group, "memory.memsw.limit_in_bytes", memory_bytes)
        if "pids" in group.controllers:
            _write(group, "pids.max", processes + SANDBOX_PROCESSES)
    except OSError:
        group.path.rmdir()
        raise


def join_group(group: Group, pid: int) -> None:
    """Put a process, and what it will start, into the group. Raises OSError."""
    _write(group, "cgroup.procs", pid)


def peak_bytes(group: Group) -> int | None:
    """Highest memory use so far, page cache included; None where the kernel does not keep it."""
    name = "memory.peak" if group.version == 2 else "memory.max_usage_in_bytes"
    try:
        return int((group.path / name).read_text())
    except (OSError, ValueError):
        return None


def memory_kills(group: Group) -> int:
    """How many processes of the group the kernel killed for want of memory."""
    name = "memory.events" if group.version == 2 else "memory.oom_control"
    try:
        for line in (group.path / name).read_text().splitlines():
            word, _, count = line.partition(" ")
            if word == "oom_kill":
                return int(count)
    except OSError:
        return 0
    return 0


def remove_group(folder: Path) -> bool:
    """Kill what is in the group and remove it; True if it was there and is gone."""
    if not folder.name.startswith(GROUP_PREFIX) or not folder.is_dir():
        return False
    deadline = time.monotonic() + _REMOVAL_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            for pid in (folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), signal.SIGKILL)
        try:
            folder.rmdir()
            return True
        except FileNotFoundError:
            return False
        except OSError:
            time.sleep(0.005)
    return False


def _write(group: Group, name: str, value: int) -> None:
    (group.path / name).write_text(str(value))


def _write_if_there(group: Group, name: str, value: int) -> None:
    if (group.path / name).exists():
        _write(group, name, value)


def set_rlimits(*, processes: int, file_bytes: int, open_files: int, data_bytes: int | None) -> None:
    """Bounds of this process and its children; never above what it has.

    ``data_bytes`` bounds private memory of a process and is for machines without a memory group.
    A core limit of 1 also stops a dump that goes to a program.
    """
    wanted = {
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_CORE: 1,
        resource.RLIMIT_MEMLOCK: 65536,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if data_bytes is not None:
        wanted[resource.RLIMIT_DATA] = data_bytes
    for which, value in wanted.items():
        hard = resource.getrlimit(which)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (bound, bound))


def count_tasks(uid: int) -> int:
    """Threads of a user's processes: what RLIMIT_NPROC counts."""
    total = 0
    for entry in _process_folders():
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == uid:
                total += sum(1 for _ in (entry / "task").iterdir())
    return total


class ProcessMemory(NamedTuple):
    """One process and its resident bytes without files: private, and shared through a mapping."""

    pid: int
    held_bytes: int


def namespace_memory(first_pid: int) -> list[ProcessMemory]:
    """Every descendant of ``first_pid``, itself included: all of its PID namespace, seen from outside."""
    parents: dict[int, int] = {}
    for entry in _process_folders():
        with contextlib.suppress(OSError, ValueError, IndexError):
            after_name = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            parents[int(entry.name)] = int(after_name[1])
    members = {first_pid} if first_pid in parents else set()
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in members} - members
        members |= more
        grown = bool(more)
    return [ProcessMemory(pid, _held_bytes(pid)) for pid in sorted(members)]


def largest(processes: Iterable[ProcessMemory], spared: int) -> int | None:
    """The process to end when memory runs out, as the kernel would; never ``spared``."""
    candidates = [item for item in processes if item.pid != spared]
    return max(candidates, key=lambda item: item.held_bytes).pid if candidates else None


def _held_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    counted = [line.split() for line in lines if line.startswith(("RssAnon:", "RssShmem:"))]
    return sum(int(words[1]) * 1024 for words in counted)


def _process_folders() -> list[Path]:
    return [entry for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
