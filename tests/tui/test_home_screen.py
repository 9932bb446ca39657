"""Home: what it counts, what its lines open, how far everything is from it, what it says of broken files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import FAMILY, ROOT, make_content, open_home
from recorded_runs import record_run
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import Settings
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.document import DocumentScreen
from workbench.tui.screens.family import FamilyScreen
from workbench.tui.screens.home import HomeScreen
from workbench.tui.screens.run import RunScreen
from workbench.tui.screens.skill import SkillScreen
from workbench.tui.widgets.base import ListPane

Read = Callable[[WorkbenchApp], str]
RAW = "mimic-suspicion-infection-raw"


@pytest.fixture
def small(tui_context: AppContext, tmp_path: Path) -> AppContext:
    """One family with two tasks and a skill; a decoy; a skill that nothing uses."""
    return replace(tui_context, content=make_content(tmp_path / "content"))


def family_file(context: AppContext, family: str, name: str = "family.toml") -> Path:
    return context.content.paths.benchmark_tasks / family / name


@pytest.fixture
def two(small: AppContext) -> AppContext:
    """Another family beside it."""
    shutil.copytree(ROOT / "tasks/m4bench/sirs", family_file(small, "sirs").parent)
    shutil.copytree(ROOT / "skills/sirs", small.content.paths.skills / "sirs")
    shutil.copy(ROOT / "audits/sirs.toml", small.content.paths.audits)
    return small


def pane(app: WorkbenchApp) -> ListPane:
    assert app.current is not None
    return app.current.query_one(ListPane)


async def test_it_counts_what_it_says(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_home(app, pilot)
        lines = screen_text(app).splitlines()
        assert lines[0].endswith("1 family, 2 tasks, 3 skills")
        assert lines[1].startswith("  family  Suspicion of infection")
        assert lines[4] == "  skill   suspicion-infection"
        assert lines[5].startswith("  caveats 15 of the reference: ‼ 4 major, ! 5 moderate, · 6 minor")
        assert lines[6] == "Skills that are no task's own"
        assert lines[7:9] == ["  skill   small-skill", "  skill   urine-output-rate  decoy of 2 tasks"]


async def test_what_is_beyond_the_benchmark_is_told_apart(two: AppContext, screen_text: Read) -> None:
    benchmark = two.content.paths.benchmark_tasks
    for family, collection, told in (
        ("sirs", "extensions", "2 families, 2 tasks, 1 extension, 4 skills"),
        (FAMILY, "local", "2 families, 0 tasks, 1 extension, 2 of your own, 4 skills"),
    ):
        shutil.move(benchmark / family, two.content.paths.tasks / collection / family)
        app = WorkbenchApp(two)
        async with app.run_test(size=(80, 24)) as pilot:
            await open_home(app, pilot)
            lines = screen_text(app).splitlines()
            assert lines[0].endswith(told)
            assert lines.index("Beyond the published benchmark") + 1 == next(
                number for number, line in enumerate(lines) if line.startswith("  family  Systemic")
            )


async def test_the_first_key_opens_a_new_run_with_the_first_task(
    small: AppContext, screen_text: Read
) -> None:
    for keys, task in ((("enter",), "mimic-suspicion-infection"), (("down", "enter"), RAW)):
        app = WorkbenchApp(small)
        async with app.run_test(size=(80, 24)) as pilot:
            await open_home(app, pilot)
            await pilot.press(*keys)
            screen = await on_screen(pilot, app, RunScreen)
            await screen.settled()
            await pilot.pause()
            assert f"Task       {task}" in screen_text(app).splitlines()[1]


@pytest.mark.parametrize("name", ["suspicion-infection", "small-skill"])
async def test_enter_on_a_skill_opens_it(small: AppContext, screen_text: Read, name: str) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_home(app, pilot)
        assert pane(app).go_to(f"skill:{name}")
        await pilot.press("enter")
        await on_screen(pilot, app, SkillScreen)
        assert screen_text(app).startswith(f" Workbench > Skill: {name}")


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("up", "enter"), f"about:{FAMILY}"),
        (("p",), f"about:{FAMILY}"),
        (("down", "down", "p"), f"about:{FAMILY}"),
        (("down", "down", "down", "enter"), f"caveats:{FAMILY}"),
    ],
)
async def test_a_family_is_opened_from_its_lines(small: AppContext, keys: tuple[str, ...], line: str) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_home(app, pilot)
        await pilot.press(*keys)
        await on_screen(pilot, app, FamilyScreen)
        await until(pilot, lambda: pane(app).chosen_key != "")
        assert pane(app).chosen_key == line


async def test_keys_go_from_family_to_family(two: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(two)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_home(app, pilot)
        keys = []
        for key in ("right_square_bracket",) * 2 + ("left_square_bracket",) * 3:
            await pilot.press(key)
            keys.append(pane(app).chosen_key)
        sirs, other = "family:sirs", f"family:{FAMILY}"
        assert keys == [other, other, sirs, sirs, sirs]
        await pilot.press("end", "p")
        assert isinstance(app.screen, HomeScreen) and "no family has this" in screen_text(app)


KINDS = {
    "P": "Skill: ", "O": "specification", "R": "reference public-code", "D": "deviations", "E": "example",
    "C": "caveats",
}  # fmt: skip


async def reach(pilot: Pilot[int], app: WorkbenchApp, family: str, key: str) -> str:
    """The heading of what two keys on a family's line open, once it is there and can be read."""
    await open_home(app, pilot)
    assert pane(app).go_to(f"family:{family}")
    await pilot.press("enter", key)
    await until(pilot, lambda: isinstance(app.screen, SkillScreen | DocumentScreen))
    screen = app.screen
    assert isinstance(screen, SkillScreen | DocumentScreen)
    await until(pilot, lambda: screen.lines is not None and len(screen.lines) > 2)
    assert screen.lines is not None
    assert screen.lines.line(0).text.plain != "# cannot be read"
    return screen.heading.plain


