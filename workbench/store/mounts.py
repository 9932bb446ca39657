"""On which kind of file system a path is, from the kernel's mount table."""

from __future__ import annotations

import os
import re
from pathlib import Path

NETWORK_FILE_SYSTEMS = frozenset(
    {
        "afs", "beegfs", "ceph", "cifs", "fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs",
        "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "smb2", "smb3", "smbfs",
    }
)  # fmt: skip
"""Kinds on which ``flock`` and SQLite's WAL cannot be relied on."""

_TABLE = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


def file_system(path: Path, table: str | None = None) -> str:
    """The file system type below ``path`` (its nearest existing folder); '' where that is not known.

    ``table`` is text in the form of /proc/self/mountinfo; without it the kernel's is read.
    """
    if table is None:
        try:
            table = _TABLE.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return ""
    place = os.fsencode(os.path.realpath(path))
    best, kind = -1, ""
    for line in table.splitlines():
        fields, _, tail = line.partition(" - ")
        columns = fields.split(" ")
        if len(columns) < 5 or not tail:
            continue
        point = os.fsencode(_OCTAL.sub(lambda match: chr(int(match[1], 8)), columns[4]))
        inside = place == point or place.startswith(point.rstrip(b"/") + b"/")
        if inside and len(point) >= best:
            best, kind = len(point), tail.split(" ")[0]
    return kind


def on_network(path: Path) -> str:
    """The network file system's name if ``path`` is on one, else ''."""
    kind = file_system(path)
    return kind if kind in NETWORK_FILE_SYSTEMS else ""
