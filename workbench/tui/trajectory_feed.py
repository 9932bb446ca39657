"""A run's events into the rows of its trajectory: read in a thread, taken over by the screen bit by bit."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.records import (
    FinishedEvent,
    Level,
    LintRecord,
    NoteEvent,
    RunEvent,
    Step,
    StepEvent,
    Verdict,
    Violation,
    ViolationEvent,
)
from workbench.tui.inert import Inert
from workbench.tui.step_blocks import (
    ERROR,
    SQL,
    VIOLATION,
    level_sign,
    outline_line,
    step_blocks,
    violation_block,
)
from workbench.tui.themes import verdict_text
from workbench.tui.widgets.folding import Block, BlockLines
from workbench.tui.widgets.line_source import Line, Sign, TextLines, Tone, one_line

POLL_S = 0.2
LOOK_S = 0.05
"""How often it is asked whether the run's process lives, and whether its event log has grown."""
LOOK_AGAIN_S = 2.0
"""How often a run that ended without a result is looked at: being wrong about it must not last."""
MOST_WAITING = 2000
MOST_TEXT = 16_000_000
"""How much is read before the screen takes it."""
ShownSteps = Callable[[], AbstractContextManager[Callable[[Step], Step]]]


def _as_it_is(step: Step) -> Step:
    return step


@dataclass(frozen=True)
class ShownStep:
    """What is kept of a step besides its blocks: its number and its row of the outline."""

    number: int
    brief: Line


@dataclass(frozen=True)
class Arrival:
    """One event, with the blocks it is drawn as."""

    blocks: tuple[Block, ...] = ()
    step: ShownStep | None = None
    violation: Violation | None = None
    verdict: Verdict | None = None

    @classmethod
    def of_step(cls, step: Step) -> Arrival:
        """A step; of its texts no more is kept than is ever laid out."""
        blocks = tuple(step_blocks(step))
        for block in blocks:
            block.bound()
        return cls(blocks, step=ShownStep(step.number, outline_line(step)))

    @property
    def size(self) -> int:
        """Characters of its text."""
        return sum(len(block.body) for block in self.blocks)


class TrajectoryFeed:
    """Reads an event log until its run has a result. ``alive``: whether more can come.

    ``living`` is what it said last; ``ended``: it said no, and all that there was is read. ``damaged``: of
    what was read, something is no event. ``told``: called by the reader's thread when something waits to be
    taken and nothing did before. ``lint``: a re-lint that is drawn in place of the first lint. ``shown``:
    opened by the reader, gives each step as it is drawn. At most about
    ``most_waiting`` arrivals, with ``most_text`` characters, wait to be taken: the reader goes no further.
    """

    def __init__(
        self,
        events: Path,
        alive: Callable[[], bool],
        *,
        lint: LintRecord | None = None,
        shown: ShownSteps | None = None,
        most_waiting: int = MOST_WAITING,
        most_text: int = MOST_TEXT,
    ) -> None:
        self._events = events
        self._lint = lint
        self._shown = shown
        self._alive = alive
        self._most_waiting, self._most_text = most_waiting, most_text
        self._arrived: deque[Arrival] = deque()
        self._text = 0
        self._room = threading.Condition()
        self.told: Callable[[], object] | None = None
        self.damaged = False
        self.living = False
        self.ended = False

    def load(self, stop: threading.Event) -> None:
        """Fill, in a thread, until the run's result or until ``stop`` is set."""
        from workbench.store import EventLines, events_of_lint, follow_events

        gone = False
        lines = EventLines(self._events)

        def more() -> bool:
            nonlocal gone
            self.living = self._alive()
            self.damaged = bool(lines.damaged or lines.rest_bytes)
            self.ended = gone and not self.living  # what was there at the last look has been read since
            gone = not self.living
            if self.ended:
                stop.wait(LOOK_AGAIN_S)
            return not stop.is_set()

        events = follow_events(self._events, more, poll_s=POLL_S, look_s=LOOK_S, lines=lines)
        with self._shown() if self._shown is not None else nullcontext(_as_it_is) as show:
            for event in events_of_lint(events, self._lint):
                self._wait_for_room(stop)
                if stop.is_set():
                    break
                if isinstance(event, StepEvent):
                    event = event.model_copy(update={"step": show(event.step)})
                self.hear(event)
        self.damaged = bool(lines.damaged or lines.rest_bytes)
        self.ended = True

    def hear(self, event: RunEvent) -> None:
        """Add what an event is drawn as."""
        if isinstance(event, StepEvent):
            self.put(Arrival.of_step(event.step))
        elif isinstance(event, ViolationEvent):
            self.put(Arrival((violation_block(event.violation),), violation=event.violation))
        elif isinstance(event, NoteEvent):
            self.put(Arrival((_note(event.text),)))
        elif isinstance(event, FinishedEvent):
            self.put(Arrival(verdict=event.result.verdict))

    def put(self, *arrivals: Arrival) -> None:
        """Let them wait to be taken."""
        with self._room:
            first = not self._arrived
            self._arrived.extend(arrivals)
            self._text += sum(arrival.size for arrival in arrivals)
        if first and self.told is not None:
            self.told()

    def next(self) -> Arrival | None:
        """The oldest that has come and was not taken yet."""
        with self._room:
            if not self._arrived:
                return None
            found = self._arrived.popleft()
            self._text -= found.size
            self._room.notify_all()
            return found

    @property
    def full(self) -> bool:
        """Whether the reader waits."""
        return len(self._arrived) >= self._most_waiting or self._text >= self._most_text

    @property
    def waiting(self) -> int:
        """How many have come and were not taken yet."""
        return len(self._arrived)

    def _wait_for_room(self, stop: threading.Event) -> None:
        with self._room:
            while self.full and not stop.is_set():
                self._room.wait(POLL_S)


