"""Models: a scripted one on loopback."""

from workbench.llm.scripted_responses import Asked, ScriptedModel, Turn

__all__ = ["Asked", "ScriptedModel", "Turn"]
