"""Locks by ``flock``, with the holder's name in the file."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from workbench.records import Clock, Refused, SystemClock, read_regular, utc_text
from workbench.store.files import atomic_write, private_folder, writing
from workbench.store.mounts import on_network
from workbench.store.processes import boot_id, start_ticks

_PROBE_S = 0.25
"""Another process looking at the lock holds it shared for an instant: give it time to let go."""
_POLL_S = 0.02
_MOST_BYTES = 65536
_FILE_BYTES = 1024
"""Padded to one size, so that one write replaces what was there and no reader finds a mixture."""


@dataclass(frozen=True)
class LockHolder:
    """Who holds a lock, as written in its file."""

    pid: int
    host: str
    boot: str
    start_ticks: int
    what: str
    since: str
    held: bool = True  # False: reserved for a process that is still to come

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"

    @property
    def here(self) -> bool:
        """Whether this machine can tell if the process lives."""
        return self.host == socket.gethostname() and self.boot == boot_id()

    @property
    def alive(self) -> bool:
        """Whether the very process that wrote the file runs; meaningful only where ``here``."""
        return start_ticks(self.pid) == self.start_ticks


class FileLock:
    """Exclusive between processes (and between two objects of one process); kernel releases it at death.

    Entering raises Refused naming the holder if it is taken for longer than ``wait_s`` seconds, and
    Refused on a network file system. The file stays; it is empty while nobody holds the lock.
    """

    def __init__(self, path: Path, what: str, *, wait_s: float = 0.0, clock: Clock | None = None) -> None:
        self.path = path
        self.what = what
        self._clock = clock or SystemClock()
        self._wait_s = wait_s
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        network = on_network(self.path.parent)
        if network:
            raise Refused(
                f"is on a network file system ({network}), where locks do not hold",
                where=str(self.path.parent),
                remedy="Set WORKBENCH_HOME to a folder on a local disk.",
            )
        if not self.path.parent.is_dir():
            private_folder(self.path.parent)
        with writing(self.path):
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        try:
            self._acquire(descriptor)
            with writing(self.path):
                os.pwrite(descriptor, _text(self.what, held=True, clock=self._clock).encode(), 0)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return self

    def _acquire(self, descriptor: int) -> None:
        deadline = time.monotonic() + max(self._wait_s, _PROBE_S)
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                holder = _read(self.path)
            living = holder is not None and holder.held and holder.here and holder.alive
            if (living and self._wait_s == 0.0) or time.monotonic() > deadline:
                raise Refused(
                    f"{self.what} is in use by {holder or 'another process'}",
                    where=str(self.path),
                    remedy="Wait until it is done, or end that process.",
                )
            time.sleep(_POLL_S)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)


def lock_holder(path: Path) -> LockHolder | None:
    """The living holder of the lock at ``path``, or None. Never waits, never disturbs it for long."""
    holder = _read(path)
    if holder is None or not holder.held:
        return None
    if holder.here:
        return holder if holder.alive else None
    return holder if _is_locked(path) else None


def reserve_lock(path: Path, what: str, *, pid: int | None = None, clock: Clock | None = None) -> None:
    """Name a process (this one by default) that will see to it that the lock is taken; takes nothing.

    The file is replaced: call it only while nobody can have taken the lock.
    """
    atomic_write(path, _text(what, held=False, pid=pid, clock=clock or SystemClock()))


def lock_reservation(path: Path) -> LockHolder | None:
    """The living process that reserved a lock not yet taken, or None."""
    holder = _read(path)
    if holder is None or holder.held or not holder.here:
        return None
    return holder if holder.alive else None


def _text(what: str, *, held: bool, clock: Clock, pid: int | None = None) -> str:
    pid = os.getpid() if pid is None else pid
    holder = LockHolder(
        pid=pid,
        host=socket.gethostname(),
        boot=boot_id(),
        start_ticks=start_ticks(pid) or 0,
        what=what,
        since=utc_text(clock.now()),
        held=held,
    )
    return json.dumps(asdict(holder)).ljust(_FILE_BYTES)


def _read(path: Path) -> LockHolder | None:
    try:
        return LockHolder(**json.loads(read_regular(path, _MOST_BYTES)))
    except (OSError, ValueError, TypeError):
        return None


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
