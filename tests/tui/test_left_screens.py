"""What comes late for a screen that is being left, whose widgets are gone, does nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from recorded_runs import AFTER, BEFORE, RUN, record_pair, record_run
from textual.css.query import NoMatches
from textual.pilot import Pilot
from waiting import until

from workbench.records import BadInput
from workbench.tui.app import WorkbenchApp
from workbench.tui.launching import ProgressBox
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.screens.run import RunScreen
from workbench.tui.screens.text import TextScreen

OPENED: dict[str, dict[str, str]] = {
    "run": {},
    "runs": {},
    "sources": {},
    "skill": {"skill": "suspicion-infection"},
    "log": {"run": RUN},
    "trajectory": {"run": RUN},
    "live": {"run": RUN},
    "run-detail": {"run": RUN},
    "compare": {"run": BEFORE, "other": AFTER},
    "rule-diff": {"first": "skill:suspicion-infection"},
    "caveat": {"caveat": "suspicion-infection/agents-missing-from-list"},
    "caveat-form": {"caveat": "suspicion-infection/agents-missing-from-list"},
    "caveats": {},
}


async def emptied(app: WorkbenchApp, pilot: Pilot[int], name: str) -> WorkbenchScreen:
    """The screen without its widgets, as between being left and being gone."""
    app.open_screen(name, **OPENED[name])
    await until(
        pilot, lambda: app.current is not None and app.current.screen_name == name and app.current.is_there
    )
    screen = app.current
    assert screen is not None
    await screen.settled()
    await pilot.pause()
    await screen.query("*").remove()
    assert not screen.is_there
    return screen


@pytest.mark.parametrize("name", OPENED)
async def test_timers_messages_and_calls_that_come_late(
    make_app: Callable[..., WorkbenchApp], name: str
) -> None:
    app = make_app()
    record_run(app.data)
    record_pair(app.data)
    async with app.run_test() as pilot:
        screen = await emptied(app, pilot, name)
        late = screen.moved if isinstance(screen, TextScreen) else lambda: screen.query_one("#fields")
        if isinstance(screen, RunScreen):
            screen._progress = ProgressBox()
            late = screen._show_progress
        came: list[str] = []

        def counted(by: str) -> None:
            came.append(by)
            late()

        screen.set_interval(0.01, lambda: counted("interval"))
        screen.set_timer(0.01, lambda: counted("timer"))
        screen.call_later(counted, "call")
        await until(pilot, lambda: {"interval", "timer", "call"} <= set(came) and came.count("interval") > 1)
        assert app._exception is None


async def test_work_that_fails_late_is_not_told(make_app: Callable[..., WorkbenchApp]) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        screen = await emptied(app, pilot, "run")
        assert isinstance(screen, RunScreen)
        screen._progress = ProgressBox()
        asked: list[bool] = []

        def fail() -> None:
            asked.append(True)
            raise BadInput("late")

        screen.in_background(fail, lambda _: None, group="late")
        await until(pilot, lambda: bool(asked))
        await screen.settled()
        assert app._exception is None


async def test_a_widget_that_is_missing_on_a_screen_that_stands_is_a_fault(
    make_app: Callable[..., WorkbenchApp],
) -> None:
    app = make_app()
    with pytest.raises(NoMatches):
        async with app.run_test() as pilot:
            app.current.set_timer(0.01, lambda: app.current.query_one("#no-such"))
            await until(pilot, lambda: app._exception is not None)
    assert app.crash is not None
