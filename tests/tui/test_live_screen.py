"""Live: steps as they come, violations at their step, cancelling, detaching and attaching again."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from recorded_runs import (
    AT_END,
    AT_STEP,
    NOON,
    RUN,
    STEPS,
    begin_log,
    make_plan,
    make_result,
    record_run,
    tell_end,
    tell_steps,
)
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import RunPaths, Verdict
from workbench.store import EventLog, FileLock, RunStore, atomic_write, reserve_lock
from workbench.tui import trajectory_feed
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens import trajectory
from workbench.tui.screens.live import LiveScreen
from workbench.tui.screens.run_detail import RunDetailScreen

WHAT = ["mimic-suspicion-infection,", "no-skill,", "replay"]
"""What is run, at the end of the line of progress."""
HOLDER = """
import signal, sys
from pathlib import Path
from workbench.store import FileLock
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with FileLock(Path(sys.argv[1]), "run"):
    print("held", flush=True)
    signal.pause()
"""


@pytest.fixture
def run(tui_context: AppContext) -> RunPaths:
    return RunStore(tui_context.data).create(make_plan())


@pytest.fixture
def holder(run: RunPaths) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the run's lock, as the run's own does, until it is asked to stop."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(run.lock)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.terminate()
    process.wait()
    process.stdout.close()


async def opened(app: WorkbenchApp, pilot: Pilot[int]) -> LiveScreen:
    await pilot.pause()
    app.open_screen("live", run=RUN)
    screen = await on_screen(pilot, app, LiveScreen)
    await until(pilot, lambda: screen._live is not None)
    return screen


def text_of(screen: LiveScreen) -> list[str]:
    return [screen.lines.line(row).text.plain for row in range(len(screen.lines))]


def after(lines: list[str], first: str, second: str) -> bool:
    """Whether ``second`` comes soon after ``first``, before another step's head."""
    at = next(row for row, line in enumerate(lines) if first in line)
    heads = ("  agent", "  user")
    for line in lines[at + 1 :]:
        if second in line:
            return True
        if any(line.strip(" 0123456789").startswith(head.strip()) for head in heads):
            return False
    return False


