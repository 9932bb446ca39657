"""The frame without a terminal: registry, keys, screens by name, session, finder, themes."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up import make_content
from rich.style import Style
from waiting import until

from workbench.records import BadInput, DataPaths, ScreenState, Settings, TerminalSession, load_settings
from workbench.tui.actions import (
    NOT_ALONE,
    Action,
    by_id,
    check_keys,
    conflicts,
    is_key,
    keys_of,
    registry,
    scopes,
)
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.finder import Candidate, rank
from workbench.tui.screen_table import SCREENS, ScreenEntry
from workbench.tui.screens import finder
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.session import take_session, write_session
from workbench.tui.terminal import Terminal, ascii_locale, detect, program_name
from workbench.tui.themes import LOOKS, THEMES, theme_for
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Field, ListPane

Make = Callable[..., WorkbenchApp]
Read = Callable[[WorkbenchApp], str]


@pytest.fixture
def tui_context(tmp_path: Path) -> AppContext:
    """One family, three skills, an empty data directory."""
    content = make_content(tmp_path / "content")
    return AppContext(content, DataPaths(tmp_path / "data"), load_settings(None, {}), Terminal())


def test_no_key_has_two_meanings_in_one_place() -> None:
    assert conflicts() == []


@pytest.mark.parametrize("action", registry(), ids=lambda action: action.id)
def test_every_action_is_named_helped_and_has_keys_that_exist(action: Action) -> None:
    assert action.scope in scopes()
    assert action.title and action.help.endswith(".")
    assert all(is_key(key) for key in action.keys)
    assert not all(key in NOT_ALONE for key in action.keys)


def test_ids_are_unique_and_scopes_of_screens_are_known() -> None:
    ids = [action.id for action in registry()]
    assert len(set(ids)) == len(ids)
    assert all(entry.name in scopes() for entry in SCREENS)
    assert all(inner in scopes() for scope in scopes().values() for inner in scope.within)


@pytest.mark.parametrize("entry", SCREENS, ids=lambda entry: entry.name)
def test_every_action_of_a_screen_has_its_method_and_the_screen_its_twin(entry: ScreenEntry) -> None:
    screen = entry.load()
    assert screen.screen_name == entry.name
    for action in registry():
        if action.scope == entry.name:
            assert hasattr(screen, f"action_{action.method}"), action.id
    assert screen.plain_twin is not WorkbenchScreen.plain_twin


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"app.nothing": "x"}, "no action is called app.nothing"),
        ({"home.reload": "hyper+nokey"}, "no key is called"),
        ({"home.reload": ""}, "has no key"),
        ({"home.reload": "ctrl+i"}, "cannot be the only key"),
        ({"home.reload": "j"}, "means both"),
        ({"home.reload": "ctrl+r"}, ""),
        ({"home.reload": "f5,R", "list.down": "down"}, ""),
    ],
)
def test_keys_of_the_configuration_are_checked(keys: dict[str, str], problem: str) -> None:
    problems = check_keys(keys)
    assert (problems == []) if not problem else any(problem in item for item in problems)


def test_settings_of_the_app_come_from_the_file_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "workbench.toml"
    file.write_text('theme = "high-contrast"\nascii = true\n[keys]\n"home.reload" = "f5"\n')
    found = load_settings(file, {"WORKBENCH_SSH_PROFILE": "on", "WORKBENCH_DIFF_OUTPUT": "off"})
    assert (found.theme, found.ascii, found.keys) == ("high-contrast", "on", {"home.reload": "f5"})
    assert (found.ssh_profile, found.diff_output) == ("on", False)
    with pytest.raises(BadInput, match="ssh_profile"):
        load_settings(None, {"WORKBENCH_SSH_PROFILE": "fast"})


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Terminal()),
        ({"TERM": "xterm-256color", "SSH_CONNECTION": "a 1 b 2"}, Terminal(slow=True, colours=256)),
        ({"TERM": "linux"}, Terminal(colours=16, ascii=True)),
        ({"TERM": "xterm"}, Terminal(colours=16)),
        ({"TERM": "xterm", "LC_ALL": "C"}, Terminal(colours=16, ascii=True)),
        ({"TERM": "xterm", "LC_ALL": "", "LANG": "POSIX"}, Terminal(colours=16, ascii=True)),
        ({"TERM": "xterm", "LC_ALL": "de_DE.UTF-8", "LANG": "C"}, Terminal(colours=16)),
        ({"TERM": "xterm", "LC_CTYPE": "C", "LANG": "de_DE.UTF-8"}, Terminal(colours=16, ascii=True)),
        ({"TERM": "xterm", "LC_CTYPE": "C.UTF-8", "LANG": "C"}, Terminal(colours=16)),
        ({"TERM": "xterm", "NO_COLOR": "1", "COLORTERM": "truecolor"}, Terminal(colours=0)),
    ],
)
def test_the_terminal_is_detected(environment: dict[str, str], expected: Terminal) -> None:
    assert detect(Settings(), environment) == expected


def test_a_locale_that_python_replaced_counts_as_it_was() -> None:
    assert ascii_locale({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, c_at_start=True)
    assert ascii_locale({"LC_CTYPE": "C.UTF-8"}, c_at_start=True)
    assert not ascii_locale({"LC_CTYPE": "C.UTF-8", "LANG": "de_DE.UTF-8"}, c_at_start=True)
    assert not ascii_locale({"PYTHONUTF8": "1"}, c_at_start=True)


def test_the_users_theme_counts_except_without_colours() -> None:
    assert theme_for("high-contrast", Terminal()) == "high-contrast"
    assert theme_for("high-contrast", Terminal(colours=0)) == "none"
    assert theme_for("no such theme", Terminal()) == theme_for("", Terminal()) == "workbench-dark"
    assert theme_for("", Terminal(colours=16)) == "sixteen"


async def test_home_shows_families_tasks_skills_caveats_and_the_last_run(
    make_app: Make, screen_text: Read
) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24), tooltips=True, notifications=True) as pilot:
        await app.current.settled()
        await pilot.pause()
        lines = screen_text(app).splitlines()
        assert lines[0].startswith(" Workbench > Home") and "2 tasks" in lines[0]
        assert lines[1] == "  family  Suspicion of infection"
        assert lines[2] == "> task    mimic-suspicion-infection"
        assert lines[5].startswith("  caveats 15 of the reference: ‼ ") and "major" in lines[5]
        assert "sets up a run" in " ".join(lines[19:23]) and "Last run: none yet" in " ".join(lines[19:23])
        assert lines[23].startswith(" enter Open") and lines[23].endswith("? Help")


async def test_a_remapped_key_works_and_shows_everywhere(make_app: Make, screen_text: Read) -> None:
    app = make_app(settings=Settings(keys={"app.help": "f1", "list.down": "ctrl+n"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.current.settled()
        await pilot.press("ctrl+n")
        assert app.current.query_one(ListPane).cursor == 2
        await pilot.press("down", "question_mark")
        assert app.current.screen_name == "home" and app.current.query_one(ListPane).cursor == 2
        assert "f1 Help" in screen_text(app)
        await pilot.press("f1")
        assert app.current.screen_name == "help"
        await pilot.pause()
        assert re.search(r"f1 esc +Back +Leave this help", screen_text(app))


async def test_keys_that_conflict_are_told_and_left_out(make_app: Make, screen_text: Read) -> None:
    app = make_app(settings=Settings(keys={"home.reload": "j"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "j means both" in screen_text(app)
        await app.current.settled()
        await pilot.press("j")
        assert app.current.query_one(ListPane).cursor == 2


async def test_help_lists_every_action_of_the_screen_and_the_plain_command(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        text = "\n".join(line.text.plain for line in app.current.view.source.lines)
        expected = {
            action.help.split()[0] for action in registry() if action.scope in ("app", "list", "home")
        }
        assert all(words in text for words in expected)
        assert "workbench task list" in text
        await pilot.press("question_mark")
        assert app.current.screen_name == "home"


async def test_the_palette_finds_and_does_a_command(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p", *"every key")
        pane = app.current.query_one(ListPane)
        assert pane.chosen_key == "app.help"
        await pilot.press("enter")
        await pilot.pause()
        assert app.current.screen_name == "help"


async def test_go_to_finds_tasks_and_skills(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g")
        await app.current.settled()
        await pilot.press(*"infection-raw")
        assert app.current.query_one(ListPane).chosen_key == "task:mimic-suspicion-infection-raw"
        await pilot.press("escape")
        assert app.current.screen_name == "home"


async def test_enter_before_the_list_is_read_is_not_lost(
    make_app: Make, screen_text: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    read = finder.find_things

    def late(*arguments: Any) -> list[Candidate]:
        go_on.wait(20)
        return read(*arguments)

    monkeypatch.setattr(finder, "find_things", late)
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g", *"skill infection", "enter")
        assert app.current.screen_name == "finder"
        assert "reading" in screen_text(app)
        assert "nothing of that name" not in screen_text(app)
        go_on.set()
        await until(pilot, lambda: app.current.screen_name == "skill")


async def test_the_palette_knows_the_commands_of_all_screens(make_app: Make, screen_text: Read) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p", *"filter")
        await pilot.pause()
        assert "Filter (Runs): Show only runs" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.current.screen_name == "runs" and bool(app.screen.query(AskLine)))
        await until(pilot, lambda: AskLine.of(app.screen).has_class("asking"))
        await pilot.press("escape", "ctrl+p", *"theme")
        await pilot.pause()
        assert app.screen.query_one(ListPane).chosen_key == "app.settings"
        await pilot.press("escape", "ctrl+p", *"next sql", "enter")
        await until(pilot, lambda: "works where there is a Trajectory" in screen_text(app))
        assert app.current.screen_name == "runs"
        await pilot.press("ctrl+p")
        await pilot.pause()
        keys = [item.key for item in app.screen.query_one(ListPane).items]
        assert keys.index("runs.filter") < min(
            at for at, key in enumerate(keys) if key.startswith("elsewhere:")
        )
        assert not any(key.startswith("elsewhere:runs.") for key in keys)


def test_words_are_looked_for_in_kind_name_and_family_together() -> None:
    things = [
        Candidate(
            "caveat:charlson/caveat:skin-cancer-left-out", "skin-cancer-left-out", "charlson, minor: Skin"
        ),
        Candidate("caveat:meld/caveat:limits", "limits-and-rounding", "meld, minor: Likdigo"),
        Candidate("caveat:a/caveat:b", "window", "suspicion-infection, major: The window"),
        Candidate("caveat:kdigo/caveat:c", "no-baseline", "kdigo, major: None"),
        Candidate("family:kdigo", "kdigo", "Kidney injury"),
    ]
    assert [thing.key for thing in rank("susp inf cav", things)] == ["caveat:a/caveat:b"]
    assert [thing.text for thing in rank("kdigo", things)] == ["kdigo", "no-baseline", "limits-and-rounding"]
    assert rank("kdigo cav", things)[0].text == "no-baseline"


def test_literal_hits_come_first_and_misspelt_words_are_found() -> None:
    many = [
        Candidate(f"run:{number}", f"mimic-task-{number % 40} run-{number:05d}") for number in range(5000)
    ]
    many.append(Candidate("task:sofa", "mimic-sofa-score"))
    assert rank("run-00017", many)[0].key == "run:17"
    assert rank("task-7 00047", many)[0].key == "run:47"
    assert rank("sofa scroe", many)[0].key == "task:sofa"
    late = [Candidate("case:a", "fraction-a-minute-later"), Candidate("case:b", "record-came-late")]
    assert rank("lactate", late) == []
    named = ["To the next line", "Search lines", "Lint next", "Next: do", "Next", "Annexts"]
    found = rank("next", [Candidate(f"a.{at}", f"{name}: next", title=name) for at, name in enumerate(named)])
    assert [item.title for item in found] == [
        "Next", "Next: do", "Lint next", "To the next line", "Annexts", "Search lines",
    ]  # fmt: skip
    assert len(rank("", many)) == len(rank("mimic", many)) == 200
    same = [Candidate("family:sofa", "sofa"), Candidate("skill:sofa", "sofa"), Candidate("task:a", "b sofa")]
    assert [rank(query, same)[0].key for query in ("sofa", "skill sofa", "task sofa")] == [
        "family:sofa", "skill:sofa", "task:a",
    ]  # fmt: skip


async def test_where_it_was_left_is_where_it_opens(make_app: Make, tui_context: AppContext) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.current.settled()
        await pilot.press("end")
        app.leave()
    again = make_app()
    async with again.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await again.current.settled()
        await pilot.pause()
        assert again.current.query_one(ListPane).chosen_key == "skill:urine-output-rate"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"mode": "home", "extra": 1}', '{"mode": "no-such-screen", "stack": [{"name": "x"}]}'],
)
async def test_a_damaged_session_is_no_hindrance(make_app: Make, tui_context: AppContext, text: str) -> None:
    path = tui_context.data.terminal_session
    path.parent.mkdir(parents=True)
    path.write_text(text)
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.current.screen_name == "home"


def test_a_session_is_taken_once(tui_context: AppContext) -> None:
    session = TerminalSession(mode="home", modes=[ScreenState(name="home", state={"line": "x"})])
    write_session(tui_context.data, session)
    assert take_session(tui_context.data) == session
    assert take_session(tui_context.data) is None


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
async def test_every_theme_draws_and_the_cursor_is_seen_without_colour(
    make_app: Make, screen_text: Read, theme: str
) -> None:
    app = make_app(settings=Settings(theme=theme))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.current.settled()
        await pilot.pause()
        assert "> task" in screen_text(app) and "‼ 4 major" in screen_text(app)
        assert app.theme == theme


async def test_without_colours_no_cell_has_one(make_app: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(terminal=Terminal(colours=0))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.current.settled()
        await pilot.pause()
        styles = [
            segment.style or Style() for strip in app.screen._compositor.render_strips() for segment in strip
        ]
        assert all(style.color is None or style.color.is_default for style in styles)
        assert all(style.bgcolor is None or style.bgcolor.is_default for style in styles)
        assert any(style.reverse for style in styles)


async def test_ascii_mode_draws_ascii_only(make_app: Make, screen_text: Read) -> None:
    app = make_app(terminal=Terminal(ascii=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.current.settled()
        await pilot.pause()
        assert screen_text(app).isascii() and "# 4 major" in screen_text(app)


def test_commands_are_told_as_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "bin" / "workbench"
    started.parent.mkdir()
    started.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    assert program_name("/x/workbench/__main__.py", "/nowhere") == "python -m workbench"
    assert program_name(str(started), "/nowhere") == "bin/workbench"
    assert program_name("/usr/x/workbench", "/nowhere") == "/usr/x/workbench"
    assert program_name(str(started), str(started.parent)) == "workbench"


def test_signs_differ_where_words_do() -> None:
    for group in (("publishable", "quarantined", "failed", "interrupted"), ("minor", "moderate", "major")):
        assert len({LOOKS[state].sign for state in group}) == len(group)
        assert len({LOOKS[state].ascii for state in group}) == len(group)
        assert all(LOOKS[state].ascii.isascii() for state in group)
    assert LOOKS["major"].ascii != LOOKS["interrupted"].ascii


def test_nothing_heavy_is_imported_before_the_first_paint() -> None:
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from workbench.tui.context import find_context\n"
        "context = find_context(Path(sys.argv[1]))\n"
        "from workbench.tui.app import WorkbenchApp\n"
        "async def main():\n"
        "    app = WorkbenchApp(context)\n"
        "    async with app.run_test(size=(80, 24)) as pilot:\n"
        "        await app.current.settled()\n"
        "asyncio.run(main())\n"
        "heavy = {'duckdb', 'sqlglot', 'git', 'docker', 'numpy', 'typer', 'markdown_it', 'rapidfuzz',"
        " 'workbench.ehr', 'workbench.sql', 'workbench.runs', 'workbench.trajectories'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, "/nonexistent/home"], capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "[]"


async def test_an_error_in_the_background_is_a_notice(make_app: Make, screen_text: Read) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:

        def fail() -> None:
            raise BadInput("line 3 is [bold]wrong[/]", where="file.toml", remedy="Correct it.")

        app.current.in_background(fail, lambda _: None)
        await app.current.settled()
        await pilot.pause()
        assert "error file.toml: line 3 is [bold]wrong[/]. Correct it." in screen_text(app)
        await pilot.press("down")
        await pilot.pause()
        assert "wrong" not in screen_text(app)


async def test_a_field_is_typed_in_without_keys_of_the_app(make_app: Make) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g", *"1qj?r")
        assert app.current.query_one(Field).value == "1qj?r"


def test_a_key_of_an_action_is_what_the_user_set() -> None:
    action = by_id("home.reload")
    assert action is not None
    assert keys_of(action, {"home.reload": "f5, R"}) == ("f5", "R")


def test_data_paths_of_the_app_are_below_one_folder(tmp_path: Path) -> None:
    data = DataPaths(tmp_path)
    assert data.terminal_session.parent == data.recovery.parent
