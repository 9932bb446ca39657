"""What the Settings screen shows: a line a setting, a line an action with its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.records import DEFAULT_ORIGIN, Configured, Settings
from workbench.tui.actions import in_scope, key_label, keys_of, scopes
from workbench.tui.inert import Inert
from workbench.tui.themes import THEMES
from workbench.tui.widgets.base import ListItem

_TITLE_WIDTH = 13
_VALUE_WIDTH = 18
_ORIGIN_WIDTH = 9


@dataclass(frozen=True)
class Choice:
    """A setting with what it can be; an empty value lets the app choose."""

    name: str
    title: str
    help: str
    values: tuple[str | bool, ...]

    def now(self, settings: Settings) -> str | bool:
        """The value it has."""
        value: str | bool = getattr(settings, self.name)
        return value

    def after(self, value: str | bool, by: int) -> str | bool:
        """The value ``by`` places further; the first one after a value that is none of them."""
        at = self.values.index(value) if value in self.values else -1 if by > 0 else 0
        return self.values[(at + by) % len(self.values)]


CHOICES = (
    Choice(
        "theme",
        "Theme",
        "Colours. What suits the terminal, unless you choose.",
        ("", *(theme.name for theme in THEMES)),
    ),
    Choice(
        "ssh_profile",
        "SSH profile",
        "No mouse, few frames, no more bytes than a slow line takes. auto: inside SSH.",
        ("auto", "on", "off"),
    ),
    Choice("ascii", "ASCII", "Draw with ASCII only. auto: as locale and TERM say.", ("auto", "on", "off")),
    Choice(
        "diff_output",
        "Diff output",
        "Send only cells that changed. Turn it off should your terminal show remains.",
        (True, False),
    ),
    Choice(
        "data_access",
        "Data access",
        "Whose logs are shown as they are: of synthetic data, of all, of none. Others are redacted.",
        ("synthetic", "all", "none"),
    ),
)


def word(value: str | bool) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return value or "(by terminal)"


def origin_word(origin: str, own: Path) -> str:
    """``yours``, ``project``, a variable; empty for what is usual."""
    if origin == DEFAULT_ORIGIN:
        return ""
    if origin == str(own):
        return "yours"
    return "project" if "/" in origin else "variable"


def rows(configured: Configured, own: Path, remapped: Mapping[str, str]) -> list[ListItem]:
    """All lines; keys are ``setting:<name>`` and ``key:<action>``. ``own``: the user's file."""
    lines = [ListItem("", Inert.of("Looks and terminal"))]
    for choice in CHOICES:
        value = Inert.of(word(choice.now(configured.settings)))
        origin = origin_word(configured.origin(choice.name), own)
        text = Inert.of(choice.title).fit(_TITLE_WIDTH) + " " + value.fit(_VALUE_WIDTH) + "  "
        lines.append(ListItem(f"setting:{choice.name}", text + Inert.of(origin, "$secondary")))
    for scope in scopes().values():
        actions = in_scope(scope.name)
        if actions:
            lines.append(ListItem("", Inert.of(f"Keys: {scope.title}")))
        for action in actions:
            keys = " ".join(key_label(key) for key in keys_of(action, remapped))
            origin = origin_word(configured.origin(f"keys.{action.id}"), own)
            text = (
                Inert.of(keys, "bold $accent").fit(_TITLE_WIDTH)
                + " "
                + Inert.of(action.title).fit(_VALUE_WIDTH)
                + "  "
                + Inert.of(origin, "$secondary").fit(_ORIGIN_WIDTH)
                + action.help
            )
            lines.append(ListItem(f"key:{action.id}", text))
    return lines
