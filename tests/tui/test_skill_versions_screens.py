"""Skills, Versions, Difference, Blame: over real repositories, by keys alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from made_up import SMALL_SKILL, make_content, make_versions
from skill_repository import git
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import ContentPaths
from workbench.review import Drafts
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.blame import BlameScreen
from workbench.tui.screens.difference import DifferenceScreen
from workbench.tui.screens.skill import SkillScreen
from workbench.tui.screens.skills import SkillsScreen
from workbench.tui.screens.versions import VersionsScreen
from workbench.tui.widgets.ask import AskLine


@pytest.fixture
def context(tui_context: AppContext, tmp_path: Path) -> AppContext:
    """Two versions of the small skill, and a change that is in none."""
    made = replace(tui_context, content=make_content(tmp_path / "content"))
    make_versions(WorkbenchApp(made))
    return made


def root_of(context: AppContext) -> Path:
    paths: ContentPaths = context.content.paths
    return paths.root


def shown(screen: DifferenceScreen | BlameScreen) -> list[str]:
    source = screen.view.source
    return [source.line(row).text.plain for row in range(len(source))]


async def listed(app: WorkbenchApp, pilot: Pilot[int]) -> SkillsScreen:
    await pilot.press("6")
    screen = await on_screen(pilot, app, SkillsScreen)
    await until(pilot, lambda: screen._settled)
    return screen


async def versions_of(app: WorkbenchApp, pilot: Pilot[int]) -> VersionsScreen:
    app.open_screen("versions", skill=SMALL_SKILL)
    screen = await on_screen(pilot, app, VersionsScreen)
    await until(pilot, lambda: screen._found is not None)
    return screen


async def difference_of(app: WorkbenchApp, pilot: Pilot[int]) -> DifferenceScreen:
    screen = await on_screen(pilot, app, DifferenceScreen)
    await until(pilot, lambda: screen._found is not None)
    return screen


async def test_every_skill_is_listed_with_what_is_open(context: AppContext) -> None:
    root = root_of(context)
    git(root, "branch", f"proposal/{SMALL_SKILL}/other", "HEAD~1")
    git(root, "worktree", "add", "-q", str(root.parent / "else"), f"proposal/{SMALL_SKILL}/other")
    other = root.parent / "else" / "skills" / SMALL_SKILL / "SKILL.md"
    other.write_text("other\n")
    git(root.parent / "else", "commit", "-q", "-a", "-m", "Another way")
    drafts = Drafts.of(root, context.data)
    drafts.keep(drafts.begin(SMALL_SKILL, "", "x"), "a draft")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        screen = await listed(app, pilot)
        (row,) = [line for line in rows(app) if SMALL_SKILL in line]
        assert "○ draft" in row
        assert "1 draft, 1 proposal, 1 unsaved" in row
        assert rows(app)[0].endswith("3 skills, 0 signed")
        await pilot.press("f", *"proposal", "enter")
        await pilot.pause()
        assert len(screen.table) == 1
        await pilot.press("enter")
        await on_screen(pilot, app, SkillScreen)
        await pilot.press("H")
        await on_screen(pilot, app, VersionsScreen)


async def test_without_a_repository_the_list_says_so(tui_context: AppContext, tmp_path: Path) -> None:
    app = WorkbenchApp(replace(tui_context, content=make_content(tmp_path / "content")))
    async with app.run_test(size=(140, 45), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await listed(app, pilot)
        (row,) = [line for line in rows(app) if SMALL_SKILL in line]
        assert "○ draft" in row and "is in no git work tree" in row


async def test_what_a_version_changed_and_what_lies_between_two(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await versions_of(app, pilot)
        assert rows(app)[2].split()[-6:] == ["Grace", "Count", "stays", "by", "their", "begin"]
        assert rows(app)[3].split()[-5:] == ["2030-05-01", "12:00", "Ada", "First", "version"]
        await pilot.press("enter")
        screen = await difference_of(app, pilot)
        assert rows(app)[0].endswith("1 lines came, 1 went")
        assert any(line.endswith("+ 1. one{+ stay, counted by its begin+}") for line in shown(screen))
        await pilot.press("a")
        await until(pilot, lambda: len(screen.view.source) > 40)
        await pilot.press("right_square_bracket")
        assert screen.view.line is not None and " - 1. one" in screen.view.line.text.plain
        await pilot.press("right_square_bracket")
        assert "no change after" in footer(app)
        await pilot.press("escape", "down", "c")
        await pilot.pause()
        assert "is marked" in footer(app)
        await pilot.press("up", "c")
        screen = await difference_of(app, pilot)
        assert any("{+ stay" in line for line in shown(screen))


async def test_what_is_in_no_version_is_shown(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await versions_of(app, pilot)
        await pilot.press("d")
        screen = await difference_of(app, pilot)
        assert shown(screen)[-1].endswith("+ One more line.")
        assert "2 lines came, 0 went" in rows(app)[0]


async def test_who_wrote_a_line_and_in_which_version(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("blame", skill=SMALL_SKILL)
        screen = await on_screen(pilot, app, BlameScreen)
        await until(pilot, lambda: bool(screen._lines))
        heads = [line for line in shown(screen) if ":" in line and "2030-05-01" in line]
        assert any("Grace: Count stays by their begin" in line for line in heads)
        assert "not saved yet" in shown(screen)
        row = next(at for at, line in enumerate(shown(screen)) if "counted by its begin" in line)
        screen.view.go_to(row)
        await pilot.press("enter")
        found = await difference_of(app, pilot)
        assert any("{+ stay" in line for line in shown(found))


async def test_an_earlier_version_becomes_the_newest_once_more(context: AppContext) -> None:
    root = root_of(context)
    git(root, "checkout", "-q", "--", ".")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        screen = await versions_of(app, pilot)
        await pilot.press("end", "R", "n", "o", "enter")
        await pilot.pause()
        assert "nothing is restored" in footer(app)
        await pilot.press("R", *"yes", "enter")
        await until(pilot, lambda: len(screen._found or []) == 3)
        assert "is" in footer(app) and not screen.query_one(AskLine).has_class("asking")
    assert git(root, "diff", "HEAD~2", "HEAD", "--stat") == ""
    assert git(root, "status", "--porcelain", "skills/small-skill") == ""


async def test_an_unsaved_change_is_not_restored_over(context: AppContext) -> None:
    root = root_of(context)
    file = root / "skills" / SMALL_SKILL / "SKILL.md"
    before, head = file.read_bytes(), git(root, "rev-parse", "HEAD")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await versions_of(app, pilot)
        await pilot.press("end", "R", *"yes", "enter")
        await until(pilot, lambda: "not saved" in footer(app))
    assert (file.read_bytes(), git(root, "rev-parse", "HEAD")) == (before, head)
