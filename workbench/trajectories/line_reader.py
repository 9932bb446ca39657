"""The base of every reader of a format of lines: each line one JSON event.

A reader *decides* what an event completes and *puts* a step by naming a function that builds it from the raw
values. Counting, the same decisions are made and nothing is built, so that a large log can be indexed at the
speed at which its lines are parsed. ``mark`` is a place to begin from again: what later steps depend on.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from pydantic_core import from_json

from workbench.records import Step, TrajectorySummary
from workbench.trajectories.reader import Lines
from workbench.trajectories.totals import SessionTotals, Totals
from workbench.trajectories.values import json_object

TEXT_LINE = "(text line)"
MARK_LIMIT = 64 * 1024
"""Characters of a mark's state; where more is pending there is no mark."""

_SALVAGE_CHARACTERS = 4 * 1024 * 1024
_SALVAGE_TRIES = 4
_DECODER = json.JSONDecoder()

Builder = Callable[..., dict[str, Any]]


class LineReader(ABC):
    """Bytes of one log to steps. ``steps`` counts them, also where ``counting`` builds none.

    Subclasses keep all that later steps depend on in ``state`` (an object whose attributes are JSON values)
    and all that only the summary needs in ``totals``.
    """

    format: ClassVar[str] = ""
    usage_order: ClassVar[tuple[str, ...]] = ()
    """Sources of token counts, the one to show first."""
    starts: ClassVar[tuple[str, ...]] = ('{"type":"',)
    """How an event begins, to find it in a line that begins with something else."""

    def __init__(self, *, counting: bool = False) -> None:
        self.counting = counting
        self.steps = 0
        self.totals = Totals()
        self.now: SessionTotals = self.totals.sessions[0]
        self.state = self.new_state()
        self._lines = Lines()
        self.made: list[Step] = []

    def feed(self, data: bytes) -> list[Step]:
        """Steps that these bytes completed; none where only counting."""
        for line in self._lines.feed(data):
            self._line(line)
        return self._taken()

    def close(self) -> list[Step]:
        """The log has ended: what was pending, as far as it got."""
        for line in self._lines.close():
            self._line(line)
        self.ended()
        return self._taken()

    def next_file(self, name: str) -> list[Step]:
        """The log goes on in another of its files, of that name."""
        for line in self._lines.close():
            self._line(line)
        self._lines.begun = False
        self.file_began(name)
        return self._taken()

    def summary(self) -> TrajectorySummary:
        """What the log says so far; after ``resume`` without totals, of what was read since."""
        summary = self.totals.summary(self.format, self.steps, self.usage_order)
        overlong = self._lines.overlong
        return summary.model_copy(update={"damaged_lines": summary.damaged_lines + overlong})

    def mark(self, *, totals: bool = False) -> dict[str, Any] | None:
        """Where reading can begin again; JSON values. None inside a line, or where too much is pending.

        With ``totals``, the summary goes on as well.
        """
        if not self._lines.at_start:
            return None
        try:
            state = json.dumps(vars(self.state))
        except (ValueError, RecursionError):
            return None
        if len(state) > MARK_LIMIT:
            return None
        mark: dict[str, Any] = {"format": self.format, "steps": self.steps, "session": self.now.session}
        mark["begun"] = self._lines.begun
        if totals:
            mark["totals"] = json.loads(json.dumps(self.totals.as_json()))
            mark["overlong"] = self._lines.overlong
        return {**mark, "state": json.loads(state)}

    def resume(self, mark: Mapping[str, Any]) -> None:
        """Go on from a mark of the same format: the bytes behind it give the same steps, numbered alike."""
        mark = json.loads(json.dumps(mark))
        self._lines = Lines()
        self.made = []
        self._lines.begun = mark["begun"]
        self.steps = mark["steps"]
        self.state = self.new_state()
        vars(self.state).update(mark["state"])
        self.totals = Totals()
        if "totals" in mark:
            self.totals = Totals.from_json(mark["totals"])
            self._lines.overlong = mark["overlong"]
        self.now = self.totals.session_named(mark["session"], self.steps + 1)

    def put(self, build: Builder, *given: Any, calls: int = 0, **more: Any) -> None:
        """One more step: ``build`` makes its fields (all but number and session) of what is given."""
        self.steps += 1
        self.totals.calls += calls
        self.now.steps += 1
        if not self.counting:
            fields = build(*given, **more)
            self.made.append(Step(number=self.steps, session=self.now.session, **fields))

    def count_step(self, calls: int) -> None:
        """One more step, with so many calls."""
        self.steps += 1
        self.totals.calls += calls
        self.now.steps += 1

    def in_session(self, name: str) -> None:
        """What comes belongs to that session."""
        if name != self.now.session:
            self.now = self.totals.session_named(name, self.steps + 1)

    @abstractmethod
    def new_state(self) -> Any:
        """An object with the state of a log that has not begun."""

    @abstractmethod
    def event(self, event: dict[str, Any]) -> None:
        """One event of the log."""

    def is_event(self, value: Mapping[str, Any]) -> bool:
        """Whether an object found inside a broken line is an event, and not a part of one."""
        return False

    @abstractmethod
    def ended(self) -> None:
        """No line comes any more: put what is pending."""

    def file_began(self, name: str) -> None:
        """What comes is from another file of that name."""
        self.ended()

    def not_an_object(self, line: bytes) -> None:
        """A line that is no JSON object: events in it are taken, the rest is counted."""
        if not line.strip():
            return
        left = text = line.decode("utf-8", "replace")
        for value, rest in self._found(text):
            self.event(value)
            left = rest
        if left.lstrip().startswith("{") or any(start in left for start in self.starts):
            self.totals.damaged += 1
        elif left is text:
            self.totals.count_unknown(TEXT_LINE)

    def _found(self, text: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Whole events inside a broken line, each with what is left of the line without those so far."""
        left, at = "", 0
        for _ in range(_SALVAGE_TRIES if len(text) <= _SALVAGE_CHARACTERS else 0):
            begins = [found for start in self.starts if (found := text.find(start, at)) >= 0]
            if not begins:
                return
            begin = min(begins)
            try:
                value, end = _DECODER.raw_decode(text, begin)
            except (ValueError, RecursionError):
                value, end = None, begin + 1
            if isinstance(value, dict) and self.is_event(value):
                left += text[at:begin]
                yield value, left + text[end:]
            else:
                left += text[at:end]
            at = end

    def _line(self, line: bytes) -> None:
        try:
            event = from_json(line)
        except ValueError:
            event = json_object(line) if line else None
        if type(event) is dict:
            self.event(event)
        else:
            self.not_an_object(line)

    def _taken(self) -> list[Step]:
        made, self.made = self.made, []
        return made
