"""Sources: what `data list` shows, with each source's tables."""

from recorded_runs import NOON
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import DataPaths, Source, TableFile
from workbench.store import atomic_write
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.sources import SourcesScreen


def put_source(data: DataPaths, name: str, tables: int = 3, kind: str = "synthetic") -> Source:
    """A source's manifest; its tables are not there."""
    source = Source(
        name=name,
        database="mimic-iv",
        kind=kind,
        origin="stays=500 seed=1 [/x]" if kind == "synthetic" else "csv",
        origin_hash="1" * 16,
        schema_name="mimic-iv-3",
        created=NOON,
        tables=[
            TableFile(
                table=f"mimiciv_hosp.table_{at}", rows=1000 * at, bytes=77 * at, sha256="2" * 64,
                empty_because_missing=at == 0,
            )
            for at in range(tables)
        ],
    )  # fmt: skip
    data.source(name).folder.mkdir(parents=True)
    atomic_write(data.source(name).manifest, source.to_json())
    return source


async def opened(app: WorkbenchApp, pilot: Pilot[int]) -> SourcesScreen:
    await pilot.pause()
    await pilot.press("3")
    screen = await on_screen(pilot, app, SourcesScreen)
    await until(pilot, lambda: screen._read)
    return screen


async def test_sources_and_their_tables(tui_context: AppContext) -> None:
    put_source(tui_context.data, "demo", 40, "imported")
    source = put_source(tui_context.data, "synthetic-500-1")
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert rows(app)[0].endswith("2 sources")
        assert rows(app)[2].split() == [">", "demo", "mimic-iv", "imported", "780,000", "60,060"]
        assert len(screen.files) == 40
        await pilot.press("down")
        await pilot.pause()
        text = "\n".join(rows(app))
        assert "stays=500 seed=1 [/x]" in text and source.content_hash in text
        assert "1 table was not in the input" in " ".join(text.split())
        assert len(screen.files) == 3 and "mimiciv_hosp.table_2" in text and "not in the input" in text
        assert screen.plain_twin == "workbench data list;workbench data show synthetic-500-1"
        assert "enter Tables" in footer(app) and "workbench data import" in " ".join(text.split())
        await pilot.press("enter", "down")
        await pilot.pause()
        assert "enter" not in footer(app)
        await pilot.pause()
        assert screen.files.row_at(screen.query_one("#tables").view.cursor).rows == 1000
        await pilot.press("tab")
        await pilot.pause()
        assert screen.view.has_focus
        put_source(tui_context.data, "another")
        await pilot.press("r")
        await until(pilot, lambda: screen.table.total == 3)
        assert screen.table.row_at(screen.view.cursor).name == "synthetic-500-1"


async def test_no_source_says_how_to_get_one_and_a_damaged_one_is_told(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert "workbench data synth" in "\n".join(rows(app))
        await pilot.press("enter", "down", "tab", "tab")
        manifest = tui_context.data.source("bad").manifest
        manifest.parent.mkdir(parents=True)
        manifest.write_text("{")
        await pilot.press("r")
        await until(pilot, lambda: "error" in footer(app))
        assert app.screen is screen


async def test_open_thing_goes_to_a_source(tui_context: AppContext) -> None:
    put_source(tui_context.data, "demo")
    put_source(tui_context.data, "synthetic-500-1")
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_thing("source", "synthetic-500-1")
        screen = await on_screen(pilot, app, SourcesScreen)
        await until(
            pilot,
            lambda: (
                (row := screen.table.row_at(screen.view.cursor)) is not None and row.name == "synthetic-500-1"
            ),
        )
