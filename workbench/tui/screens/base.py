"""The base of every screen: header, footer, actions from the registry, work in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import events
from textual._callback import invoke
from textual.app import ComposeResult
from textual.binding import BindingsMap
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer, TimerCallback
from textual.widget import Widget

from workbench.records import WorkbenchError
from workbench.tui.actions import Action, in_scope
from workbench.tui.background import in_thread
from workbench.tui.inert import Inert
from workbench.tui.widgets.frame import FooterLine, HeaderLine

if TYPE_CHECKING:
    from pydantic import JsonValue

    from workbench.tui.app import WorkbenchApp

Result = TypeVar("Result")

MOST_TURNS = 30
"""Of the event loop, that a frame waits for messages which are under way."""


class WorkbenchScreen(Screen[None]):
    """A screen between the header and the footer line.

    A subclass sets ``screen_name`` (its name in the screen table and its scope in the action table),
    ``title_text``, ``BINDINGS = bindings(screen_name)``, and yields its widgets in ``body``. It may say in
    ``plain_twin`` which command shows the same, and keep its place with ``state`` and ``restore``.
    """

    screen_name: ClassVar[str] = ""
    title_text: ClassVar[str] = ""
    kept: ClassVar[bool] = True
    """Whether the next session opens it again."""
    _was_drawn = False

    @property
    def workbench(self) -> WorkbenchApp:
        """The app, by its own type."""
        return cast("WorkbenchApp", self.app)

    @property
    def actions(self) -> tuple[Action, ...]:
        """The screen's own actions."""
        return in_scope(self.screen_name)

    @property
    def heading(self) -> Inert:
        """What stands in the header behind ``Workbench >``."""
        return Inert.of(self.title_text)

    @property
    def plain_twin(self) -> str:
        """The command that shows the same in plain lines."""
        return ""

    @property
    def arguments(self) -> dict[str, JsonValue]:
        """With which arguments this screen can be opened again."""
        return {}

    def state(self) -> dict[str, JsonValue]:
        """Cursor, filters and the like, for the next session."""
        return {}

    def restore(self, state: dict[str, JsonValue]) -> None:
        """Take up what ``state`` said, once the screen is drawn. Data read in the background may or may not
        be there yet; what no longer fits is ignored.
        """

    def take_up(self, state: dict[str, JsonValue]) -> None:
        """Call ``restore`` when the screen is drawn."""
        self.call_after_refresh(self.restore, state)

    @property
    def proposed_task(self) -> str:
        """The task that a new run is of when it is asked for from here; empty where none is nearer."""
        return ""

    @property
    def answering(self) -> bool:
        """Whether it still has to do what the last key asked for: keys behind that one wait."""
        return False

    def leave_part(self) -> bool:
        """Go back from a part of the screen to the one it belongs to; False where there is no way back."""
        return False

    def keep_drafts(self) -> None:
        """Write what is typed and not saved, at once: the app is about to leave. Raises WorkbenchError."""

    def take_choice(self, name: str, value: str) -> None:
        """``value`` was chosen from the list that this screen opened for ``name``."""

    def show(self, **arguments: JsonValue) -> None:
        """A standing screen is opened again with arguments."""

    @property
    def _binding_chain(self) -> list[tuple[DOMNode, BindingsMap]]:
        """Textual's, out of the registry."""
        focused = self.focused
        return self.workbench.keys.of(focused.ancestors_with_self if focused else (self, self.app))

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Textual styles every widget again, twice for a new mode. What changes styles has told the app's
        count of style changes, by which a screen that was behind is styled when it is opened.
        """
        event.refresh_styles = False

    def on_resize(self) -> None:
        for footer in self.query(FooterLine):
            footer.fit()

    def compose(self) -> ComposeResult:
        yield HeaderLine()
        yield from self.body()
        yield FooterLine()

    def body(self) -> Iterable[Widget]:
        """What is between header and footer."""
        return ()

    @property
    def is_there(self) -> bool:
        """Whether it still has its widgets: a screen that is being left loses them before it is detached."""
        return self.is_attached and not self._pruning and bool(self.query(FooterLine))

    @contextmanager
    def _while_there(self) -> Iterator[None]:
        """Let pass that a widget is missing where the screen is being left: what was under way comes late."""
        try:
            yield
        except NoMatches:
            if self.is_there and not self.app._exit:
                raise

    async def _dispatch_message(self, message: Message) -> None:
        with self._while_there():
            await super()._dispatch_message(message)

    def set_interval(
        self, interval: float, callback: TimerCallback | None = None, *, name: str | None = None,
        repeat: int = 0, pause: bool = False,
    ) -> Timer:  # fmt: skip
        if callback == self._on_timer_update:
            callback = self._draw_frame
        timed = self._timed(callback) if callback else None
        return super().set_interval(interval, timed, name=name, repeat=repeat, pause=pause)

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None,
        pause: bool = False,
    ) -> Timer:  # fmt: skip
        return super().set_timer(delay, self._timed(callback) if callback else None, name=name, pause=pause)

    def _timed(self, callback: TimerCallback) -> TimerCallback:
        """A timer calls past ``_dispatch_message``."""

        async def call() -> None:
            with self._while_there():
                await invoke(callback)

        return call

    async def _draw_frame(self) -> None:
        """Draw a frame when all that a move changed is there. Textual would draw the rest a frame later."""
        for _ in range(MOST_TURNS):
            if not self.workbench.moving:
                break
            await asyncio.sleep(0)
        self._on_timer_update()

    def status(self, text: Inert) -> None:
        """Show ``text`` at the right of the header, while there is one."""
        for header in self.query(HeaderLine):
            header.say(text)

    def tell(self, text: Inert) -> None:
        """Show a notice in the footer, while there is one, until the next key; Messages keeps it."""
        if text:
            self.workbench.told.append((self.workbench.context.clock.now(), text))
        for footer in self.query(FooterLine):
            footer.say(text)

    def in_background(
        self, work: Callable[[], Result], done: Callable[[Result], None], *, group: str = "default"
    ) -> None:
        """Run ``work`` in a thread, once the screen has been drawn; then ``done`` with its result in the app.

        A later call of the same ``group`` drops the result of an earlier one. A WorkbenchError becomes a
        notice; a screen that has gone gets nothing. ``work`` must not touch widgets. Heavy packages are
        imported inside it.
        """

        async def run() -> None:
            await self._drawn()
            try:
                result = await in_thread(work)
            except WorkbenchError as error:
                if self.is_there:
                    self.failed(error)
                return
            if self.is_there:
                done(result)

        later: Any = run  # the coroutine is made when the worker starts, which it may never do
        self.run_worker(later, group=group, exclusive=True)

    async def _drawn(self) -> None:
        """Wait for the screen's first frame, which imports in a thread would hold up."""
        if not self._was_drawn:
            drawn = asyncio.Event()
            self.call_after_refresh(drawn.set)
            await drawn.wait()
            self._was_drawn = True

    def failed(self, error: WorkbenchError) -> None:
        """Show what went wrong in the background."""
        if self.is_there:
            where = f"{error.where}: " if error.where else ""
            self.tell(Inert.of("error ", "bold $error") + Inert.line(f"{where}{error.what}. {error.remedy}"))

    async def settled(self) -> None:
        """Wait until no work of this screen is left; for tests."""
        while left := [worker for worker in self.workers if worker.node is self and not worker.is_finished]:
            await asyncio.gather(*(worker.wait() for worker in left))
