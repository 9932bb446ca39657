"""Content hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path


def blob_hash(data: bytes) -> str:
    """The hash git gives a blob (SHA-1 object format), so that records and commits agree."""
    return hashlib.sha1(b"blob %d\x00" % len(data) + data, usedforsecurity=False).hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
