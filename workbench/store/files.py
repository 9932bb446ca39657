"""Files that are either whole or not there, and folders only their owner can read."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from workbench.records import BadInput, Refused, Unavailable, WorkbenchError

_REMEDIES = {
    errno.ENOSPC: "Free some space, or set WORKBENCH_HOME to a folder on another disk.",
    errno.EDQUOT: "Free some of your quota, or set WORKBENCH_HOME to a folder on another disk.",
    errno.EROFS: "The file system is read-only: set WORKBENCH_HOME to a folder that can be written.",
    errno.EACCES: "Set WORKBENCH_HOME to a folder that you own, or correct its permissions.",
    errno.EPERM: "Set WORKBENCH_HOME to a folder that you own, or correct its permissions.",
    errno.EMFILE: "Too many open files: raise `ulimit -n`.",
}
_PART = re.compile(r"\..+\.[0-9a-f]{12}\.part", re.DOTALL)
_MISPLACED = {errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ENAMETOOLONG}


def disk_error(error: OSError, path: Path) -> WorkbenchError:
    """What a failed write means to a person: Unavailable, or BadInput where the place itself is wrong."""
    what = f"cannot be written ({error.strerror or type(error).__name__})"
    if error.errno in _MISPLACED:
        return BadInput(what, where=str(path), remedy="A file is where a folder should be, or the reverse.")
    return Unavailable(what, where=str(path), remedy=_REMEDIES.get(error.errno or 0, "Check the disk."))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError of the block into the message for ``path``."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from error


def atomic_write(path: Path, data: bytes | str | Iterable[bytes], *, mode: int = 0o600) -> None:
    """Replace ``path`` by ``data`` (text is UTF-8): a reader sees the old file or the new one, never a part.

    Pieces are written as they come; where they end in an error, nothing is.

    The folder must exist. Raises Unavailable (full or read-only disk, no permission) and BadInput
    (something else is at that place).
    """
    pieces = [data.encode()] if isinstance(data, str) else [data] if isinstance(data, bytes) else data
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    with writing(path):
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(file.fileno(), mode)
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def half_written(name: str) -> bool:
    """Whether a name is one that ``atomic_write`` gives to a file until it is finished; a kill leaves it."""
    return _PART.fullmatch(name) is not None


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def private_folder(path: Path) -> Path:
    """``path`` as a folder of mode 0700, with what is missing above it; an existing one is tightened.

    Raises Unavailable, BadInput where a file is in the way, and Refused for a folder that others share
    (a sticky one as /tmp, or another user's).
    """
    with writing(path):
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        status = path.stat()
        if status.st_mode & 0o077:
            if status.st_mode & stat.S_ISVTX or status.st_uid != os.geteuid():
                raise Refused(
                    "is shared with other users",
                    where=str(path),
                    remedy="Name a folder of your own below it.",
                )
            path.chmod(0o700)
    return path


def publish_folder(made: Path, final: Path) -> None:
    """Rename the finished folder ``made`` to ``final``, all files durable first.

    ``final`` must not exist or be empty; both are on one file system. Raises Unavailable or BadInput.
    """
    with writing(final):
        for folder, _, names in os.walk(made):
            for name in names:
                _sync_file(Path(folder) / name)
            sync_folder(Path(folder))
        made.rename(final)
        sync_folder(final.parent)


def _sync_file(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
