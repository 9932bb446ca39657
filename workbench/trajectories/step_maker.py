"""Steps as they are made, numbered and counted: what readers of whole documents share."""

from __future__ import annotations

from typing import Any

from workbench.records import Step, StepSource
from workbench.trajectories.totals import SESSIONS_KEPT, SessionTotals, Totals


class StepMaker:
    """``main``: the session that is read; ``now``: the one that steps are put to, mostly the same."""

    def __init__(self) -> None:
        self.steps = 0
        self.totals = Totals()
        self.main: SessionTotals = self.totals.sessions[0]
        self.now = self.main
        self._made: list[Step] = []

    def put(self, **fields: Any) -> None:
        """One more step of the current session; all its fields but number and session."""
        self.steps += 1
        self.now.steps += 1
        step = Step(number=self.steps, session=self.now.session, **fields)
        self.totals.calls += len(step.calls)
        if step.source is StepSource.AGENT and step.message and not step.agent:
            self.now.final = step.message
        self._made.append(step)

    def in_session(self, name: str) -> None:
        """What comes belongs to that session."""
        if name != self.now.session:
            self.now = self.totals.session_named(name, self.steps + 1)

    def next_session(self) -> None:
        """What comes is another session, whatever its name will be."""
        if len(self.totals.sessions) < SESSIONS_KEPT:
            self.totals.sessions.append(SessionTotals(first_step=self.steps + 1))
        self.main = self.now = self.totals.sessions[-1]

    def taken(self) -> list[Step]:
        """The steps made since this was asked last."""
        made, self._made = self._made, []
        return made
