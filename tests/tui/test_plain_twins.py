"""Plain twins: the commands that a screen names run, and say everything that the screen says."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_up import OPENERS, SMALL_SKILL, make_content, make_home
from recorded_runs import NOON, RUN, NoonClock, make_plan, record_run
from test_sources_screen import put_source

from workbench.catalog import headings
from workbench.cli import main
from workbench.records import AgentChoice, Condition, DataPaths
from workbench.store import LISTED, RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.run_table import run_table
from workbench.tui.screens.skill import skill_lines
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.base import ListPane

Say = Callable[[str], str]


@pytest.fixture
def filled(tui_context: AppContext, tmp_path: Path) -> AppContext:
    make_home(tui_context.data)
    return replace(tui_context, content=make_content(tmp_path / "content"), clock=NoonClock())


@pytest.fixture
def say(
    filled: AppContext, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Say:
    """``say('workbench runs list')``: what the command prints; it must end well (1: found something)."""
    for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("WORKBENCH_HOME", str(filled.data.root))
    monkeypatch.chdir(tmp_path / "content")

    def run(command: str) -> str:
        capsys.readouterr()
        program, *arguments = command.split()
        assert program == "workbench"
        code = main(arguments)
        out, err = capsys.readouterr()
        assert code in (0, 1), f"{command}: {err}"
        return out + err

    return run


def words(text: str) -> set[str]:
    """What a listener would hear: words and numbers, without the marks of a screen."""
    return {word for word in re.findall(r"[\w.:-]*\w", text.replace(",", "").lower()) if len(word) > 2}


TWINS_TO_RUN = sorted(OPENERS.keys() - {"palette", "run"})
ACTING = (
    "workbench run cancel",
    "workbench config set",
    "workbench config unset",
    "workbench runs mismatches",
)
"""Change something, or need an output that the made-up run has not."""


@pytest.mark.parametrize("screen", TWINS_TO_RUN)
async def test_the_commands_that_a_screen_names_run(filled: AppContext, say: Say, screen: str) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(100, 30), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await OPENERS[screen](app, pilot)
        assert app.current is not None
        twins = [twin.strip() for twin in app.current.plain_twin.split(";")]
    for twin in twins:
        if not twin.startswith(ACTING):
            assert say(twin).strip()


def whole_text(screen: TextScreen) -> str:
    """Every row, unfolded."""
    source = screen.view.source
    if hasattr(source, "fold_all"):
        source.fold_all(False)
    return "\n".join(source.line(row).text.plain for row in range(len(source)))


async def drawn_text(app: WorkbenchApp, screen: str) -> tuple[str, str]:
    """What a screen of text holds from its first row to its last, and its twins."""
    async with app.run_test(size=(200, 30), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await OPENERS[screen](app, pilot)
        current = app.current
        assert isinstance(current, TextScreen)
        return whole_text(current), current.plain_twin


TEXTS = ["run-detail", "trajectory", "live", "log", "skill", "sources", "runs", "document", "compare"]


@pytest.mark.parametrize("screen", TEXTS)
async def test_they_say_what_the_screen_says(filled: AppContext, say: Say, screen: str) -> None:
    text, twins = await drawn_text(WorkbenchApp(filled), screen)
    said = "".join(say(twin) for twin in twins.split(";") if not twin.startswith(ACTING))
    heard = words(said)
    joined = "".join(said.lower().replace(",", "").split())
    missing = {word for word in words(text) if word not in heard and word not in joined}
    assert missing - OWN_WORDS.get(screen, set()) == set()


OWN_WORDS = {
    "run-detail": {
        "all",
        "condition",
        "utc",
        "made",
        "usage",
        "whole",
        "hashes",
        "workbench",
        "show",
        "goes",
    },
    "live": {"result"},
}
"""Headings of the screen that its twin says in other words, its naming of the twin and of keys."""


async def test_the_list_of_a_family_says_what_its_screen_says(filled: AppContext, say: Say) -> None:
    app = WorkbenchApp(filled)
    async with app.run_test(size=(200, 30), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        await OPENERS["family"](app, pilot)
        assert app.current is not None
        items, twin = app.current.query_one(ListPane).items, app.current.plain_twin
    said = say(twin)
    heard = words(said + say(f"{twin} --about"))
    about = {"definition", "when", "the", "inputs", "become", "known"}
    missing = {word for item in items if item.key for word in words(item.text.plain)} - heard - about
    assert missing == set()
    titles = [item.text.plain for item in items if not item.key]
    assert titles == [
        "Definition",
        "Tasks",
        "Skill",
        "Reference",
        "Example and checks",
        "Caveats and witness cases",
    ]


async def test_home_counts_what_its_twins_list(filled: AppContext, say: Say) -> None:
    caveats = filled.content.audit("suspicion-infection").caveats
    listed = say("workbench witness list")
    assert all(caveat.id in listed and str(caveat.severity) in listed for caveat in caveats)
    assert all(task in say("workbench task list") for task in filled.content.families()[0].tasks)
    assert "suspicion-infection" in say("workbench skill list")


def more_runs(data: DataPaths) -> None:
    store = RunStore(data)
    for at, (condition, agent) in enumerate(
        ((Condition.WITH_SKILL, "codex"), (Condition.NO_SKILL, "script"), (Condition.WITH_SKILL, "script"))
    ):
        name = f"20300503-0{at}0000-dddd0{at}"
        choice = AgentChoice(name=agent, model="Some-Model" if at else "")
        store.create(make_plan(name, condition=condition, agent=choice, created=NOON.replace(day=3, hour=at)))
        store.paths(name).lock.unlink()
    record_run(data, "20300504-000000-eeeeee", trial=2)


QUERIES = ("with-skill", "SCRIPT no-skill", "05-03", "some-model script", "quarantined 0.750", "no such")
CASES = [("", column) for column in ("", *LISTED)] + [(query, "reward") for query in QUERIES]


@pytest.mark.parametrize(("query", "column"), CASES)
def test_the_listing_is_filtered_and_ordered_as_the_screen_is(
    filled: AppContext, say: Say, query: str, column: str
) -> None:
    more_runs(filled.data)
    table = run_table()
    table.fill(RunStore(filled.data).rows())
    table.filter(query)
    for falling in (False, True) if column else (False,):
        table.sort(column, descending=falling)
        command = ["runs", "list", "--json", "--match", query]
        command += ["--sort", column] if column else []
        command += ["--falling"] if falling else []
        wanted = [table.row_at(at).run_id for at in range(len(table))]
        assert run_ids(command) == wanted


def run_ids(arguments: list[str]) -> list[str]:
    import contextlib
    import io
    import json

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(arguments) == 0
    return [item["run_id"] for item in json.loads(out.getvalue())["items"]]


def test_an_unknown_column_or_file_is_told(
    filled: AppContext, say: Say, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "list", "--sort", "colour"]) == 2
    assert "verdict, reward" in capsys.readouterr().err
    assert main(["runs", "log", RUN, "--file", "secret"]) == 2
    assert "trajectory, stderr" in capsys.readouterr().err
    assert main(["runs", "log", RUN, "--file", "output"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_the_log_begins_where_it_is_told_and_is_inert(filled: AppContext, say: Say) -> None:
    RunStore(filled.data).paths(RUN).trajectory.write_bytes(b"one\n\x1b[2Jtwo\xff\nthree\nfour\n")
    assert say(f"workbench runs log {RUN} --line 2 --limit 2") == "␛[2Jtwo\ufffd\nthree\n"


def test_sections_of_a_skill_are_those_of_the_screen(filled: AppContext, say: Say) -> None:
    skill = filled.content.skill(SMALL_SKILL)
    shown = [(item.level, item.title, item.line) for item in skill_lines(skill).sections]
    assert shown == [(item.level, item.title, item.line) for item in headings(skill.body, skill.body_line)]
    assert [line.split()[0] for line in say(f"workbench skill sections {SMALL_SKILL}").splitlines()[1:]] == [
        str(line) for _, _, line in shown
    ]


def test_a_source_says_which_tables_were_not_in_the_input(filled: AppContext, say: Say) -> None:
    put_source(filled.data, "third")
    assert "not in the input" in say("workbench data show third")
