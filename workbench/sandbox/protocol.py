"""What every sandbox can do: start, stream, stop, wait, collect, close.

The order is fixed: ``start``, ``stream`` until it ends, ``wait``, ``collect``, ``close``. Inside,
the work folder is ``records.WORK_FOLDER``, the home ``HOME_FOLDER``, the user ``USER_ID``; there is
no network but ``127.0.0.1:gateway_port``, where there is one.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from workbench.records import Limits, SandboxReport

HOME_FOLDER = "/home/agent"
"""The agent's home inside: empty but for ``home_files``, of limited size; can be collected."""
USER_ID = 1000
"""User and group number inside."""


@dataclass(frozen=True)
class Mount:
    """A host file or folder shown read-only at an absolute path inside."""

    source: Path
    target: str


@dataclass(frozen=True)
class SandboxSpec:
    """What is to run. ``env`` is the whole environment inside; the caller's never enters.

    ``work_files`` and ``home_files`` are relative names to contents, below the work folder and
    the home; they belong to the agent and may be changed by it.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    work_files: Mapping[str, bytes] = field(default_factory=dict)
    home_files: Mapping[str, bytes] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    gateway_port: int | None = None


@dataclass(frozen=True)
class Chunk:
    """A piece of output as it came; cuts are arbitrary."""

    stream: Literal["stdout", "stderr"]
    data: bytes


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do on this machine.

    ``enforced`` maps an aspect (``isolation``, ``system calls``, ``memory``, ``processes``,
    ``work folder`` …) to the means. ``reasons`` say why it is not available or degraded.
    """

    available: bool
    degraded: bool
    reasons: list[str] = field(default_factory=list)
    enforced: dict[str, str] = field(default_factory=dict)
    remedy: str = ""


class SandboxProcess(Protocol):
    """One started sandbox; a context manager that closes it."""

    @property
    def listener(self) -> socket.socket | None:
        """Listens on ``127.0.0.1:gateway_port`` inside; accepted from outside. The caller closes it."""
        ...

    def stream(self) -> Iterator[Chunk]:
        """Output in order of arrival a stream, until everything inside has ended."""
        ...

    def stop(self, reason: str) -> None:
        """End everything inside now; the report says ``cancelled``. Harmless when it has ended."""
        ...

    def wait(self) -> SandboxReport:
        """Wait for the end (output not streamed is dropped). Raises Unavailable if it never began."""
        ...

    def collect(self, into: Path) -> list[str]:
        """Copy the regular files of the work folder below ``into`` (made if absent).

        Returns what was refused, as ``kind: relative/name``. After ``wait``, before ``close``.
        """
        ...

    def collect_home(self, into: Path) -> list[str]:
        """The same of the agent's home, with narrower bounds: what programs left there for themselves.

        Where this backend cannot look into it, nothing is made and the answer says ``unreadable``.
        """
        ...

    def close(self) -> None:
        """End what still runs and remove every trace on the host. May be called again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Sandbox(Protocol):
    """One way of isolating an agent."""

    @property
    def name(self) -> str:
        """As in ``--sandbox``."""
        ...

    def capabilities(self) -> Capabilities:
        """Found by trying, once a process."""
        ...

    def start(self, spec: SandboxSpec, scratch: Path) -> SandboxProcess:
        """Start ``spec``; ``scratch`` is a private folder for this run's leftovers record.

        Raises BadInput for a spec that cannot be (names with ``..``, missing sources), Unavailable
        where the sandbox cannot be set up.
        """
        ...


@dataclass(frozen=True)
class Runtime:
    """Programs for agents: mounts, the environment they need (``PATH``), and a Python with duckdb."""

    key: str
    mounts: tuple[Mount, ...]
    env: dict[str, str]
    python: str
