"""The stager's private mount namespace, in which host folders get neutral names. Standard library only.

As root: a namespace of its own, in which a small world-readable tmpfs holds the staged mounts, so
that an unprivileged user can bind what lies below a 0700 folder; owners are mapped to the run's
user, so that files of mode 0600 can be read; an overlay hides the host path from mountinfo. Each
of these falls back to the plainer way. As another user: the same in a user namespace of its own.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from workbench.sandbox.syscalls import (
    CLONE_NEWNS,
    CLONE_NEWUSER,
    MS_BIND,
    MS_NODEV,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    PR_SET_DUMPABLE,
    bind_mapped,
    mount,
    prctl,
    unshare,
)

_PLACES = ("/srv", "/media", "/mnt", "/opt")
"""Folders of any Linux that the staging tmpfs may cover, in the private namespace only."""
_STAGING_OPTIONS = "mode=755,size=4m"
_RUN_USERS = (1_900_000_001, 200_000_000)
"""First number and count of host users for runs: in a range that nobody hands out."""


class StagingError(Exception):
    """The sandbox cannot be built; the text is for the person, the remedy too."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.remedy = remedy


class HostUser(NamedTuple):
    """The unprivileged host user of one run."""

    uid: int
    gid: int


def choose_user(random_number: int) -> HostUser:
    """Another host user for each run as root; the caller itself otherwise."""
    if os.geteuid() != 0:
        return HostUser(os.getuid(), os.getgid())
    first, count = _RUN_USERS
    number = first + random_number % count
    if not _is_mapped(number):
        number = _highest_mapped() - 2 - random_number % 4096
    if number <= 0 or not _is_mapped(number):
        raise StagingError(
            "this user namespace has no unprivileged user to run agents as",
            "Start as an ordinary user, or map at least 65,536 users into the container.",
        )
    return HostUser(number, number)


def _ranges() -> list[tuple[int, int]]:
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    return [(int(line.split()[0]), int(line.split()[2])) for line in lines]


def _is_mapped(number: int) -> bool:
    return any(first <= number < first + count for first, count in _ranges())


def _highest_mapped() -> int:
    return max(first + count for first, count in _ranges()) - 1


class Staging:
    """The folder of staged mounts; ``folder`` is empty where there is no private namespace."""

    def __init__(self, folder: str, user: HostUser) -> None:
        self.folder = folder
        self.user = user
        self.notes: list[str] = []
        self._mappings: dict[tuple[int, int], int | None] = {}
        self._count = 0

    def place(self) -> str:
        """A new empty folder to mount on."""
        self._count += 1
        place = f"{self.folder}/{self._count}"
        Path(place).mkdir(mode=0o755)
        return place

    def stage(self, source: str) -> str:
        """A neutral, readable path for a host folder or file, mounted read-only. Raises OSError."""
        if not self.folder:
            return source
        path = Path(source)
        owner = path.stat()
        if path.is_dir():
            return self._without_path(self._bind(source, owner))
        return f"{self._without_path(self._bind(str(path.parent), owner))}/{path.name}"

    def _bind(self, folder: str, owner: os.stat_result) -> str:
        place = self.place()
        mapping = self._mapping(owner.st_uid, owner.st_gid)
        opened = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if mapping is not None:
                with contextlib.suppress(OSError):
                    bind_mapped(opened, place, mapping)
                    return place
                self.notes.append("owners are not mapped")
            for status in (owner, os.fstat(opened)):
                self._require_readable(status)
            mount(f"/proc/self/fd/{opened}", place, None, MS_BIND)
        finally:
            os.close(opened)
        return place

    def _require_readable(self, status: os.stat_result) -> None:
        if status.st_uid != self.user.uid and not status.st_mode & 0o004:
            raise StagingError(
                "something to mount can be read by its owner only, and this kernel cannot map owners",
                "Make the folder and its files readable by all (chmod -R a+rX).",
            )

    def _without_path(self, place: str) -> str:
        """The same tree through an overlay, whose mountinfo line does not tell the host path."""
        covered = self.place()
        try:
            mount("overlay", covered, "overlay", MS_RDONLY, f"lowerdir={place}:{self.folder}/empty")
        except OSError:
            self.notes.append("mountinfo shows host paths")
            return place
        return covered

    def _mapping(self, uid: int, gid: int) -> int | None:
        if os.geteuid() != 0 or uid == self.user.uid:
            return None
        key = (uid, gid)
        if key not in self._mappings:
            try:
                self._mappings[key] = _user_namespace(uid, gid, self.user)
            except OSError:
                self._mappings[key] = None
        return self._mappings[key]


def _user_namespace(uid: int, gid: int, user: HostUser) -> int:
    """A descriptor of a user namespace that maps one owner to the run's user."""
    ready, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            unshare(CLONE_NEWUSER)
            os.write(tell, b"1")
            signal.pause()
        os._exit(1)
    try:
        os.close(tell)
        if not os.read(ready, 1):
            raise OSError("no user namespace")
        Path(f"/proc/{pid}/uid_map").write_text(f"{uid} {user.uid} 1")
        Path(f"/proc/{pid}/gid_map").write_text(f"{gid} {user.gid} 1")
        return os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(ready)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def enter(user: HostUser, avoid: Iterable[str]) -> str:
    """Enter the private namespace; answers the staging folder, which covers none of ``avoid``.

    Raises OSError where it may not.
    """
    place = _staging_place([os.path.realpath(path) for path in avoid])
    if os.geteuid() == 0:
        unshare(CLONE_NEWNS)
    else:
        unshare(CLONE_NEWUSER | CLONE_NEWNS)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user.uid} {user.uid} 1")
        Path("/proc/self/gid_map").write_text(f"{user.gid} {user.gid} 1")
        prctl(PR_SET_DUMPABLE, 1)
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, _STAGING_OPTIONS)
    Path(place, "empty").mkdir(mode=0o755)
    return place


def _staging_place(avoid: list[str]) -> str:
    for place in _PLACES:
        inside = any(path == place or path.startswith(f"{place}/") for path in avoid)
        if Path(place).is_dir() and not Path(place).is_symlink() and not inside:
            return place
    raise OSError(errno.ENOENT, "no folder to stage in")
