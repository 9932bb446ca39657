"""Live: a run while it goes on, with violations at their steps; left alone it goes on by itself."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import RunPlan, RunState
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.live_feed import EXECUTE, LiveFeed
from workbench.tui.raw_logs import how_shown
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.themes import state_text
from workbench.tui.trajectory_feed import TrajectoryFeed
from workbench.tui.widgets.base import Label

PROGRESS_S = 0.5
SURE_S = 5.0
"""Within so long a second press cancels, if no other key came between."""


class LiveScreen(TrajectoryScreen, inherit_bindings=False):
    """``run``: its id. Attaching to a run is opening this screen, detaching is leaving it."""

    screen_name = "live"
    title_text = "Live"
    CSS_PATH = "live.tcss"
    BINDINGS = [*bindings("live"), *bindings("trajectory"), *WorkbenchScreen.BINDINGS]

    def __init__(self, run: JsonValue = "", step: JsonValue = 0) -> None:
        super().__init__(run, step)
        self._live: LiveFeed | None = None
        self._asked: tuple[float, int] | None = None
        """When cancelling was asked for first, in seconds, and how many keys had been typed."""
        self._stopping = False

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Run {self._run}")

    @property
    def plain_twin(self) -> str:
        return f"workbench run attach {self._run};workbench run cancel {self._run}"

    @property
    def going_on(self) -> bool:
        """Whether the run has not ended, as far as is known here."""
        return not self.lines.complete

    def body(self) -> Iterable[Widget]:
        yield from super().body()
        yield Label(id="progress")

    def on_mount(self) -> None:
        self.set_interval(PROGRESS_S, self._show_progress)

    def open_feed(self, context: AppContext, run_id: str) -> tuple[TrajectoryFeed, RunState]:
        self._live, state = open_live(context, run_id)
        return self._live, state

    def follow(self, opened: tuple[TrajectoryFeed, RunState]) -> None:
        super().follow(opened)
        self.view.following = opened[1] in (RunState.PLANNED, RunState.RUNNING) and not self._wanted_step
        self._show_progress()

    def _show_progress(self) -> None:
        if self._live is not None:
            if self._live.heard and self._run_state == RunState.PLANNED:
                self._run_state = RunState.RUNNING
                self.moved()
            agent_s = self._live.agent_s(self.workbench.context.clock.now() if self.going_on else None)
            ended = None if self.going_on else self.lines.ended(RunState.INTERRUPTED)
            text = progress_line(self._live, self._run_state, ended, agent_s)
            self.query_one("#progress", Label).say(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nobody can stop or leave alone what has ended."""
        return self.going_on if action in ("cancel", "detach") else True

    def _end(self) -> None:
        if self._stopping:
            self._stopping = False
            self.tell(Inert())
        super()._end()
        self.refresh_bindings()

    def action_cancel(self) -> None:
        now_s, typed = self.workbench.context.clock.monotonic_s(), self.workbench.keys_typed
        asked, self._asked = self._asked, (now_s, typed)
        if asked is None or now_s - asked[0] > SURE_S or typed > asked[1] + 1:
            self.tell(Inert.of("The same key again stops the run, keeping its record; another leaves it"))
            return
        self._asked = None
        context, run = self.workbench.context, self._run
        self.in_background(lambda: cancel(context, run), lambda _: self._tell_of_stopping(), group="cancel")

    def _tell_of_stopping(self) -> None:
        if self.going_on:
            self._stopping = True
            self.tell(Inert.of("stopping"))

    def action_detach(self) -> None:
        app, going_on = self.workbench, self.going_on
        app.left_run = self._run
        app.pop_screen()
        if going_on:
            app.call_later(app.tell, Inert.of(f"run {self._run} goes on; Runs lists it"))

    def action_details(self) -> None:
        self.workbench.open_screen("run-detail", run=self._run)


def open_live(context: AppContext, run_id: str) -> tuple[LiveFeed, RunState]:
    """The run's events, its state now. Raises BadInput."""
    from workbench.store import RunStore

    store = RunStore(context.data, context.clock)
    run = store.paths(run_id)
    plan = RunPlan.load(run.plan)
    return LiveFeed(run, plan, how_shown(context, plan.source)), store.state(run_id)


def cancel(context: AppContext, run_id: str) -> None:
    """Ask the run to stop. Raises BadInput where it is not running."""
    from workbench import runs

    running = context.of_runs()
    runs.cancel_run(running, run_id)


def progress_line(feed: LiveFeed, state: str, ended: Inert | None, agent_s: float | None) -> Inert:
    """``execute  0:34 of at most 15:00``, the agent's time; when it is over, how it ``ended``."""
    plan = feed.plan
    what = Inert.line(f"  {plan.task}, {plan.condition}, {plan.agent.name}")
    time = "" if agent_s is None else f"  {minutes(agent_s)}"
    if ended is not None:
        return ended + time + what
    limit = f" of at most {minutes(plan.limits.wall_s)}" if feed.stage == EXECUTE else ""
    return state_text(state, feed.stage or "waiting for its process") + time + limit + what


def minutes(seconds: float) -> str:
    """``1:05``; hours as minutes."""
    whole, rest = divmod(int(seconds), 60)
    return f"{whole}:{rest:02d}"
