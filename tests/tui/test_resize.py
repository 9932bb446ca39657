"""Any size, in any order: nothing fails, and the size one came from looks as before."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import OPENERS, make_content, make_home
from recorded_runs import RUN, NoonClock
from snapshots import picture, rows
from test_diff_output import looks
from tui_emulator import Emulated
from waiting import until

from workbench.records import DataPaths, ScreenState, TerminalSession
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.session import write_session

HOME_SIZE = (80, 24)
CORNERS = [(1, 1), (4, 2), (300, 1), (1, 100)]
FLAT_AND_NARROW = [(2, 1), (1, 2), (3, 100), (300, 3)]
PLACES = {
    "middle": (("home", "pagedown", "pagedown", "up", "up", "up"), [*FLAT_AND_NARROW, (300, 100)], 1),
    "end": (("end",), [(60, 100)], 0),
}
"""Where the cursor is before: keys, sizes beside the corners, and how many more of any size."""
Start = Callable[..., Emulated]


def walk(seed: str, more: list[tuple[int, int]], between: int) -> list[tuple[int, int]]:
    """Corners, ``more``, and sizes between and small ones, in an order of their own for every seed."""
    chance = random.Random(seed)
    sizes = [(chance.randint(1, 300), chance.randint(1, 100)) for _ in range(between)]
    sizes += [(chance.randint(1, 20), chance.randint(1, 8)) for _ in range(2)]
    sizes += [*CORNERS, *more]
    chance.shuffle(sizes)
    return sizes


@pytest.fixture
def filled(tui_context: AppContext, tmp_path: Path) -> AppContext:
    make_home(tui_context.data)
    return replace(tui_context, content=make_content(tmp_path / "content"), clock=NoonClock())


@pytest.mark.parametrize("screen", OPENERS)
async def test_every_screen_lives_through_every_size(filled: AppContext, screen: str) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=HOME_SIZE, notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await OPENERS[screen](app, pilot)
        for place, (keys, more, between) in PLACES.items():
            await pilot.press(*keys)
            await pilot.pause()
            before = picture(app)
            for size in walk(screen + place, more, between):
                await pilot.resize_terminal(*size)
                await until(pilot, lambda size=size: app.size == size and len(rows(app)) == size[1])
            await pilot.resize_terminal(*HOME_SIZE)
            await pilot.pause()
            assert picture(app) == before
    assert app.crash is None


ON_A_TERMINAL = {
    "home": ({}, "28 tasks"),
    "trajectory": ({"run": RUN, "step": 4}, "cat /references"),
    "run-detail": ({"run": RUN}, "quarantined"),
    "log": ({"run": RUN, "line": 60}, "漢字"),
}
"""Arguments, and what is seen when the screen has its data."""


@pytest.mark.parametrize("screen", ON_A_TERMINAL)
def test_a_real_terminal_may_change_its_size_at_any_time(
    terminal: Start, tmp_path: Path, screen: str
) -> None:
    data = DataPaths(tmp_path / "data")
    make_home(data)
    arguments, text = ON_A_TERMINAL[screen]
    stack = [] if screen == "home" else [ScreenState(name=screen, arguments=dict(arguments))]
    write_session(data, TerminalSession(mode="home", stack=stack))
    emulated = terminal(size=HOME_SIZE)
    emulated.wait_for(text)
    emulated.idle(0.3)
    before = (emulated.text, [[looks(cell) for cell in row] for row in emulated.cells])
    for at, size in enumerate(walk(screen, [*FLAT_AND_NARROW, (300, 100)], 1)):
        emulated.resize(*size)
        if at % 3:
            emulated.idle()
    emulated.resize(*HOME_SIZE)
    emulated.until(lambda seen: seen.text == before[0])
    emulated.idle()
    assert (emulated.text, [[looks(cell) for cell in row] for row in emulated.cells]) == before
    emulated.send("\x11")
    assert emulated.wait() == 0
    log = data.logs
    assert not log.exists() or "terminal app failed" not in "".join(
        path.read_text() for path in log.iterdir() if path.is_file()
    )