@pytest.mark.parametrize("family", ["gcs", "suspicion-infection"])
async def test_everything_of_a_family_is_two_keys_from_its_line(tui_context: AppContext, family: str) -> None:
    """That every family has all of it is tested with the parts of families."""
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24)) as pilot:
        for key, words in KINDS.items():
            assert words in await reach(pilot, app, family, key)


def damage(path: Path) -> None:
    """A line that is no TOML, at the end."""
    path.write_text(path.read_text(encoding="utf-8") + "oops\n", encoding="utf-8")


def last_line(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


async def test_a_broken_family_hides_no_other(two: AppContext, screen_text: Read) -> None:
    damage(family_file(two, "sirs"))
    line = last_line(family_file(two, "sirs"))
    app = WorkbenchApp(two)
    async with app.run_test(size=(100, 24)) as pilot:
        await open_home(app, pilot)
        lines = screen_text(app).splitlines()
        assert lines[0].endswith("✗ 1 unreadable  2 families, 2 tasks, 4 skills")
        told = (
            f"  family  sirs  ✗ cannot be read: correct line {line} of family.toml (Enter says what is wrong)"
        )
        assert lines[1] == told
        assert (
            lines[3].startswith("  family  Suspicion") and lines[4] == "> task    mimic-suspicion-infection"
        )
        assert "Skills that are no task that can be read's own" in lines
        assert pane(app).go_to("family:sirs")
        await pilot.press("enter", "enter")
        screen = await on_screen(pilot, app, DocumentScreen)
        await until(pilot, lambda: screen.lines is not None)
        text = "".join(screen_text(app).split())
        assert f"family.toml,line{line}" in text and "notvalidTOML" in text and "Correcttheline" in text
        await pilot.press("escape", "C")
        await until(pilot, lambda: "caveats" in screen_text(app).splitlines()[0])


async def test_a_broken_task_hides_no_other(two: AppContext, screen_text: Read) -> None:
    broken = family_file(two, FAMILY, f"{RAW}/task.toml")
    broken.write_text(broken.read_text().replace('mode = "raw"', 'mode = "rw"'))
    app = WorkbenchApp(two)
    async with app.run_test(size=(100, 24)) as pilot:
        await open_home(app, pilot)
        (told,) = (line for line in screen_text(app).splitlines() if RAW in line)
        assert told.startswith(f"  task    {RAW}  ✗ cannot be read: correct line ")
        assert "> task    mimic-sirs-24h-raw" in screen_text(app)
        assert pane(app).go_to(f"broken:{FAMILY}/task:{RAW}")
        await pilot.press("enter")
        screen = await on_screen(pilot, app, DocumentScreen)
        await until(pilot, lambda: screen.lines is not None)
        assert "mode: " in screen_text(app) and "'raw'" in screen_text(app)


async def test_a_broken_audit_and_a_missing_file_are_told(two: AppContext, screen_text: Read) -> None:
    damage(two.content.paths.audit("sirs"))
    family_file(two, "sirs", "mimic-sirs-24h-raw/operational-spec.md").unlink()
    app = WorkbenchApp(two)
    async with app.run_test(size=(100, 30)) as pilot:
        await open_home(app, pilot)
        assert "caveats ✗ the audit cannot be read" in screen_text(app)
        await pilot.press("p")
        await on_screen(pilot, app, FamilyScreen)
        await until(pilot, lambda: pane(app).chosen_key != "")
        assert screen_text(app).splitlines()[0].endswith("✗ 2 unreadable  1 task")
        assert (
            "specification  mimic-sirs-24h-raw  ✗ cannot be read: correct operational-spec.md"
            in screen_text(app)
        )
        await pilot.press("O")
        screen = await on_screen(pilot, app, DocumentScreen)
        await until(pilot, lambda: screen.lines is not None)
        assert "there is no such file" in screen_text(app)


async def test_a_new_run_tells_what_cannot_be_chosen(two: AppContext, screen_text: Read) -> None:
    damage(family_file(two, "sirs"))
    source = two.data.source("torn")
    source.folder.mkdir(parents=True)
    source.manifest.write_text("{")
    app = WorkbenchApp(two)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.open_screen("run")
        screen = await on_screen(pilot, app, RunScreen)
        await until(pilot, lambda: bool(screen.form.tasks))
        assert screen.form.tasks == ["mimic-suspicion-infection", RAW]
        line = last_line(family_file(two, "sirs"))
        assert f"sirs  ✗ cannot be read: correct line {line} of family.toml" in screen_text(app)
        assert "torn  ✗ cannot be read: correct manifest.json" in screen_text(app)
        await pilot.press("end")
        assert pane(app).chosen_key == "start"


async def test_a_newcomer_is_told_what_this_is_until_there_is_a_run(
    small: AppContext, screen_text: Read
) -> None:
    keys = {"app.palette": "f10", "list.choose": "f11", "home.family": "f12"}
    app = WorkbenchApp(replace(small, settings=Settings(keys=keys)))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_home(app, pilot)
        said = " ".join(line.strip() for line in screen_text(app).splitlines()[-5:-1])
        assert said.startswith("Skills are procedures that derive clinical facts from hospital records.")
        for words in ("f11 on a task sets up a run", "f12 shows all of its family", "f10 finds any command"):
            assert words in said
        assert said.endswith("? tells the keys. Last run: none yet")
        record_run(small.data)
        await pilot.press("r")
        await until(pilot, lambda: "Last of 1 run: " in screen_text(app))
        assert "Skills are procedures" not in screen_text(app)


async def test_home_is_searched(small: AppContext, screen_text: Read) -> None:
    app = WorkbenchApp(small)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_home(app, pilot)
        await pilot.press("slash", *"skill", "enter")
        await until(pilot, lambda: pane(app).chosen_key == "skill:suspicion-infection")
        assert pane(app).has_focus
        found = []
        for key in ("n", "n", "n", "N", "N"):
            await pilot.press(key)
            found.append(pane(app).chosen_key.partition(":")[2])
        first, small_skill, decoy = "suspicion-infection", "small-skill", "urine-output-rate"
        assert found == [small_skill, decoy, first, decoy, small_skill]
        await pilot.press("slash", *"re:(", "enter")
        await until(pilot, lambda: "not a regular expression" in screen_text(app))
        await pilot.press("slash", *"nowhere", "enter")
        await until(pilot, lambda: "nowhere: not found" in screen_text(app))
        assert pane(app).chosen_key == "skill:small-skill"
        await pilot.press("slash", "escape", "up")
        assert pane(app).chosen_key == f"caveats:{FAMILY}"
