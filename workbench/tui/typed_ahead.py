"""Keeps what is typed ahead until the key before it has been handled by whatever it led to.

Textual hands every key at once to the widget that has the focus. Of keys that come in one burst, as on a slow
line, those behind the one that opens a prompt or a screen would go to the wrong place. Here a key waits until
the app has settled from the one before. Letters do not wait for letters, nor moves (``Action.moves``) for
moves, so that a held key is not slower than the drawing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, TypeAlias

from textual import events
from textual.binding import Binding
from textual.message_pump import MessagePump
from textual.screen import Screen

from workbench.tui.actions import by_id
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.settling import Settling, WatchedQueue

if TYPE_CHECKING:
    from workbench.tui.paced_app import PacedApp

STUCK_S = 0.25
"""What takes longer than this for one message waits for something, maybe for a key: it is not waited for."""
MOST_LOOKS = 8
"""So often ``STUCK_S``, and keys go on although the app never comes to rest."""
_LIGHT = (
    events.MouseMove,
    events.MouseScrollUp,
    events.MouseScrollDown,
    events.MouseScrollLeft,
    events.MouseScrollRight,
)
Typed: TypeAlias = events.InputEvent | events.Paste


class _Kind(Enum):
    """What an event may do. One waits for all of another kind, and ``OTHER`` for its own, too."""

    LETTER = auto()
    """The widget that has the focus takes it for itself."""
    MOVE = auto()
    MOVE_FIRST = auto()
    """One that is done before the widget that has the focus hears of it."""
    POINTER = auto()
    OTHER = auto()


class TypedAhead:
    """What came from keyboard and mouse, in its order, on its way into one app.

    While the app starts, it has not settled.
    """

    def __init__(self, app: PacedApp) -> None:
        self._app = app
        self._settling = Settling(self._settled)
        self._kept: deque[Typed] = deque()
        self._under_way: _Kind | None = _Kind.OTHER
        self._look: asyncio.TimerHandle | None = None
        self._looks = 0
        self.watch(app)

    def watch(self, pump: MessagePump) -> None:
        """Wait for this part of the app, too; before it is started."""
        self._settling.watch(pump)

    @property
    def moving(self) -> bool:
        """Whether a part of the app has still to hear of a move or a letter."""
        return self._under_way not in (None, _Kind.OTHER) and bool(self._settling.busy)

    async def arrived(self, event: Typed) -> None:
        """Let the app handle the event, now or when its turn has come."""
        self._kept.append(event)
        await self._go_on()

    async def _go_on(self) -> None:
        if self._app._exit:
            self._kept.clear()
        while self._kept and self._front() and self._may_go(self._kept[0]):
            await self._app.take(self._kept.popleft(), moves=self._under_way is _Kind.MOVE)
        if self._kept and self._look is None:
            self._look_later()

    def _may_go(self, event: Typed) -> bool:
        if self._under_way is _Kind.OTHER:
            return False
        kind = self._kind(event)
        if self._under_way is None:
            self._under_way = kind
        return kind is self._under_way

    def _kind(self, event: Typed) -> _Kind:
        """As focus and screens are now."""
        if not isinstance(event, events.Key):
            return _Kind.POINTER if isinstance(event, _LIGHT) else _Kind.OTHER
        app = self._app
        if app.takes_next_key is not None:
            return _Kind.OTHER
        if app.focused is not None and app.focused.check_consume_key(event.key, event.character):
            return _Kind.LETTER
        chain = app.screen._binding_chain
        found = [item for _, bindings in chain for item in bindings.key_to_bindings.get(event.key, ())]
        if not found or not all(_moves(binding) for binding in found):
            return _Kind.OTHER
        return _Kind.MOVE_FIRST if any(binding.priority for binding in found) else _Kind.MOVE

    def _settled(self) -> None:
        """No message is under way; what waits for the next frame may still open or focus something."""
        if self._under_way is not None and not self._awaits_frame() and not self._answering():
            self._next()

    def _next(self) -> None:
        self._under_way = None
        self._looks = 0
        if self._kept:
            self._app.call_next(self._go_on)

    def _awaits_frame(self) -> bool:
        return any(screen._callbacks for screen in self._front())

    def _answering(self) -> bool:
        return any(isinstance(screen, WorkbenchScreen) and screen.answering for screen in self._front())

    def _front(self) -> list[Screen[Any]]:
        """The screen in front; none before the first."""
        return self._app._screen_stacks.get(self._app._current_mode, [])[-1:]

    def _look_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._look = loop.call_later(STUCK_S, self._look_again, self._settling.at_work())

    def _look_again(self, before: Mapping[WatchedQueue, int]) -> None:
        """Nothing that is stuck keeps keys back for ever."""
        self._look = None
        if not self._kept or self._app._exit:
            return
        self._settling.let_go(before)
        self._looks += 1
        busy = self._settling.busy or self._answering() or (self._awaits_frame() and self._looks == 1)
        if busy and self._looks < MOST_LOOKS:
            self._look_later()
        else:
            self._next()


def _moves(binding: Binding) -> bool:
    action = by_id(binding.id or "")
    return action is not None and action.moves
