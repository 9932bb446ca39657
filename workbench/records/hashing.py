"""Content hashes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from workbench.records.regular_file import open_regular


def blob_hash(data: bytes) -> str:
    """The hash git gives a blob (SHA-1 object format), so that records and commits agree."""
    return hashlib.sha1(b"blob %d\x00" % len(data) + data, usedforsecurity=False).hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read in pieces. Raises what ``open_regular`` raises."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
