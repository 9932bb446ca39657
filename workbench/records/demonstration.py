"""Recorded demonstrations: a real agent CLI driven by a scripted model on synthetic data.

They show how a run looks; they say nothing about any model.
"""

from __future__ import annotations

from workbench.records.base import Part, Record, UtcTime
from workbench.records.plan import AgentChoice, Condition


class ScriptedTurn(Part):
    """One answer of the scripted model: shell commands to call, or a closing message."""

    commands: list[str] = []
    message: str = ""


class DemonstrationScript(Record):
    """``<condition>.<label>.script.toml``: what the scripted model answers, turn by turn.

    ``written_from`` says which text the author had: the skill, or the instruction alone. Never a reference.
    """

    task: str
    condition: Condition
    written_from: str
    turns: list[ScriptedTurn]


class Demonstration(Part):
    """One recording. ``file`` is relative to the demonstrations' folder."""

    task: str
    condition: Condition
    label: str
    recorded: UtcTime
    source: str  # always synthetic
    generator_version: str = ""  # of the source; another version has other patients and other rewards
    agent: AgentChoice
    format: str
    file: str
    sha256: str
    reward: float
    strict_pass: bool


class DemonstrationList(Record):
    """``manifest.json`` of ``evidence/demonstration/``."""

    demonstrations: list[Demonstration] = []
