"""Shown text goes to a file that a person names: whole, private, over nothing, without patients' values."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from recorded_runs import RUN, record_run
from snapshots import footer
from test_run_detail_screen import text_of
from waiting import on_screen, until

from workbench.records import BadInput, KeyColumn, Unavailable
from workbench.scoring import Mismatch
from workbench.store import RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.mismatch_blocks import Examples
from workbench.tui.saving import Exists, save_text, target_of
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.log import LogScreen
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.skill import SkillScreen


def test_a_file_is_whole_private_and_over_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a b.txt"
    save_text(file, "one\n", replace=False)
    assert file.read_text() == "one\n" and file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Exists):
        save_text(file, "two\n", replace=False)
    assert file.read_text() == "one\n"
    save_text(file, "two\n", replace=True)
    assert file.read_text() == "two\n"
    assert list(tmp_path.iterdir()) == [file]


def test_places_that_cannot_be_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert target_of("~/x.txt") == target_of(" x.txt ") == tmp_path / "x.txt"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("", "  ", "no-such/x", str(tmp_path), "pipe", "link", "x" * 300, "\0", "~nobody-here/x"):
        with pytest.raises(BadInput):
            target_of(name)
    with pytest.raises(Unavailable, match="cannot be written"):
        save_text(Path("/proc/no-such-place"), "x", replace=False)


async def test_a_text_is_saved_asked_before_it_replaces(tui_context: AppContext, tmp_path: Path) -> None:
    file = tmp_path / "skill.txt"
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("skill", skill="gcs")
        screen = await on_screen(pilot, app, SkillScreen)
        await until(pilot, lambda: len(screen.view.source) > 5)
        await pilot.press("w", *str(file), "enter")
        await until(pilot, lambda: f"{len(screen.view.source)} lines written" in footer(app))
        shown = [screen.view.source.line(row).text.plain for row in range(len(screen.view.source))]
        assert file.read_text().splitlines() == shown
        await pilot.press("home", "J", "w", *str(file), "enter")
        await until(pilot, lambda: getattr(app.focused, "placeholder", "").startswith(f"{file} is there"))
        await pilot.press(*"no", "enter")
        await until(pilot, lambda: "nothing is written" in footer(app))
        assert len(file.read_text().splitlines()) == len(shown)
        await pilot.press("w", *str(file), "enter", *"yes", "enter")
        await until(pilot, lambda: "2 lines written" in footer(app))
        assert file.read_text().splitlines() == shown[:2]
        await pilot.press("w", *"/no/such/folder/x", "enter")
        await until(pilot, lambda: "there is no such folder" in footer(app))
        await pilot.press("w", "escape")
        assert screen.view.has_focus


async def test_help_is_a_text_too_and_the_palette_finds_it(tui_context: AppContext, tmp_path: Path) -> None:
    file = tmp_path / "help.txt"
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.press("question_mark")
        await on_screen(pilot, app, HelpScreen)
        await pilot.press("ctrl+p", *"save", "enter")
        await until(pilot, lambda: "file to write" in getattr(app.focused, "placeholder", ""))
        await pilot.press(*str(file), "enter")
        await until(pilot, lambda: file.exists() and "written" in footer(app))
        assert file.read_text().startswith("Getting around\n")


@pytest.mark.parametrize("name", ["egress", "output"])
async def test_patients_values_of_a_runs_files_are_kept_back(tui_context: AppContext, name: str) -> None:
    record_run(tui_context.data)
    run = RunStore(tui_context.data).paths(RUN)
    for path in (run.egress, run.output):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("17,BLOOD\n")
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("log", run=RUN, file=name)
        screen = await on_screen(pilot, app, LogScreen)
        await until(pilot, lambda: len(screen.view.source) > 0)
        await pilot.press("w")
        await pilot.pause()
        assert "may hold patients' values" in footer(app)
        assert app.focused is screen.view


async def test_examples_of_mismatches_are_left_out(tui_context: AppContext, tmp_path: Path) -> None:
    record_run(tui_context.data)
    file = tmp_path / "run.txt"
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("run-detail", run=RUN)
        screen = await on_screen(pilot, app, RunDetailScreen)
        await until(pilot, lambda: len(screen.lines) > 0)
        found = Mismatch(kind="value", key=("17", "2"), column="specimen", got="BLOOD", wanted="URINE")
        keys = [KeyColumn(name="subject_id"), KeyColumn(name="ab_id")]
        screen._examples = Examples("public-code", [found], keys)
        screen._draw(0)
        assert "BLOOD" in text_of(screen.lines)
        await pilot.press("w", *str(file), "enter")
        said = "left out: examples of mismatches (patients' values)"
        await until(pilot, lambda: any(said in notice.plain for _, notice in app.told))
        saved = file.read_text()
        assert "Score: reward" in saved and "BLOOD" not in saved and "17" not in saved.split("Egress")[0]
