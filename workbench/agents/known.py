"""The agents by name, and what doctor says of them."""

from __future__ import annotations

import difflib
import shutil

from workbench.agents.codex import CodexAgent
from workbench.agents.codex_runtime import codex_version, installed_codex
from workbench.agents.command import CommandAgent
from workbench.agents.protocol import Agent
from workbench.agents.replay import ReplayAgent
from workbench.agents.script import ScriptAgent
from workbench.records import BadInput, DataPaths, HealthCheck, HealthState

AGENTS: dict[str, Agent] = {
    agent.name: agent for agent in (ScriptAgent(), ReplayAgent(), CommandAgent(), CodexAgent())
}


def get_agent(name: str) -> Agent:
    """The agent of that name. Raises BadInput with the known ones."""
    if name in AGENTS:
        return AGENTS[name]
    near = difflib.get_close_matches(name, AGENTS, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise BadInput(f"unknown agent {name!r}", remedy=f"Known agents: {', '.join(AGENTS)}.{hint}")


def agents_health(data: DataPaths) -> list[HealthCheck]:
    """Which agents can run here; starts nothing and contacts nobody."""
    built_in = ", ".join(name for name in AGENTS if name != CodexAgent.name)
    checks = [HealthCheck(name="agents", state=HealthState.OK, detail=f"{built_in}: built in")]
    version = codex_version()
    if installed_codex(data) is not None:
        codex = HealthCheck(name="codex", state=HealthState.OK, detail=f"{version}, installed")
    elif shutil.which("npm") is not None:
        codex = HealthCheck(
            name="codex",
            state=HealthState.LIMITED,
            detail=f"{version}, not installed yet",
            remedy="It is installed from npm at its first run (about 450 MB).",
        )
    else:
        codex = HealthCheck(
            name="codex",
            state=HealthState.MISSING,
            detail="npm is not installed",
            remedy="Install Node.js with npm to run Codex; replays and scripts need none.",
        )
    return [*checks, codex]
