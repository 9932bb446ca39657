"""Knows when the app has done all that it was told: none of its parts has a message to handle any more.

Every widget, every screen and the app itself is a pump that takes messages from a queue of its own, and what
a key leads to goes through several of them. The queues made here say when the last of them is empty and its
pump waits. Pinned to one version of Textual, because a pump's queue is its private part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual._queue import Queue
from textual.message import Message
from textual.message_pump import MessagePump


class WatchedQueue(Queue[Message | None]):
    """The queue of one pump. It counts as busy until its pump waits for a message for the first time."""

    def __init__(self, settling: Settling) -> None:
        super().__init__()
        self._settling = settling
        self._ended = False
        self.turns = 0
        """How often the pump has asked for a message: while it stays the same, one is being handled."""
        settling.busy.add(self)

    def put_nowait(self, value: Message | None) -> None:
        super().put_nowait(value)
        if not self._ended:
            self._settling.busy.add(self)

    async def get(self) -> Message | None:
        self.turns += 1
        if self.values:
            self._settling.busy.add(self)
        else:
            self._settling.rest(self)
        value = await super().get()
        self._look_for_end(value)
        return value

    def get_nowait(self) -> Message | None:
        self.turns += 1
        value = super().get_nowait()
        self._look_for_end(value)
        return value

    def _look_for_end(self, value: Message | None) -> None:
        """None is the last that a pump takes; what comes behind it is never handled."""
        if value is None:
            self._ended = True
            self._settling.rest(self)


class Settling:
    """The queues of one app. ``settled`` is called whenever the last busy one comes to rest."""

    def __init__(self, settled: Callable[[], None]) -> None:
        self._settled = settled
        self.busy: set[WatchedQueue] = set()

    def watch(self, pump: MessagePump) -> None:
        """Give a pump that has not started such a queue; what it was sent before is in it."""
        before: Queue[Message | None] | None = vars(pump).get("_message_queue")
        queue = vars(pump)["_message_queue"] = WatchedQueue(self)
        for message in before.values if before is not None else ():
            queue.put_nowait(message)

    def rest(self, queue: WatchedQueue) -> None:
        """The queue is empty and its pump waits."""
        self.busy.discard(queue)
        if not self.busy:
            self._settled()

    def at_work(self) -> Mapping[WatchedQueue, int]:
        """The busy queues and how far each has come, for ``let_go``."""
        return {queue: queue.turns for queue in self.busy}

    def let_go(self, before: Mapping[WatchedQueue, int]) -> None:
        """Count those no more that have handled one and the same message since ``before``, until they go on:
        what they wait for may be a key.
        """
        self.busy = {queue for queue in self.busy if before.get(queue) != queue.turns}
