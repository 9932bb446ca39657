"""Settings: every change is written to the user's own file and holds at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import textual.screen
from made_up import make_content
from recorded_runs import NoonClock
from snapshots import footer
from textual.pilot import Pilot
from tui_emulator import Emulated
from waiting import on_screen

from workbench.records import Settings, load_settings
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext, find_context
from workbench.tui.screens.settings import SettingsScreen
from workbench.tui.terminal import Terminal
from workbench.tui.themes import THEMES
from workbench.tui.widgets.base import Field, ListPane

Read = Callable[[WorkbenchApp], str]


@pytest.fixture(autouse=True)
def _frames_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textual.screen, "UPDATE_PERIOD", textual.screen.UPDATE_PERIOD)


@pytest.fixture
def small(tui_context: AppContext, tmp_path: Path) -> AppContext:
    return replace(tui_context, content=make_content(tmp_path / "content"), clock=NoonClock())


def written(context: AppContext) -> Settings:
    """What the user's own file says."""
    return load_settings(None, {}, own=context.data.settings)


async def opened(app: WorkbenchApp, pilot: Pilot[Any], line: str) -> SettingsScreen:
    await pilot.press("5")
    screen = await on_screen(pilot, app, SettingsScreen)
    assert screen.query_one(ListPane).go_to(line)
    await pilot.pause()
    return screen


async def test_a_theme_is_shown_and_kept(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "setting:theme")
        assert "Theme         (by terminal)" in screen_text(app)
        for theme in THEMES:
            await pilot.press("enter")
            await pilot.pause()
            assert app.theme == theme.name == written(small).theme
            assert f"Theme         {theme.name}" in screen_text(app)
        assert "yours" in screen_text(app)
        await pilot.press("left")
        await pilot.pause()
        assert written(small).theme == THEMES[-2].name
        await pilot.press("backspace")
        await pilot.pause()
        assert app.theme == "workbench-dark" and "theme" not in small.data.settings.read_text()


async def test_a_theme_of_the_terminal_s_colours_is_left_to_it(small: AppContext) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "setting:theme")
        await pilot.press(*["right"] * 5)
        await pilot.pause()
        assert app.theme == "sixteen"
        drawn = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        colours = {style.color.type.name for style in drawn if style is not None and style.color is not None}
        assert colours <= {"DEFAULT", "STANDARD"}


async def test_ascii_holds_on_every_screen(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.current.settled()
        await pilot.pause()
        assert "‼ 4 major" in screen_text(app)
        await opened(app, pilot, "setting:ascii")
        await pilot.press("right")
        await pilot.press("1")
        await pilot.pause()
        assert "# 4 major" in screen_text(app) and screen_text(app).isascii()
        await opened(app, pilot, "setting:ascii")
        await pilot.press("right", "1")
        await pilot.pause()
        assert "‼ 4 major" in screen_text(app)


async def test_the_ssh_profile_slows_down_at_once(small: AppContext) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "setting:ssh_profile")
        await pilot.press("right")
        await pilot.pause()
        assert app.context.terminal.slow and app.output._bytes_a_second == 48_000
        assert app.screen._update_timer._interval == textual.screen.UPDATE_PERIOD == 1 / 20
        await pilot.press("right")
        await pilot.pause()
        assert not app.context.terminal.slow and app.output._bytes_a_second == 0
        assert app.screen._update_timer._interval == 1 / 60


async def test_a_key_is_pressed_and_holds(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "key:app.help")
        await pilot.press("enter")
        await pilot.pause()
        assert "Press the new key of Help; esc leaves it as it is" in screen_text(app)
        await pilot.press("f1")
        await pilot.pause()
        assert written(small).keys == {"app.help": "f1"}
        assert "f1            Help" in screen_text(app) and screen_text(app).endswith("f1 Help")
        await pilot.press("question_mark")
        assert app.current.screen_name == "settings"
        await pilot.press("f1")
        assert app.current.screen_name == "help"


@pytest.mark.parametrize(
    ("line", "key", "said"),
    [
        ("key:home.reload", "j", "refused j is the key of Down (list.down, Lists) already"),
        ("key:app.help", "ctrl+q", "refused ^q is the key of Quit (app.quit, Everywhere) already"),
        ("key:app.quit", "u", "refused app.quit: u cannot be its key, it is typed into a text"),
        ("key:app.help", "escape", "nothing is changed"),
    ],
)
async def test_a_key_that_is_taken_is_refused(
    small: AppContext, screen_text: Read, line: str, key: str, said: str
) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, line)
        await pilot.press("enter", key)
        await pilot.pause()
        assert said in screen_text(app)
        assert app.is_running and app.current.screen_name == "settings"
        assert not small.data.settings.exists()


async def test_a_key_s_name_is_typed(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "key:app.back")
        await pilot.press("equals_sign", "ctrl+u", *"f4, escape", "enter")
        await pilot.pause()
        assert written(small).keys == {"app.back": "f4,escape"}
        assert "f4 esc        Back" in screen_text(app)
        await pilot.press("equals_sign", "ctrl+u", *"nokey", "enter")
        await pilot.pause()
        assert "no key is called nokey" in screen_text(app)
        await pilot.press("equals_sign", "escape")
        await pilot.pause()
        assert not isinstance(app.focused, Field)
        await pilot.press("f4")
        await pilot.pause()
        assert app.current.screen_name == "home"


