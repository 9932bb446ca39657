"""Screens by name. None but the first is imported before the first frame is drawn."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.tui.screens.base import WorkbenchScreen


@dataclass(frozen=True)
class ScreenEntry:
    """``place`` is ``module:Class`` below ``workbench.tui.screens``.

    ``mode``: one standing screen (its keyword arguments go to ``show``); others are made anew, on top of
    the one before, with their keyword arguments.
    """

    name: str
    place: str
    mode: bool = False

    def load(self) -> type[WorkbenchScreen]:
        """Import the screen's class."""
        module, _, name = self.place.partition(":")
        found: type[WorkbenchScreen] = getattr(import_module(f"workbench.tui.screens.{module}"), name)
        return found

    def style_sheet(self) -> Path | None:
        """The screen's own style sheet, beside its module."""
        kind = self.load()
        name = kind.CSS_PATH
        return (
            Path(str(sys.modules[kind.__module__].__file__)).with_name(name)
            if isinstance(name, str)
            else None
        )


SCREENS = (
    ScreenEntry("home", "home:HomeScreen", mode=True),
    ScreenEntry("runs", "runs:RunsScreen", mode=True),
    ScreenEntry("sources", "sources:SourcesScreen", mode=True),
    ScreenEntry("run", "run:RunScreen", mode=True),
    ScreenEntry("settings", "settings:SettingsScreen", mode=True),
    ScreenEntry("skills", "skills:SkillsScreen", mode=True),
    ScreenEntry("live", "live:LiveScreen"),
    ScreenEntry("run-detail", "run_detail:RunDetailScreen"),
    ScreenEntry("compare", "compare:CompareScreen"),
    ScreenEntry("rule-diff", "rule_diff:RuleDiffScreen"),
    ScreenEntry("caveats", "caveats:CaveatsScreen"),
    ScreenEntry("caveat", "caveat:CaveatScreen"),
    ScreenEntry("caveat-form", "caveat_form:CaveatFormScreen"),
    ScreenEntry("help", "help:HelpScreen"),
    ScreenEntry("finder", "finder:FinderScreen"),
    ScreenEntry("trajectory", "trajectory:TrajectoryScreen"),
    ScreenEntry("skill", "skill:SkillScreen"),
    ScreenEntry("edit", "edit:EditScreen"),
    ScreenEntry("save-skill", "save_skill:SaveSkillScreen"),
    ScreenEntry("proposals", "proposals:ProposalsScreen"),
    ScreenEntry("merge", "merge:MergeScreen"),
    ScreenEntry("sign-offs", "sign_offs:SignOffsScreen"),
    ScreenEntry("versions", "versions:VersionsScreen"),
    ScreenEntry("difference", "difference:DifferenceScreen"),
    ScreenEntry("blame", "blame:BlameScreen"),
    ScreenEntry("messages", "messages:MessagesScreen"),
    ScreenEntry("whole", "whole:WholeScreen"),
    ScreenEntry("log", "log:LogScreen"),
    ScreenEntry("family", "family:FamilyScreen"),
    ScreenEntry("document", "document:DocumentScreen"),
)

OPENS: dict[str, tuple[str, str]] = {
    "task": ("run", "task"),
    "run": ("run-detail", "run"),
    "source": ("sources", "source"),
    "skill": ("skill", "skill"),
    "trajectory": ("trajectory", "run"),
    "log": ("log", "run"),
    "rules": ("rule-diff", "first"),
    "family": ("family", "family"),
    "document": ("document", "part"),
    "caveat": ("document", "part"),
    "case": ("document", "part"),
    "broken": ("document", "part"),
}
"""Kind of a thing (``task``, ``skill``, ``run``) to the screen that shows it and its argument's name.

Parts of a family are named ``<family>/<kind>:<name>``; ``broken`` is a task that cannot be read.
"""


def screen_entry(name: str) -> ScreenEntry:
    """The entry of that name. Raises KeyError."""
    return {entry.name: entry for entry in SCREENS}[name]
