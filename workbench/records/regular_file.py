"""Reading files of our own data directory, whatever somebody put in their place."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 1_000_000_000


def read_regular(
    path: Path, most_bytes: int = MOST_BYTES, *, offset: int = 0, follow_link: bool = True
) -> bytes:
    """The bytes of a regular file from ``offset`` on; never waits as a pipe or a device would.

    Raises OSError: what ``os.open`` raises, and EINVAL or EFBIG with words for what is no regular file or
    holds more than ``most_bytes``.
    """
    link = 0 if follow_link else os.O_NOFOLLOW
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | link)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        file.seek(offset)
        found = file.read(min(most_bytes, max(os.fstat(descriptor).st_size - offset, 0)) + 1)
        if len(found) > most_bytes:
            raise OSError(errno.EFBIG, f"larger than {most_bytes:,} bytes", str(path))
        return found
