"""Which code ran: the imported package itself, whatever folder the content is in."""

from __future__ import annotations

import hashlib
import subprocess
from functools import cache
from pathlib import Path

import workbench
from workbench.records import read_regular


@cache
def code_version() -> str:
    """Version, hash of the package's files, and its commit with '+dirty' where the tree differs.

    The commit is left out where the package is not in a git checkout.
    """
    package = Path(workbench.__file__).resolve().parent
    parts = [workbench.__version__, f"package:{_package_hash(package)}"]
    commit = _git(package, "rev-parse", "HEAD")
    if commit and _git(package, "ls-files", "--error-unmatch", "__init__.py"):
        dirty = "+dirty" if _git(package, "status", "--porcelain", "--", ".") else ""
        parts.append(f"commit:{commit}{dirty}")
    return " ".join(parts)


def _package_hash(package: Path) -> str:
    """16 hex digits over names and contents of all files but caches and the installed content."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        parts = path.relative_to(package).parts
        if path.is_file() and "__pycache__" not in parts and parts[0] != "content":
            digest.update("/".join(parts).encode() + b"\0")
            digest.update(hashlib.sha256(read_regular(path)).digest())
    return digest.hexdigest()[:16]


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
