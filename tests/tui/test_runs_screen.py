"""Runs: the listing, filter and order, following changes, opening a run, ten thousand rows."""

from collections.abc import Callable

import pytest
from recorded_runs import RUN, make_plan, record_run
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import AgentChoice, Condition, RunRow
from workbench.store import FileLock, RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.run_table import run_table
from workbench.tui.screens.live import LiveScreen
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.widgets.frame import HeaderLine
from workbench.tui.widgets.line_strip import MORE_CURSOR_CELLS

OTHER = "20300501-130000-bbbbbb"
THIRD = "20300502-090000-cccccc"


@pytest.fixture
def listed(tui_context: AppContext) -> AppContext:
    """Three runs: one recorded, one interrupted, one with hostile names."""
    record_run(tui_context.data)
    store = RunStore(tui_context.data)
    later = make_plan().created.replace(hour=13)
    store.create(make_plan(OTHER, created=later, condition=Condition.WITH_SKILL_DECOY))
    store.create(
        make_plan(
            THIRD,
            created=later.replace(day=2),
            agent=AgentChoice(name="[/foo]", model="\x1b[31m"),
            task="mimic-suspicion-infection-raw",
        )
    )
    for run_id in (OTHER, THIRD):
        store.paths(run_id).lock.unlink()
    return tui_context


async def opened(app: WorkbenchApp, pilot: Pilot[int]) -> RunsScreen:
    await pilot.pause()
    await pilot.press("2")
    screen = await on_screen(pilot, app, RunsScreen)
    await until(pilot, lambda: screen._rows is not None)
    return screen


def shown(screen: RunsScreen) -> list[str]:
    return [screen.table.row_at(at).run_id for at in range(len(screen.table))]


async def test_the_listing_at_80x24(listed: AppContext) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        text = rows(app)
        assert text[0].startswith(" Workbench > Runs")
        assert text[0].endswith("  05-02 13:00  attempt 1  3 runs  newest first")
        assert text[1].split() == ["verdict", "reward", "task", "condition"]
        assert text[2].startswith(
            ">  ■ interrupted                - mimic-suspicion-infection-raw   no-skill"
        )
        assert "with-skill-d" in text[3]
        assert text[4].split()[:4] == ["!", "quarantined,", "1", "fail…"] and " 0.750 mimic" in text[4]
        assert "f Filter" in text[-1] and text[-1].endswith("? Help")
        assert screen.plain_twin.startswith("workbench runs list")
        await pilot.press("end")
        await pilot.pause()
        assert rows(app)[0].endswith("  05-01 12:00  attempt 2  3 runs  newest first")


