"""Compare: two runs side by side, from the list of runs and from a run; what is missing is told."""

from __future__ import annotations

import pytest
from recorded_runs import AFTER, BEFORE, RUN, make_plan, record_pair, record_run
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.store import RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.run_detail import RunDetailScreen, earlier_run
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_pane import LinePane


@pytest.fixture
def pair(tui_context: AppContext) -> AppContext:
    record_pair(tui_context.data)
    return tui_context


async def compared(app: WorkbenchApp, pilot: Pilot[int]) -> CompareScreen:
    screen = await on_screen(pilot, app, CompareScreen)
    await until(pilot, lambda: screen._compared is not None)
    return screen


def signs(screen: CompareScreen) -> str:
    return "".join(pair.sign for row in range(len(screen.table)) if (pair := screen.table.row_at(row)))


def changes(screen: CompareScreen) -> list[str]:
    source = screen.query_one("#changes", LinePane).view.source
    return [source.line(row).text.plain for row in range(len(source))]


async def test_two_runs_of_the_list(pair: AppContext) -> None:
    app = WorkbenchApp(pair)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await pilot.press("2")
        listing = await on_screen(pilot, app, RunsScreen)
        await until(pilot, lambda: listing._rows is not None)
        await pilot.press("end", "c")
        await pilot.pause()
        assert f"{BEFORE} is marked" in " ".join(rows(app)[-3:])
        await pilot.press("c")
        await pilot.pause()
        assert "marked no longer" in " ".join(rows(app)[-3:])
        await pilot.press("c", "home", "c")
        screen = await compared(app, pilot)
        assert signs(screen) == "==<>~="
        assert rows(app)[0].endswith("1/6  3 differ")
        told = changes(screen)
        assert "condition  no-skill -> with-skill" in told
        assert "verdict    quarantined -> publishable" in told
        assert "  reward               0.750 -> 0.900  +0.150" in told
        assert "  hidden-copies, fail: 1 -> 0" in told
        assert "d Next difference" in footer(app)


async def test_to_what_differs_and_to_the_steps(pair: AppContext) -> None:
    app = WorkbenchApp(pair)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("compare", run=BEFORE, other=AFTER)
        screen = await compared(app, pilot)
        await pilot.press("d")
        assert screen.view.cursor == 2
        await pilot.press("R")
        await pilot.pause()
        assert "the right run has no step here" in " ".join(rows(app)[-3:])
        await pilot.press("d", "d", "d")
        assert screen.view.cursor == 4
        assert "no step differs after this line" in " ".join(rows(app)[-3:])
        await pilot.press("R")
        opened = await on_screen(pilot, app, TrajectoryScreen)
        assert (opened._run, opened._wanted_step or opened.state()["step"]) == (AFTER, 4)
        await pilot.press("escape", "D", "D", "enter")
        opened = await on_screen(pilot, app, TrajectoryScreen)
        await until(pilot, lambda: opened.lines.complete)
        assert (opened._run, opened.state()["step"]) == (BEFORE, 3)


async def test_from_a_run_with_the_one_before_it(pair: AppContext) -> None:
    app = WorkbenchApp(pair)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("run-detail", run=AFTER)
        detail = await on_screen(pilot, app, RunDetailScreen)
        await until(pilot, lambda: len(detail.lines) > 0)
        await pilot.press("c")
        await until(pilot, lambda: bool(detail.query(AskLine)) and AskLine.of(detail).has_focus)
        assert AskLine.of(detail).value == BEFORE
        await pilot.press("enter")
        screen = await compared(app, pilot)
        assert (screen._run, screen._other) == (BEFORE, AFTER)


def test_the_one_before_it_is_of_the_same_task_and_has_ended(pair: AppContext) -> None:
    record_run(pair.data, RUN, task="mimic-sofa")
    RunStore(pair.data).create(make_plan("20300501-143000-eeeeee"))
    assert earlier_run(pair, AFTER) == BEFORE
    assert earlier_run(pair, BEFORE) == AFTER  # none before it: any other
    assert earlier_run(pair, RUN) == ""


async def test_a_run_without_a_log_is_told(pair: AppContext) -> None:
    RunStore(pair.data).paths(BEFORE).trajectory.unlink()
    app = WorkbenchApp(pair)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("compare", run=BEFORE, other=AFTER)
        screen = await compared(app, pilot)
        assert changes(screen)[0].startswith(f"{BEFORE}: there is no such file")
        assert len(screen.table) == 0


async def test_runs_of_two_tasks_are_refused(pair: AppContext) -> None:
    record_run(pair.data, RUN, task="mimic-sofa")
    app = WorkbenchApp(pair)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("compare", run=RUN, other=AFTER)
        await on_screen(pilot, app, CompareScreen)
        await until(pilot, lambda: "two tasks" in " ".join(rows(app)[-4:]))
