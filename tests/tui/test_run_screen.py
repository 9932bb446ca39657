"""New run: the form, its plain command, what is wrong with it, and real starts."""

import shlex
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from recorded_runs import TASK
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.catalog import Content
from workbench.records import BadInput, Condition, RunResult, SchemaVariant, Settings
from workbench.runs import Context
from workbench.store import RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.launching import ProgressBox, start_run
from workbench.tui.run_form import FIELDS, RunForm
from workbench.tui.screens import run as run_screen
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.live import LiveScreen
from workbench.tui.screens.run import RunScreen
from workbench.tui.terminal import Terminal
from workbench.tui.widgets.base import ListPane

RAW = f"{TASK}-raw"


def form(**values: str) -> RunForm:
    return RunForm(Settings(), [TASK, RAW], ["mine", "synthetic-500-1"], {"task": TASK, **values})


def field(name: str):
    return next(item for item in FIELDS if item.name == name)


def test_empty_fields_let_the_workbench_choose(content: Content) -> None:
    empty = form()
    assert empty.command() == f"workbench run {TASK}"
    assert empty.shown(field("source")) == "(synthetic-500-1)"
    assert empty.shown(field("agent")) == "(replay of the newest demonstration)"
    assert form(file="x.sql").shown(field("agent")) == "(script)"
    request = empty.request(content.task)
    assert (request.agent, request.condition, request.sandbox, request.file) == ("", None, "", None)
    assert request.limits.wall_s == 900


