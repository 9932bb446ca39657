"""Keys that come in one burst are handled one after the other, each by whatever has the focus by then."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from recorded_runs import RUN, make_plan, record_run
from test_keys import holding, open_settled
from textual import events
from textual.geometry import Size
from textual.keys import _character_to_key, key_to_character
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input
from tui_emulator import Emulated
from waiting import on_screen, until

from workbench.store import RunStore
from workbench.tui import typed_ahead
from workbench.tui.actions import Action, active_scopes, in_scope, registry
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.finder import Candidate
from workbench.tui.screen_table import SCREENS, ScreenEntry
from workbench.tui.screens import finder
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.settings import SettingsScreen
from workbench.tui.screens.text import OutlinedScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Field, ListPane

Start = Callable[..., Emulated]
TYPED = "/fw:? Ma"
"""Each of these letters is a key of something."""
PROMPTS = {"search", "jump", "save", "filter", "type_key"}
"""Actions that ask for a line."""
BURST = 60


@pytest.fixture
def nothing_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys go on only because the app has settled."""
    monkeypatch.setattr(typed_ahead, "STUCK_S", 3600.0)


def key(name: str) -> events.Key:
    """As the driver sends it; one character is typed."""
    named = _character_to_key(name) if len(name) == 1 else name
    return events.Key(named, name if len(name) == 1 else key_to_character(named))


def burst(app: WorkbenchApp, *given: str | events.Event) -> None:
    """All at once: no part of the app is heard in between."""
    for each in given:
        app.post_message(key(each) if isinstance(each, str) else each)