async def test_steps_come_and_violations_stand_at_their_step(tui_context: AppContext, run: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        with FileLock(run.lock, "run"):
            screen = await opened(app, pilot)
            log = begin_log(run)
            tell_steps(log, STEPS[:3])
            await until(pilot, lambda: screen.lines.counted.total() == 1)
            lines = text_of(screen)
            assert lines[0] == "-- prepare" and "-- execute" in lines
            assert after(lines, "  3  agent", "warn: reads-references")
            assert screen.view.following and screen.going_on
            await until(pilot, lambda: "▶ execute" in rows(app)[-2] and "of at most 15:00" in rows(app)[-2])
            assert "▶ running" in rows(app)[0]
            assert "c Cancel" in footer(app) and "d Detach" in footer(app)
            screen._tell_of_stopping()
            await until(pilot, lambda: "stopping" in footer(app))
            tell_steps(log, STEPS[3:])
            atomic_write(run.result, make_result().to_json())
            tell_end(log)
        await until(pilot, lambda: not screen.going_on)
        lines = text_of(screen)
        assert after(lines, "  4  agent", "fail: hidden-copies")
        assert any(line.startswith("Verdict: quarantined, 1 fail, 1 warn: contam") for line in lines)
        assert not screen.view.following
        await until(pilot, lambda: "! quarantined" in rows(app)[-2])
        assert "! quarantined" in rows(app)[0]
        assert "c Cancel" not in footer(app) and "d Detach" not in footer(app)
        assert "stopping" not in footer(app)
        await pilot.press("c", "c")
        await pilot.pause()
        assert "stopping" not in footer(app) and "again" not in footer(app)
        await pilot.press("i")
        await on_screen(pilot, app, RunDetailScreen)


async def test_what_comes_is_drawn_without_waiting_for_a_timer(
    tui_context: AppContext, run: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectory, "TAKE_S", 3600.0)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        with FileLock(run.lock, "run"):
            screen = await opened(app, pilot)
            log = begin_log(run)
            await until(pilot, lambda: "-- execute" in text_of(screen))
            for count, step in enumerate(STEPS, 1):
                log.step(step)
                await until(pilot, lambda count=count: len(screen.lines.steps) == count)
                assert any(f"{step.number}  {step.source}" in row for row in rows(app))
            log.close()


class SetClock:
    """Says what it was told."""

    def __init__(self) -> None:
        self.at = NOON

    def now(self) -> datetime:
        return self.at

    def monotonic_s(self) -> float:
        return 0.0


async def test_the_clock_is_the_agents(tui_context: AppContext, run: RunPaths) -> None:
    """What comes before and after it does not count; in the end it says what the listings say."""
    clock = SetClock()
    app = WorkbenchApp(replace(tui_context, clock=clock))

    def at(seconds: float) -> None:
        clock.at = NOON + timedelta(seconds=seconds)

    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        with FileLock(run.lock, "run"):
            await opened(app, pilot)
            log = EventLog(run.events, clock)
            log.stage("prepare", "begin")
            at(50)
            await until(pilot, lambda: rows(app)[-2].split() == ["▶", "prepare", *WHAT])
            log.stage("prepare", "end")
            log.stage("execute", "begin")
            await until(pilot, lambda: rows(app)[-2].split()[:3] == ["▶", "execute", "0:00"])
            at(50 + 65)
            await until(pilot, lambda: "▶ execute  1:05 of at most 15:00" in rows(app)[-2])
            at(50 + 70)
            log.stage("execute", "end")
            log.stage("score", "begin")
            at(50 + 170)
            await until(pilot, lambda: rows(app)[-2].split() == ["▶", "score", "1:10", *WHAT])
            result = make_result()
            atomic_write(run.result, result.to_json())
            tell_end(log, result)
        assert result.sandbox is not None and result.sandbox.wall_s == 12.5
        await until(pilot, lambda: rows(app)[-2].split() == ["!", "quarantined,", "1", "fail", "0:12", *WHAT])


async def test_a_run_that_never_executed_has_no_time(tui_context: AppContext, run: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        log = EventLog(run.events)
        log.stage("prepare", "begin")
        log.close()
        run.lock.unlink()
        await opened(app, pilot)
        await until(pilot, lambda: rows(app)[-2].split() == ["■", "interrupted", *WHAT])


async def test_cancel_asks_twice(
    tui_context: AppContext, run: RunPaths, holder: subprocess.Popen[str]
) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        log = begin_log(run)
        tell_steps(log, STEPS[:2])
        await until(pilot, lambda: len(screen.lines.steps) == 2)
        await pilot.press("c")
        await pilot.pause()
        assert "The same key again stops the run" in footer(app)
        await pilot.press("up", "c")
        await pilot.pause()
        assert "The same key again stops the run" in footer(app)
        assert holder.poll() is None
        await pilot.press("c")
        await until(pilot, lambda: holder.poll() is not None)
        await until(pilot, lambda: not screen.going_on)
        await until(pilot, lambda: "■ interrupted" in rows(app)[-2])


async def test_detach_leaves_it_alone_and_attach_takes_it_up(
    tui_context: AppContext, run: RunPaths, make_app: Callable[..., WorkbenchApp]
) -> None:
    with FileLock(run.lock, "run"):
        log = begin_log(run)
        tell_steps(log, STEPS[:2])
        first = make_app()
        async with first.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            screen = await opened(first, pilot)
            await until(pilot, lambda: len(screen.lines.steps) == 2)
            await pilot.press("d")
            await until(pilot, lambda: first.screen is not screen)
            await until(pilot, lambda: f"run {RUN} goes on" in rows(first)[-1])
            screen = await opened(first, pilot)
            await until(pilot, lambda: len(screen.lines.steps) == 2)
            await pilot.press("ctrl+q")
        tell_steps(log, STEPS[2:])
        second = make_app()
        async with second.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            screen = await on_screen(pilot, second, LiveScreen)
            await until(pilot, lambda: len(screen.lines.steps) == len(STEPS))
            assert after(text_of(screen), "  3  agent", AT_STEP.rule)
            tell_end(log)
            await until(pilot, lambda: not screen.going_on)
            assert screen.lines.verdict is Verdict.QUARANTINED


async def test_a_planned_run_is_waited_for(tui_context: AppContext, run: RunPaths) -> None:
    """Between the start of its process and the process's own lock."""
    waiting = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        reserve_lock(run.lock, "run", pid=waiting.pid)
        app = WorkbenchApp(tui_context)
        async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
            screen = await opened(app, pilot)
            await until(pilot, lambda: "○ waiting for its process" in rows(app)[-2])
            assert screen.going_on
            await pilot.press("c", "c")
            await until(pilot, lambda: "is not running" in footer(app))
            waiting.communicate(b"\n")
            await until(pilot, lambda: not screen.going_on)
            assert "■ interrupted" in rows(app)[0]
    finally:
        waiting.kill()
        waiting.wait()


async def test_a_run_taken_for_interrupted_is_taken_up_again(
    tui_context: AppContext, run: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectory_feed, "LOOK_AGAIN_S", 0.01)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    reserve_lock(run.lock, "run", pid=gone.pid)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: not screen.going_on)
        await until(pilot, lambda: "■ interrupted" in rows(app)[0])
        with FileLock(run.lock, "run"):
            log = begin_log(run)
            tell_steps(log)
            await until(pilot, lambda: "▶ running" in rows(app)[0])
            await until(pilot, lambda: "▶ execute" in rows(app)[-2])
            assert "the run goes on" in footer(app)
            await pilot.press("up")
            await until(pilot, lambda: "c Cancel" in footer(app))
            tell_end(log)
        await until(pilot, lambda: not screen.going_on)
        await until(pilot, lambda: "! quarantined" in rows(app)[0])
        assert len(screen.lines.steps) == len(STEPS)


async def test_a_finished_run_is_shown_whole(tui_context: AppContext) -> None:
    record_run(tui_context.data)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(140, 45), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: not screen.going_on)
        assert screen.lines.counted.total() == 2
        assert any(AT_END.rule in line for line in text_of(screen))
        assert screen.plain_twin == f"workbench run attach {RUN};workbench run cancel {RUN}"


async def test_no_such_run(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("live", run="no-such-run")
        await until(pilot, lambda: "no run 'no-such-run'" in footer(app))
