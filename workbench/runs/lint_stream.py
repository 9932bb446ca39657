"""The lint of a run that streams: step after step in a thread of its own; no rule stalls the agent."""

from __future__ import annotations

import contextlib
import queue
import threading
from types import TracebackType
from typing import Self

from workbench.contamination import Lint, TimeLimit
from workbench.contamination.limit import Kept
from workbench.records import Step, Violation
from workbench.store import EventLog

MOST_WAITING = 2000
"""Steps that wait for the lint; whoever brings one more waits itself. None is dropped."""
RULE_LIMIT_S = 1.0
"""A rule that takes longer with one step looks at it again when the run has ended."""


class LintStream:
    """Takes steps once they are recorded; what the lint says of them is recorded behind them.

    ``shown``: what it said so far. Where that cannot be recorded, the next call raises why. A context
    manager: left by an error, it looks at no further step.
    """

    def __init__(
        self,
        lint: Lint,
        events: EventLog,
        *,
        most_waiting: int = MOST_WAITING,
        rule_limit_s: float = RULE_LIMIT_S,
    ) -> None:
        self.shown: list[Violation] = []
        self._lint = lint
        self._events = events
        self._limit = TimeLimit(rule_limit_s)
        self._waiting: queue.Queue[Step | None] = queue.Queue(most_waiting)
        self._kept = Kept()
        self._given_up = False
        self._thread = threading.Thread(target=self._work, name="lint", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
            return
        self._given_up = True
        with contextlib.suppress(Exception):
            self.close()

    def put(self, step: Step) -> None:
        """The next step. Waits while too many wait."""
        self._kept.raise_again()
        self._waiting.put(step)

    def close(self) -> None:
        """No more steps will come; returns when all have been looked at. May be called again."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()
        self._kept.raise_again()

    def _work(self) -> None:
        with self._limit:
            while (step := self._waiting.get()) is not None:
                if self._kept.error is None and not self._given_up:
                    self._check(step)

    def _check(self, step: Step) -> None:
        with self._kept:
            for violation in self._lint.check_step(step, self._limit):
                self._events.violation(violation)
                self.shown.append(violation)
