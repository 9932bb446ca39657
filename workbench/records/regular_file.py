"""Reading files that a person or an agent can put in place: only regular ones, and without waiting."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

MOST_BYTES = 1_000_000_000


def open_regular(path: Path, *, follow_link: bool = True) -> io.BufferedReader:
    """A regular file, open for reading; never waits as a pipe or a device would.

    Raises OSError: what ``os.open`` raises, EISDIR, and EINVAL with words for what else is no regular file.
    """
    link = 0 if follow_link else os.O_NOFOLLOW
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | link)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def read_regular(
    path: Path, most_bytes: int = MOST_BYTES, *, offset: int = 0, follow_link: bool = True
) -> bytes:
    """The bytes of a regular file from ``offset`` on.

    Raises OSError: what ``open_regular`` raises, and EFBIG with words for more than ``most_bytes``.
    """
    with open_regular(path, follow_link=follow_link) as file:
        there = max(os.fstat(file.fileno()).st_size - offset, 0)
        found = b""
        if there <= most_bytes:
            file.seek(offset)
            found = file.read(there + 1)  # one more than there was: it may grow meanwhile
        if there > most_bytes or len(found) > most_bytes:
            raise OSError(errno.EFBIG, f"larger than {most_bytes:,} bytes", str(path))
        return found
