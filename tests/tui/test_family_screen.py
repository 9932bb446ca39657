"""The family screen and its documents: all that is there, in its own form; session; finder; editor."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import FAMILY, make_content, make_home, open_family, open_finder
from test_home_screen import damage, family_file, last_line, pane
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.catalog import PartKind, family_parts, part_text
from workbench.records import TerminalSession
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.places import restore_session
from workbench.tui.screens.document import DocumentScreen
from workbench.tui.screens.family import FamilyScreen, part_line
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.run import RunScreen
from workbench.tui.screens.skill import SkillScreen
from workbench.tui.screens.sources import SourcesScreen
from workbench.tui.widgets.line_source import Tone

Read = Callable[[WorkbenchApp], str]


@pytest.fixture
def filled(tui_context: AppContext, tmp_path: Path) -> AppContext:
    make_home(tui_context.data)
    return replace(tui_context, content=make_content(tmp_path / "content"))


async def document(app: WorkbenchApp, pilot: Pilot[int], key: str, family: str = FAMILY) -> DocumentScreen:
    app.open_screen("document", part=f"{family}/{key}")
    screen = await on_screen(pilot, app, DocumentScreen)
    await until(pilot, lambda: screen.lines is not None)
    return screen


def rows_of(screen: DocumentScreen) -> list[str]:
    assert screen.lines is not None
    return [screen.lines.line(row).text.plain for row in range(len(screen.lines))]


async def test_every_part_is_a_line_and_opens(filled: AppContext) -> None:
    parts = family_parts(filled.content, FAMILY)
    kinds = {part.kind for part in parts}
    assert kinds == {*PartKind} - {PartKind.CONCEPT}
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await open_family(app, pilot)
        assert [item.key for item in pane(app).items if item.key] == [part.key for part in parts]
        for kind in kinds - {PartKind.TASK}:
            part = next(part for part in parts if part.kind is kind)
            assert pane(app).go_to(part.key)
            await pilot.press("enter")
            screen = await on_screen(pilot, app, SkillScreen if kind is PartKind.SKILL else DocumentScreen)
            await until(pilot, lambda screen=screen: screen.lines is not None)
            assert "cannot be read" not in screen.lines.line(0).text.plain
            await pilot.press("escape")
            assert isinstance(app.screen, FamilyScreen) and pane(app).chosen_key == part.key


async def test_a_task_opens_a_new_run(filled: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await open_family(app, pilot)
        assert pane(app).go_to("task:mimic-suspicion-infection-raw")
        await pilot.press("T")
        screen = await on_screen(pilot, app, RunScreen)
        await screen.settled()
        await pilot.pause()
        assert "mimic-suspicion-infection-raw" in screen_text(app).splitlines()[1]


async def test_a_new_run_asked_for_on_a_family_s_page_is_of_its_task(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.open_screen("run")
        await until(pilot, lambda: bool(app.screen.form.tasks))
        tasks = app.screen.form.tasks
        other = tasks[-1]
        for line, task in (
            ("skill:suspicion-infection", "mimic-suspicion-infection"),
            ("task:mimic-suspicion-infection-raw", "mimic-suspicion-infection-raw"),
        ):
            app.open_screen("run", task=other)
            await until(pilot, lambda: app.screen.form.value("task") == other)
            await open_family(app, pilot)
            assert pane(app).go_to(line)
            await pilot.press("4")
            await until(pilot, lambda task=task: app.screen.form.value("task") == task)
            assert isinstance(app.screen, RunScreen)


def test_caveats_come_the_worst_first_and_by_their_title(tui_context: AppContext) -> None:
    parts = [part for part in family_parts(tui_context.content, "gcs") if part.kind is PartKind.CAVEAT]
    order = ["major", "moderate", "minor"]
    assert [part.severity for part in parts] == sorted((part.severity for part in parts), key=order.index)
    assert {part.severity for part in parts} == {*order}
    shown = part_line(parts[0]).text.plain
    assert 0 < shown.index(parts[0].note) < shown.index(parts[0].name)


async def test_sql_is_the_file_in_colours_with_its_rules(filled: AppContext) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.pause()
        screen = await document(app, pilot, "reference:adjudicated, mimic-iv")
        sql = part_text(filled.content, FAMILY, "reference:adjudicated, mimic-iv").text
        shown = [line.removeprefix("  ").rstrip() for line in rows_of(screen)]
        assert shown == [line.rstrip() for line in sql.rstrip("\n").split("\n")]
        assert screen.lines is not None
        row = shown.index(next(line for line in shown if line.lstrip().startswith("SELECT")))
        assert Tone.KEYWORD in {span.tone for span in screen.lines.line(row).spans}
        rules = [line.split("rule:")[1].split()[0] for line in shown if line.lstrip().startswith("-- rule:")]
        assert [section.title for section in screen.lines.sections] == rules
        await pilot.press("right_square_bracket")
        assert f"-- rule: {rules[0]}" in shown[screen.view.cursor]
        assert screen.state() == {"section": rules[0]}


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("caveats:gcs", ("1 major, 6 moderate, 6 minor", "The reference gives:", "bias: ")),
        ("deviations:sirs", ("Why: ", "Witness case: ", "SELECT")),
        ("deviations:gcs", ("None: the reference equals the pinned concept",)),
        ("example:mimic-iv", ("## Mapping", "### Input rows", "### Expected")),
        ("checks:gcs", ("### Ranges", "Cohort: ", "gcs_motor")),
        ("about:gcs", ("Grain: one row", "Knowable", "## Sources")),
    ],
)
async def test_what_is_written_in_toml_is_readable_text(
    tui_context: AppContext, key: str, words: tuple[str, ...]
) -> None:
    family = key.partition(":")[2]
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        name = "gcs" if family == "mimic-iv" else family
        text = "\n".join(rows_of(await document(app, pilot, key, name)))
        assert all(word in text for word in words)
        assert "[[" not in text and " = [" not in text


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("caveat:agents-missing-from-list", "## agents-missing-from-list"),
        ("case:ertapenem-alone", "### ertapenem-alone"),
    ],
)
async def test_a_caveat_and_a_case_begin_at_their_section(filled: AppContext, key: str, title: str) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = await document(app, pilot, key)
        assert rows_of(screen)[screen.view.cursor] == title
        assert screen.plain_twin == f"workbench task caveats {FAMILY}"


async def test_a_key_pressed_while_it_is_read_is_not_lost(filled: AppContext) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        app.open_screen("family", family=FAMILY)
        screen = app.screen
        assert isinstance(screen, FamilyScreen) and screen._parts is None
        screen.action_deviations()
        opened = await on_screen(pilot, app, DocumentScreen)
        assert opened.heading.plain == f"{FAMILY}: deviations"


async def test_every_key_follows_the_task_of_the_cursor_s_line(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for line, key, opened in (
            ("specification:mimic-suspicion-infection-raw", "I", "instruction mimic-suspicion-infection-raw"),
            ("instruction:mimic-suspicion-infection-raw", "O", "specification mimic-suspicion-infection-raw"),
            ("about:suspicion-infection", "I", "instruction mimic-suspicion-infection"),
        ):
            await open_family(app, pilot)
            assert pane(app).go_to(line)
            await pilot.press(key)
            screen = await on_screen(pilot, app, DocumentScreen)
            assert screen.heading.plain == f"suspicion-infection: {opened}"


async def test_what_a_family_has_not_is_told(filled: AppContext, screen_text: Read) -> None:
    family_file(filled, FAMILY, "worked-example.toml").unlink()
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await open_family(app, pilot)
        await pilot.press("E")
        assert isinstance(app.screen, FamilyScreen) and "this family has no example" in screen_text(app)
        app.open_screen("family", family="no-such")
        await until(pilot, lambda: "there is no family 'no-such'" in screen_text(app))
        app.open_screen("document", part=f"{FAMILY}/nonsense:x")
        await until(pilot, lambda: "has no nonsense:x" in screen_text(app))


async def test_a_session_comes_back_to_the_line_and_the_section(filled: AppContext) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await open_family(app, pilot)
        assert pane(app).go_to("case:ertapenem-alone")
        await pilot.press("enter")
        screen = await on_screen(pilot, app, DocumentScreen)
        await until(pilot, lambda: screen.lines is not None)
        await pilot.press("right_square_bracket")
        session = TerminalSession.from_json(app.session().to_json(), "here")
    later = WorkbenchApp(filled)
    async with later.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        restore_session(later, session)
        screen = await on_screen(pilot, later, DocumentScreen)
        await until(pilot, lambda: screen.lines is not None and screen.view.cursor > 0)
        assert rows_of(screen)[screen.view.cursor] == "### imipenem-alone"
        await pilot.press("escape")
        await on_screen(pilot, later, FamilyScreen)
        await until(pilot, lambda: pane(later).chosen_key == "case:ertapenem-alone")


async def test_the_finder_finds_families_sources_caveats_and_cases(filled: AppContext) -> None:
    torn = filled.data.source("torn")
    torn.folder.mkdir(parents=True)
    torn.manifest.write_text("{")
    for typed, key in (
        ("synthetic-500", "source:synthetic-500-1"),
        ("torn", "source:torn"),
        ("agents-missing", f"caveat:{FAMILY}/caveat:agents-missing-from-list"),
        ("ertapenem-alone", f"case:{FAMILY}/case:ertapenem-alone"),
    ):
        app = WorkbenchApp(filled)
        async with app.run_test(size=(120, 24)) as pilot:
            await pilot.pause()
            app.open_screen("finder", what="things")
            finder = await on_screen(pilot, app, FinderScreen)
            await until(pilot, lambda finder=finder: len(finder._candidates) > 50)
            await pilot.press(*typed)
            assert pane(app).chosen_key == key
            await pilot.press("enter")
            if key.startswith("source:"):
                sources = await on_screen(pilot, app, SourcesScreen)
                await until(pilot, lambda sources=sources: sources.table.total == 2)
                assert "✗ 1 unreadable  2 sources" in sources.position().plain
                row = sources.table.row_at(sources.view.cursor)
                assert row is not None and row.name == ("demo" if "torn" in key else "synthetic-500-1")
            else:
                screen = await on_screen(pilot, app, DocumentScreen)
                await until(pilot, lambda screen=screen: screen.lines is not None)
                assert typed in rows_of(screen)[screen.view.cursor]


async def test_the_finder_tells_what_cannot_be_read(filled: AppContext, screen_text: Read) -> None:
    damage(family_file(filled, FAMILY))
    app = WorkbenchApp(filled)
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        await open_finder(app, pilot)
        line = last_line(family_file(filled, FAMILY))
        (told,) = (found for found in screen_text(app).splitlines() if "family " in found)
        assert f"✗ cannot be read: correct line {line} of family.toml" in told
        assert "skill" in screen_text(app)


async def test_what_comes_later_does_not_move_the_cursor(filled: AppContext) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await open_finder(app, pilot)
        finder = app.screen
        assert isinstance(finder, FinderScreen)
        await pilot.press("down", "down")
        chosen = pane(app).chosen_key
        finder._show_candidates([*reversed(finder._candidates)])
        await pilot.pause()
        assert pane(app).chosen_key == chosen


async def test_the_editor_gets_the_file_and_the_line(
    filled: AppContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[Path, int]] = []

    def edit(_: object, file: Path, line: int = 1) -> object:
        from workbench.tui.inert import Inert

        asked.append((file, line))
        file.write_text(file.read_text() + "\nA new last line.\n")
        return Inert()

    monkeypatch.setattr("workbench.tui.screens.sections.edit", edit)
    spec = family_file(filled, FAMILY, "mimic-suspicion-infection-raw/operational-spec.md")
    app = WorkbenchApp(filled)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = await document(app, pilot, "specification:mimic-suspicion-infection-raw")
        await pilot.press("right_square_bracket", "right_square_bracket")
        line = screen.view.line
        assert line is not None
        await pilot.press("e")
        await until(pilot, lambda: "A new last line." in rows_of(screen))
        assert asked == [(spec, line.origin)] and spec.is_file() and os.fspath(tmp_path) in str(spec)
        broken = family_file(filled, FAMILY)
        damage(broken)
        wrong = last_line(broken)
        screen = await document(app, pilot, f"about:{FAMILY}")
        await pilot.press("e")
        assert asked[1] == (broken, wrong)
