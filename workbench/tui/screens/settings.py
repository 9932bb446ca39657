"""Settings: looks, terminal settings and keys of the app, kept in the user's own file at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import Configured, WorkbenchError, load_settings
from workbench.tui.actions import Action, bindings, by_id, key_label, keys_of, refusal, split_keys
from workbench.tui.applying import apply_settings
from workbench.tui.context import find_settings
from workbench.tui.inert import Inert
from workbench.tui.screens.list_screen import ListScreen
from workbench.tui.setting_rows import CHOICES, Choice, origin_word, rows
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label, ListPane

SURE_S = 5.0
"""Within so long a second press takes all keys away."""
CANCELS = "escape"
"""The one key that is not taken when a key is waited for; its name can be typed."""


class SettingsScreen(ListScreen):
    """One line a setting, one line an action; what is chosen is written and holds at once."""

    screen_name = "settings"
    title_text = "Settings"
    CSS_PATH = "settings.tcss"
    BINDINGS = [*bindings("settings")]

    def __init__(self) -> None:
        super().__init__()
        self._asked_s: float | None = None

    @property
    def plain_twin(self) -> str:
        return "workbench config show;workbench config set NAME VALUE;workbench config unset NAME"

    @property
    def configured(self) -> Configured:
        """What holds now."""
        context = self.workbench.context
        return Configured(context.settings, context.origins)

    def body(self) -> Iterable[Widget]:
        yield ListPane(id="settings")
        yield Label(id="about")

    def on_mount(self) -> None:
        self.query_one(ListPane).focus()
        self._fill()
        self.status(Inert.line(f"kept in {self.workbench.data.settings.name} of the data directory"))

    def on_screen_resume(self) -> None:
        self._fill()

    def state(self) -> dict[str, JsonValue]:
        return {"line": self.query_one(ListPane).chosen_key}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self.query_one(ListPane).go_to(str(state.get("line", "")))

    def _fill(self) -> None:
        app = self.workbench
        self.query_one(ListPane).fill(rows(self.configured, app.data.settings, app.keys.remapped))
        self._about()

    def _choice(self) -> Choice | None:
        kind, _, name = self.query_one(ListPane).chosen_key.partition(":")
        return next((item for item in CHOICES if kind == "setting" and item.name == name), None)

    def _action(self) -> Action | None:
        kind, _, name = self.query_one(ListPane).chosen_key.partition(":")
        return by_id(name) if kind == "key" else None

    def _about(self) -> None:
        """Help, where the value comes from, the plain command."""
        choice, action = self._choice(), self._action()
        if choice is not None:
            words, name = choice.help, choice.name
            value = choice.values[-1]
            given = str(value).lower() if isinstance(value, bool) else value
        elif action is not None:
            words, name, given = action.help, f"keys.{action.id}", action.key
        else:
            return
        origin = self.configured.origin(name)
        told = origin_word(origin, self.workbench.data.settings)
        source = Inert.of("\nSet by ") + Inert.line(origin) if told else Inert.of("")
        same = Inert.of(f"\nSame as, for example: workbench config set {name} {given}")
        self.query_one("#about", Label).say(Inert.of(words) + source + same)

    def on_list_pane_moved(self) -> None:
        self._about()

    def on_list_pane_chosen(self) -> None:
        action = self._action()
        if action is None:
            self.action_next_value()
            return
        self.workbench.takes_next_key = partial(self._pressed, action)
        self.tell(Inert.of(f"Press the new key of {action.title}; {key_label(CANCELS)} leaves it as it is"))

    def _pressed(self, action: Action, key: str) -> None:
        if key == CANCELS:
            self.tell(Inert.of("nothing is changed"))
        else:
            again = f"{self.workbench.key_of('list.choose')}: try another key"
            self._set_keys(action, key, again=f"Nothing is changed, no key is waited for. {again}.")

    def action_type_key(self) -> None:
        action = self._action()
        if action is None:
            self.tell(Inert.of("this line has no key"))
            return
        hint = Inert.of("names of keys, several with commas: f5, ctrl+r, question_mark")
        keys = ",".join(keys_of(action, self.workbench.keys.remapped))
        AskLine.of(self).ask(action.id, hint, keys)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        action = by_id(message.name)
        if action is not None and message.value.strip():
            self._set_keys(action, message.value)

    def _set_keys(self, action: Action, keys: str, *, again: str = "") -> None:
        """``again``: what to do where they are refused."""
        given = ",".join(split_keys(keys))
        reason = refusal(action.id, given, self.workbench.keys.remapped)
        if reason:
            again = again or f"{self.workbench.key_of('settings.type-key')}: type others."
            self.tell(Inert.of("refused ", "bold $error") + Inert.line(f"{reason}. {again}"))
        else:
            self._change({f"keys.{action.id}": given})

    def action_next_value(self) -> None:
        self._step(1)

    def action_previous_value(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        choice = self._choice()
        if choice is None:
            self.tell(Inert.of(f"{self.workbench.key_of('list.choose')}: then press the new key"))
            return
        self._change({choice.name: choice.after(choice.now(self.configured.settings), by)})

    def action_reset(self) -> None:
        choice, action = self._choice(), self._action()
        name = choice.name if choice is not None else f"keys.{action.id}" if action is not None else ""
        if name not in self._own():
            self.tell(Inert.of("you have set nothing here"))
            return
        if action is not None:
            below = self._below().get(action.id, action.key)
            reason = refusal(action.id, below, self.workbench.keys.remapped)
            if reason:
                self.tell(Inert.of("refused ", "bold $error") + Inert.line(reason))
                return
        self._change({name: None})

    def action_reset_keys(self) -> None:
        own = [name for name in self._own() if name.startswith("keys.")]
        now_s = self.workbench.context.clock.monotonic_s()
        if not own:
            self.tell(Inert.of("you have set no key"))
        elif self._asked_s is None or now_s - self._asked_s > SURE_S:
            self._asked_s = now_s
            self.tell(Inert.of(f"Again to take all your {len(own)} keys away"))
        else:
            self._asked_s = None
            self._change(dict.fromkeys(own))

    def _own(self) -> list[str]:
        """Names of what the user's own file sets and nothing above it does."""
        own = str(self.workbench.data.settings)
        return [name for name, origin in self.configured.origins.items() if origin == own]

    def _below(self) -> Mapping[str, str]:
        """The keys that hold without the user's own file."""
        return load_settings(self.workbench.context.content.paths.settings).keys

    def _change(self, changes: Mapping[str, str | bool | None]) -> None:
        """Write it and let it hold."""
        from workbench.store import change_settings

        app = self.workbench
        try:
            change_settings(app.data, changes)
            configured, problem = find_settings(app.context.content, app.data)
        except WorkbenchError as error:
            self.failed(error)
            return
        apply_settings(app, configured, problem)
        self._fill()
        self._tell_what_hides(changes)

    def _tell_what_hides(self, changes: Mapping[str, str | bool | None]) -> None:
        """Say so where what was set does not show."""
        own = str(self.workbench.data.settings)
        for name, value in changes.items():
            origin = self.configured.origin(name)
            if value is not None and origin != own:
                self.tell(Inert.line(f"kept, but {origin} wins while it is set"))
            elif name == "theme" and self.workbench.context.terminal.colours == 0:
                self.tell(Inert.of("kept; there are no colours while NO_COLOR is set"))
