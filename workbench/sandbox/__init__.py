"""Isolation of agents: one protocol, its backends, safe collection of results."""

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

__all__ = [
    "HOME_FOLDER",
    "USER_ID",
    "Capabilities",
    "Chunk",
    "Mount",
    "Runtime",
    "Sandbox",
    "SandboxProcess",
    "SandboxSpec",
]
