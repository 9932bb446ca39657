"""Proposals and Merge: two clones that edit the same skill; both texts survive, settled in the app."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import SMALL_SKILL, make_conflict, make_content, make_versions
from skill_repository import CHANGED, commit, git
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.catalog import Content
from workbench.records import ContentPaths, DataPaths
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.difference import DifferenceScreen
from workbench.tui.screens.merge import MergeScreen
from workbench.tui.screens.proposals import ProposalsScreen

LINE = "1. one stay, counted by its begin"


@pytest.fixture
def context(tui_context: AppContext, tmp_path: Path) -> AppContext:
    made = replace(tui_context, content=make_content(tmp_path / "content"))
    make_versions(WorkbenchApp(made))
    git(made.content.paths.root, "checkout", "-q", "--", ".")
    return made


def text_of(root: Path) -> str:
    return (root / "skills" / SMALL_SKILL / "SKILL.md").read_text(encoding="utf-8")


async def proposals_of(app: WorkbenchApp, pilot: Pilot[int]) -> ProposalsScreen:
    app.open_screen("proposals", skill=SMALL_SKILL)
    screen = await on_screen(pilot, app, ProposalsScreen)
    await until(pilot, lambda: screen._found is not None)
    return screen


async def merging(app: WorkbenchApp, pilot: Pilot[int], key: str) -> MergeScreen:
    await pilot.press(key)
    screen = await on_screen(pilot, app, MergeScreen)
    await until(pilot, lambda: screen._read_once)
    return screen


async def test_two_clones_edit_one_line_and_both_survive(
    context: AppContext, tui_context: AppContext, tmp_path: Path
) -> None:
    first = context.content.paths.root
    bare, second = tmp_path / "bare.git", tmp_path / "second"
    subprocess.run(["git", "clone", "-q", "--bare", str(first), str(bare)], check=True)
    git(first, "remote", "add", "origin", str(bare))
    git(tmp_path, "clone", "-q", str(bare), str(second))
    git(second, "config", "user.name", "Grace")
    git(second, "config", "user.email", "grace@example.org")
    for root, words in ((first, "1. one stay, begun"), (second, "1. one stay, whole")):
        (root / "skills" / SMALL_SKILL / "SKILL.md").write_text(
            CHANGED.replace(LINE, words), encoding="utf-8"
        )
        commit(root, SMALL_SKILL, words, author=root.name)
    git(first, "push", "-q", "origin", "main")
    other = replace(context, content=Content(ContentPaths(second)), data=DataPaths(tmp_path / "second-home"))
    app = WorkbenchApp(other)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await proposals_of(app, pilot)
        assert "1 to push" in rows(app)[0]
        await pilot.press("P")
        await until(pilot, lambda: "the remote has versions that are not here" in footer(app))
        screen = await merging(app, pilot, "p")
        assert rows(app)[0].endswith("1 conflicts, 1 to settle")
        drawn = "\n".join(rows(app))
        assert "both sides changed the same lines" in drawn and "section First step" in drawn
        assert "begun" in drawn and "whole" in drawn
        await pilot.press("c")
        await pilot.pause()
        assert "not settled yet: conflicts 1" in footer(app)
        await pilot.press("right_square_bracket", "A")
        assert rows(app)[0].endswith("1 conflicts, 0 to settle") and screen._choices == {1: "both"}
        await pilot.press("c", "enter")
        await until(pilot, lambda: isinstance(app.screen, ProposalsScreen))
        await until(pilot, lambda: "merged as" in footer(app))
        await pilot.press("P")
        await until(pilot, lambda: "sent to origin/main" in footer(app))
    assert "1. one stay, whole\n1. one stay, begun\n" in text_of(second)
    git(first, "pull", "-q", "--ff-only", "origin", "main")
    assert text_of(first) == text_of(second)
    assert set(git(first, "log", "--format=%s").splitlines()) >= {"1. one stay, begun", "1. one stay, whole"}
    assert git(bare, "fsck", "--strict", "--no-dangling") == ""


async def test_a_proposal_is_made_compared_and_merged(context: AppContext) -> None:
    root = context.content.paths.root
    (root / "skills" / SMALL_SKILL / "SKILL.md").write_text(CHANGED + "\nMore.\n", encoding="utf-8")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        screen = await proposals_of(app, pilot)
        assert "no remote" in rows(app)[0]
        await pilot.press("a", *"more", "enter", *"Say more", "enter")
        await until(pilot, lambda: len(screen.table) == 1)
        assert "proposed as proposal/small-skill/more" in footer(app)
        git(root, "checkout", "-q", "--", ".")
        await pilot.press("enter")
        found = await on_screen(pilot, app, DifferenceScreen)
        await until(pilot, lambda: found._found is not None)
        assert any("+ More." in line for line in rows(app))
        await pilot.press("escape")
        await merging(app, pilot, "m")
        assert rows(app)[0].endswith("no conflicts")
        await pilot.press("c", "enter")
        await until(pilot, lambda: isinstance(app.screen, ProposalsScreen))
        await until(pilot, lambda: any("merged" in line for line in rows(app)[1:4]))
    assert text_of(root).endswith("\nMore.\n")


@pytest.mark.parametrize(
    ("key", "line"), [("O", "1. one stay, begun"), ("T", "1. one stay, whole"), ("I", LINE)]
)
async def test_each_choice_settles(context: AppContext, key: str, line: str) -> None:
    app = WorkbenchApp(context)
    make_conflict(app)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await proposals_of(app, pilot)
        await merging(app, pilot, "m")
        await pilot.press("right_square_bracket", key, "c", "enter")
        await until(pilot, lambda: isinstance(app.screen, ProposalsScreen))
    assert f"\n{line}\n" in text_of(context.content.paths.root)
