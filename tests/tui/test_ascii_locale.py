"""Where the locale is ASCII, every cell of every screen is, and foreign signs are spelled in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_home import EVIL_RUN, make_hostile_content, make_hostile_home
from made_up import OPENERS, make_content, make_home
from recorded_runs import NoonClock
from snapshots import rows
from test_hostile_screens import SEQUENCE
from tui_emulator import ROOT, Emulated, environment

from workbench.records import DataPaths, ScreenState, TerminalSession
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.session import write_session
from workbench.tui.terminal import Terminal

Read = Callable[[WorkbenchApp], str]
SIGNS = "‼ … 漢字 é \u202e ␛ ✓ → \U0001f600"


@pytest.mark.parametrize("screen", OPENERS)
async def test_every_cell_is_ascii(tui_context: AppContext, tmp_path: Path, screen: str) -> None:
    make_home(tui_context.data)
    context = replace(tui_context, content=make_content(tmp_path / "content"), clock=NoonClock())
    app = WorkbenchApp(replace(context, terminal=Terminal(ascii=True)))
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await OPENERS[screen](app, pilot)
        seen = rows(app)
        for keys in (("Z", "pagedown"), ("pagedown",), ("end",), ("slash",)):
            await pilot.press(*keys)
            await pilot.pause()
            seen += rows(app)
        app.tell(Inert.line(SIGNS * 9))
        await pilot.pause()
        seen += rows(app)
        assert len("".join(seen)) > 500
        assert [line for line in seen if not line.isascii()] == []


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "POSIX"}], ids=["LC_ALL", "LANG"])
def test_the_locale_chooses_it(tmp_path: Path, locale: dict[str, str]) -> None:
    make_hostile_content(tmp_path / "content")
    data = DataPaths(tmp_path / "data")
    make_hostile_home(data)
    stack = [ScreenState(name="trajectory", arguments={"run": EVIL_RUN})]
    write_session(data, TerminalSession(mode="home", stack=stack))
    settings = environment(tmp_path, PYTHONPATH=str(ROOT), **locale)
    argv = [sys.executable, "-m", "workbench", "tui"]
    with Emulated(argv, size=(100, 30), environment=settings, folder=tmp_path / "content") as emulated:
        emulated.wait_for("[/foo]", 30)
        for keys, heading in (("2", "Runs"), ("5", "Settings"), ("?", "Help: Settings"), ("\x07", "Go to")):
            emulated.send(keys)
            emulated.wait_for(f"Workbench > {heading}")
            emulated.settle(0.2)
        emulated.send("\x11")
        assert emulated.wait() == 0
        shown = SEQUENCE.sub(b"", bytes(emulated.raw))
        assert len(shown) > 2000 and sorted({byte for byte in shown if byte > 0x7E}) == []
