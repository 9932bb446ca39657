"""Caveats: found, read, judged by two others, tried on the spot, changed in a form, flagged elsewhere."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import FAMILY, make_content
from recorded_runs import RUN, NoonClock, record_run
from snapshots import rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import CaveatStatus
from workbench.review import open_audit
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.caveat import CaveatScreen
from workbench.tui.screens.caveat_form import CaveatFormScreen
from workbench.tui.screens.caveats import CaveatsScreen
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.rule_diff import RuleDiffScreen
from workbench.tui.screens.skill import SkillScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.widgets.ask import AskLine

NAME = "agents-missing-from-list"


@pytest.fixture
def own(tui_context: AppContext, tmp_path: Path) -> AppContext:
    """Content in a repository of its own."""
    content = make_content(tmp_path / "content")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "content"]):
        git(tmp_path / "content", *words)
    return replace(tui_context, content=content, clock=NoonClock())


def git(root: Path, *words: str, name: str = "Reviewer") -> None:
    for key, value in (("user.name", name), ("user.email", f"{name.lower()}@example.org")):
        if (root / ".git").exists():
            subprocess.run(["git", "config", key, value], cwd=root, check=True)
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


async def answer(app: WorkbenchApp, pilot: Pilot[int], name: str, text: str) -> None:
    screen = app.current
    assert screen is not None
    await until(pilot, lambda: bool(screen.query(AskLine)) and AskLine.of(screen).name_asked == name)
    await until(pilot, lambda: AskLine.of(screen).has_focus)
    AskLine.of(screen).value = text
    await pilot.press("enter")


async def opened(app: WorkbenchApp, pilot: Pilot[int]) -> CaveatScreen:
    await pilot.pause()
    app.open_screen("caveat", caveat=f"{FAMILY}/{NAME}")
    screen = await on_screen(pilot, app, CaveatScreen)
    await until(pilot, lambda: screen._read is not None)
    return screen


def text(screen: CaveatScreen) -> str:
    source = screen.view.source
    return "\n".join(source.line(row).text.plain for row in range(len(source)))


async def test_the_list_is_filtered_by_any_word_and_opens_one(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await pilot.press("8")
        screen = await on_screen(pilot, app, CaveatsScreen)
        await until(pilot, lambda: screen._read)
        total = len(screen.table)
        caveats = open_audit(own.content, FAMILY).audit
        assert caveats is not None and total == len(caveats.caveats)
        await pilot.press("f")
        await answer(app, pilot, "filter", NAME)
        await until(pilot, lambda: len(screen.table) == 1)
        assert f"1 of {total} caveats" in rows(app)[0]
        assert screen.state() == {"caveat": f"{FAMILY}/{NAME}", "words": NAME}
        await pilot.press("enter")
        one = await on_screen(pilot, app, CaveatScreen)
        await until(pilot, lambda: one._read is not None)
        assert f"{FAMILY} {NAME}" in text(one)


async def test_two_others_confirm_and_an_edit_in_the_form_opens_it_anew(own: AppContext) -> None:
    app, root = WorkbenchApp(own), own.content.paths.root
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        for reviewer in ("C1", "C2"):
            git(root, "status", name=reviewer)
            await pilot.press("c")
            await answer(app, pilot, "reviewer", reviewer)
            await until(pilot, lambda who=reviewer: f"{who} confirm" in text(screen))
        assert "confirmed by C1, C2" in text(screen)
        await pilot.press("e")
        form = await on_screen(pilot, app, CaveatFormScreen)
        await until(pilot, lambda: form._read is not None)
        await pilot.press("enter")
        await answer(app, pilot, "title", "Another title")
        await pilot.press("ctrl+r")
        await answer(app, pilot, "reviewer", "C2")
        await until(pilot, lambda: app.screen is screen and "Another title" in text(screen))
        assert open_audit(own.content, FAMILY).caveat(NAME).review is CaveatStatus.PROPOSED


async def test_what_is_disputed_or_kept_takes_words(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("D")
        await answer(app, pilot, "words", "")
        await answer(app, pilot, "reviewer", "C1")
        await until(pilot, lambda: "words are missing" in " ".join(rows(app)[-4:]))
        for key, words, said in (("D", "it is not so", "disputed"), ("T", "kept on purpose", "retained")):
            await pilot.press(key)
            await answer(app, pilot, "words", words)
            await answer(app, pilot, "reviewer", "C1")
            await until(pilot, lambda words=words: words in text(screen))
            assert said in rows(app)[0]


async def test_witness_cases_are_run_on_the_spot(own: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.ehr.fetch_concept_sql", _none)
    app = WorkbenchApp(own)
    async with app.run_test(size=(100, 40), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("t")
        await until(pilot, lambda: bool(screen._cases))
        said = text(screen)
        assert "rows of " in said and "the reference gives" in said
        assert f"{len(screen._cases)} run, 0 give something else" in " ".join(rows(app)[-3:])


def _none(*_: object, **__: object) -> None:
    from workbench.records import Unavailable

    raise Unavailable("no network here")


async def test_flagged_from_a_row_of_the_rule_diff(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("rule-diff", first=f"skill:{FAMILY}")
        diff = await on_screen(pilot, app, RuleDiffScreen)
        await until(pilot, lambda: diff._laid is not None)
        await pilot.press("exclamation_mark")
        form = await on_screen(pilot, app, CaveatFormScreen)
        await until(pilot, lambda: form._values.get("family") == FAMILY)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "id is empty" in " ".join(rows(app)[-3:]))
        form._values |= {"id": "new-one", "title": "New", "rule": "window", "explanation": "It shifts rows."}
        await pilot.press("ctrl+r")
        await answer(app, pilot, "reviewer", "C1")
        one = await on_screen(pilot, app, CaveatScreen)
        await until(pilot, lambda: one._read is not None)
        made = open_audit(own.content, FAMILY).caveat("new-one")
        assert [anchor.file for anchor in made.anchors] == [f"skills/{FAMILY}/SKILL.md"]
        assert made.source == "rule diff" and made.review is CaveatStatus.PROPOSED
        assert "same: skills/" in text(one)


async def test_flagged_from_a_line_of_a_skill_and_a_step(own: AppContext) -> None:
    record_run(own.data, RUN)
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("skill", skill=FAMILY)
        skill = await on_screen(pilot, app, SkillScreen)
        await until(pilot, lambda: skill.lines is not None)
        await pilot.press("pagedown", "exclamation_mark")
        form = await on_screen(pilot, app, CaveatFormScreen)
        [(file, line)] = form._flagged.anchors
        assert file == f"skills/{FAMILY}/SKILL.md" and line > 1
        await pilot.press("escape")
        app.open_screen("trajectory", run=RUN, step=3)
        log = await on_screen(pilot, app, TrajectoryScreen)
        await until(pilot, lambda: log.lines.complete and log.state()["step"] == 3)
        await pilot.press("exclamation_mark")
        form = await on_screen(pilot, app, CaveatFormScreen)
        assert (form._flagged.run, form._flagged.step) == (RUN, 3)


async def test_a_choice_of_the_form_is_taken_and_kept(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("caveat-form", family=FAMILY)
        form = await on_screen(pilot, app, CaveatFormScreen)
        await pilot.press("down", "down", "down", "enter")
        await on_screen(pilot, app, FinderScreen)
        await pilot.press(*"major", "enter")
        await until(pilot, lambda: app.screen is form and form._values["severity"] == "major")
        state = form.state()
        app.pop_screen()
        app.open_screen("caveat-form", family=FAMILY)
        again = await on_screen(pilot, app, CaveatFormScreen)
        again.restore(state)
        assert again._values["severity"] == "major"