async def test_a_wide_listing_has_attempts_in_a_column(listed: AppContext) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(220, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert "attempt" in screen.table.in_view
        text = rows(app)
        assert "attempt" not in text[0] and "attempt" in text[1].split()
        at = text[1].index("attempt") + len("attempt") - 1
        assert [line[at] for line in text[2:5]] == ["1", "1", "2"]


async def test_a_narrow_listing_cuts_names_with_a_sign_and_the_cursor_covers_the_first_columns(
    listed: AppContext,
) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(40, 10), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert screen.table.in_view == ["verdict", "reward", "task"]
        assert all(" mimic-suspi" in line and "…" in line for line in rows(app)[2:5])
        strip = screen.view.render_line(0).crop(0, MORE_CURSOR_CELLS)
        styles = [segment.style for segment in strip if segment.text.strip()]
        assert len({(style.color, style.bgcolor) for style in styles if style is not None}) == 1


async def test_the_run_that_was_left_to_itself_has_the_cursor(listed: AppContext) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await opened(app, pilot)
        app.open_screen("live", run=RUN)
        live = await on_screen(pilot, app, LiveScreen)
        live.action_detach()
        screen = await on_screen(pilot, app, RunsScreen)
        await until(pilot, lambda: screen._key() == RUN)


async def test_a_move_is_one_frame_with_what_the_header_says_of_it(
    listed: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("G", "g")
        everything = list(screen.walk_children(with_self=True))
        await until(pilot, lambda: not (screen._dirty_widgets or any(w._layout_required for w in everything)))
        refresh, frames = screen._compositor_refresh, []

        def drawing() -> None:
            frames.append((screen.view.cursor, screen.query_one(HeaderLine).status))
            refresh()

        monkeypatch.setattr(screen, "_compositor_refresh", drawing)
        for key in ("down", "G", "g", "space", "b", "end", "up"):
            frames.clear()
            before = (screen.view.cursor, screen.position())
            await pilot.press(key)
            now = (screen.view.cursor, screen.position())
            assert frames == ([now] if now != before else []), key


async def test_filter_and_order(listed: AppContext) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert shown(screen) == [THIRD, OTHER, RUN]
        await pilot.press("f", *"interrupted raw", "enter")
        await pilot.pause()
        assert shown(screen) == [THIRD]
        assert "1 of 3 with the words interrupted raw" in rows(app)[0]
        for words in ("warn", "fail"):
            await pilot.press("f", "ctrl+u", *words, "enter")
            await pilot.pause()
            assert shown(screen) == [RUN]
        await pilot.press("f", "ctrl+u", *"nowhere", "enter")
        await pilot.pause()
        assert "no run has all these words" in footer(app)
        await pilot.press("f", "ctrl+u", "enter")
        await pilot.pause()
        assert screen.view.has_focus and len(screen.table) == 3
        await pilot.press(">", ">")
        await pilot.pause()
        assert shown(screen) == [RUN, THIRD, OTHER]
        assert "by reward, rising" in rows(app)[0] and "reward^" in rows(app)[1]
        await pilot.press("<")
        await pilot.pause()
        assert "by reward, falling" in rows(app)[0] and "rewardv" in rows(app)[1]
        await pilot.press("f", "escape")
        await pilot.pause()
        assert screen.view.has_focus and app.screen is screen


async def test_a_run_opens_and_the_cursor_stays_on_it(listed: AppContext) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("down", "down", "enter")
        detail = await on_screen(pilot, app, RunDetailScreen)
        assert detail.arguments == {"run": RUN}
        await pilot.press("escape")
        await on_screen(pilot, app, RunsScreen)
        assert screen.table.row_at(screen.view.cursor).run_id == RUN
        await pilot.press("a")
        live = await on_screen(pilot, app, LiveScreen)
        assert live.arguments == {"run": RUN}
        await pilot.press("escape")
        await on_screen(pilot, app, RunsScreen)


async def test_a_run_that_begins_and_ends_is_seen(listed: AppContext) -> None:
    app = WorkbenchApp(listed)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        run_id = "20300503-100000-dddddd"
        run = RunStore(listed.data).create(
            make_plan(run_id, created=make_plan().created.replace(day=3, hour=10))
        )
        await pilot.press("r")
        await until(pilot, lambda: run_id in shown(screen))
        assert screen.table.row_at(screen.view.cursor).run_id == THIRD
        with FileLock(run.lock, "run"):
            screen.action_reload()
            await until(pilot, lambda: "running" in [screen.table.row_at(at).state for at in range(4)])
            await pilot.press("home", "enter")
            await on_screen(pilot, app, LiveScreen)
            await pilot.press("escape")
        await until(pilot, lambda: screen.table.row_at(0).state == "interrupted")


async def test_state_is_taken_up_again(listed: AppContext, make_app: Callable[..., WorkbenchApp]) -> None:
    first = make_app()
    async with first.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(first, pilot)
        await pilot.press(">", ">", "<", "f", *"mimic", "enter", "down", "down")
        await pilot.pause()
        chosen = screen.table.row_at(screen.view.cursor).run_id
        await pilot.press("ctrl+q")
    second = make_app()
    async with second.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await on_screen(pilot, second, RunsScreen)
        await until(pilot, lambda: len(screen.table) == 3)
        assert (screen.table.sorted_by, screen.table.descending) == ("reward", True)
        assert screen.table.filtered_by == "mimic"
        assert screen.table.row_at(screen.view.cursor).run_id == chosen


async def test_nothing_here_yet(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert "0 runs" in rows(app)[0]
        await pilot.press("enter", "a", "t", ">", "<", "r")
        await pilot.pause()
        assert app.screen is screen


def test_ten_thousand_rows_are_filtered_and_ordered() -> None:
    fields = {
        "family": "f",
        "schema_variant": "native",
        "source": "s",
        "model": "",
        "trial": 1,
        "attempt": 1,
        "cell": "",
        "state": "finished",
        "strict_pass": False,
        "warns": 0,
        "fails": 0,
        "wall_s": 1.0,
        "input_tokens": None,
        "output_tokens": None,
        "demonstration": False,
        "condition": "no-skill",
        "agent": "codex",
    }
    table = run_table()
    table.fill(
        [
            RunRow(
                run_id=f"r{number:06}",
                created="2030-01-01T00:00:00Z",
                task=f"task-{number % 28}",
                verdict="publishable" if number % 3 else "failed",
                reward=number / 10_000,
                **fields,
            )
            for number in range(10_000)
        ]
    )
    table.filter("failed task-7")
    table.sort("reward", descending=True)
    found = [table.row_at(at) for at in range(len(table))]
    assert found and all(row.verdict == "failed" and row.task == "task-7" for row in found)
    assert [row.reward for row in found] == sorted((row.reward for row in found), reverse=True)
