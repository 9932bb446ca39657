"""A made-up home that depends on neither the day nor the place, and how every screen is opened over it."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from recorded_runs import AFTER, BEFORE, RUN, make_plan, record_pair, record_run
from skill_repository import CHANGED, commit, git, make_proposal, make_repository, put_sign_offs
from snapshots import footer
from test_skill_screen import SKILL
from test_sources_screen import put_source
from textual.pilot import Pilot
from waiting import until

from workbench.catalog import Content
from workbench.records import ContentPaths, DataPaths
from workbench.review import Drafts
from workbench.store import RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.inert import Inert
from workbench.tui.screens.blame import BlameScreen
from workbench.tui.screens.caveat import CaveatScreen
from workbench.tui.screens.caveat_form import CaveatFormScreen
from workbench.tui.screens.caveats import CaveatsScreen
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.difference import DifferenceScreen
from workbench.tui.screens.document import DocumentScreen
from workbench.tui.screens.edit import EditScreen
from workbench.tui.screens.family import FamilyScreen
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.home import HomeScreen
from workbench.tui.screens.live import LiveScreen
from workbench.tui.screens.log import LogScreen
from workbench.tui.screens.merge import MergeScreen
from workbench.tui.screens.messages import MessagesScreen
from workbench.tui.screens.proposals import ProposalsScreen
from workbench.tui.screens.rule_diff import RuleDiffScreen
from workbench.tui.screens.run import RunScreen
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.save_skill import SaveSkillScreen
from workbench.tui.screens.settings import SettingsScreen
from workbench.tui.screens.sign_offs import SignOffsScreen
from workbench.tui.screens.skill import SkillScreen
from workbench.tui.screens.skills import SkillsScreen
from workbench.tui.screens.sources import SourcesScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.screens.versions import VersionsScreen
from workbench.tui.screens.whole import WholeScreen
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.frame import HeaderLine

ROOT = Path(__file__).resolve().parents[2]
FAMILY = "suspicion-infection"
SMALL_SKILL = "small-skill"
Opener = Callable[[WorkbenchApp, Pilot[int]], Awaitable[None]]


def make_content(root: Path) -> Content:
    """One family with its skills and caveats, copied from the project, and a small skill."""
    for folder in (f"tasks/m4bench/{FAMILY}", f"skills/{FAMILY}", "skills/urine-output-rate"):
        shutil.copytree(ROOT / folder, root / folder)
    (root / "audits").mkdir()
    shutil.copy(ROOT / f"audits/{FAMILY}.toml", root / "audits")
    (root / "skills" / SMALL_SKILL).mkdir()
    (root / "skills" / SMALL_SKILL / "SKILL.md").write_text(SKILL.replace("\x1b", "␛"), encoding="utf-8")
    (root / "workbench.toml").write_text("")
    return Content(ContentPaths(root))


def make_home(data: DataPaths) -> None:
    """A recorded run with what its agent printed, an interrupted run, two sources."""
    run = record_run(data)
    run.trajectory.write_text("\n".join(f'{{"line": {number}, "text": "漢字"}}' for number in range(1, 101)))
    other = RunStore(data).create(
        make_plan("20300501-130000-bbbbbb", created=make_plan().created.replace(hour=13))
    )
    other.lock.unlink()
    put_source(data, "demo", 40, "imported")
    put_source(data, "synthetic-500-1")


async def open_home(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("home")

    def read() -> bool:
        screen = app.screen
        return (
            isinstance(screen, HomeScreen)
            and screen.query_one(HeaderLine).status.plain != ""
            and screen.query_one("#last-run", Label).text.plain != "Last run: reading"
        )

    await until(pilot, read)


async def open_runs(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("runs")
    await until(pilot, lambda: isinstance(app.screen, RunsScreen) and app.screen._rows is not None)


async def open_detail(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("run-detail", run=RUN)
    await until(pilot, lambda: isinstance(app.screen, RunDetailScreen) and len(app.screen.lines) > 0)


async def open_compare(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    record_pair(app.data)
    app.open_screen("compare", run=BEFORE, other=AFTER)
    await until(pilot, lambda: isinstance(app.screen, CompareScreen) and app.screen._compared is not None)


async def open_rules(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("rule-diff", first=f"skill:{FAMILY}")
    await until(pilot, lambda: isinstance(app.screen, RuleDiffScreen) and app.screen._laid is not None)
    await pilot.press("pagedown")
    assert isinstance(app.screen, RuleDiffScreen)
    app.screen.follow()


async def open_caveats(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("caveats")
    await until(pilot, lambda: isinstance(app.screen, CaveatsScreen) and app.screen._read)
    await pilot.press("down")
    assert isinstance(app.screen, CaveatsScreen)
    app.screen.follow()


async def open_caveat(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("caveat", caveat=f"{FAMILY}/agents-missing-from-list")
    await until(pilot, lambda: isinstance(app.screen, CaveatScreen) and app.screen._read is not None)


async def open_caveat_form(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen(
        "caveat-form", anchors=[[f"skills/{FAMILY}/SKILL.md", 15]], values={"source": "rule diff"}
    )
    await until(
        pilot, lambda: isinstance(app.screen, CaveatFormScreen) and bool(app.screen._values.get("family"))
    )


async def open_live(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("live", run=RUN)
    await until(pilot, lambda: isinstance(app.screen, LiveScreen) and not app.screen.going_on)
    await pilot.press("home")
    assert isinstance(app.screen, LiveScreen)
    app.screen._show_progress()


async def open_form(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("run")
    await until(pilot, lambda: isinstance(app.screen, RunScreen) and bool(app.screen.form.tasks))
    await pilot.press("down", "right", "right")


async def open_sources(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("sources")
    await until(pilot, lambda: isinstance(app.screen, SourcesScreen) and app.screen.table.total == 2)


async def open_trajectory(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("trajectory", run=RUN)
    await until(pilot, lambda: isinstance(app.screen, TrajectoryScreen) and app.screen.lines.complete)
    await pilot.press("home", "v")


async def open_skill(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("skill", skill=SMALL_SKILL)
    await until(pilot, lambda: isinstance(app.screen, SkillScreen) and app.screen.lines is not None)


async def open_family(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("family", family=FAMILY)
    await until(pilot, lambda: isinstance(app.screen, FamilyScreen) and app.screen._parts is not None)


async def open_document(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("document", part=f"{FAMILY}/caveat:agents-missing-from-list")
    await until(pilot, lambda: isinstance(app.screen, DocumentScreen) and app.screen.lines is not None)


async def open_log(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("log", run=RUN)
    await until(
        pilot,
        lambda: (
            isinstance(app.screen, LogScreen)
            and app.screen._source is not None
            and app.screen._source.complete
            and len(app.screen.view.source) > 0
        ),
    )


async def open_finder(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("finder", what="things")
    await until(
        pilot,
        lambda: (
            isinstance(app.screen, FinderScreen)
            and any(candidate.key.startswith("source:") for candidate in app.screen._candidates)
        ),
    )
    await pilot.press(*"infection")


async def open_palette(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    await open_home(app, pilot)
    app.open_screen("finder", what="commands")
    await until(pilot, lambda: isinstance(app.screen, FinderScreen) and len(app.screen._candidates) > 0)


async def open_help(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("help", scope="trajectory", twin=f"workbench runs show {RUN} --events")
    await until(pilot, lambda: isinstance(app.screen, HelpScreen) and app.screen.is_mounted)


async def open_settings(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("settings")
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen) and app.screen.is_mounted)
    await pilot.press("pagedown")


async def open_messages(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    await open_home(app, pilot)
    app.tell(Inert.of("the first thing that was said"))
    app.tell(
        Inert.line("error file.toml: there is something wrong with it, told at length. Correct it. " * 3)
    )
    app.open_screen("messages")
    await until(pilot, lambda: isinstance(app.screen, MessagesScreen) and app.screen.is_mounted)


async def open_whole(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    app.open_screen("whole", run=RUN, step=3, part=2)
    await until(
        pilot,
        lambda: (
            isinstance(app.screen, WholeScreen)
            and app.screen._copied is not None
            and len(app.screen.view.source) > 0
            and app.screen.view.source.complete
        ),
    )


def make_versions(app: WorkbenchApp) -> None:
    """Two versions of the small skill, and a line that is in none."""
    root = app.context.content.paths.root
    if not (root / ".git").exists():
        make_repository(root, SMALL_SKILL)
        file = root / "skills" / SMALL_SKILL / "SKILL.md"
        file.write_text(CHANGED, encoding="utf-8")
        commit(root, SMALL_SKILL, "Count stays by their begin", author="Grace")
        file.write_text(CHANGED + "\nOne more line.\n", encoding="utf-8")


async def open_skills(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_versions(app)
    app.open_screen("skills")
    await until(pilot, lambda: isinstance(app.screen, SkillsScreen) and app.screen._settled)


def make_conflict(app: WorkbenchApp) -> None:
    """A proposal that changes a line that the branch changed since, too."""
    make_versions(app)
    root = app.context.content.paths.root
    if not git(root, "branch", "--list", f"proposal/{SMALL_SKILL}/other"):
        git(root, "stash", "-q", "--", f"skills/{SMALL_SKILL}")
        make_proposal(
            root, SMALL_SKILL, CHANGED.replace("1. one stay, counted by its begin", "1. one stay, whole")
        )
        file = root / "skills" / SMALL_SKILL / "SKILL.md"
        file.write_text(
            CHANGED.replace("1. one stay, counted by its begin", "1. one stay, begun"), encoding="utf-8"
        )
        commit(root, SMALL_SKILL, "Only begun stays")


async def open_sign_offs(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    """Two open verdicts that differ; nothing of them is in git."""
    make_versions(app)
    put_sign_offs(app.context.content, SMALL_SKILL)
    app.open_screen("sign-offs", skill=SMALL_SKILL)
    await until(pilot, lambda: isinstance(app.screen, SignOffsScreen) and app.screen._signed is not None)


async def open_proposals(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_conflict(app)
    app.open_screen("proposals", skill=SMALL_SKILL)
    await until(pilot, lambda: isinstance(app.screen, ProposalsScreen) and app.screen._found is not None)


async def open_merge(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_conflict(app)
    app.open_screen("merge", skill=SMALL_SKILL, other=f"refs/heads/proposal/{SMALL_SKILL}/other")
    await until(pilot, lambda: isinstance(app.screen, MergeScreen) and app.screen._read_once)


async def open_edit(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_versions(app)
    app.open_screen("edit", skill=SMALL_SKILL, line=16)
    await until(pilot, lambda: isinstance(app.screen, EditScreen) and app.screen._findings is not None)
    await until(pilot, lambda: "? Help" not in footer(app))  # there ? is typed


async def open_save(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_versions(app)
    root = app.context.content.paths.root
    drafts = Drafts.of(root, app.data)
    if not drafts.all(SMALL_SKILL)[0]:
        drafts.keep(drafts.begin(SMALL_SKILL, "", ""), CHANGED.replace("nested", "deeper"))
    editor = drafts.all(SMALL_SKILL)[0][0].editor
    app.open_screen("save-skill", skill=SMALL_SKILL, editor=editor)
    await until(pilot, lambda: isinstance(app.screen, SaveSkillScreen) and app.screen._planned is not None)
    drafts.drop(drafts.all(SMALL_SKILL)[0][0])


async def open_versions(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_versions(app)
    app.open_screen("versions", skill=SMALL_SKILL)
    await until(pilot, lambda: isinstance(app.screen, VersionsScreen) and app.screen._found is not None)


async def open_difference(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_versions(app)
    app.open_screen("difference", skill=SMALL_SKILL, old="HEAD~1", new="")
    await until(pilot, lambda: isinstance(app.screen, DifferenceScreen) and app.screen._found is not None)


async def open_blame(app: WorkbenchApp, pilot: Pilot[int]) -> None:
    make_versions(app)
    app.open_screen("blame", skill=SMALL_SKILL)
    await until(pilot, lambda: isinstance(app.screen, BlameScreen) and bool(app.screen._lines))


OPENERS: dict[str, Opener] = {
    "home": open_home,
    "runs": open_runs,
    "run-detail": open_detail,
    "live": open_live,
    "run": open_form,
    "sources": open_sources,
    "trajectory": open_trajectory,
    "skill": open_skill,
    "family": open_family,
    "document": open_document,
    "log": open_log,
    "finder": open_finder,
    "palette": open_palette,
    "help": open_help,
    "settings": open_settings,
    "messages": open_messages,
    "whole": open_whole,
    "compare": open_compare,
    "skills": open_skills,
    "edit": open_edit,
    "save-skill": open_save,
    "versions": open_versions,
    "difference": open_difference,
    "blame": open_blame,
    "sign-offs": open_sign_offs,
    "proposals": open_proposals,
    "merge": open_merge,
    "rule-diff": open_rules,
    "caveats": open_caveats,
    "caveat": open_caveat,
    "caveat-form": open_caveat_form,
}
"""Every screen; ``palette`` is the finder over commands."""
