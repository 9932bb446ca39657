"""Sign-offs: two reviewers in clones of their own, sealed until both are in, void after a change."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import SMALL_SKILL, make_content, make_versions
from skill_repository import commit, git
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.catalog import Content
from workbench.records import ContentPaths, DataPaths
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.sign_offs import SignOffsScreen


@pytest.fixture
def clones(tui_context: AppContext, tmp_path: Path) -> list[AppContext]:
    """Two reviewers' clones of one repository, and that of a third person."""
    made = replace(tui_context, content=make_content(tmp_path / "content"))
    make_versions(WorkbenchApp(made))
    origin = made.content.paths.root
    git(origin, "checkout", "-q", "--", ".")
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(origin), str(bare)], check=True)
    found = []
    for name in ("bob", "cleo", "dan"):
        root = tmp_path / name
        git(tmp_path, "clone", "-q", str(bare), str(root))
        git(root, "config", "user.name", name)
        git(root, "config", "user.email", f"{name}@example.org")
        found.append(
            replace(made, content=Content(ContentPaths(root)), data=DataPaths(tmp_path / f"{name}-home"))
        )
    return found


def send(context: AppContext) -> None:
    root = context.content.paths.root
    git(root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    git(root, "push", "-q", "origin", "main")


async def signing(app: WorkbenchApp, pilot: Pilot[int]) -> SignOffsScreen:
    app.open_screen("sign-offs", skill=SMALL_SKILL)
    screen = await on_screen(pilot, app, SignOffsScreen)
    await until(pilot, lambda: screen._signed is not None)
    return screen


async def sign(context: AppContext, who: str, decision: str) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await signing(app, pilot)
        await pilot.press("s", *who, "enter", *"ext", "enter", *"maybe", "enter")
        await pilot.pause()
        for answer in ("yes", "unsure", "no", decision):
            await pilot.press(*answer, "enter")
        await pilot.press("enter", *"Fine.", "enter")
        await until(pilot, lambda: "committed as" in footer(app))
        await until(pilot, lambda: any(f"{who}, external" in line and "sealed" in line for line in rows(app)))
        assert not any("decision" in line for line in rows(app)[1:-3])
    send(context)


async def act(context: AppContext, key: str, *answers: str) -> list[str]:
    git(context.content.paths.root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 40), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await signing(app, pilot)
        await pilot.press(key)
        for answer in answers:
            await pilot.press(*answer, "enter")
        await until(pilot, lambda: "committed as" in footer(app) or "error" in footer(app))
        if "committed as" in footer(app):
            await pilot.pause()
            send(context)
        return rows(app)


async def drawn(context: AppContext) -> str:
    git(context.content.paths.root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 40), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await signing(app, pilot)
        return "\n".join(rows(app))


async def test_two_verdicts_are_hidden_opened_settled_and_void_after_a_change(
    clones: list[AppContext],
) -> None:
    bob, cleo, dan = clones
    await sign(bob, "C1", "accept")
    assert "stays sealed" in " ".join(await act(bob, "O", "C1"))
    await sign(cleo, "C2", "reject")
    assert "decision: " not in await drawn(bob)
    await act(bob, "O", "C1")
    await act(cleo, "O", "C2")
    seen = await drawn(dan)
    assert "disputed" in seen and "decision: x differ: accept, reject" in seen
    assert "task framing: = the same" in seen
    await act(dan, "a", "C3", "acc", "The definition is met.")
    seen = await drawn(bob)
    assert "signed" in seen and "settled by C3: accept" in seen and "The definition is met." in seen
    root = bob.content.paths.root
    file = root / "skills" / SMALL_SKILL / "SKILL.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    commit(root, SMALL_SKILL, "More")
    seen = await drawn(bob)
    assert "state: stale" in seen and f"skills/{SMALL_SKILL}/SKILL.md is changed" in seen
    assert seen.count(": void") == 2


async def test_the_author_cannot_sign_and_escape_leaves_nothing(
    tui_context: AppContext, tmp_path: Path
) -> None:
    made = replace(tui_context, content=make_content(tmp_path / "content"))
    make_versions(WorkbenchApp(made))
    root = made.content.paths.root
    git(root, "checkout", "-q", "--", ".")
    git(root, "config", "user.email", "a@example.org")
    head = git(root, "rev-parse", "HEAD")
    app = WorkbenchApp(made)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        screen = await signing(app, pilot)
        await pilot.press("s", *"C1", "enter", "escape")
        await pilot.pause()
        assert app.screen is screen and screen._answers == {}
        await pilot.press("s")
        for answer in ("C1", "ext", "yes", "yes", "yes", "accept", "", ""):
            await pilot.press(*answer, "enter")
        await until(pilot, lambda: "error" in footer(app))
    assert git(root, "rev-parse", "HEAD") == head