async def handled(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    """Until nothing of it is left."""
    ahead = app._typed_ahead
    await until(pilot, lambda: not app._message_queue.values and not ahead._kept and ahead._under_way is None)


def typed(app: WorkbenchApp) -> str:
    """What is in the field that has the focus."""
    return app.focused.value if isinstance(app.focused, Field) else f"no field but {app.focused}"


async def runs(app: WorkbenchApp, pilot: Pilot[int]) -> RunsScreen:
    app.open_screen("runs")
    screen = await on_screen(pilot, app, RunsScreen)
    await until(pilot, lambda: screen._rows is not None)
    return screen


@pytest.fixture
def app(tui_context: AppContext) -> WorkbenchApp:
    record_run(tui_context.data)
    return WorkbenchApp(tui_context)


# --- every way to a place where something is typed --------------------------------------------------


WITH_PROMPTS = [entry for entry in SCREENS if entry.name != "edit"]
"""In Edit all keys are typed, and its Save opens a screen."""


@pytest.mark.parametrize("entry", WITH_PROMPTS, ids=lambda entry: entry.name)
@pytest.mark.usefixtures("nothing_is_stuck")
async def test_what_follows_is_typed_into_the_prompt_or_screen_that_opens(
    app: WorkbenchApp, entry: ScreenEntry
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await open_settled(app, pilot, entry)
        screen = app.current
        assert screen is not None
        ways = [(action.keys[0],) for action in holding(entry.name) if action.method in PROMPTS]
        ways += [("o", "slash")] * isinstance(screen, OutlinedScreen)
        ways += [("question_mark", "slash")] * (entry.name != "help")
        ways = [*(ways if entry.name != "finder" else ()), ("ctrl+p",)]
        found = {}
        for way in ways:
            if entry.name == "settings":
                screen.query_one(ListPane).go_to("key:app.palette")
            burst(app, *way, *TYPED)
            await handled(app, pilot)
            found[way] = typed(app).removeprefix("ctrl+p")
            for _ in range(3):
                if entry.name != "finder" and (app.screen is not screen or isinstance(app.focused, Field)):
                    await pilot.press("escape")
        assert found and found == dict.fromkeys(ways, TYPED)


@pytest.mark.usefixtures("nothing_is_stuck")
@pytest.mark.parametrize("way", [
    ("2", "f"), ("2", "slash"), ("3", "slash"), ("5", "slash"), ("1", "slash"), ("4", "slash"),
    ("2", "question_mark", "slash"), ("2", "1", "2", "5", "3", "f3", "w"), ("2", "f", "escape", "f"),
    ("ctrl+g", "x", "ctrl+p"), ("ctrl+p", "x", "ctrl+p"), ("ctrl+g",), ("M", "slash"),
])  # fmt: skip
async def test_screens_open_one_after_the_other(app: WorkbenchApp, way: tuple[str, ...]) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        burst(app, *way, *TYPED)
        await handled(app, pilot)
        assert typed(app) == TYPED


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_a_typed_field_of_a_form_gets_what_is_typed(app: WorkbenchApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        app.open_screen("run", task="mimic-suspicion-infection", agent="replay")
        await pilot.pause()
        screen = app.current
        assert screen is not None
        await screen.settled()
        pane = screen.query_one(ListPane)
        assert pane.go_to("file")
        burst(app, "enter", *"/jk", "enter", "down")
        await handled(app, pilot)
        assert app.focused is pane
        lines = [item.text.plain for item in pane.items if item.key == "file"]
        assert "/jk" in lines[0] and pane.chosen_key != "file"


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_the_next_key_is_the_new_one_of_a_command(app: WorkbenchApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        app.open_screen("settings")
        screen = await on_screen(pilot, app, SettingsScreen)
        screen.query_one(ListPane).go_to("key:home.reload")
        burst(app, "enter", "f9", "1", "f9")
        await handled(app, pilot)
        assert app.keys.remapped == {"home.reload": "f9"}
        assert app.current is not None and app.current.screen_name == "home"


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_a_text_is_saved_and_replaced_in_one_burst(app: WorkbenchApp, tmp_path: Path) -> None:
    file = tmp_path / "runs.txt"
    file.write_text("before\n")
    async with app.run_test(size=(80, 24)) as pilot:
        await runs(app, pilot)
        burst(app, "w", *str(file), "enter", *"yes", "enter", "f", *"gone")
        await until(pilot, lambda: file.read_text() != "before\n")
        await handled(app, pilot)
        assert typed(app) == "gone"


# --- the order of what is typed ---------------------------------------------------------------------


@pytest.mark.usefixtures("nothing_is_stuck")
@pytest.mark.parametrize(("given", "value"), [
    (("a", "b", "backspace", "c"), "ac"),
    (("a", "left", "b", "end", "c"), "bac"),
    (("a", "space", "b", "ctrl+w", "c", "d", "home", "x"), "xa cd"),
    (("a", events.Paste("b c"), "d"), "ab cd"),
    (("a", events.MouseMove(None, 3, 3, 0, 0, 0, False, False, False), "b"), "ab"),
    (("a", events.MouseScrollDown(None, 3, 3, 0, 0, 0, False, False, False), "b"), "ab"),
    (("a", events.Resize(Size(70, 20), Size(70, 20)), "b"), "ab"),
    (("a", events.AppBlur(), events.AppFocus(), "b"), "ab"),
])  # fmt: skip
async def test_letters_and_what_is_between_them_keep_their_order(
    app: WorkbenchApp, given: tuple[str | events.Event, ...], value: str
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await runs(app, pilot)
        burst(app, "f", *given)
        await handled(app, pilot)
        assert typed(app) == value


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_a_click_between_keys_has_its_place_in_the_order(app: WorkbenchApp) -> None:
    pointed = (None, 5, 4, 0, 0, 1, False, False, False)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await runs(app, pilot)
        burst(app, "f", "x", events.MouseDown(*pointed), events.MouseUp(*pointed), "slash", "y")
        await handled(app, pilot)
        assert screen.query_one(AskLine).value == "x"
        assert typed(app) == "y" and not isinstance(app.focused, AskLine)


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_the_finder_chooses_what_was_typed_for(
    app: WorkbenchApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many things there are and whether they are read yet, then keys go to what was chosen."""
    found = [Candidate(f"run:none{number}", f"thing {number}", "") for number in range(3000)]
    found += [Candidate(f"run:{RUN}", "wanted one", ""), Candidate("screen:sources", "wanted two", "")]
    for read in (finder._AT_ONCE, len(found)):
        monkeypatch.setattr(finder, "_AT_ONCE", read)
        monkeypatch.setattr(finder, "find_things", lambda *_: list(found))
        monkeypatch.setattr(finder, "find_more", lambda *_: [])
        async with WorkbenchApp(app.context).run_test(size=(80, 24)) as pilot:
            here: Any = pilot.app
            burst(here, "ctrl+g", *"wanted one", "enter", "slash", *TYPED)
            await handled(here, pilot)
            assert isinstance(here.current, RunDetailScreen) and typed(here) == TYPED
            burst(here, "escape", "ctrl+g", *"wanted", "down", "enter", "slash", *TYPED)
            await handled(here, pilot)
            assert here.current.screen_name == "sources" and typed(here) == TYPED


# --- held keys ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_a_held_key_does_not_wait_for_what_is_drawn(tui_context: AppContext) -> None:
    for number in range(1, BURST + 20):
        RunStore(tui_context.data).create(make_plan(f"20300501-120000-{number:06x}"))
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await runs(app, pilot)
        drawn: list[int] = []
        at_most: list[int] = []
        take, refresh = app.take, screen._compositor_refresh

        async def taking(event: events.Event, **more: bool) -> None:
            at_most.append(len(app._typed_ahead._kept))
            await take(event, **more)

        def drawing() -> None:
            drawn.append(screen.view.cursor)
            refresh()

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(app, "take", taking)
            patch.setattr(screen, "_compositor_refresh", drawing)
            burst(app, *["j"] * BURST, "f", *TYPED)
            await handled(app, pilot)
        assert screen.view.cursor == BURST and typed(app) == TYPED
        assert len([row for row in drawn if 0 < row < BURST]) <= 2
        assert max(at_most[:BURST]) == 0


def moves() -> Iterator[Action]:
    return (action for action in registry() if action.moves)


@pytest.mark.parametrize("entry", SCREENS, ids=lambda entry: entry.name)
async def test_moves_leave_focus_and_screens_alone(app: WorkbenchApp, entry: ScreenEntry) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await open_settled(app, pilot, entry)
        if isinstance(app.focused, Field):
            await pilot.press(*"ab")
        for action in (action for action in moves() if action.scope in active_scopes(entry.name)):
            before = (app.focused, app.screen, app.current_mode, app.takes_next_key)
            await pilot.press(action.keys[0])
            assert (app.focused, app.screen, app.current_mode, app.takes_next_key) == before, action.id


async def test_editing_a_line_leaves_focus_and_screens_alone(app: WorkbenchApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await runs(app, pilot)
        await pilot.press("f", *"ab cd")
        before = (app.focused, app.screen)
        assert isinstance(app.focused, Input)
        for action in in_scope("field"):
            if action.moves:
                await pilot.press(action.keys[0])
                assert (app.focused, app.screen) == before, action.id


# --- what must not keep keys back --------------------------------------------------------------------


class Waiting(WorkbenchScreen):
    """A screen that waits for a key in the middle of a message, and one whose key fails."""

    screen_name = "home"

    class Wanted(Message):
        pass

    def body(self) -> Iterable[Widget]:
        yield Field()

    def on_mount(self) -> None:
        self.query_one(Field).focus()

    async def on_waiting_wanted(self) -> None:
        pressed = asyncio.Event()
        got: list[str] = []
        self.workbench.takes_next_key = lambda key: (got.append(key), pressed.set())[1]
        await pressed.wait()
        self.query_one(Field).value = f"got {got[0]} "
        self.query_one(Field).cursor_position = 99

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value.endswith("!"):
            self.post_message(self.Wanted())
        if event.value.endswith("%"):
            raise ValueError("fails")


async def test_a_handler_that_waits_for_a_key_gets_it(
    app: WorkbenchApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed_ahead, "STUCK_S", 0.05)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Waiting())
        await pilot.pause()
        burst(app, "!", "f9", "a", "b")
        await handled(app, pilot)
        assert typed(app) == "got f9 ab"


async def test_a_handler_that_fails_ends_the_app_whatever_is_kept(app: WorkbenchApp) -> None:
    with pytest.raises(ValueError, match="fails"):
        async with app.run_test(size=(80, 24)) as pilot:
            app.push_screen(Waiting())
            await pilot.pause()
            burst(app, "%", "left", "b", "ctrl+g", "c")
            await until(pilot, lambda: app._exception is not None)
    assert app.crash is not None and app.return_code


async def test_a_part_that_never_rests_does_not_keep_keys_for_ever(
    app: WorkbenchApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed_ahead, "STUCK_S", 0.02)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await runs(app, pilot)

        async def on_and_on() -> None:
            await asyncio.sleep(0.001)
            screen.view.call_later(on_and_on)

        screen.view.call_later(on_and_on)
        burst(app, "f", "x", "left", "y")
        async with asyncio.timeout(30):
            while typed(app) != "yx":
                await asyncio.sleep(0.01)


async def test_keys_behind_the_one_that_leaves_are_dropped(app: WorkbenchApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await runs(app, pilot)
        burst(app, "f", "ctrl+q", "a", "escape", "q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0 and app.crash is None


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_a_worker_that_waits_for_a_screen_keeps_nothing_back(app: WorkbenchApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await runs(app, pilot)
        waits = app.run_worker(partial(app.push_screen_wait, FinderScreen("commands")))
        await until(pilot, lambda: isinstance(app.screen, FinderScreen))
        burst(app, *"ab", "left", "c")
        await handled(app, pilot)
        assert typed(app) == "acb" and not waits.is_finished
        waits.cancel()


@pytest.mark.usefixtures("nothing_is_stuck")
async def test_what_is_typed_while_the_app_starts_is_not_lost(app: WorkbenchApp) -> None:
    started = app._init_mode

    def starting(mode: str) -> Any:
        burst(app, "2", "f", *TYPED)
        return started(mode)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "_init_mode", starting)
        async with app.run_test(size=(80, 24)) as pilot:
            patch.undo()
            await handled(app, pilot)
            assert isinstance(app.screen, RunsScreen) and typed(app) == TYPED


# --- in a terminal -----------------------------------------------------------------------------------


def last_line(emulated: Emulated) -> str:
    return emulated.text.splitlines()[-2].strip()


def test_bytes_written_at_once_reach_what_they_open(terminal: Start, tmp_path: Path) -> None:
    """As on a slow line, where they come in one packet."""
    emulated = terminal()
    emulated.wait_for("none yet")
    emulated.idle()
    emulated.send("2f" + TYPED)
    emulated.until(lambda seen: "Workbench > Runs" in seen.text and last_line(seen) == TYPED)
    emulated.send("\x15ab\x7fc\r?/getting")
    emulated.until(lambda seen: "Workbench > Help" in seen.text and last_line(seen) == "getting")
    file = tmp_path / "help.txt"
    emulated.send(f"\rw{file}\r/around")
    emulated.until(lambda seen: file.exists() and last_line(seen) == "around")
    emulated.send("\x07sources\r/here\x11")
    assert emulated.wait() == 0


def test_keys_behind_an_editor_wait_for_its_end(terminal: Start, tmp_path: Path) -> None:
    editor, seen = tmp_path / "editor", tmp_path / "seen"
    editor.write_text(f"#!/bin/sh\nsleep 0.3\necho x > {shlex.quote(str(seen))}\n")
    editor.chmod(0o700)
    emulated = terminal([sys.executable, "-m", "workbench", "tui"], EDITOR=str(editor))
    emulated.wait_for("none yet")
    emulated.idle()
    emulated.send("\x07skill suspicion-infection\r")
    emulated.wait_for("Workbench > Skill")
    emulated.idle()
    emulated.send("e/" + TYPED)
    emulated.until(lambda here: seen.exists() and last_line(here) == TYPED)
    emulated.send("\x11")
    assert emulated.wait() == 0
