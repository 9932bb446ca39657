"""What doctor says of the data directory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from workbench.records import DataPaths, HealthCheck, HealthState
from workbench.store.mounts import NETWORK_FILE_SYSTEMS, file_system

LEAST_FREE_BYTES = 2_000_000_000
"""For the synthetic default with concepts and references."""
GOOD_FREE_BYTES = 20_000_000_000
"""For a whole imported source with concepts."""

_FOREIGN_FILE_SYSTEMS = frozenset({"9p", "drvfs", "fuseblk", "vboxsf", "virtiofs", "exfat", "vfat", "msdos"})
"""Those of another system: slow, or without permissions."""


def health(data: DataPaths) -> list[HealthCheck]:
    """Place, permissions, file system and free space of the data directory."""
    place = data.root
    while not place.exists():
        place = place.parent
    return [_folder(data.root, place), _kind(place), _space(place)]


def _folder(root: Path, place: Path) -> HealthCheck:
    name = "data directory"
    if not place.is_dir():
        remedy = "Set WORKBENCH_HOME to a folder."
        return HealthCheck(
            name=name, state=HealthState.BROKEN, detail=f"{place} is not a folder", remedy=remedy
        )
    read_only = bool(os.statvfs(place).f_flag & os.ST_RDONLY)
    if read_only or not os.access(place, os.W_OK | os.X_OK):
        remedy = "Set WORKBENCH_HOME to a folder that can be written."
        return HealthCheck(
            name=name, state=HealthState.BROKEN, detail=f"{place} cannot be written", remedy=remedy
        )
    if place == root and root.stat().st_mode & 0o077:
        detail = f"{root} can be read by other users"
        return HealthCheck(name=name, state=HealthState.LIMITED, detail=detail, remedy=f"chmod 700 {root}")
    detail = str(root) if place == root else f"{root} (made when needed)"
    return HealthCheck(name=name, state=HealthState.OK, detail=detail)


def _kind(place: Path) -> HealthCheck:
    name, kind = "file system", file_system(place)
    if kind in NETWORK_FILE_SYSTEMS:
        return HealthCheck(
            name=name,
            state=HealthState.BROKEN,
            detail=f"{kind}, a network file system: locks do not hold",
            remedy="Set WORKBENCH_HOME to a folder on a local disk.",
        )
    if kind in _FOREIGN_FILE_SYSTEMS:
        return HealthCheck(
            name=name,
            state=HealthState.LIMITED,
            detail=f"{kind}: slow, and permissions may not hold",
            remedy="Set WORKBENCH_HOME to a folder on a Linux disk (in WSL below /home).",
        )
    return HealthCheck(name=name, state=HealthState.OK, detail=kind or "not known here")


def _space(place: Path) -> HealthCheck:
    free = shutil.disk_usage(place).free
    state, remedy = HealthState.OK, ""
    if free < LEAST_FREE_BYTES:
        state, remedy = HealthState.BROKEN, "Free some space, or set WORKBENCH_HOME to another disk."
    elif free < GOOD_FREE_BYTES:
        state, remedy = HealthState.LIMITED, "Enough for synthetic data; a whole MIMIC-IV needs more."
    return HealthCheck(name="free disk", state=state, detail=f"{free / 1e9:.1f} GB", remedy=remedy)