class TrajectoryLines(BlockLines):
    """Blocks of steps, each followed by its violations; ``outline`` has a row a step."""

    for_the_rest = ": open this line to read it all"

    def __init__(self) -> None:
        super().__init__(complete=False)
        self.outline = TextLines(complete=False)
        self.steps: list[ShownStep] = []
        self.counted: Counter[Level] = Counter()
        """Violations of the lint by level."""
        self.errors = 0
        self.queries = 0
        self.verdict: Verdict | None = None
        self._order: dict[int, int] = {}  # step number to row of the outline
        self._worst: dict[int, Level] = {}  # step number to the level of its worst violation

    def take(self, arrival: Arrival) -> None:
        """One event."""
        if arrival.step is not None:
            self._add_step(arrival.step, arrival.blocks)
        elif arrival.violation is not None:
            self._add_violation(arrival.violation, arrival.blocks)
        elif arrival.verdict is not None:
            self.verdict = arrival.verdict
        else:
            self.add(arrival.blocks)

    def _add_step(self, step: ShownStep, blocks: tuple[Block, ...]) -> None:
        self._order[step.number] = len(self.steps)
        self.steps.append(step)
        self.outline.add([step.brief])
        self.add(blocks)
        self.errors += sum(ERROR in block.kinds for block in blocks)
        self.queries += sum(SQL in block.kinds for block in blocks)

    def _add_violation(self, violation: Violation, blocks: tuple[Block, ...]) -> None:
        number = violation.place.step or 0
        counted = any(block.kinds for block in blocks)
        self.counted[violation.level] += 1
        at = self._after(number)
        if at == len(self.blocks):
            self.add(blocks)
        else:
            self.insert(at, blocks)
        if counted and number in self._order:
            if self._worst.get(number) is not Level.FAIL:
                self._worst[number] = violation.level
            row = self._order[number]
            sign = level_sign(self._worst[number])
            self.outline.lines[row] = replace(self.steps[row].brief, sign=sign)
            self.outline.revision += 1

    def _after(self, number: int) -> int:
        """Behind the last block of a step; at the end where there is none."""
        if number not in self._order:
            return len(self.blocks)
        at = len(self.blocks)
        while at and self.blocks[at - 1].key != number:
            at -= 1
        return at or len(self.blocks)

    def ended(self, otherwise: str) -> Inert:
        """The verdict, or the state ``otherwise``, with what the lint counted; empty where none is known."""
        known = self.verdict or otherwise
        warns = self.counted[Level.WARN] + self.counted[Level.QUARANTINE]
        return verdict_text(known, self.counted[Level.FAIL], warns) if known else Inert()

    def part_at(self, row: int) -> int:
        """The row of the outline for a row; -1 before the first step."""
        at = self.block_at(row) if self.blocks else -1
        while at >= 0 and self.blocks[at].key not in self._order:
            at -= 1
        return self._order[self.blocks[at].key] if at >= 0 else -1

    def row_of_part(self, part: int) -> int:
        """The first row of a step."""
        return self.row_of_block(self.first_block(self.steps[part].number)) if self.blocks else 0

    def text_at(self, row: int) -> tuple[int, int] | None:
        """The step's number and which of its blocks (from 0) a row's text is; None for no text of a step."""
        at = self.block_at(row) if self.blocks else -1
        block = self.blocks[at] if at >= 0 else None
        if block is None or not block.body or block.key not in self._order or VIOLATION in block.kinds:
            return None
        return block.key, at - self.first_block(block.key)

    def first_block(self, number: int) -> int:
        """The first block of a step."""
        return next((at for at, block in enumerate(self.blocks) if block.key == number), 0)

    def part_of_step(self, number: int) -> int | None:
        """The row of the outline for a step's number."""
        return self._order.get(number)


def _note(text: str) -> Block:
    return Block(head=Line(one_line(f"  note: {text}"), tone=Tone.DIM, sign=Sign.NOTE))
