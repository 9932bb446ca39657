"""Audits, which are long: read once, and again when their file has changed."""

from __future__ import annotations

from pathlib import Path

from workbench.catalog import Content
from workbench.records import FamilyAudit, FamilyPaths

_Signature = tuple[int, int, int]
_known: dict[Path, tuple[_Signature, FamilyAudit]] = {}


def audit_of(content: Content, paths: FamilyPaths) -> FamilyAudit:
    """The audit of the family in that folder. Raises BadInput. Call it in a thread."""
    path = content.paths.audit(paths.folder.name)
    signature = _signature(path)
    found = _known.get(path)
    if found is None or found[0] != signature:
        found = _known[path] = (signature, content.audit_beside(paths))
    return found[1]


def _signature(path: Path) -> _Signature:
    """Another one for a file that was written since; all zero for none."""
    try:
        stat = path.stat()
    except OSError:
        return (0, 0, 0)
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)
