"""An app that handles one key after the other: the frame's base, see ``typed_ahead.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.widget import Widget

from workbench.tui.key_chain import KeyChain
from workbench.tui.typed_ahead import Typed, TypedAhead


class PacedApp(App[int]):
    """Hears keys in their order, and knows when it has done what they asked for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.keys = KeyChain()
        self.keys_typed = 0
        self.takes_next_key: Callable[[str], None] | None = None
        """Gets the next key, whatever it means elsewhere."""
        self._typed_ahead = TypedAhead(self)

    @property
    def moving(self) -> bool:
        """Whether a part of the app has still to hear of a move or a letter."""
        return self._typed_ahead.moving

    def key_comes(self) -> None:
        """A key is about to be handled."""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, Typed) and not event.is_forwarded:
            self.keys_typed += isinstance(event, events.Key)
            await self._typed_ahead.arrived(event)
        else:
            await super().on_event(event)

    async def take(self, event: Typed, *, moves: bool = False) -> None:
        """Handle what was typed or pointed at, its turn having come.

        ``moves``: a key of which no widget has to hear, as only its action counts.
        """
        if isinstance(event, events.Key):
            self.key_comes()
            taker, self.takes_next_key = self.takes_next_key, None
            if taker is not None:
                taker(event.key)
                return
            if moves and self.app_focus and await self._check_bindings(event.key):
                return
        await super().on_event(event)

    def _register_child(self, parent: DOMNode, child: Widget, before: int | None, after: int | None) -> None:
        self._typed_ahead.watch(child)
        super()._register_child(parent, child, before, after)

    def _start_widget(self, parent: Widget, widget: Widget) -> None:
        self._typed_ahead.watch(widget)
        super()._start_widget(parent, widget)
