"""What an agent is: a way to turn a request into a command line inside a sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from workbench.records import AgentChoice, DataPaths
from workbench.sandbox import Mount, Runtime


@dataclass(frozen=True)
class LaunchRequest:
    """Everything an agent may use to build its launch.

    ``task_files`` are relative to the work folder; ``skill_files`` relative to a skill folder
    (``<skill>/SKILL.md``), the agent decides where that is; ``material`` is the script or the recording.
    """

    prompt: str
    task_files: Mapping[str, bytes]
    skill_files: Mapping[str, bytes]
    choice: AgentChoice
    material: bytes
    gateway_url: str
    runtime: Runtime
    data: DataPaths


@dataclass(frozen=True)
class Launch:
    """What the sandbox is to start, and how its standard output is to be read.

    ``mounts`` are those the agent needs beyond the Python runtime's, which the caller adds.
    """

    argv: tuple[str, ...]
    format: str
    needs_gateway: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    work_files: Mapping[str, bytes] = field(default_factory=dict)
    home_files: Mapping[str, bytes] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()


class Agent(Protocol):
    """One kind of agent. Holds no state."""

    @property
    def name(self) -> str:
        """How users choose it."""
        ...

    def needs_model(self, choice: AgentChoice) -> bool:
        """Whether a launch of ``choice`` asks a model."""
        ...

    def launch(self, request: LaunchRequest) -> Launch:
        """Build the launch. Raises BadInput for unusable material, Unavailable for a missing CLI."""
        ...

    def version(self, data: DataPaths) -> str:
        """Version that a launch would run, without starting it."""
        ...
