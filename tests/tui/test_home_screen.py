"""Home: what it counts, and what its lines open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import FAMILY, make_content
from waiting import until

from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.widgets.base import ListPane

Read = Callable[[WorkbenchApp], str]


@pytest.fixture
def small(tui_context: AppContext, tmp_path: Path) -> AppContext:
    """One family with two tasks and a skill; a decoy; a skill that nothing uses."""
    return replace(tui_context, content=make_content(tmp_path / "content"))


async def test_it_counts_what_it_says(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: len(app.current.query_one(ListPane).items) > 1)
        lines = screen_text(app).splitlines()
        assert lines[0].endswith("1 family, 2 tasks, 3 skills")
        assert lines[4] == "  skill   suspicion-infection"
        assert lines[5].startswith("  caveats 15 of the reference: ‼ 4 major, ! 5 moderate, · 6 minor")
        assert lines[6] == "Skills that are no task's own"
        assert lines[7:9] == ["  skill   small-skill", "  skill   urine-output-rate  decoy of 2 tasks"]


async def test_caveats_name_their_file_and_command(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: len(app.current.query_one(ListPane).items) > 1)
        assert app.current.query_one(ListPane).go_to(f"caveats:{FAMILY}")
        await pilot.press("enter")
        await pilot.pause()
        assert f"audits/{FAMILY}.toml" in screen_text(app)
        assert f"workbench witness run {FAMILY}" in screen_text(app)


async def test_enter_on_a_task_opens_a_new_run_with_it(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: len(app.current.query_one(ListPane).items) > 1)
        await pilot.press("down")
        assert app.current.query_one(ListPane).chosen_key == "task:mimic-suspicion-infection-raw"
        await pilot.press("enter")
        await until(pilot, lambda: app.current.screen_name == "run")
        await app.current.settled()
        await pilot.pause()
        assert "Task       mimic-suspicion-infection-raw" in screen_text(app)


@pytest.mark.parametrize("name", ["suspicion-infection", "small-skill"])
async def test_enter_on_a_skill_opens_it(small: AppContext, screen_text: Read, name: str) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: len(app.current.query_one(ListPane).items) > 1)
        assert app.current.query_one(ListPane).go_to(f"skill:{name}")
        await pilot.press("enter")
        await pilot.pause()
        assert screen_text(app).startswith(f" Workbench > Skill: {name}")
