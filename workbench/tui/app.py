"""The app: screens by name, the user's keys and theme, saving and leaving in order."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from textual.screen import Screen

from workbench.records import DataPaths, WorkbenchError
from workbench.tui import signals
from workbench.tui.actions import bindings, by_id, check_keys, key_label, keys_of
from workbench.tui.applying import problem_of
from workbench.tui.ascii_filter import AsciiFilter
from workbench.tui.background import begin_collecting, collect_in_a_pause, in_thread, spare_modules
from workbench.tui.context import AppContext
from workbench.tui.continuing import Continuing
from workbench.tui.crash import Crash
from workbench.tui.diff_output import DiffOutput
from workbench.tui.inert import Inert
from workbench.tui.paced_app import PacedApp
from workbench.tui.places import kept_session, restore_session
from workbench.tui.recovery import Recovery
from workbench.tui.screen_table import OPENS, SCREENS, screen_entry
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.session import take_session, write_session
from workbench.tui.style_sheet import StyleSheet, own_kinds
from workbench.tui.themes import THEMES, theme_for

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.records import ScreenState, TerminalSession

_SAVE_EVERY_S = 1.0
_SAVE_PLACE_EVERY_S = 5.0
_PAUSE_S = 3.0
"""Without a key for so long, nobody types."""
_TOLD = 200
"""Notices that Messages can show."""


class WorkbenchApp(PacedApp):
    """One app over one ``AppContext``.

    ``lifeline``: a descriptor that closes when the guarding parent is gone. ``crash`` is set when the app
    failed.
    """

    CSS_PATH = Path(__file__).with_name("app.tcss")
    ENABLE_COMMAND_PALETTE = False
    TITLE = "Workbench"
    DEFAULT_MODE = "home"
    BINDINGS = bindings("app")
    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self, context: AppContext, *, lifeline: int | None = None) -> None:
        super().__init__(ansi_color=True if context.terminal.colours == 0 else None)
        self.context = context
        self.recovery = Recovery(context.data)
        self.crash: Crash | None = None
        self._lifeline = lifeline
        self._save_failed = False
        self._painted = self._session_taken = False
        self._keys_before = 0
        self.left_run = ""
        """The run that was left to itself last; Runs begins at it."""
        self.told: deque[tuple[datetime, Inert]] = deque(maxlen=_TOLD)
        """Notices and when they came, the last one last."""
        self._place: TerminalSession | None = None
        self._waiting: list[Callable[[], object]] = []
        self.left_states: dict[str, ScreenState] = {}
        """Of standing screens that the last session had open and this one not yet."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(context.frame.theme, context.terminal)
        self.stylesheet = self.sheets = StyleSheet(variables=self.get_css_variables())
        self.animation_level = "none"
        self._filters.append(AsciiFilter(enabled=context.terminal.ascii))
        self.output = DiffOutput(
            self, enabled=context.terminal.diff_output, bytes_a_second=context.terminal.bytes_a_second
        )
        for entry in SCREENS:
            if entry.mode:
                self.add_mode(entry.name, partial(self._make, entry.name))

    @property
    def data(self) -> DataPaths:
        """The data directory."""
        return self.context.data

    @property
    def current(self) -> WorkbenchScreen | None:
        """The screen in front, if it is one of ours."""
        screen = self.screen
        return screen if isinstance(screen, WorkbenchScreen) else None

    def on_mount(self) -> None:
        self.app_suspend_signal.subscribe(self, lambda _: self.output.hold())
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())
        if not self.is_headless:
            signals.install(self.leave, lifeline=self._lifeline, terminal=0)
            Continuing(self).install()
        settings = self.context.frame
        self.keys.remap({} if check_keys(settings.keys) else settings.keys)
        problem = problem_of(self.context.problem, settings.theme, settings.keys)
        if problem:
            self.call_after_refresh(self.tell, Inert.line(problem))
        self.set_interval(_SAVE_EVERY_S, self._save_drafts)
        self.set_interval(_SAVE_PLACE_EVERY_S, self._save_place)
        self.set_interval(_PAUSE_S, self._use_pause)

    def when_painted(self, work: Callable[[], object]) -> None:
        """Do ``work``, which the first frame does not need, as soon as that is on the terminal."""
        if self._painted:
            work()
        else:
            self._waiting.append(work)

    def _first_frame_is_there(self) -> None:
        begin_collecting()
        spare_modules()
        self._recover()
        waiting, self._waiting = self._waiting, []
        for work in waiting:
            work()
        self.run_worker(self._make_ready(), group="ready")

    async def _make_ready(self) -> None:
        """Open what the last session had open, unless a key was typed meanwhile; then load all screens."""
        session = await in_thread(lambda: take_session(self.data))
        self._session_taken = True
        restore_session(self, session, stay=self.keys_typed > 0)
        for entry in SCREENS:
            try:
                await in_thread(entry.load)
            except ImportError:
                continue  # told when the screen is opened
            sheet = entry.style_sheet()
            if sheet is not None and not self.stylesheet.has_source(str(sheet), ""):
                self.stylesheet.read(sheet)
                self.stylesheet.reparse()
        for kind in own_kinds():
            if self.sheets.learn(kind):
                self.stylesheet.reparse()
                await asyncio.sleep(0)

    def _recover(self) -> None:
        try:
            found = self.recovery.take_over()
        except WorkbenchError as error:
            self.tell(Inert.line(f"unsaved text cannot be taken up: {error.what}"))
            return
        if found:
            names = ", ".join(draft.title for draft in found)
            self.tell(Inert.line(f"Unsaved text was recovered (Go to finds it): {names}"))

    def open_screen(self, name: str, **arguments: JsonValue) -> None:
        """Show the screen of that name; see ``ScreenEntry``."""
        if not screen_entry(name).mode:
            self.push_screen(self._make(name, **arguments))
            return
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.switch_mode(name)
        screen = self.current
        if screen is not None and name in self.left_states:
            screen.take_up(self.left_states.pop(name).state)
        if arguments and screen is not None:
            screen.call_after_refresh(partial(screen.show, **arguments))

    def open_thing(self, kind: str, name: str) -> None:
        """Open what a list's key ``<kind>:<name>`` stands for."""
        if kind == "draft":
            draft = self.recovery.draft(name)
            if draft is not None and any(entry.name == draft.screen for entry in SCREENS):
                self.open_screen(draft.screen, **draft.arguments)
            return
        if kind == "screen":
            self.open_screen(name)
            return
        opening = OPENS.get(kind)
        if opening is None:
            self.tell(Inert.line(f"{name} has no screen of its own"))
        else:
            self.open_screen(opening[0], **{opening[1]: name})

    def tell(self, text: Inert) -> None:
        """Show a notice in the footer of the screen in front, until the next key."""
        screen = self.current
        if screen is not None and screen.is_mounted:
            screen.tell(text)

    def session(self) -> TerminalSession:
        """Where the app stands now."""
        return kept_session(self)

    def leave(self, code: int = 0) -> None:
        """Save and leave. After a dropped line nothing more is drawn."""
        if code:
            self.output.hold()
        self._save_all()
        self.exit(return_code=code)

    def _keep_drafts(self) -> None:
        """Of every screen that is open; each keeps its own every second, too."""
        for screen in [screen for stack in self._screen_stacks.values() for screen in stack]:
            if isinstance(screen, WorkbenchScreen):
                try:
                    screen.keep_drafts()
                except WorkbenchError as error:
                    self.tell(Inert.line(f"unsaved text is not kept: {error.what}. {error.remedy}"))

    def _save_all(self) -> None:
        self._keep_drafts()
        self._save_drafts()
        try:
            if self._session_taken:
                write_session(self.data, self.session())
            self.recovery.close()
        except WorkbenchError as error:
            self.tell(Inert.line(f"not saved: {error.what}"))

    def save_now(self) -> None:
        """What is unsaved and where the app stands: while another program has the terminal no timer runs."""
        self._keep_drafts()
        self._save_drafts()
        self._save_place()

    def _save_place(self) -> None:
        """Where the app stands and what forms hold, for a start after ``kill -9``.

        Not before a key: a place at which the app fails by itself is not come back to twice.
        """
        if not self._session_taken or not self.keys_typed:
            return
        now = self.session()
        if now != self._place:
            self._place = now
            with contextlib.suppress(WorkbenchError):  # told when leaving, if it still cannot be written
                write_session(self.data, now)

    def _use_pause(self) -> None:
        if self.keys_typed == self._keys_before:
            collect_in_a_pause()
        self._keys_before = self.keys_typed

    def _save_drafts(self) -> None:
        try:
            self.recovery.save()
            self._save_failed = False
        except WorkbenchError as error:
            if not self._save_failed:
                self.tell(Inert.line(f"unsaved text is not kept: {error.what}. {error.remedy}"))
            self._save_failed = True

    def key_comes(self) -> None:
        self.tell(Inert())

    async def action_quit(self) -> None:
        self.leave()

    def action_how_to_quit(self) -> None:
        leave, back = self.key_of("app.quit"), self.key_of("app.back")
        self.tell(Inert.of(f"{leave} quits; where you are is kept and runs go on. {back} goes back."))

    def key_of(self, action_id: str) -> str:
        """The action's first key now, as a person reads it."""
        action = by_id(action_id)
        return key_label(keys_of(action, self.keys.remapped)[0]) if action is not None else ""

    def action_next_part(self) -> None:
        self.screen.focus_next()

    def action_previous_part(self) -> None:
        self.screen.focus_previous()

    def action_home(self) -> None:
        self.open_screen("home")

    def action_runs(self) -> None:
        self.open_screen("runs")

    def action_sources(self) -> None:
        self.open_screen("sources")

    def action_settings(self) -> None:
        self.open_screen("settings")

    def action_skills(self) -> None:
        self.open_screen("skills")

    def action_caveats(self) -> None:
        self.open_screen("caveats")

    def action_rules(self) -> None:
        self.open_screen("rule-diff")

    def action_run(self) -> None:
        screen = self.current
        task = screen.proposed_task if screen is not None and screen.is_there else ""
        self.open_screen("run", **({"task": task} if task else {}))

    def action_help(self) -> None:
        screen = self.current
        if screen is not None and screen.screen_name == "help":
            self.pop_screen()
        elif screen is not None:
            self.open_screen("help", scope=screen.screen_name, twin=screen.plain_twin)

    def action_messages(self) -> None:
        screen = self.current
        if screen is not None and screen.screen_name == "messages":
            self.pop_screen()
        else:
            self.open_screen("messages")

    def action_palette(self) -> None:
        self._find("commands")

    def action_go_to(self) -> None:
        self._find("things")

    def _find(self, what: str) -> None:
        screen = self.current
        if screen is not None and screen.screen_name == "finder":
            self.pop_screen()
            self.call_after_refresh(self.open_screen, "finder", what=what)
        else:
            self.open_screen("finder", what=what)

    async def action_back(self) -> None:
        if self.current is not None and self.current.leave_part():
            return
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.current_mode != "home":
            self.open_screen("home")

    def action_redraw(self) -> None:
        self.output.clear()
        self.refresh(layout=True)

    def notify(self, message: str, **options: Any) -> None:
        """Textual's own notices: shown in the footer, without markup."""
        self.tell(Inert.line(message))

    def _make(self, name: str, **arguments: JsonValue) -> WorkbenchScreen:
        made: Callable[..., WorkbenchScreen] = screen_entry(name).load()
        screen = made(**arguments)
        screen._css_update_count = self._css_update_count  # it is styled when it is mounted, and only then
        return screen

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if not self._painted and renderable is not None and self._running and not self._batch_count:
            self._painted = True
            self.call_later(self._first_frame_is_there)
        if self.output.display(screen, renderable):
            self.post_display_hook()
        else:
            super()._display(screen, renderable)

    def _end_batch(self) -> None:
        super()._end_batch()
        if not self._batch_count:
            self.output.end_batch()

    def _handle_exception(self, error: Exception) -> None:
        """An error nobody took: save, note where it was, leave. Textual would print variables."""
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            self.crash = Crash.of(error)
            with contextlib.suppress(Exception):  # what failed may be the screen itself
                self._keep_drafts()
            self._save_drafts()
        self._return_code = self.crash.exit_code if self.crash else 1
        self._close_messages_no_wait()

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def panic(self, *renderables: RenderableType) -> None:
        """Textual's threads end here; what they want to print may hold variables."""
        self._return_code = 1
        self._close_messages_no_wait()
