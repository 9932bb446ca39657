"""Both output pipes of a sandbox, pumped into one bounded buffer."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal

from workbench.sandbox.protocol import Chunk

_PIECE_BYTES = 65536
_WAITING_CHUNKS = 64
_HEAD_BYTES = 2000
_END_S = 10.0


class OutputBuffer:
    """Chunks in order of arrival; a writer waits while nobody reads, so memory stays bounded.

    After ``limit_bytes`` in all, ``exceeded`` is called once and the rest is dropped.
    """

    def __init__(self, limit_bytes: int, exceeded: Callable[[], None]) -> None:
        self._left_bytes = limit_bytes
        self._exceeded = exceeded
        self._chunks: deque[Chunk] = deque()
        self._changed = threading.Condition()
        self._open = 0
        self._dropping = False
        self._threads: list[threading.Thread] = []
        self.error_head = b""  # the first bytes of stderr, whether streamed or dropped

    def pump(self, stream: Literal["stdout", "stderr"], pipe: int) -> None:
        """Read ``pipe`` to its end in a thread; closes it."""
        self._open += 1
        thread = threading.Thread(
            target=self._pump, args=(stream, pipe), name=f"sandbox-{stream}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _pump(self, stream: Literal["stdout", "stderr"], pipe: int) -> None:
        try:
            while piece := os.read(pipe, _PIECE_BYTES):
                self._put(stream, piece)
        finally:
            os.close(pipe)
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def _put(self, stream: Literal["stdout", "stderr"], piece: bytes) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._dropping or len(self._chunks) < _WAITING_CHUNKS)
            if stream == "stderr":
                self.error_head += piece[: _HEAD_BYTES - len(self.error_head)]
            kept = b"" if self._dropping else piece[: self._left_bytes]
            self._left_bytes -= len(kept)
            over = not self._dropping and len(kept) < len(piece)
            self._dropping = self._dropping or over
            if kept:
                self._chunks.append(Chunk(stream, kept))
            self._changed.notify_all()
        if over:
            self._exceeded()

    def read(self) -> Iterator[Chunk]:
        """Chunks until both pipes have ended."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._chunks or not self._open)
                if not self._chunks:
                    return
                chunk = self._chunks.popleft()
                self._changed.notify_all()
            yield chunk

    def drop(self) -> None:
        """Read the pipes to their end without keeping anything; returns when they have ended.

        Waits a bounded time for each: a descriptor that another fork holds must not hold this up.
        """
        with self._changed:
            self._dropping = True
            self._chunks.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(_END_S)
        with self._changed:
            self._chunks.clear()
