"""Logs of runs over real data are drawn redacted unless data access is configured, and say which they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from recorded_runs import RUN, STEPS, record_run, write_steps
from snapshots import rows
from test_sources_screen import put_source
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import RunPaths, Settings
from workbench.store import shows_raw
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.log import LogScreen
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.screens.whole import WholeScreen

REAL = "hospital"
ACCESS: tuple[Literal["synthetic", "all", "none"], ...] = ("synthetic", "all", "none")


@pytest.fixture
def real(tui_context: AppContext) -> RunPaths:
    """A run over imported data, with its log."""
    put_source(tui_context.data, REAL, 40, "imported")
    run = record_run(tui_context.data, source=REAL)
    write_steps(run, STEPS)
    return run


def with_access(context: AppContext, access: Literal["synthetic", "all", "none"]) -> AppContext:
    return replace(context, settings=Settings(data_access=access))


async def log_text(app: WorkbenchApp, pilot: Pilot[int]) -> str:
    await pilot.pause()
    app.open_screen("trajectory", run=RUN)
    screen = await on_screen(pilot, app, TrajectoryScreen)
    await until(pilot, lambda: screen.lines.complete)
    await pilot.pause()
    return "\n".join(screen.lines.line(row).text.plain for row in range(len(screen.lines)))


@pytest.mark.parametrize(
    ("access", "word"), [("synthetic", "redacted"), ("all", "raw"), ("none", "redacted")]
)
async def test_a_log_over_real_data(
    tui_context: AppContext, real: RunPaths, access: Literal["synthetic", "all", "none"], word: str
) -> None:
    app = WorkbenchApp(with_access(tui_context, access))
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        text = await log_text(app, pilot)
        assert f"  {word}  " in rows(app)[0]
        assert ("parquet" in text) is (word == "raw")  # of an output
        assert "SELECT stay_id FROM mimiciv_icu.icustays" in text  # the agent's own SQL stays
        assert ("[ran" in text or "[output" in text or "exit 0" in text) is (word == "redacted")


async def test_a_log_over_synthetic_data_is_as_it_is(tui_context: AppContext) -> None:
    record_run(tui_context.data)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        text = await log_text(app, pilot)
        assert "parquet" in text
        assert "raw" not in rows(app)[0] and "redacted" not in rows(app)[0]


async def test_what_stands_behind_it_is_refused_with_the_way_to_see_it(
    tui_context: AppContext, real: RunPaths
) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("log", run=RUN)
        log = await on_screen(pilot, app, LogScreen)
        await until(pilot, lambda: "showing them is not" in " ".join(rows(app)[-4:]))
        assert len(log.view.source) == 0
        assert "Data access" in " ".join(rows(app)[-4:])
        app.open_screen("run-detail", run=RUN)
        detail = await on_screen(pilot, app, RunDetailScreen)
        await until(pilot, lambda: len(detail.lines) > 0)
        await pilot.press("m")
        await until(pilot, lambda: "examples of mismatches may hold" in " ".join(rows(app)[-4:]))


async def test_whole_texts_and_runs_side_by_side_are_redacted_too(
    tui_context: AppContext, real: RunPaths
) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("whole", run=RUN, step=2, part=2)
        whole = await on_screen(pilot, app, WholeScreen)
        await until(pilot, lambda: whole._copied is not None and len(whole.view.source) > 0)
        source = whole.view.source
        assert not any("parquet" in source.line(row).text.plain for row in range(len(source)))
        app.open_screen("compare", run=RUN, other=RUN)
        both = await on_screen(pilot, app, CompareScreen)
        await until(pilot, lambda: both._compared is not None)
        pairs = both._compared.pairs if both._compared is not None else []
        told = [item.text for pair in pairs for item in (pair.left.observations if pair.left else ())]
        assert told and not any("parquet" in text for text in told)


def test_whose_logs_are_shown(tui_context: AppContext, real: RunPaths) -> None:
    put_source(tui_context.data, "made", 3, "synthetic")
    told = {
        name: [shows_raw(tui_context.data, Settings(data_access=access), name) for access in ACCESS]
        for name in (REAL, "made", "synthetic-500-1", "synthetic-eicu-40-2", "", "../x", "a\0b", "gone")
    }
    real_data, made_up = [False, True, False], [True, True, False]
    assert told == {
        REAL: real_data, "made": made_up, "synthetic-500-1": made_up, "synthetic-eicu-40-2": made_up,
        "": real_data, "../x": real_data, "a\0b": real_data, "gone": real_data,
    }  # fmt: skip
