"""Agents: one module each; what they start inside a sandbox, and how their log is read."""

from workbench.agents.codex_runtime import CodexRuntime, ensure_codex_runtime, installed_codex
from workbench.agents.known import AGENTS, agents_health, get_agent
from workbench.agents.protocol import Agent, Launch, LaunchRequest

__all__ = [
    "AGENTS",
    "Agent",
    "CodexRuntime",
    "Launch",
    "LaunchRequest",
    "agents_health",
    "ensure_codex_runtime",
    "get_agent",
    "installed_codex",
]
