"""Isolation of agents: one protocol, its backends, safe collection of results."""

from workbench.sandbox.bubblewrap import Bubblewrap
from workbench.sandbox.choose import choose_sandbox, health
from workbench.sandbox.protocol import (
    HOME_FOLDER,
    USER_ID,
    Capabilities,
    Chunk,
    Mount,
    Runtime,
    Sandbox,
    SandboxProcess,
    SandboxSpec,
)
from workbench.sandbox.runtime import PYTHON_FOLDER, ensure_python_runtime
from workbench.sandbox.sweep import sweep_sandboxes

__all__ = [
    "HOME_FOLDER",
    "PYTHON_FOLDER",
    "USER_ID",
    "Bubblewrap",
    "Capabilities",
    "Chunk",
    "Mount",
    "Runtime",
    "Sandbox",
    "SandboxProcess",
    "SandboxSpec",
    "choose_sandbox",
    "ensure_python_runtime",
    "health",
    "sweep_sandboxes",
]
