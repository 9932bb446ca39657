"""Trajectory: steps, folding, jumps to errors, SQL and violations, live growth, hostile text."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from snapshots import compare, footer
from textual.pilot import Pilot
from waiting import searched

from workbench.catalog import Content
from workbench.records import (
    AgentChoice,
    BadInput,
    Condition,
    ContentPaths,
    DataPaths,
    Level,
    Observation,
    Place,
    RunPaths,
    RunPlan,
    Settings,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    Usage,
    Violation,
)
from workbench.store import EventLog, FileLock, RunStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.log import LogScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.terminal import Terminal
from workbench.tui.trajectory_feed import Arrival, TrajectoryLines
from workbench.tui.widgets.line_source import Tone
from workbench.tui.widgets.search import Query

ROOT = Path(__file__).resolve().parents[2]
RUN = "20300501-120000-abcdef"
HOSTILE = "\x1b[2J\x1b]0;title\x07 [bold]x[/bold] [/foo] arr[0] \u202eabc\u200b 漢字 " + "e\u0301" * 50


def command(number: int, text: str, output: str = "", code: int = 0) -> Step:
    return Step(
        number=number,
        source=StepSource.AGENT,
        calls=[ToolCall(call_id=f"c{number}", name="shell", kind=ToolKind.COMMAND, command=text)],
        observations=[Observation(call_id=f"c{number}", text=output, exit_code=code)],
    )


STEPS = [
    Step(number=1, source=StepSource.USER, message="Derive **it**. " + HOSTILE),
    Step(
        number=2,
        source=StepSource.AGENT,
        message="First I look around.",
        reasoning="thinking\n" * 20,
        timestamp="2030-01-01T00:00:00Z",
        usage=Usage(input_tokens=1200, output_tokens=30),
    ),
    command(3, "ls -la /data", "\n".join(f"file {number}" for number in range(100))),
    command(4, 'duckdb /data/ehr.duckdb -c "SELECT stay_id FROM mimiciv_icu.icustays"', "1\n2\n"),
    command(5, "cat /references/answer.csv", "cat: no such file", 1),
    command(
        6,
        "python3 - <<'PY'\nimport duckdb\nduckdb.sql('''SELECT count(*) FROM t''')\nPY",
        HOSTILE + "x" * 4_000_000,
    ),
    Step(number=7, source=StepSource.AGENT, message="Done."),
]
VIOLATION = Violation(
    rule="reads-references",
    level=Level.FAIL,
    message="looked for the references " + HOSTILE,
    place=Place(step=5),
    excerpt="cat /references/answer.csv",
)


@pytest.fixture
def context(tmp_path: Path) -> Iterator[AppContext]:
    yield AppContext(Content(ContentPaths(ROOT)), DataPaths(tmp_path / "home"), Settings(), Terminal())


@pytest.fixture
def run(context: AppContext) -> RunPaths:
    plan = RunPlan(
        run_id=RUN,
        created=datetime(2030, 5, 1, 12, tzinfo=UTC),
        task="mimic-suspicion-infection",
        family="suspicion-infection",
        condition=Condition.NO_SKILL,
        source="synthetic-500-1",
        agent=AgentChoice(name="script", model="none"),
        sandbox="bubblewrap",
    )
    return RunStore(context.data).create(plan)


@pytest.fixture
def recorded(run: RunPaths) -> RunPaths:
    with FileLock(run.lock, "run"):
        log = EventLog(run.events)
        log.stage("execute", "begin")
        for step in STEPS:
            log.step(step)
            if step.number == VIOLATION.place.step:
                log.violation(VIOLATION)
        log.stage("execute", "end")
        log.note("a note")
        log.violation(
            Violation(rule="late", level=Level.WARN, message="seen at the end", place=Place(step=3))
        )
        log.close()
    return run


async def opened(app: WorkbenchApp, pilot: Pilot[int], **more: int) -> TrajectoryScreen:
    app.open_screen("trajectory", run=RUN, **more)
    await pilot.pause()
    screen = app.screen
    assert isinstance(screen, TrajectoryScreen)
    await wait_until(pilot, lambda: screen.lines.complete)
    return screen


async def wait_until(pilot: Pilot[int], condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await pilot.pause()


def rows(app: WorkbenchApp) -> list[str]:
    return ["".join(part.text for part in strip).rstrip() for strip in app.screen._compositor.render_strips()]


def here(screen: TrajectoryScreen) -> str:
    line = screen.view.line
    return "" if line is None else line.text.plain


async def test_steps_at_80x24(context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("home")
        shown = [row[:79].rstrip() for row in rows(app)]
        assert shown[0].endswith("1/7  ■ interrupted, 1 fail, 1 warn")
        assert shown[1] == ">    1  user"
        assert shown[2].startswith("     Derive **it**. ␛[2J␛]0;title␇ [bold]x[/bold] [/foo] arr[0]")
        assert "     2  agent  2030-01-01T00:00:00Z  1,200 in, 30 out" in shown
        assert "  +  ~ thinking" in shown
        assert "       … 14 more lines" in shown
        assert screen.plain_twin == f"workbench runs show {RUN} --events --details"


async def test_jumps(context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("home")
        found = []
        for key in (
            "x",
            "v",
            "v",
            "V",
            "V",
            "s",
            "s",
            "S",
            "left_square_bracket",
            "right_square_bracket",
            "X",
        ):
            await pilot.press(key)
            found.append(here(screen).strip()[:24])
        assert found == [
            "exit 1",
            "fail: reads-references: ",
            "fail: reads-references: ",
            "warn: late: seen at the ",
            "warn: late: seen at the ",
            "$ duckdb /data/ehr.duckd",
            "$ python3 - <<'PY'",
            "$ duckdb /data/ehr.duckd",
            "4  agent",
            "5  agent",
            "5  agent",
        ]
        await pilot.pause()
        assert "no error before this line; x goes on" in footer(app)
        await pilot.press("end", "x")
        await pilot.pause()
        assert "no error after this line; X goes back" in footer(app)
        screen.go_to_mark("nothing", "fault", keys_of="trajectory")
        await pilot.pause()
        assert "no fault in this run" in footer(app)


async def test_folding(context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        closed = len(screen.lines)
        screen.view.search(Query.of("file 77"))
        await wait_until(pilot, lambda: here(screen) == "  | file 77")
        assert len(screen.lines) > closed + 80
        await pilot.press("enter")
        assert len(screen.lines) == closed
        assert here(screen) == "  | file 0"
        await pilot.press("Z")
        assert len(screen.lines) > 2_500
        assert here(screen) == "  | file 0"
        await pilot.press("end")
        assert here(screen).strip() == "note: a note"
        await pilot.press("z")
        assert len(screen.lines) == closed


async def test_sql_is_highlighted_inside_a_command(context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("home", "s")
        line = screen.view.line
        assert line is not None
        words = {line.text.plain[span.start : span.end] for span in line.spans if span.tone is Tone.KEYWORD}
        assert words == {"SELECT", "FROM"}


async def test_begins_at_a_step_and_keeps_its_place(context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot, step=5)
        assert here(screen) == "  5  agent"
        assert screen.state() == {"step": 5}
        for size in ((40, 10), (1, 1), (140, 45)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert screen.state() == {"step": 5}


async def test_outline_marks_what_failed(context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(140, 45), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert [row[:21] for row in rows(app)[3:6]] == [
            " !   3 agent  $ ls -l",
            "     4 agent  $ duckd",
            " V   5 agent  $ cat /",
        ]
        await pilot.press("o", "home", "down", "down")
        assert screen.state() == {"step": 3}
        await pilot.press("o")
        assert screen.view.has_focus
        assert not screen.has_class("with-outline")


async def test_outline_takes_the_place_of_the_text_on_a_small_screen(
    context: AppContext, recorded: RunPaths
) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("o")
        await pilot.pause()
        assert rows(app)[1].startswith(">")
        assert "$ cat /references" in rows(app)[5]
        await pilot.press("end", "up", "enter")
        await pilot.pause()
        assert screen.view.has_focus
        assert screen.state() == {"step": 6}


async def test_live_run_grows_and_is_followed(context: AppContext, run: RunPaths) -> None:
    app = WorkbenchApp(context)
    with FileLock(run.lock, "run"):
        log = EventLog(run.events)
        log.stage("execute", "begin")
        log.step(STEPS[0])
        async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            app.open_screen("trajectory", run=RUN)
            await pilot.pause()
            screen = app.screen
            assert isinstance(screen, TrajectoryScreen)
            await wait_until(pilot, lambda: len(screen.lines.steps) == 1)
            assert screen.view.following
            log.step(STEPS[2])
            log.step(STEPS[4])
            await wait_until(pilot, lambda: len(screen.lines.steps) == 3)
            assert here(screen).strip() == "exit 1"
            await pilot.press("home")
            log.violation(VIOLATION)
            await wait_until(pilot, lambda: screen.lines.counted.total() == 1)
            assert screen.view.cursor == 0
            screen.view.go_to(len(screen.lines) - 1)
            at_end = here(screen)
            log.violation(Violation(rule="late", level=Level.WARN, message="m", place=Place(step=3)))
            await wait_until(pilot, lambda: screen.lines.counted.total() == 2)
            assert here(screen) == at_end
            log.close()
            assert not screen.lines.complete


async def test_raw_log_and_back(context: AppContext, recorded: RunPaths) -> None:
    recorded.trajectory.write_text("line one\n\x1b[2Jline two\n")
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        trajectory = await opened(app, pilot)
        await pilot.press("L")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, LogScreen)
        await screen.settled()
        await wait_until(pilot, lambda: len(screen.view.source) == 2)
        assert rows(app)[1:3] == [">     1 line one", "      2 ␛[2Jline two"]
        await pilot.press("escape")
        assert app.screen is trajectory


async def test_a_run_that_is_not_there_is_told(context: AppContext) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        app.open_screen("trajectory", run="no-such-run")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, TrajectoryScreen)
        await screen.settled()
        await pilot.pause()
        assert "no run" in footer(app)


SIZES = {"80x24": (80, 24), "140x45": (140, 45)}
LOOKS = {
    "dark": ("workbench-dark", Terminal()),
    "light": ("workbench-light", Terminal()),
    "none": ("", Terminal(colours=0)),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
async def test_pictures(context: AppContext, recorded: RunPaths, size: str, look: str) -> None:
    recorded.trajectory.write_text("\n".join(f"{number} {HOSTILE}" for number in range(100)))
    theme, terminal = LOOKS[look]
    app = WorkbenchApp(replace(context, settings=Settings(theme=theme), terminal=terminal))
    async with app.run_test(size=SIZES[size], notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("home", "s", "shift+down")
        screen.view.search(Query.of("duck"))
        await searched(pilot)
        compare(app, f"trajectory.{size}.{look}")
        await pilot.press("L")
        await pilot.pause()
        log = app.screen
        assert isinstance(log, LogScreen)
        await wait_until(pilot, lambda: rows(app)[0].endswith("line 1 of 100"))
        await pilot.pause()
        compare(app, f"log.{size}.{look}")


async def test_what_comes_while_the_screen_is_left_finds_no_widgets_and_does_no_harm(
    context: AppContext, recorded: RunPaths
) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        screen.lines = TrajectoryLines()
        told: list[int] = []
        await screen.query("*").remove()
        screen._feed, _ = screen.open_feed(context, RUN)
        screen._feed.put(Arrival())
        screen.in_background(lambda: 1, told.append, group="late")
        assert not screen.take()
        screen.status(Inert.of("late"))
        screen.failed(BadInput("late"))
        screen._stop.set()
        await screen.settled()
        assert screen.is_attached and not screen.is_there
        assert screen.lines.blocks == [] and told == []
        assert app.crash is None


async def test_a_trajectory_left_while_it_loads_does_not_crash(
    context: AppContext, recorded: RunPaths
) -> None:
    app = WorkbenchApp(context)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(5):
            app.open_screen("trajectory", run=RUN)
            await pilot.press("escape")
            await wait_until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.crash is None
