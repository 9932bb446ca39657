"""A run's events into the rows of its trajectory: read in a thread, taken over by the screen bit by bit."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.records import (
    FinishedEvent,
    Level,
    NoteEvent,
    RunEvent,
    Step,
    StepEvent,
    Verdict,
    Violation,
    ViolationEvent,
)
from workbench.tui.step_blocks import ERROR, SQL, VIOLATION, outline_line, step_blocks, violation_block
from workbench.tui.widgets.folding import Block, BlockLines
from workbench.tui.widgets.line_source import Line, Sign, TextLines, Tone, one_line

POLL_S = 0.2
LOOK_AGAIN_S = 2.0
"""How often a run that ended without a result is looked at: being wrong about it must not last."""


@dataclass(frozen=True)
class Arrival:
    """One event, with the blocks it is drawn as."""

    blocks: tuple[Block, ...] = ()
    step: Step | None = None
    violation: Violation | None = None
    verdict: Verdict | None = None


class TrajectoryFeed:
    """Reads an event log until its run has a result. ``alive``: whether more can come.

    ``living`` is what it said last; ``ended``: it said no, and all that there was is read.
    """

    def __init__(self, events: Path, alive: Callable[[], bool]) -> None:
        self._events = events
        self._alive = alive
        self._arrived: deque[Arrival] = deque()
        self.living = False
        self.ended = False

    def load(self, stop: threading.Event) -> None:
        """Fill, in a thread, until the run's result or until ``stop`` is set."""
        from workbench.store import follow_events

        gone = False

        def more() -> bool:
            nonlocal gone
            self.living = self._alive()
            self.ended = gone and not self.living  # what was there at the last look has been read since
            gone = not self.living
            if self.ended:
                stop.wait(LOOK_AGAIN_S)
            return not stop.is_set()

        for event in follow_events(self._events, more, poll_s=POLL_S):
            if stop.is_set():
                return
            self.hear(event)
        self.ended = True

    def hear(self, event: RunEvent) -> None:
        """Add what an event is drawn as."""
        if isinstance(event, StepEvent):
            self._arrived.append(Arrival(tuple(step_blocks(event.step)), step=event.step))
        elif isinstance(event, ViolationEvent):
            self._arrived.append(Arrival((violation_block(event.violation),), violation=event.violation))
        elif isinstance(event, NoteEvent):
            self._arrived.append(Arrival((_note(event.text),)))
        elif isinstance(event, FinishedEvent):
            self._arrived.append(Arrival(verdict=event.result.verdict))

    def next(self) -> Arrival | None:
        """The oldest that has come and was not taken yet."""
        return self._arrived.popleft() if self._arrived else None


class TrajectoryLines(BlockLines):
    """Blocks of steps, each followed by its violations; ``outline`` has a row a step."""

    for_the_rest = ": open this line to read it all"

    def __init__(self) -> None:
        super().__init__(complete=False)
        self.outline = TextLines(complete=False)
        self.steps: list[Step] = []
        self.violations = 0
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

    def _add_step(self, step: Step, blocks: tuple[Block, ...]) -> None:
        self._order[step.number] = len(self.steps)
        self.steps.append(step)
        self.outline.add([outline_line(step)])
        self.add(blocks)
        self.errors += sum(ERROR in block.kinds for block in blocks)
        self.queries += sum(SQL in block.kinds for block in blocks)

    def _add_violation(self, violation: Violation, blocks: tuple[Block, ...]) -> None:
        number = violation.place.step or 0
        counted = any(block.kinds for block in blocks)
        self.violations += counted
        at = self._after(number)
        if at == len(self.blocks):
            self.add(blocks)
        else:
            self.insert(at, blocks)
        if counted and number in self._order:
            if self._worst.get(number) is not Level.FAIL:
                self._worst[number] = violation.level
            row = self._order[number]
            self.outline.lines[row] = outline_line(self.steps[row], self._worst[number])
            self.outline.revision += 1

    def _after(self, number: int) -> int:
        """Behind the last block of a step; at the end where there is none."""
        if number not in self._order:
            return len(self.blocks)
        at = len(self.blocks)
        while at and self.blocks[at - 1].key != number:
            at -= 1
        return at or len(self.blocks)

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
