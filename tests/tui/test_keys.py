"""Every key comes from the registry: on every screen each action answers to its key, and to another one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from recorded_runs import AFTER, BEFORE, RUN, record_pair, record_run
from textual import events
from textual.keys import _character_to_key, key_to_character
from waiting import until

from workbench.records import Settings
from workbench.tui.actions import (
    Action,
    active_scopes,
    check_keys,
    in_scope,
    key_label,
    keys_of,
    refusal,
    registry,
    scopes,
)
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.legend import LEGENDS
from workbench.tui.screen_table import SCREENS, ScreenEntry
from workbench.tui.screens.help import HelpLines, help_entries
from workbench.tui.widgets.base import Field
from workbench.tui.widgets.line_source import Tone
from workbench.tui.widgets.text_editor import TextEditor

Make = Callable[..., WorkbenchApp]
Read = Callable[[WorkbenchApp], str]

ARGUMENTS: dict[str, dict[str, Any]] = {
    "skill": {"skill": "suspicion-infection"},
    "trajectory": {"run": RUN},
    "log": {"run": RUN},
    "run-detail": {"run": RUN},
    "live": {"run": RUN},
    "compare": {"run": BEFORE, "other": AFTER},
    "rule-diff": {"first": "skill:suspicion-infection"},
    "caveat": {"caveat": "suspicion-infection/agents-missing-from-list"},
    "caveat-form": {"caveat": "suspicion-infection/agents-missing-from-list"},
    "help": {"scope": "trajectory"},
    "family": {"family": "suspicion-infection"},
    "document": {"part": "suspicion-infection/caveats:"},
    "finder": {"what": "things"},
    "whole": {"run": RUN, "step": 3, "part": 2},
    "versions": {"skill": "suspicion-infection"},
    "sign-offs": {"skill": "suspicion-infection"},
    "proposals": {"skill": "suspicion-infection"},
    "merge": {"skill": "suspicion-infection", "other": "HEAD"},
    "edit": {"skill": "suspicion-infection"},
    "save-skill": {"skill": "suspicion-infection", "editor": "aa"},
    "difference": {"skill": "suspicion-infection", "old": "0"},
    "blame": {"skill": "suspicion-infection"},
}
AT_ONCE = 50
"""Turns of the loop within which a key has led to its action, where it does."""
SPARE = [f"f{number}" for number in range(1, 25)]
FUNCTION_KEYS = [*SPARE, *(f"ctrl+{key}" for key in SPARE), *(f"shift+{key}" for key in SPARE)]
FUNCTION_KEYS += [
    f"{way}+{key}"
    for way in (
        "alt",
        "ctrl+shift",
        "alt+shift",
        "alt+ctrl",
        "alt+ctrl+shift",
        "meta",
        "super",
        "alt+meta",
        "alt+super",
    )
    for key in SPARE
]
FUNCTION_KEYS = [key for key in FUNCTION_KEYS if all(key not in action.keys for action in registry())]
REMAPPED = dict(zip([action.id for action in registry()], FUNCTION_KEYS, strict=False))
"""Each action on a key that nothing has by itself."""

TYPED = {
    "question_mark",
    *(key for name in ("field", "editor") for action in in_scope(name) for key in action.keys),
}
"""Keys that mean something else while a person types, apart from letters."""


def holding(scope: str) -> list[Action]:
    """The actions that hold on a screen and in the part of it that has the focus."""
    return [action for name in active_scopes(scope) for action in in_scope(name)]


async def open_settled(app: WorkbenchApp, pilot: Any, entry: ScreenEntry) -> None:
    app.open_screen(entry.name, **ARGUMENTS.get(entry.name, {}))
    await until(pilot, lambda: app.current is not None and app.current.screen_name == entry.name)
    await app.current.settled()
    await pilot.pause()


@contextmanager
def answered(app: WorkbenchApp) -> Iterator[list[str]]:
    """Names of the actions that keys lead to, which are not done."""
    done: list[str] = []

    async def run_action(action: str, namespace: Any = None, *_: Any) -> bool:
        done.append(action)
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "run_action", run_action)
        patch.setattr(app, "_check_action_state", lambda *_: True)
        yield done


def send(app: WorkbenchApp, key: str) -> None:
    """Send a key as a pilot does, without its waiting for what is drawn."""
    name = _character_to_key(key) if len(key) == 1 else key
    event = events.Key(name, key_to_character(name))
    event.set_sender(app)
    assert app._driver is not None
    app._driver.send_message(event)


async def leads_to(app: WorkbenchApp, pilot: Any, key: str, done: list[str], method: str) -> bool:
    """Whether a key leads to an action; most do at once, and only for the others is waited."""
    done.clear()
    send(app, key)
    for _ in range(AT_ONCE):
        if method in done:
            return True
        await asyncio.sleep(0)
    await pilot.pause()
    return method in done


def test_there_are_keys_enough_to_remap_all() -> None:
    assert len(REMAPPED) == len(registry())
    assert check_keys(REMAPPED) == []


async def unanswered(
    app: WorkbenchApp, pilot: Any, entry: ScreenEntry, remapped: dict[str, str]
) -> list[str]:
    """Actions that hold on the screen in front whose keys do not lead to them."""
    failed = []
    typing = isinstance(app.focused, Field | TextEditor)
    with answered(app) as done:
        for action in holding(entry.name):
            for key in keys_of(action, remapped):
                if typing and (key in TYPED or len(key) == 1):
                    continue
                if not await leads_to(app, pilot, key, done, action.method):
                    failed.append(f"{entry.name}: {action.id} by {key}")
    return failed


async def test_each_action_answers_to_its_keys_on_every_screen(
    make_app: Make, tui_context: AppContext
) -> None:
    record_run(tui_context.data)
    record_pair(tui_context.data)
    app = make_app()
    failed = []
    async with app.run_test(size=(80, 24)) as pilot:
        for entry in SCREENS:
            await open_settled(app, pilot, entry)
            failed += await unanswered(app, pilot, entry, {})
    assert failed == []


async def test_each_action_answers_to_the_keys_it_was_given_and_to_no_other(
    make_app: Make, tui_context: AppContext
) -> None:
    record_run(tui_context.data)
    record_pair(tui_context.data)
    app = make_app(settings=Settings(keys=REMAPPED))
    failed, usual = [], {}
    async with app.run_test(size=(80, 24)) as pilot:
        for entry in SCREENS:
            await open_settled(app, pilot, entry)
            failed += await unanswered(app, pilot, entry, REMAPPED)
            with answered(app) as done:
                for key in sorted({key for action in registry() for key in action.keys}):
                    send(app, key)
                await pilot.pause()
                await pilot.pause()
            usual[entry.name] = list(done)
    assert failed == []
    assert usual == {entry.name: [] for entry in SCREENS}


async def test_a_search_begins_with_the_key_it_was_given(make_app: Make, tui_context: AppContext) -> None:
    app = make_app(settings=Settings(keys={"lines.search": "ctrl+f", "prompt.close": "f9"}))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open_screen("skill", skill="suspicion-infection")
        await pilot.pause()
        await app.current.settled()
        await pilot.press("slash")
        assert not isinstance(app.focused, Field)
        await pilot.press("ctrl+f", *"window")
        assert isinstance(app.focused, Field) and app.focused.value == "window"
        await pilot.press("f9")
        assert not isinstance(app.focused, Field)


async def test_a_letter_given_to_a_command_is_still_typed(make_app: Make) -> None:
    app = make_app(settings=Settings(keys={"app.redraw": "u", "app.home": "ctrl+o"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g", *"unit")
        assert app.current.query_one(Field).value == "unit"
        await pilot.press("ctrl+o")
        assert app.current.screen_name == "home"


async def test_a_sign_can_be_given_as_it_is_typed(make_app: Make) -> None:
    app = make_app(settings=Settings(keys={"app.messages": "%"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("%")
        assert app.current.screen_name == "messages"


async def test_a_line_is_edited_with_the_keys_of_the_registry(make_app: Make) -> None:
    app = make_app(settings=Settings(keys={"field.delete-left-all": "f7"}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+g", *"abc def", "home", "delete", "end", "ctrl+w")
        field = app.current.query_one(Field)
        assert field.value == "bc "
        await pilot.press("shift+left", "backspace", "shift+home", "ctrl+c", "home", "ctrl+v")
        assert field.value == "bcbc"
        await pilot.press("end", "ctrl+u")
        assert field.value == "bcbc"
        await pilot.press("f7")
        assert field.value == ""


def end(text: str) -> str:
    """The rows where messages are told."""
    return "\n".join(text.splitlines()[-2:])


async def test_q_says_how_to_quit_on_every_screen(
    make_app: Make, screen_text: Read, tui_context: AppContext
) -> None:
    record_run(tui_context.data)
    record_pair(tui_context.data)
    app = make_app(settings=Settings(keys={"app.quit": "ctrl+o"}))
    said = "^o quits; where you are is kept and runs go on. esc goes back."
    seen = {}
    async with app.run_test(size=(80, 24)) as pilot:
        for entry in SCREENS:
            if entry.name in ("finder", "edit"):  # there it is typed
                continue
            app.told.clear()  # which Messages would show
            await open_settled(app, pilot, entry)
            told = []
            for key in ("", "q", "f8", "ctrl+c"):
                await pilot.press(*([key] if key else []))
                await pilot.pause()
                told.append(said in end(screen_text(app)))
            seen[entry.name] = (told, app.current.screen_name)
        assert app.is_running
    assert seen == {name: ([False, True, False, True], name) for name in seen}
    assert len(seen) == len(SCREENS) - 2


@pytest.mark.parametrize("entry", SCREENS, ids=lambda entry: entry.name)
async def test_help_lists_all_that_holds(
    make_app: Make, screen_text: Read, tui_context: AppContext, entry: ScreenEntry
) -> None:
    listed = {item.key for item in help_entries(entry.name, {}, "")}
    assert {action.id for action in holding(entry.name)} <= listed
    if "lines" in active_scopes(entry.name):
        prompts = {action.id for action in (*in_scope("prompt"), *in_scope("field"))}
        assert prompts | {"lines.search", "lines.fold-all", "lines.select-down", "lines.copy"} <= listed


def test_help_says_what_does_the_mouse_s_work_without_one() -> None:
    lines = {item.key: item.help for item in help_entries("log", {"lines.copy": "f8"}, "")}
    assert lines["mouse:click again"] == "as enter"
    assert lines["mouse:mark and copy"] == "as shift-up, shift-down, f8"
    assert "mouse:mark and copy" not in {item.key for item in help_entries("home", {}, "")}


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        ("trajectory", {"3/13": "step", "+ -": "hidden", "x ! V i": "violation"}),
        ("live", {"3/13": "step", "0:34": "agent", "+ -": "hidden"}),
        ("skill", {"3/13": "section", "+ -": "hidden"}),
        ("document", {"3/13": "section"}),
        ("runs", {"attempt 2": "cell", "seconds": "agent"}),
        (
            "run-detail",
            {
                "nMAE": "distance",
                "F1": "keys",
                "✓ x ! V": "agrees",
                "publishable": "failed nothing",
                "the agent": "Runs",
            },
        ),
    ],
)
def test_help_explains_what_is_shown(scope: str, seen: dict[str, str]) -> None:
    lines = {item.key.removeprefix("shown:"): item.help for item in help_entries(scope, {}, "")}
    assert all(word in lines[sign] for sign, word in seen.items())
    titles = [item.title for item in help_entries(scope, {}, "") if not item.help]
    assert titles[1:3] == [scopes()[scope].title, "What is shown"]


def test_only_screens_with_signs_of_their_own_explain_them() -> None:
    assert set(LEGENDS) <= set(scopes())
    assert not any(item.title == "What is shown" for item in help_entries("home", {}, ""))


@pytest.mark.parametrize("scope", ["home", "trajectory", "run", "settings", "run-detail", "runs"])
def test_help_is_read_at_80_columns(scope: str) -> None:
    lines = HelpLines(help_entries(scope, {"app.palette": "f2"}, "workbench --help"))
    lines.lay_out(77)
    shown = [line.text.plain.rstrip() for line in lines.lines]
    assert shown[0] == "Getting around" and "Leave this help." in shown[1]
    assert any(row.split()[:3] == ["f2", "Any", "command"] for row in shown[:10])
    assert all(len(row) <= 77 for row in shown)
    heads = [at for at, line in enumerate(lines.lines) if line.tone is Tone.HEADING]
    assert all(shown[at - 1] == "" for at in heads[1:])
    titles = [scopes()[name].title for name in (scope, "app")]
    assert [shown[at] for at in heads if shown[at] in titles] == titles
    for action in (*in_scope(scope), *in_scope("app")):
        key = key_label(keys_of(action, {"app.palette": "f2"})[0])
        begin = " ".join(action.help.split()[:2])
        assert any(re.match(rf"  {re.escape(key)} .*  {action.title} +{begin}", row) for row in shown), key


def test_help_at_40_columns_has_its_sentences_below_their_keys() -> None:
    lines = HelpLines(help_entries("home", {}, ""))
    lines.lay_out(37)
    shown = [line.text.plain.rstrip() for line in lines.lines]
    assert all(len(row) <= 37 for row in shown)
    at = shown.index("  ^p  Any command")
    assert shown[at + 1] == "    By a few letters of its name."


@pytest.mark.parametrize(
    ("action", "keys", "said"),
    [
        ("home.reload", "j", "j is the key of Down (list.down, Lists) already"),
        ("lines.search", "e", "e is the key of Editor (log.editor, Log) already"),
        ("lines.search", "e", "give that command another key first, or take another key here"),
        ("app.quit", "u", "typed into a text"),
        ("app.quit", "ctrl+p", "^p is the key of Commands (app.palette, Everywhere) already"),
        ("prompt.close", "b", "typed into a text"),
        ("field.delete-left", "ctrl+g", "Go to (app.go-to, Everywhere)"),
        ("app.back", "u,B", "needs a key that is not typed"),
        ("app.back", "f4,B", ""),
        ("home.reload", "ctrl+i", "cannot be the only key"),
        ("home.reload", "nokey", "no key is called nokey; keys are called f5, ctrl+r"),
        ("home.reload", "banana", "no key is called banana; keys are called f5, ctrl+r"),
        ("home.reload", "ctrl+banana", "no key is called ctrl+banana"),
        ("home.reload", "f5,umbrella", "no key is called umbrella"),
        ("home.reload", "latin_small_letter_a", "no key is called latin_small_letter_a"),
        ("home.reload", "<scroll-up>", "no key is called <scroll-up>"),
        ("home.reload", "ctrl+shift+f5,alt+x,é,§,section_sign,€", ""),
        ("home.reload", "?", "? is the key of Help (app.help, Everywhere) already"),
        ("home.reload", "^t", ""),
        ("home.reload", "ctrl-t,shift-f5,ctrl-shift-f6", ""),
        ("home.reload", "^p", "^p is the key of Commands (app.palette, Everywhere) already"),
        ("home.reload", "shift-tab", "shift-tab is the key of Part before (app.previous-part"),
        ("home.reload", "esc", "esc is the key of Back (app.back, Everywhere) already"),
        ("home.reload", "ctrl-banana", "no key is called ctrl+banana"),
        ("home.reload", "", "has no key"),
        ("home.reload", "f5", ""),
    ],
)
def test_keys_that_cannot_be_are_refused_with_the_other_command(action: str, keys: str, said: str) -> None:
    reason = refusal(action, keys, {})
    assert (said in reason) if said else not reason


def test_two_commands_can_change_places_one_after_the_other() -> None:
    assert refusal("runs.sort", "f", {}) != ""
    assert refusal("runs.filter", "f6", {}) == ""
    assert refusal("runs.sort", "f", {"runs.filter": "f6"}) == ""
