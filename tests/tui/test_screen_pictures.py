"""How the screens of runs and sources look: text and colours, two sizes, dark, light and without colour."""

from dataclasses import replace

import pytest
from recorded_runs import RUN, NoonClock, make_plan, record_run
from snapshots import compare
from test_sources_screen import put_source
from textual.pilot import Pilot
from waiting import until

from workbench.records import Settings
from workbench.store import RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.live import LiveScreen
from workbench.tui.screens.run import RunScreen
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.sources import SourcesScreen
from workbench.tui.terminal import Terminal

SIZES = {"80x24": (80, 24), "140x45": (140, 45)}
LOOKS = {
    "dark": ("workbench-dark", Terminal()),
    "light": ("workbench-light", Terminal()),
    "none": ("", Terminal(colours=0)),
}


async def open_runs(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("runs")
    await until(pilot, lambda: isinstance(app.screen, RunsScreen) and app.screen._rows is not None)


async def open_detail(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("run-detail", run=RUN)
    await until(pilot, lambda: isinstance(app.screen, RunDetailScreen) and len(app.screen.lines) > 0)


async def open_live(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("live", run=RUN)
    await until(pilot, lambda: isinstance(app.screen, LiveScreen) and not app.screen.going_on)
    await pilot.press("home")
    app.screen._show_progress()


async def open_form(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("run")
    await until(pilot, lambda: isinstance(app.screen, RunScreen) and bool(app.screen.form.tasks))
    await pilot.press("down", "right", "right")


async def open_sources(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("sources")
    await until(pilot, lambda: isinstance(app.screen, SourcesScreen) and app.screen.table.total == 2)


OPENERS = {
    "runs": open_runs,
    "run-detail": open_detail,
    "live": open_live,
    "run": open_form,
    "sources": open_sources,
}


@pytest.fixture
def pictured(tui_context: AppContext, monkeypatch: pytest.MonkeyPatch) -> AppContext:
    """A recorded run, an interrupted one, two sources; nothing in it depends on the day or the folder."""
    data = tui_context.data
    monkeypatch.setattr("workbench.tui.screens.run_detail.folder_name", lambda _: "FOLDER")
    record_run(data)
    store = RunStore(data)
    other = store.create(make_plan("20300501-130000-bbbbbb", created=make_plan().created.replace(hour=13)))
    other.lock.unlink()
    put_source(data, "demo", 40, "imported")
    put_source(data, "synthetic-500-1")
    return replace(tui_context, clock=NoonClock())


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", OPENERS)
async def test_picture(pictured: AppContext, screen: str, size: str, look: str) -> None:
    theme, terminal = LOOKS[look]
    context = replace(pictured, settings=Settings(theme=theme), terminal=terminal)
    app = WorkbenchApp(context)
    async with app.run_test(size=SIZES[size], notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await OPENERS[screen](app, pilot)
        await pilot.pause()
        compare(app, f"{screen}.{size}.{look}")