def test_what_is_set_goes_into_command_and_request(content: Content) -> None:
    filled = form(
        condition="with-skill",
        agent="command",
        template="tool --say '{prompt}'",
        wall="12.5",
        memory="100",
        disk="7",
        output="3",
        processes="9",
        trial="4",
        file="~/it's here.sh",
        source="mine",
        model="m",
        effort="high",
        sandbox="bubblewrap",
    )
    words = shlex.split(filled.command())
    assert words[:3] == ["workbench", "run", TASK]
    assert {words[at]: words[at + 1] for at in range(3, len(words), 2)} == {
        "--condition": "with-skill",
        "--agent": "command",
        "--template": "tool --say '{prompt}'",
        "--limit-wall": "12.5",
        "--limit-memory": "100",
        "--limit-disk": "7",
        "--limit-output": "3",
        "--limit-processes": "9",
        "--trial": "4",
        "--file": "~/it's here.sh",
        "--source": "mine",
        "--model": "m",
        "--effort": "high",
        "--sandbox": "bubblewrap",
    }
    request = filled.request(content.task)
    assert request.condition is Condition.WITH_SKILL and request.template == ["tool", "--say", "{prompt}"]
    assert request.file == Path("~/it's here.sh").expanduser()
    assert (request.limits.wall_s, request.limits.processes) == (12.5, 9)
    assert (request.limits.memory_bytes, request.limits.work_bytes) == (100 * 1024**2, 7 * 1024**2)
    assert request.limits.output_bytes == 3 * 1024**2


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("wall", "0"),
        ("wall", "soon"),
        ("wall", "nan"),
        ("wall", "inf"),
        ("wall", "-1"),
        ("trial", "1.5"),
        ("trial", "0"),
        ("memory", "-4"),
        ("processes", "²"),
        ("disk", "99999999999"),
        ("template", "an 'open quote"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(name: str, typed: str) -> None:
    given = form(**{name: "1"})
    with pytest.raises(BadInput):
        given.set(name, typed)
    assert given.value(name) == "1"


def test_choices_go_round() -> None:
    given = form()
    for name in ("task", "condition", "agent", "source", "sandbox"):
        item = field(name)
        known = given.choices(item)
        seen = []
        for _ in known:
            assert given.step(item, 1)
            seen.append(given.value(name))
        assert sorted(seen) == sorted(known)
        before = given.value(name)
        given.step(item, 1)
        given.step(item, -1)
        assert given.value(name) == before
    assert not given.step(field("model"), 1)


async def opened(app: WorkbenchApp, pilot: Pilot[int], **arguments: str) -> RunScreen:
    await pilot.pause()
    app.open_screen("run", **arguments)
    screen = await on_screen(pilot, app, RunScreen)
    await until(pilot, lambda: bool(screen.form.tasks))
    return screen


async def test_the_form_by_keys(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot, task=RAW)
        assert f"Task       {RAW}" in rows(app)[1]
        await pilot.press("left")
        await pilot.pause()
        assert screen.form.value("task") == TASK
        await pilot.press("down", "right", "right", "down", "down", "right")
        await pilot.pause()
        assert screen.plain_twin == f"workbench run {TASK} --condition with-skill --agent replay"
        await pilot.press("down", "enter", *"a [/b].sql", "enter")
        await pilot.pause()
        assert screen.form.value("file") == "a [/b].sql" and "a [/b].sql" in rows(app)[5]
        await pilot.press("backspace")
        await pilot.pause()
        assert screen.form.value("file") == ""
        await pilot.press("right")
        await pilot.pause()
        assert "enter lets you type it" in footer(app)
        await pilot.press("end", "up", "up", "up", "up", "up", "enter", *"none", "enter")
        await pilot.pause()
        assert "Time: the time limit is a number of seconds above 0" in footer(app)
        await pilot.press("enter", "escape")
        await pilot.pause()
        assert app.screen is screen and "c Cancel" not in footer(app)


async def test_many_choices_are_a_list_to_type_in(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot, task=RAW)
        assert "enter Choose" in footer(app)
        for row in ("home", "down"):
            await pilot.press(row, "slash", *"source", "enter")
            await pilot.pause()
            assert app.screen is screen and screen.query_one(ListPane).chosen_key == "source"
        await pilot.press("home", "enter")
        await on_screen(pilot, app, FinderScreen)
        assert "enter Choose" in footer(app) and "down Next one" in footer(app)
        assert app.screen.query_one(ListPane).chosen_key == f"choice:{screen.form.value('task')}"
        await pilot.press(*TASK, "enter")
        await until(pilot, lambda: screen.form.value("task") == TASK)
        await pilot.press("down", "enter")
        await on_screen(pilot, app, FinderScreen)
        assert "A skill of another family, as fixed" in "".join(rows(app))
        await pilot.press(*"with skill decoy", "enter")
        await until(pilot, lambda: screen.form.value("condition") == "with-skill-decoy")
        assert app.screen is screen and "with-skill-decoy" in rows(app)[2]


async def test_another_task_does_not_get_the_script_of_the_one_before(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot, task=RAW)
        screen.form.values |= {"agent": "script", "file": "mine.sql", "condition": "no-skill"}
        app.open_screen("run", task=RAW)
        await pilot.pause()
        assert screen.form.value("file") == "mine.sql"
        app.open_screen("run", task=TASK)
        await until(pilot, lambda: screen.form.value("task") == TASK)
        assert (screen.form.value("agent"), screen.form.value("file")) == ("", "")
        assert screen.form.value("condition") == ""


async def test_a_start_waits_for_the_form_and_an_error_goes_with_it(
    tui_context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, read = threading.Event(), run_screen.read_choices

    def late(context: AppContext) -> run_screen.Choices:
        go_on.wait(20)
        return read(context)

    monkeypatch.setattr(run_screen, "read_choices", late)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("run")
        screen = await on_screen(pilot, app, RunScreen)
        screen.restore({"values": {"task": TASK, "agent": "script"}})
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert "still reading the tasks" in footer(app) and not screen.starting
        assert f"Task       {TASK}" in rows(app)[1]
        go_on.set()
        await until(pilot, lambda: "needs a file" in footer(app))
        app.open_screen("run", task=RAW)
        await until(pilot, lambda: "needs a file" not in footer(app))


async def test_what_is_wrong_is_said_before_anything_is_made(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        for values, said in (
            (
                {"agent": "script"},
                "the agent 'script' needs a file. Fill in the field File (.sql, .sh or .py).",
            ),
            ({"agent": "script", "file": "/no/such/file.sql"}, "cannot be read"),
            ({"source": "no-such-source"}, "no source named 'no-such-source'"),
            ({"agent": "codex"}, "needs a model"),
        ):
            screen.form.values = {"task": TASK, **values}
            await pilot.press("ctrl+r")
            await until(pilot, lambda: not screen.starting)
            assert said in footer(app)
            assert not any(item.option and item.option in footer(app) for item in FIELDS)
        assert RunStore(tui_context.data).rows() == []


async def test_what_was_filled_in_is_there_next_time(make_app: Callable[..., WorkbenchApp]) -> None:
    first = make_app()
    async with first.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(first, pilot, task=RAW)
        screen.form.set("wall", "33")
        await pilot.press("ctrl+q")
    second = make_app()
    async with second.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await on_screen(pilot, second, RunScreen)
        await until(pilot, lambda: bool(screen.form.tasks))
        assert (screen.form.value("task"), screen.form.value("wall")) == (RAW, "33")


def test_making_ready_can_be_stopped() -> None:
    box = ProgressBox()
    box("making tables", 5, 10, "tables")
    assert box.text.startswith("making tables  5 of 10 tables")
    box.cancel()
    with pytest.raises(KeyboardInterrupt):
        box("making tables", 6, 10, "tables")


@pytest.fixture
def ready_tui(ready_context: Context) -> AppContext:
    """Over a data directory where everything for a run is made."""
    return AppContext(ready_context.content, ready_context.data, ready_context.settings, Terminal())


def test_stopped_before_its_process_starts_there_is_no_run(ready_tui: AppContext) -> None:
    box = ProgressBox()
    box.cancel()
    before = len(RunStore(ready_tui.data).rows())
    assert start_run(ready_tui, form(source=ready_tui.settings.source), box) == ""
    assert len(RunStore(ready_tui.data).rows()) == before


async def test_a_replay_from_the_form_to_its_verdict(ready_tui: AppContext) -> None:
    app = WorkbenchApp(ready_tui)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot, task=TASK)
        screen.form.values = {"task": TASK, "source": ready_tui.settings.source}
        await pilot.press("ctrl+r")
        await until(pilot, lambda: isinstance(app.screen, LiveScreen))
        live = await on_screen(pilot, app, LiveScreen)
        assert not screen.starting
        await until(pilot, lambda: not live.going_on)
        run_id = str(live.arguments["run"])
        result = RunResult.load(ready_tui.data.run(run_id).result)
        assert result.score is not None and result.score.readable
        assert live.lines.verdict == result.verdict
        await until(pilot, lambda: str(result.verdict) in rows(app)[-2])


def test_the_schema_variant_is_part_of_what_is_asked(tui_context: AppContext) -> None:
    form = RunForm(tui_context.settings, [TASK])
    (field,) = [item for item in FIELDS if item.name == "schema"]
    assert form.shown(field) == "(native)"
    assert [form.step(field, 1) for _ in range(3)] == [True] * 3
    assert form.command() == f"workbench run {TASK} --schema restructured"
    assert form.request(tui_context.content.task).schema_variant is SchemaVariant.RESTRUCTURED
