"""The app: screens by name, the user's keys and theme, saving and leaving in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, cast

from pydantic import JsonValue
from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.screen import Screen

from workbench.tui.actions import bindings, check_keys, keymap
from workbench.tui.context import AppContext
from workbench.tui.diff_output import DiffOutput
from workbench.tui.inert import Inert
from workbench.tui.screen_table import OPENS, SCREENS, screen_entry
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.themes import THEMES, theme_for


class WorkbenchApp(App[int]):
    """One app over one ``AppContext``."""

    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "Workbench"
    DEFAULT_MODE = "home"
    BINDINGS = bindings("app")
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, context: AppContext) -> None:
        plain = context.terminal.colours == 0
        super().__init__(ansi_color=True if plain else None)
        self.context = context
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(context.settings.theme, context.terminal)
        self.animation_level = "none"
        self.output = DiffOutput(
            self, enabled=context.terminal.diff_output, bytes_a_second=context.terminal.bytes_a_second
        )
        for entry in SCREENS:
            if entry.mode:
                self.add_mode(entry.name, partial(self._make, entry.name))

    def on_mount(self) -> None:
        self.app_suspend_signal.subscribe(self, lambda _: self.output.hold())
        self.app_resume_signal.subscribe(self, lambda _: self.output.reset())
        problems = check_keys(self.context.settings.keys)
        self.set_keymap({} if problems else keymap(self.context.settings.keys))
        if problems:
            self.call_after_refresh(self.tell, Inert.of(f"keys in the configuration: {problems[0]}"))

    @property
    def current(self) -> WorkbenchScreen | None:
        """The screen in front, if it is one of ours."""
        screen = self.screen
        return screen if isinstance(screen, WorkbenchScreen) else None

    def open_screen(self, name: str, **arguments: JsonValue) -> None:
        """Show the screen of that name; see ``ScreenEntry``."""
        entry = screen_entry(name)
        if entry.mode:
            while len(self.screen_stack) > 1:
                self.pop_screen()
            self.switch_mode(name)
            if arguments:
                cast("WorkbenchScreen", self.screen).show(**arguments)
        else:
            self.push_screen(self._make(name, **arguments))

    def open_thing(self, kind: str, name: str) -> None:
        """Open what a list's key ``<kind>:<name>`` stands for."""
        opening = OPENS.get(kind)
        if opening is None:
            self.tell(Inert.line(f"{name} has no screen yet"))
        else:
            self.open_screen(opening[0], **{opening[1]: name})

    def tell(self, text: Inert) -> None:
        """Show a notice in the footer of the screen in front."""
        if (screen := self.current) is not None:
            screen.tell(text)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.tell(Inert())
        await super().on_event(event)

    def action_home(self) -> None:
        self.open_screen("home")

    def action_help(self) -> None:
        screen = self.current
        if screen is not None and screen.screen_name == "help":
            self.pop_screen()
        elif screen is not None:
            self.open_screen("help", scope=screen.screen_name, twin=screen.plain_twin)

    async def action_back(self) -> None:
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.current_mode != "home":
            self.open_screen("home")

    def action_redraw(self) -> None:
        self.output.clear()
        self.refresh(layout=True)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if self.output.display(screen, renderable):
            self.post_display_hook()
        else:
            super()._display(screen, renderable)

    def _make(self, name: str, **arguments: JsonValue) -> WorkbenchScreen:
        made: Callable[..., WorkbenchScreen] = screen_entry(name).load()
        return made(**arguments)
