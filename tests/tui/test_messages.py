"""What the app says can be read whole: in up to three lines of the footer, and in Messages."""

from __future__ import annotations

from collections.abc import Callable

from snapshots import footer, rows
from waiting import on_screen, until

from workbench.records import BadInput
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.messages import MessagesScreen
from workbench.tui.widgets.base import ListPane
from workbench.tui.widgets.frame import FooterLine

Make = Callable[..., WorkbenchApp]
LONG = "The settings of the model cannot be read because a comma is missing somewhere in the third line."
REMEDY = "Correct that line in your editor, or take the file away, and start the app again."


async def test_a_long_notice_is_wrapped_so_that_its_remedy_is_read(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await app.current.settled()
        await pilot.pause()
        before = rows(app)
        app.current.failed(BadInput(LONG, where="/a/file.toml", remedy=REMEDY))
        await pilot.pause()
        assert footer(app).endswith(REMEDY) and footer(app).startswith("error /a/file.toml: ")
        assert app.current.query_one(FooterLine).size.height == 3
        assert app.current.query_one(ListPane).size.height + 3 < 24
        await pilot.press("up", "down")
        await pilot.pause()
        assert rows(app) == before


async def test_a_longer_one_says_where_the_rest_is_and_messages_have_all(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await app.current.settled()
        app.tell(Inert.of("short and first"))
        app.tell(Inert.line(f"{LONG} {LONG} {LONG} {REMEDY}"))
        await pilot.pause()
        assert footer(app).endswith("… M all of it") and REMEDY not in footer(app)
        await pilot.press("M")
        screen = await on_screen(pilot, app, MessagesScreen)
        lines = [screen.view.source.line(row).text.plain for row in range(len(screen.view.source))]
        assert REMEDY in " ".join(line.strip() for line in lines)
        assert lines[-1].endswith("short and first") and all(len(line) <= 80 for line in lines)
        await pilot.press("M")
        assert app.current.screen_name == "home"


async def test_a_low_screen_gives_a_notice_one_row(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(60, 8), notifications=True, tooltips=True) as pilot:
        app.tell(Inert.line(LONG))
        await pilot.pause()
        assert app.current.query_one(FooterLine).size.height == 1 and "all of it" in footer(app)
        await pilot.resize_terminal(60, 24)
        await until(pilot, lambda: app.current.query_one(FooterLine).size.height == 2)
        assert footer(app) == LONG


async def test_before_anything_was_said(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.press("M")
        await on_screen(pilot, app, MessagesScreen)
        assert "Nothing was said yet." in rows(app)[1]
