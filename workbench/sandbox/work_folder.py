"""The agent's work folder with a quota. Standard library only: the stager runs this.

A loop-mounted ext4 image (root), a sized tmpfs, or a plain folder that is watched. The image's
name is removed as soon as it is mounted, so that nothing is left whatever happens.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from workbench.sandbox.namespace import HostUser, Staging
from workbench.sandbox.request import SeedFile
from workbench.sandbox.syscalls import MS_NODEV, MS_NOSUID, mount

IMAGE_NAME = "work.img"
FOLDER_NAME = "work"
WATCH_INTERVAL_S = 0.25
_BLOCK_BYTES = 4096
_DEEPEST = 200
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TOOL_PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
_EXT4_OPTIONS = (
    *("-q", "-F", "-m", "0", "-O", "^has_journal,^resize_inode"),
    *("-E", "lazy_itable_init=1,nodiscard"),
)


class WorkFolder(NamedTuple):
    """Where the work folder is in the stager's view, and what bounds it."""

    path: str
    means: str
    watched: bool = False


def make_work_folder(staging: Staging, scratch: str, size_bytes: int, without: Sequence[str]) -> WorkFolder:
    """The best folder there is, owned by the run's user. Raises OSError when none can be made."""
    ways: list[tuple[str, Callable[[], WorkFolder]]] = []
    if staging.folder and os.geteuid() == 0:
        ways.append(("loop", lambda: _loop(staging, scratch, size_bytes)))
    if staging.folder:
        ways.append(("tmpfs", lambda: _tmpfs(staging, size_bytes)))
    for name, make in ways:
        if name not in without:
            with contextlib.suppress(OSError):
                return make()
    return _plain(staging, scratch)


def _loop(staging: Staging, scratch: str, size_bytes: int) -> WorkFolder:
    image = Path(scratch, IMAGE_NAME)
    place = staging.place()
    try:
        _write_image(image, size_bytes)
        _run("mount", "-t", "ext4", "-o", "loop,nosuid,nodev", str(image), place)
    finally:
        image.unlink(missing_ok=True)
    Path(place, "lost+found").rmdir()
    os.chown(place, staging.user.uid, staging.user.gid)
    return WorkFolder(place, "ext4 image")


def _write_image(image: Path, size_bytes: int) -> None:
    """An empty ext4 file system, made in memory first: mkfs waits for the disk otherwise."""
    made = os.memfd_create("image")
    target = os.open(image, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.ftruncate(made, size_bytes)
        os.set_inheritable(made, True)
        _run("mkfs.ext4", *_EXT4_OPTIONS, f"/proc/self/fd/{made}")
        os.ftruncate(target, size_bytes)
        place = 0
        with contextlib.suppress(OSError):  # ENXIO: no more data
            while True:
                start = os.lseek(made, place, os.SEEK_DATA)
                place = os.lseek(made, start, os.SEEK_HOLE)
                os.pwrite(target, os.pread(made, place - start, start), start)
    finally:
        os.close(made)
        os.close(target)


def _run(program: str, *arguments: str) -> None:
    places = (Path(folder, program) for folder in _TOOL_PATH.split(":"))
    path = next((place for place in places if place.exists()), None)
    if path is None:
        raise FileNotFoundError(program)
    silence = [
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    pid = os.posix_spawn(path, [program, *arguments], {"PATH": _TOOL_PATH}, file_actions=silence)
    if os.waitpid(pid, 0)[1] != 0:
        raise OSError(f"{program} failed")


def make_home(staging: Staging, size_bytes: int, without: Sequence[str]) -> str:
    """A folder for the agent's home that can be read from outside; empty where there can be none."""
    if not staging.folder or "home" in without:
        return ""
    try:
        return _tmpfs(staging, size_bytes).path
    except OSError:
        return ""


def _tmpfs(staging: Staging, size_bytes: int) -> WorkFolder:
    place = staging.place()
    inodes = min(max(size_bytes // 4096, 1024), 1_000_000)
    mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, f"mode=755,size={size_bytes},nr_inodes={inodes}")
    os.chown(place, staging.user.uid, staging.user.gid)
    return WorkFolder(place, "tmpfs")


def _plain(staging: Staging, scratch: str) -> WorkFolder:
    folder = Path(scratch, FOLDER_NAME)
    folder.mkdir(mode=0o700)
    os.chown(folder, staging.user.uid, staging.user.gid)
    if not staging.folder:
        return WorkFolder(str(folder), "watched folder", watched=True)
    place = staging.place()
    # A bind of its own, nosuid and nodev, reachable whatever the modes of the folders above.
    mount(str(folder), place, None, 0x1000)
    mount(None, place, None, 0x1000 | 0x20 | MS_NOSUID | MS_NODEV)
    return WorkFolder(place, "watched folder", watched=True)


def seed(folder: str, user: HostUser, files: Sequence[SeedFile], contents: int, offset: int) -> int:
    """Write ``files`` from the descriptor ``contents``; answers the offset after them.

    The folder is new and nothing else can write it, so names need no further care here.
    """
    made: set[str] = set()
    for file in files:
        parts = file.name.split("/")
        for depth in range(1, len(parts)):
            below = "/".join(parts[:depth])
            if below not in made:
                made.add(below)
                Path(folder, below).mkdir(mode=0o755)
                os.chown(f"{folder}/{below}", user.uid, user.gid)
        opened = os.open(f"{folder}/{file.name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            copy_piece(contents, offset, file.size, opened)
            os.fchown(opened, user.uid, user.gid)
        finally:
            os.close(opened)
        offset += file.size
    return offset


def copy_piece(source: int, offset: int, size: int, target: int) -> None:
    """Copy ``size`` bytes of one descriptor to the end of another. Raises OSError."""
    done = 0
    while done < size:
        piece = os.pread(source, min(size - done, 1 << 20), offset + done)
        if not piece:
            raise OSError("seeds end early")
        view = memoryview(piece)
        while view:
            view = view[os.write(target, view) :]
        done += len(piece)


def used_bytes(folder: int, limit: int) -> int:
    """Bytes on disk below the folder behind a descriptor, counted up to ``limit``; follows no link.

    An absurdly deep tree counts as over the limit.
    """
    total, subfolders = _listed(folder)
    levels = [(os.dup(folder), subfolders)]
    try:
        while levels and total <= limit:
            opened, left = levels[-1]
            if not left:
                os.close(levels.pop()[0])
            elif len(levels) > _DEEPEST:
                return limit + 1
            else:
                with contextlib.suppress(OSError):
                    below = os.open(left.pop(), _FOLDER_FLAGS, dir_fd=opened)
                    size, subfolders = _listed(below)
                    levels.append((below, subfolders))
                    total += size
    finally:
        for opened, _ in levels:
            os.close(opened)
    return total


def _listed(folder: int) -> tuple[int, list[str]]:
    """Bytes of a folder's entries, a block each at least, and its subfolders."""
    total, subfolders = 0, []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                total += max(status.st_blocks * 512, _BLOCK_BYTES)
                if stat.S_ISDIR(status.st_mode):
                    subfolders.append(entry.name)
    return total, subfolders
