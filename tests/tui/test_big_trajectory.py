"""A record of any size: the reader goes no further than the screen, and leaves nothing behind."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import pytest
from recorded_runs import RUN, make_plan
from snapshots import footer
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.records import RunEvent, RunPaths, Step, StepSource
from workbench.store import EventLog, FileLock, RunStore, read_events
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.step_blocks import MESSAGE_ROWS
from workbench.tui.trajectory_feed import MOST_WAITING, TrajectoryFeed, TrajectoryLines
from workbench.tui.widgets.folding import MOST_CHARACTERS


def record(path: Path, steps: int, text: str = "said") -> None:
    log = EventLog(path)
    for number in range(1, steps + 1):
        log.step(Step(number=number, source=StepSource.AGENT, message=text))
    log.close()


class WatchedFeed(TrajectoryFeed):
    """Notes how much waits whenever an event is heard."""

    most_seen = 0
    most_text_seen = 0

    def hear(self, event: RunEvent) -> None:
        super().hear(event)
        self.most_seen = max(self.most_seen, self.waiting)
        self.most_text_seen = max(self.most_text_seen, self._text)


@pytest.mark.parametrize(("waiting", "text"), [(5, 1_000_000), (1000, 350)])
def test_the_reader_waits_for_room(tmp_path: Path, waiting: int, text: int) -> None:
    path = tmp_path / "events.jsonl"
    record(path, 100, "x" * 100)
    feed = WatchedFeed(path, lambda: False, most_waiting=waiting, most_text=text)
    stop = threading.Event()
    reader = threading.Thread(target=feed.load, args=[stop])
    reader.start()
    found = []
    while len(found) < 100:
        if (arrival := feed.next()) is not None:
            found.append(arrival.step.number if arrival.step else 0)
    stop.set()
    reader.join()
    assert found == list(range(1, 101))
    assert feed.most_seen <= waiting
    assert feed.most_text_seen < text + 100
    assert feed.next() is None and feed._text == 0


def test_a_reader_that_waits_ends_when_the_screen_goes(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    record(path, 20)
    feed = TrajectoryFeed(path, lambda: False, most_waiting=5)
    stop = threading.Event()
    reader = threading.Thread(target=feed.load, args=[stop])
    reader.start()
    while not feed.full:
        pass
    stop.set()
    reader.join()
    assert feed.waiting == 5


@pytest.fixture
def run(tui_context: AppContext) -> RunPaths:
    """One whose process has ended."""
    made = RunStore(tui_context.data).create(make_plan())
    with FileLock(made.lock, "run"):
        return made


async def opened(app: WorkbenchApp, pilot: Pilot[int]) -> TrajectoryScreen:
    await pilot.pause()
    app.open_screen("trajectory", run=RUN)
    screen = await on_screen(pilot, app, TrajectoryScreen)
    await until(pilot, lambda: screen.lines.complete)
    return screen


async def test_more_steps_than_may_wait_are_all_shown_and_given_back(
    tui_context: AppContext, run: RunPaths
) -> None:
    record(run.events, MOST_WAITING + 500)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await opened(app, pilot)
        assert len(screen.lines.steps) == MOST_WAITING + 500
        held = [weakref.ref(screen.lines), weakref.ref(screen._feed)]
        del screen
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, TrajectoryScreen))

        def gone() -> bool:
            gc.collect()
            return not any(reference() for reference in held)

        await until(pilot, gone)


def test_of_a_step_no_more_is_kept_than_is_laid_out(tmp_path: Path) -> None:
    """Its texts up to what an open block shows, its number and its row of the outline."""
    path = tmp_path / "events.jsonl"
    record(path, 3, "line of some words\n" * 100_000)
    feed, lines = TrajectoryFeed(path, lambda: False), TrajectoryLines()
    steps = []
    for event in read_events(path):
        steps.append(weakref.ref(event.step))
        feed.hear(event)
    del event
    while (arrival := feed.next()) is not None:
        lines.take(arrival)
    assert [step() for step in steps] == [None] * 3
    bodies = [block for block in lines.blocks if block.body]
    assert [len(block.body) for block in bodies] == [MOST_CHARACTERS] * 3
    shown = [lines.line(row).text.plain.strip() for row in range(len(lines))]
    assert shown.count(f"… {100_000 - MESSAGE_ROWS} more lines") == 3
    lines.fold_all(closed=False)
    left = 100_000 * len("line of some words\n") - MOST_CHARACTERS
    at = next(row for row in range(len(lines)) if f"… {left:,} more" in lines.line(row).text.plain)
    assert lines.at_rest(at)


@pytest.mark.parametrize("text", [b"x" * 100_000, b"not json\n" * 100, b"{}\n\x00"])
async def test_a_record_without_events_is_told_to_be_damaged(
    tui_context: AppContext, run: RunPaths, text: bytes
) -> None:
    run.events.write_bytes(text)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(app, pilot)
        await until(pilot, lambda: "the record of this run is damaged" in footer(app))


async def test_a_record_without_steps_is_told(tui_context: AppContext, run: RunPaths) -> None:
    record(run.events, 0)
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(app, pilot)
        await until(pilot, lambda: "this run recorded no step" in footer(app))