async def test_one_key_and_all_keys_are_reset(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "key:runs.filter")
        await pilot.press("enter", "f6")
        await pilot.pause()
        app.current.query_one(ListPane).go_to("key:runs.sort")
        await pilot.press("enter", "f")
        await pilot.pause()
        assert written(small).keys == {"runs.filter": "f6", "runs.sort": "f"}
        app.current.query_one(ListPane).go_to("key:runs.filter")
        await pilot.press("backspace")
        await pilot.pause()
        assert "refused f is the key of Sort (runs.sort, Runs) already" in screen_text(app)
        await pilot.press("A")
        await pilot.pause()
        assert "Again to take all your 2 keys away" in screen_text(app)
        assert len(written(small).keys) == 2
        await pilot.press("A")
        await pilot.pause()
        assert written(small).keys == {} and app.keys.remapped == {}
        await pilot.press("A")
        await pilot.pause()
        assert "you have set no key" in screen_text(app)
        await pilot.press("backspace")
        await pilot.pause()
        assert "you have set nothing here" in screen_text(app)


async def test_what_wins_over_it_is_told(
    small: AppContext, screen_text: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_SSH_PROFILE", "off")
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "setting:ssh_profile")
        await pilot.press("right")
        await pilot.pause()
        assert "kept, but WORKBENCH_SSH_PROFILE wins while it is set" in screen_text(app)
        assert written(small).ssh_profile == "on" and not app.context.terminal.slow


async def test_a_project_s_file_is_not_touched_and_shows(small: AppContext, screen_text: Read) -> None:
    project = small.content.paths.settings
    project.write_text('theme = "sixteen"\n[keys]\n"home.reload" = "f5"\n')
    before = project.read_bytes()
    app = WorkbenchApp(replace(small, settings=load_settings(project, {})))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "setting:theme")
        await pilot.press("right")
        await pilot.pause()
        assert app.theme == "none" and app.keys.remapped == {"home.reload": "f5"}
        assert project.read_bytes() == before
        await pilot.press("backspace")
        await pilot.pause()
        assert app.theme == "sixteen"


async def test_a_broken_file_is_told_and_not_overwritten(
    small: AppContext, screen_text: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.data.root.mkdir(mode=0o700)
    small.data.settings.write_text('theme = "light"\nascii = ')
    monkeypatch.chdir(small.content.paths.root)
    context = find_context(small.data.root)
    app = WorkbenchApp(replace(context, terminal=Terminal()))
    async with app.run_test(size=(200, 24)) as pilot:
        await pilot.pause()
        assert "settings.toml: not valid TOML" in screen_text(app)
        assert footer(app).endswith("Your own settings do not count until it is corrected.")
        assert app.theme == "workbench-dark"
        await opened(app, pilot, "setting:theme")
        await pilot.press("right")
        await pilot.pause()
        assert "not valid TOML" in screen_text(app)
        assert small.data.settings.read_text().endswith("ascii = ")


async def test_a_theme_nobody_knows_is_told(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(replace(small, settings=Settings(theme="blue")))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "no theme is called blue" in screen_text(app)


@pytest.mark.parametrize("way", ["5", "palette"])
async def test_it_is_reached_by_key_and_palette_and_left(small: AppContext, way: str) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        if way == "palette":
            await pilot.press("ctrl+p", *"settings and keys", "enter")
        else:
            await pilot.press(way)
        await on_screen(pilot, app, SettingsScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert app.current.screen_name == "home"


async def test_the_finder_goes_to_it(small: AppContext) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g")
        await app.current.settled()
        await pilot.press(*"settings", "enter")
        await on_screen(pilot, app, SettingsScreen)


def test_mouse_and_cells_follow_in_a_real_terminal(terminal: Callable[..., Emulated]) -> None:
    emulated = terminal()
    emulated.wait_for(" famil")
    emulated.send("5")
    emulated.wait_for("SSH profile")
    emulated.send("jl")
    emulated.wait_for("SSH profile   on")
    emulated.idle()
    assert bytes(emulated.raw).rfind(b"\x1b[?1000l") > bytes(emulated.raw).rfind(b"\x1b[?1000h")
    emulated.send("l")
    emulated.wait_for("SSH profile   off")
    emulated.idle()
    assert bytes(emulated.raw).rfind(b"\x1b[?1000h") > bytes(emulated.raw).rfind(b"\x1b[?1000l")
    emulated.send("jjl")
    emulated.wait_for("Diff output   off")
    emulated.idle()
    before = emulated.text
    emulated.send("l")
    emulated.wait_for("Diff output   on")
    emulated.send("l")
    emulated.until(lambda seen: seen.text == before)
    emulated.send("\x11")
    assert emulated.wait() == 0


async def test_a_refused_key_says_what_to_do_and_no_other_is_waited_for(small: AppContext) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot, "key:settings.reset")
        row = screen.query_one(ListPane).items[screen.query_one(ListPane).cursor].text.plain
        assert row.startswith("del bksp ") and " Reset " in row
        await pilot.press("enter", "ctrl+q")
        await pilot.pause()
        assert "^q is the key of Quit" in footer(app) and "enter: try another key" in footer(app)
        assert app.takes_next_key is None and app.is_running
        await pilot.press("equals_sign", "ctrl+u", *"banana", "enter")
        await pilot.pause()
        assert "no key is called banana; keys are called f5" in footer(app)
        assert written(small).keys == {}
