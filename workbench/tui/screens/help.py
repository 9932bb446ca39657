"""Help: every key that works on the screen it was asked from, from the registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue
from textual.widget import Widget

from workbench.tui.actions import Action, active_scopes, by_id, in_scope, key_label, keys_of, scopes
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.widgets.base import ListItem, ListPane

_KEYS_WIDTH = 16
_TITLE_WIDTH = 14
MOUSE = {
    "click": "up down jump",
    "click again": "choose",
    "wheel": "page-up page-down",
    "mark and copy": "select-up select-down copy",
}
"""What the mouse does, and the names of the actions that do the same."""


class HelpScreen(WorkbenchScreen):
    """``scope``: the screen that help is asked for; ``twin``: the plain command that shows the same."""

    screen_name = "help"
    title_text = "Help"
    kept = False

    def __init__(self, scope: JsonValue = "app", twin: JsonValue = "") -> None:
        super().__init__()
        self._scope = str(scope) if str(scope) in scopes() else "app"
        self._twin = str(twin)

    @property
    def heading(self) -> Inert:
        return Inert.of(f"Help: {scopes()[self._scope].title}")

    @property
    def plain_twin(self) -> str:
        return "workbench --help"

    def body(self) -> Iterable[Widget]:
        yield ListPane(help_lines(self._scope, self.workbench.keys.remapped, self._twin))


def help_lines(scope: str, remapped: Mapping[str, str], twin: str) -> list[ListItem]:
    """Keys, title and help of every action that holds in ``scope``, a heading a scope; then what the mouse
    does, and the plain commands.
    """
    lines: list[ListItem] = []
    for name in (*active_scopes(scope), *scopes()[scope].also):
        actions = in_scope(name)
        if not actions:
            continue
        lines.append(ListItem("", Inert.of(scopes()[name].title)))
        for action in actions:
            keys = " ".join(key_label(key) for key in keys_of(action, remapped))
            text = (
                Inert.of(keys, "bold $accent").fit(_KEYS_WIDTH)
                + Inert.of(action.title).fit(_TITLE_WIDTH)
                + action.help
            )
            lines.append(ListItem(action.id, text))
    lines.append(ListItem("", Inert.of("With a mouse, and without")))
    moving = "lines" if "lines" in active_scopes(scope) else "list"
    for what, names in MOUSE.items():
        same = [found for name in names.split() if (found := by_id(f"{moving}.{name}")) is not None]
        if same:
            text = Inert.of(what).fit(_KEYS_WIDTH + _TITLE_WIDTH) + _same_by_key(same, remapped)
            lines.append(ListItem(f"mouse:{what}", text))
    if twin:
        lines.append(ListItem("", Inert.of("The same in plain lines, for a screen reader or a script")))
        lines += [ListItem(f"twin:{command}", Inert.line(command.strip())) for command in twin.split(";")]
    return lines


def _same_by_key(actions: Iterable[Action], remapped: Mapping[str, str]) -> Inert:
    keys = (Inert.of(key_label(keys_of(action, remapped)[0]), "bold $accent") for action in actions)
    return Inert.of("as ") + Inert.join(keys, ", ")
