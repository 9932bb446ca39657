"""What the host process asks of the stager. Standard library only: both sides read this.

The stager's modules use named tuples: importing ``dataclasses`` takes a third of its start."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

PASSED_FILES = 4
"""Descriptors sent with a request, in order: this text, the seeds' contents, stdout, stderr."""


class SeedFile(NamedTuple):
    """A relative name and how many bytes of the seeds belong to it, in order."""

    name: str
    size: int


class StageRequest(NamedTuple):
    """One sandbox to build. Paths are the host's; sizes in bytes, times in seconds."""

    bwrap: str
    options: tuple[str, ...]  # long options that this bubblewrap knows
    token: str
    scratch: str
    host_pid: int
    argv: tuple[str, ...]
    env: dict[str, str]
    mounts: tuple[tuple[str, str], ...]  # (source, target)
    hidden: tuple[str, ...]  # folders below /usr that must not show
    work_files: tuple[SeedFile, ...]
    home_files: tuple[SeedFile, ...]
    work_folder: str
    home_folder: str
    user_id: int
    groups: tuple[tuple[int, str, tuple[str, ...]], ...]  # as limits.Group
    gateway_port: int | None
    wall_s: float
    memory_bytes: int
    processes: int
    open_files: int
    work_bytes: int
    tmp_bytes: int
    home_bytes: int
    file_bytes: int
    without: tuple[str, ...] = ()  # means not to use: 'groups', 'loop', 'namespace', …

    def to_json(self) -> bytes:
        """As sent."""
        return json.dumps(self._asdict()).encode()

    @classmethod
    def from_json(cls, text: bytes) -> StageRequest:
        """As received from ``to_json``."""
        raw: dict[str, Any] = json.loads(text)
        raw["work_files"] = tuple(SeedFile(*item) for item in raw["work_files"])
        raw["home_files"] = tuple(SeedFile(*item) for item in raw["home_files"])
        raw["mounts"] = tuple((source, target) for source, target in raw["mounts"])
        raw["groups"] = tuple((version, folder, tuple(names)) for version, folder, names in raw["groups"])
        for name in ("argv", "options", "hidden", "without"):
            raw[name] = tuple(raw[name])
        return cls(**raw)
