"""Trajectory: what an agent did, step by step, with violations at their steps; live while it runs."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from collections.abc import Callable
from functools import partial

from pydantic import JsonValue
from textual.timer import Timer

from workbench.records import RunState
from workbench.tui.actions import bindings
from workbench.tui.background import in_thread
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.raw_logs import how_shown, mark, source_of
from workbench.tui.screens.text import BESIDE_WIDTH, OutlinedScreen
from workbench.tui.step_blocks import ERROR, SQL, VIOLATION
from workbench.tui.trajectory_feed import TrajectoryFeed, TrajectoryLines
from workbench.tui.widgets.line_view import LineView

TAKE_S = 0.25
FIRST_S = 0.02
"""How often what has come is taken over at least: later, and before anything has come."""
SOON_S = 0.02
"""What comes within so long is taken over together, and drawn at once."""
TAKING_S = 0.02
"""Taken over for at most so long, then the screen is drawn and keys are heard."""


class TrajectoryScreen(OutlinedScreen):
    """``run``: its id; ``step``: the number of the step to begin at."""

    screen_name = "trajectory"
    title_text = "Trajectory"
    BINDINGS = [*bindings("trajectory")]

    def __init__(self, run: JsonValue = "", step: JsonValue = 0) -> None:
        super().__init__()
        self._run = str(run)
        self._wanted_step = step if isinstance(step, int) else 0
        self._run_state = ""
        self._feed: TrajectoryFeed | None = None
        self._stop = threading.Event()
        self._timer: Timer | None = None
        self._taking_soon = False
        self._raw_mark = Inert()
        self.lines = TrajectoryLines()

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Run {self._run}")

    @property
    def plain_twin(self) -> str:
        return f"workbench runs show {self._run} --events --details"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"run": self._run}

    def state(self) -> dict[str, JsonValue]:
        part = self.part_at(self.view.cursor)
        return {"step": self.lines.steps[part].number if part >= 0 else 0}

    def restore(self, state: dict[str, JsonValue]) -> None:
        step = state.get("step", 0)
        if isinstance(step, int) and not self._wanted_step:
            self._wanted_step = step

    def on_mount(self) -> None:
        self.pane.show(self.lines)
        self.outline.show(self.lines.outline)
        self.begin()

    def begin(self) -> None:
        """Open the run's events."""
        context, run = self.workbench.context, self._run
        self.in_background(lambda: self.open_feed(context, run), self.follow)

    def on_unmount(self) -> None:
        self._stop.set()

    def open_feed(self, context: AppContext, run_id: str) -> tuple[TrajectoryFeed, RunState]:
        """In a thread: where the events come from, and the run's state. Raises BadInput."""
        return open_feed(context, run_id)

    def follow(self, opened: tuple[TrajectoryFeed, RunState]) -> None:
        """Take what comes from now on."""
        feed, state = opened
        self._feed = feed
        self._raw_mark = mark(self.workbench.context, source_of(self.workbench.context, self._run))
        feed.told = partial(_soon, asyncio.get_running_loop(), contextvars.copy_context(), self._heard)
        self._run_state = state.value
        self.view.following = state is RunState.RUNNING and not self._wanted_step

        async def run() -> None:
            await in_thread(partial(feed.load, self._stop))
            while self.take():
                await asyncio.sleep(0)

        self.run_worker(run(), group="feed", exclusive=True)
        self._timer = self.set_interval(FIRST_S, self._first)

    def _heard(self) -> None:
        """Something has come after nothing had."""
        if self.is_there and not self._taking_soon:
            self._taking_soon = True
            self.set_timer(SOON_S, self._take_soon)

    def _take_soon(self) -> None:
        self._taking_soon = False
        self._take_or_keep_up()

    def _first(self) -> None:
        if self.take() and self._timer is not None:
            self._timer.stop()
            self._timer = self.set_interval(TAKE_S, self._take_or_keep_up)

    def _take_or_keep_up(self) -> None:
        if self.take() and self._feed is not None and self._feed.full:
            self.run_worker(self._keep_up(), group="keep-up", exclusive=True)

    async def _keep_up(self) -> None:
        """The reader waits for the screen: what has come is taken without waiting for the timer."""
        while self.take():
            await asyncio.sleep(FIRST_S)

    def take(self) -> bool:
        """Take over what has come; False if that was nothing."""
        if self._feed is None or not self.is_there:
            return False
        lines, view = self.lines, self.view
        if self._feed.living and self._run_state == RunState.INTERRUPTED:
            self._go_on()
        ended = self._feed.ended
        at = lines.block_at(view.cursor) if lines.blocks else -1
        block = lines.blocks[at] if at >= 0 else None
        part = view.cursor - lines.row_of_block(at) if at >= 0 else 0
        taken = 0
        until = time.perf_counter() + TAKING_S
        while time.perf_counter() < until and (arrival := self._feed.next()) is not None:
            lines.take(arrival)
            taken += 1
        if ended and not taken and not lines.complete:
            self._end()
        elif taken:
            if block is not None and lines.blocks[at] is not block:
                view.follow_row(lines.row_of_block(lines.blocks.index(block)) + part)
            view.grow()
            self.outline.grow()
            self._go_to_wanted()
            self.moved()
        return bool(taken)

    def _end(self) -> None:
        self.lines.complete = self.lines.outline.complete = True
        if self._timer is not None and self.lines.verdict is not None:
            self._timer.stop()
        if self._run_state in (RunState.PLANNED, RunState.RUNNING):
            self._run_state = RunState.FINISHED if self.lines.verdict is not None else RunState.INTERRUPTED
        self.view.following = False
        self.view.grow()
        self.outline.grow()
        self.moved()
        if self._feed is not None and self._feed.damaged:
            self.tell(Inert.of("the record of this run is damaged: not all of its events can be read"))
        elif not self.lines.blocks:
            self.tell(Inert.of("this run recorded no step"))

    def _go_on(self) -> None:
        """It was taken for interrupted, and its process is there."""
        self._run_state = RunState.RUNNING
        self.lines.complete = self.lines.outline.complete = False
        self.refresh_bindings()
        self.tell(Inert.of("the run goes on"))
        self.moved()

    def _go_to_wanted(self) -> None:
        part = self.lines.part_of_step(self._wanted_step) if self._wanted_step else None
        if part is not None:
            self._wanted_step = 0
            self.view.go_to(self.lines.row_of_part(part), middle=True)

    def position(self) -> Inert:
        lines = self.lines
        part = self.part_at(self.view.cursor)
        state = lines.ended(self._run_state) or Inert.of("reading")
        wide = self.size.width >= BESIDE_WIDTH
        counts = f"{'step ' if wide else ''}{part + 1}/{len(lines.steps)}  "
        if lines.errors and wide:
            counts += f"{lines.errors} error{'s' if lines.errors != 1 else ''}  "
        return self._raw_mark + Inert.of(counts) + state

    def part_at(self, row: int) -> int:
        return self.lines.part_at(row)

    def row_of_part(self, part: int) -> int:
        return self.lines.row_of_part(part)

    def action_next_step(self) -> None:
        self.go_to_part(1)

    def action_previous_step(self) -> None:
        self.go_to_part(-1)

    def action_next_error(self) -> None:
        self.go_to_mark(ERROR, "error", keys_of="trajectory")

    def action_previous_error(self) -> None:
        self.go_to_mark(ERROR, "error", keys_of="trajectory", backwards=True)

    def action_next_sql(self) -> None:
        self.go_to_mark(SQL, "SQL", keys_of="trajectory")

    def action_previous_sql(self) -> None:
        self.go_to_mark(SQL, "SQL", keys_of="trajectory", backwards=True)

    def action_next_violation(self) -> None:
        self.go_to_mark(VIOLATION, "violation", keys_of="trajectory")

    def action_previous_violation(self) -> None:
        self.go_to_mark(VIOLATION, "violation", keys_of="trajectory", backwards=True)

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        if message.view is self.view and self.lines.at_rest(message.row):
            self.action_whole()

    def action_whole(self) -> None:
        found = self.lines.text_at(self.view.cursor)
        if found is None:
            self.tell(Inert.of("this line heads no text; put the cursor on the text of a step"))
            return
        step, part = found
        self.workbench.open_screen("whole", run=self._run, step=step, part=part)

    def action_flag(self) -> None:
        """A new caveat, linked to the step that the cursor is in."""
        self.workbench.open_screen("caveat-form", run=self._run, step=self.state()["step"])

    def action_log(self) -> None:
        self.workbench.open_screen("log", run=self._run, file="trajectory")


def _soon(loop: asyncio.AbstractEventLoop, context: contextvars.Context, call: Callable[[], object]) -> None:
    """Call in the loop's thread, unless the app has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, context=context)


def open_feed(context: AppContext, run_id: str) -> tuple[TrajectoryFeed, RunState]:
    """The run's events, followed while its process lives. Raises BadInput."""
    from workbench.store import RunStore, going_on, newest_lint

    store = RunStore(context.data)
    run = store.paths(run_id)
    shown = how_shown(context, source_of(context, run_id))
    feed = TrajectoryFeed(run.events, lambda: going_on(run), lint=newest_lint(run), shown=shown)
    return feed, store.state(run_id)
