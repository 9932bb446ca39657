"""The lint beside a run that streams: order, bounds, nothing lost, and errors that come out."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.contamination import Lint
from workbench.records import (
    Level,
    Place,
    RunEvent,
    Step,
    StepEvent,
    StepSource,
    Unavailable,
    Violation,
    ViolationEvent,
)
from workbench.runs.lint_stream import LintStream
from workbench.store import EventLog, read_events


class OneEach(Lint):
    """Says one thing of each step, when it may."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.may.set()
        self.seen: list[int] = []

    def check_step(self, step: Step, limit: object = None) -> list[Violation]:
        self.may.wait()
        self.seen.append(step.number)
        return [Violation(rule="r", level=Level.WARN, message="m", place=Place(step=step.number))]


def step(number: int) -> Step:
    return Step(number=number, source=StepSource.AGENT)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    events = EventLog(tmp_path / "events.jsonl")
    yield events
    events.close()


def record(log: EventLog, stream: LintStream, count: int) -> None:
    for number in range(1, count + 1):
        log.step(step(number))
        stream.put(step(number))


def numbers(events: list[RunEvent], kind: type[StepEvent | ViolationEvent]) -> list[int | None]:
    return [
        event.step.number if isinstance(event, StepEvent) else event.violation.place.step
        for event in events
        if isinstance(event, kind)
    ]


def test_a_burst_loses_nothing(log: EventLog) -> None:
    lint = OneEach()
    with LintStream(lint, log, most_waiting=8) as stream:
        record(log, stream, 1000)
    events = read_events(log.path)
    assert numbers(events, StepEvent) == numbers(events, ViolationEvent) == list(range(1, 1001))
    assert [item.place.step for item in stream.shown] == list(range(1, 1001))
    places = {
        (type(event), number): at
        for kind in (StepEvent, ViolationEvent)
        for number, (at, event) in enumerate(
            ((at, event) for at, event in enumerate(events) if isinstance(event, kind)), 1
        )
    }
    assert all(places[(StepEvent, number)] < places[(ViolationEvent, number)] for number in range(1, 1001))


def test_a_rule_that_is_busy_keeps_nobody_waiting(log: EventLog) -> None:
    lint = OneEach()
    lint.may.clear()
    began = time.monotonic()
    with LintStream(lint, log, most_waiting=50) as stream:
        record(log, stream, 50)
        assert time.monotonic() - began < 5
        assert numbers(read_events(log.path), StepEvent) == list(range(1, 51))
        assert numbers(read_events(log.path), ViolationEvent) == []
        lint.may.set()
    assert numbers(read_events(log.path), ViolationEvent) == list(range(1, 51))


def test_when_too_many_wait_the_next_one_waits(log: EventLog) -> None:
    lint = OneEach()
    lint.may.clear()
    with LintStream(lint, log, most_waiting=3) as stream:
        bringing = threading.Thread(target=record, args=(log, stream, 20))
        bringing.start()
        bringing.join(0.3)
        assert bringing.is_alive()
        assert len(numbers(read_events(log.path), StepEvent)) < 20
        lint.may.set()
        bringing.join(10)
        assert not bringing.is_alive()
    assert lint.seen == list(range(1, 21))


@pytest.mark.parametrize("error", [Unavailable("the disk is full"), RuntimeError("a fault")])
def test_what_cannot_be_recorded_is_raised_and_blocks_nobody(
    log: EventLog, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(violation: Violation) -> None:
        raise error

    monkeypatch.setattr(log, "violation", fail)
    with pytest.raises(type(error), match=str(error)), LintStream(OneEach(), log, most_waiting=2) as stream:
        record(log, stream, 100)


def test_left_by_an_error_it_looks_no_further(log: EventLog) -> None:
    lint = OneEach()
    lint.may.clear()
    with pytest.raises(KeyError), LintStream(lint, log) as stream:
        record(log, stream, 100)
        lint.may.set()
        raise KeyError
    assert len(lint.seen) < 100
    assert threading.active_count() < 20
