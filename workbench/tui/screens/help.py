"""Help: every key that works on the screen it was asked from, from the registry."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue
from textual.widget import Widget

from workbench.tui.actions import active_scopes, in_scope, key_label, keys_of, scopes
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.widgets.base import ListItem, ListPane

_KEYS_WIDTH = 16
_TITLE_WIDTH = 14


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
        yield ListPane(help_lines(self._scope, self.workbench.context.settings.keys, self._twin))


def help_lines(scope: str, remapped: dict[str, str], twin: str) -> list[ListItem]:
    """Keys, title and help of every action that holds in ``scope``, a heading a scope."""
    lines: list[ListItem] = []
    for name in active_scopes(scope):
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
    if twin:
        lines.append(ListItem("", Inert.of("The same in plain lines, for a screen reader or a script")))
        lines += [ListItem(f"twin:{command}", Inert.line(command.strip())) for command in twin.split(";")]
    return lines
