"""Rule diff: rows, texts that follow, filters, marks with reasons, export, and the ways that lead there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import FAMILY, make_content
from recorded_runs import RUN, record_run
from snapshots import rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import AcceptedRows
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.rule_lines import RuleLines
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.rule_diff import RuleDiffScreen
from workbench.tui.widgets.ask import AskLine

SKILL = f"skill:{FAMILY}"


@pytest.fixture
def own(tui_context: AppContext, tmp_path: Path) -> AppContext:
    """Content that may be changed."""
    return replace(tui_context, content=make_content(tmp_path / "content"))


async def opened(
    app: WorkbenchApp, pilot: Pilot[int], first: str = SKILL, second: str = ""
) -> RuleDiffScreen:
    await pilot.pause()
    app.open_screen("rule-diff", first=first, second=second)
    return await read(app, pilot)


async def read(app: WorkbenchApp, pilot: Pilot[int]) -> RuleDiffScreen:
    screen = await on_screen(pilot, app, RuleDiffScreen)
    await until(pilot, lambda: screen._laid is not None)
    return screen


def line_of(screen: RuleDiffScreen, second: bool) -> tuple[str, int]:
    """File and line that a text stands at."""
    view = screen.side(second).view
    assert isinstance(view.source, RuleLines)
    return view.source.file, view.source.place(view.cursor).major


def statuses(screen: RuleDiffScreen) -> set[str]:
    found = (screen.table.row_at(row) for row in range(len(screen.table)))
    return {item.row.status.value for item in found if item is not None}


async def answer(app: WorkbenchApp, pilot: Pilot[int], name: str, text: str) -> None:
    screen = app.current
    assert screen is not None
    await until(pilot, lambda: bool(screen.query(AskLine)) and AskLine.of(screen).name_asked == name)
    AskLine.of(screen).value = text
    await pilot.press("enter")


async def test_both_texts_follow_the_row_and_lead_it(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        agree = next(at for at in range(len(screen.table)) if _status(screen, at) == "agree")
        screen.view.go_to(agree)
        item = screen.item
        assert item is not None and item.row.first is not None and item.row.second is not None
        first, second = item.row.first, item.row.second
        await until(pilot, lambda: line_of(screen, True) == (second.file, second.line))
        assert line_of(screen, False) == (first.file, first.line)
        await pilot.press("enter")
        assert screen.side(False).view.has_focus
        await pilot.press("home")
        await until(pilot, lambda: line_of(screen, False)[1] == 1)
        await pilot.press("end")
        last = max(item.row.first.line for item in screen._rows if item.row.first is not None)
        await until(pilot, lambda: screen.item is not None and _first_line(screen) == last)
        await pilot.press("escape")
        assert screen.view.has_focus and app.screen is screen


def _status(screen: RuleDiffScreen, at: int) -> str:
    item = screen.table.row_at(at)
    return "" if item is None else item.row.status.value


def _first_line(screen: RuleDiffScreen) -> int:
    item = screen.item
    return 0 if item is None or item.row.first is None else item.row.first.line


async def test_filters_by_status_kind_and_words(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        whole = len(screen.table)
        await pilot.press("s", "s")
        assert statuses(screen) == {"agree"}
        await pilot.press("s", "s", "s")
        assert len(screen.table) == whole
        await pilot.press("t")
        kinds = {item.row.kind for at in range(len(screen.table)) if (item := screen.table.row_at(at))}
        assert len(kinds) == 1
        await pilot.press("f")
        await answer(app, pilot, "words", "no such word")
        await pilot.pause()
        assert len(screen.table) == 0
        assert "no row is let through" in "\n".join(rows(app))
        state = screen.state()
        assert (state["kind"], state["words"]) == (kinds.pop().value, "no such word")


async def test_a_row_is_accepted_withdrawn_and_falls_away(own: AppContext) -> None:
    app = WorkbenchApp(own)
    path = own.content.paths.accepted_rules(FAMILY)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        item = screen.item
        assert item is not None
        for state, reason in (("accepted", "as the ward counts it"), ("withdrawn", "no longer so")):
            await pilot.press("a")
            await answer(app, pilot, "reason", reason)
            await answer(app, pilot, "reviewer", "C1")
            await until(pilot, lambda state=state: screen.item is not None and screen.item.state == state)
            assert screen.item is not None and screen.item.key == item.key
            assert f"{state} by C1: {reason}" in "\n".join(rows(app))
        kept = AcceptedRows.from_json(path.read_text(), str(path)).rows
        assert [(mark.reason, mark.withdrawn) for mark in kept] == [("as the ward counts it", "no longer so")]
        await pilot.press("a")
        await answer(app, pilot, "reason", "so after all")
        await answer(app, pilot, "reviewer", "C2")
        await until(pilot, lambda: screen.item is not None and screen.item.state == "accepted")
        skill = own.content.paths.skill(FAMILY)
        skill.write_text(skill.read_text() + "\nOne more sentence.\n")
        await pilot.press("r")
        await until(pilot, lambda: screen.item is not None and screen.item.state == "fell away")
        assert "accepted for other texts by C2, holds no longer: so after all" in "\n".join(rows(app))
        assert "  f 1 " in rows(app)[0]


async def test_a_mark_needs_a_reason_and_a_skill(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await opened(app, pilot)
        await pilot.press("a")
        await answer(app, pilot, "reason", " ")
        await answer(app, pilot, "reviewer", "")
        await until(pilot, lambda: "a reason is missing" in " ".join(rows(app)[-3:]))
        assert not own.content.paths.accepted_rules(FAMILY).exists()
        await opened(app, pilot, f"reference:{FAMILY}", "spec")
        await pilot.press("a")
        await pilot.pause()
        assert "only rows of a skill" in " ".join(rows(app)[-3:])


@pytest.mark.parametrize("ending", [".md", ".json", ".csv"])
async def test_export_of_the_rows_shown(own: AppContext, tmp_path: Path, ending: str) -> None:
    app, path = WorkbenchApp(own), tmp_path / f"rows{ending}"
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("s", "s", "E")
        await answer(app, pilot, "export to", str(path))
        await until(pilot, path.exists)
        text = path.read_text(encoding="utf-8")
        assert text.count("agree") >= len(screen.table) and ("conflict" in text) == (ending != ".csv")
        if ending == ".json":
            assert {item["status"] for item in json.loads(text)["items"]} == {"agree"}
        await pilot.press("E")
        await answer(app, pilot, "export to", str(path))
        await until(pilot, lambda: "there is a file of that name" in " ".join(rows(app)[-4:]))
        await pilot.press("E")
        await answer(app, pilot, "export to", str(tmp_path / "rows.xls"))
        await until(pilot, lambda: ".md, .json, .csv" in " ".join(rows(app)[-4:]))


async def test_the_second_side_is_chosen(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(140, 45), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert screen.has_class("wide")
        await pilot.press("A")
        finder = await on_screen(pilot, app, FinderScreen)
        await until(pilot, lambda: len(finder._candidates) > 0)
        keys = [candidate.key for candidate in finder._candidates]
        assert "choice:spec" in keys and "choice:reference:public-code" in keys
        await pilot.press(*"operational", "enter")
        await until(pilot, lambda: app.screen is screen and screen.labels == ("skill", "spec"))
        assert "--against spec" in screen.plain_twin
        await pilot.press("C")
        assert "1st only" in "\n".join(rows(app))


async def test_without_a_first_side_one_is_chosen(own: AppContext) -> None:
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await pilot.press("7")
        finder = await on_screen(pilot, app, FinderScreen)
        await until(pilot, lambda: len(finder._candidates) > 0)
        await pilot.press(*"infection-raw", "enter")
        screen = await read(app, pilot)
        assert screen.arguments == {"first": "spec:mimic-suspicion-infection-raw", "second": "reference"}


async def test_a_run_whose_steps_hold_no_query_is_told(own: AppContext) -> None:
    record_run(own.data, RUN)
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("rule-diff", first=f"run:{RUN}")
        await on_screen(pilot, app, RuleDiffScreen)
        await until(pilot, lambda: app.current is not None and _settled(app))


def _settled(app: WorkbenchApp) -> bool:
    screen = app.screen
    assert isinstance(screen, RuleDiffScreen)
    return screen.labels[0] == "agent" or "no query is in the steps" in "\n".join(rows(app))


@pytest.mark.parametrize("name", ["skill", "family", "run-detail"])
async def test_ways_that_lead_there(own: AppContext, name: str) -> None:
    record_run(own.data, RUN)
    arguments = {"skill": {"skill": FAMILY}, "family": {"family": FAMILY}, "run-detail": {"run": RUN}}[name]
    app = WorkbenchApp(own)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen(name, **arguments)
        await until(pilot, lambda: app.current is not None and app.current.screen_name == name)
        assert app.current is not None
        await app.current.settled()
        await pilot.press("equals_sign")
        screen = await on_screen(pilot, app, RuleDiffScreen)
        assert screen.arguments["first"] == (f"run:{RUN}" if name == "run-detail" else SKILL)
