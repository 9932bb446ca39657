"""Cancelling a run from a signal: stop the sandbox where there is one, else end the stage."""

from __future__ import annotations

import signal
import threading
from types import FrameType

from workbench.sandbox import SandboxProcess


class Cancelled(Exception):
    """SIGTERM or SIGINT reached the run's process while no sandbox was running."""


class Cancellation:
    """Turns SIGTERM and SIGINT into a stopped sandbox; a dropped line (SIGHUP) is ignored.

    The sandbox is stopped from a thread, never inside the handler, so that no lock is taken twice.
    """

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._process: SandboxProcess | None = None

    def install(self) -> None:
        """Set the handlers; call once, in the main thread."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._handle)
        signal.signal(signal.SIGINT, self._handle)

    @property
    def asked(self) -> bool:
        """Whether someone asked to cancel."""
        return self._asked.is_set()

    def guard(self, process: SandboxProcess) -> None:
        """From now on a signal stops ``process``. Raises Cancelled where one came before."""
        self._process = process
        if self.asked:
            raise Cancelled
        threading.Thread(target=self._wait_and_stop, args=(process,), daemon=True).start()

    def _wait_and_stop(self, process: SandboxProcess) -> None:
        self._asked.wait()
        process.stop("cancelled")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        first = not self.asked
        self._asked.set()
        if self._process is None and first:
            raise Cancelled
