"""A text of a step of any length: what is laid out has a cap, all of it is read from a file of its own."""

from __future__ import annotations

from recorded_runs import RUN, begin_log, command, make_plan, tell_steps
from snapshots import footer
from waiting import on_screen, until

from workbench.store import FileLock, RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.screens.whole import ProseLines, WholeScreen
from workbench.tui.widgets.file_lines import CUT_LABEL
from workbench.tui.widgets.folding import MOST_CHARACTERS

LINE = "line {:06d} of what a command printed, with an accent é and a \x1b[31mcolour\n"
HUGE = "".join(LINE.format(number) for number in range(120_000))


async def test_eight_megabytes_are_capped_and_read_whole(tui_context: AppContext) -> None:
    assert len(HUGE) > 8_000_000
    run = RunStore(tui_context.data).create(make_plan())
    with FileLock(run.lock, "test"):
        log = begin_log(run)
        tell_steps(log, [command(1, "ls"), command(2, "cat big", HUGE), command(3, "ls")])
        log.close()
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("trajectory", run=RUN)
        screen = await on_screen(pilot, app, TrajectoryScreen)
        await until(pilot, lambda: screen.lines.complete)
        lines = screen.lines
        answer = next(at for at, block in enumerate(lines.blocks) if block.characters > 8_000_000)
        screen.view.go_to(lines.row_of_block(answer))
        await pilot.press("enter")
        rows = lines.row_of_block(answer + 1) - lines.row_of_block(answer)
        assert 1000 < rows <= MOST_CHARACTERS // 20
        note = lines.row_of_block(answer + 1) - 1
        more = lines.blocks[answer].characters - MOST_CHARACTERS
        assert lines.line(note).text.plain == f"  | … {more:,} more characters: open this line to read it all"
        screen.view.go_to(note)
        await pilot.press("enter")
        whole = await on_screen(pilot, app, WholeScreen)
        await until(pilot, lambda: len(whole.view.source) >= 120_000)
        await pilot.press("end")
        await until(pilot, lambda: "line 119999" in whole.view.line.text.plain)
        assert "␛[31m" in whole.view.line.text.plain
        assert len(list(tui_context.data.scratch.iterdir())) == 1
        await pilot.press("escape")
        await until(pilot, lambda: not list(tui_context.data.scratch.iterdir()))
        assert app.screen is screen
        screen.view.go_to(0)
        await pilot.press("W")
        assert app.screen is screen and "this line heads no text" in footer(app)


def test_prose_is_wrapped_and_keeps_its_lines_numbers() -> None:
    lines = ProseLines("one two three four\n\nfive \x1b[2J")
    lines.lay_out(10)
    shown = [(line.label, line.text.plain) for line in lines.lines]
    assert shown == [("1", "one two"), (CUT_LABEL, "three four"), ("2", ""), ("3", "five ␛[2J")]
    assert [lines.row_of(number) for number in (1, 2, 3, 9)] == [0, 2, 3, 3]


async def test_a_text_that_is_not_there_is_told(tui_context: AppContext) -> None:
    run = RunStore(tui_context.data).create(make_plan())
    run.lock.unlink()
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("whole", run=RUN, step=9, part=1)
        await on_screen(pilot, app, WholeScreen)
        await until(pilot, lambda: "step 9 has no such text" in footer(app))
