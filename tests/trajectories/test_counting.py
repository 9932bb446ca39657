"""Counting decides as reading does, and reading goes on from every mark as if it had never stopped."""

from __future__ import annotations

import json
import random

import pytest

from workbench.records import Step
from workbench.trajectories.formats import LINE_READERS
from workbench.trajectories.line_reader import MARK_LIMIT

from .line_logs import MADE_UP, REAL, fed, read, real
from .mutations import mutated

LOGS = [*(pytest.param(name, "", id=f"made-up {name}") for name in MADE_UP), *(
    pytest.param(format, name, id=name.split("/")[1][:30]) for name, format in REAL.items()
)]  # fmt: skip


def log(format: str, name: str) -> bytes:
    return real(name) if name else MADE_UP[format]


def check_counting(format: str, data: bytes) -> None:
    """Line by line, and at the end: as many steps, and the same summary."""
    counting, reading = LINE_READERS[format](counting=True), LINE_READERS[format]()
    number = 0
    for line in data.splitlines(keepends=True):
        number += len(reading.feed(line))
        assert counting.feed(line) == []
        assert counting.steps == reading.steps == number
    assert counting.close() == []
    number += len(reading.close())
    assert counting.steps == number
    assert counting.summary() == reading.summary()


def check_resuming(format: str, data: bytes, most_marks: int) -> int:
    """From marks all over the log, with and without totals: the same rest. How many marks there were."""
    steps, summary = read(format, data)
    lines = data.splitlines(keepends=True)
    every = max(len(lines) // most_marks, 1)
    marker = LINE_READERS[format](counting=True)
    at = marks = 0
    for index, line in enumerate(lines):
        mark = marker.mark(totals=bool(index % 2)) if index % every == 0 else None
        if mark is not None:
            marks += 1
            written = json.loads(json.dumps(mark))
            resumed = LINE_READERS[format]()
            resumed.resume(written)
            assert written == mark
            assert fed(resumed, data[at:]) == steps[marker.steps :]
            if index % 2:
                assert resumed.summary() == summary
            assert resumed.summary().steps == len(steps)
        marker.feed(line)
        at += len(line)
    return marks


@pytest.mark.parametrize(("format", "name"), LOGS)
def test_counting_counts_what_reading_reads(format: str, name: str) -> None:
    check_counting(format, log(format, name))


@pytest.mark.parametrize(("format", "name"), LOGS)
def test_reading_goes_on_from_every_mark(format: str, name: str) -> None:
    data = log(format, name)
    marks = check_resuming(format, data, 40)
    assert marks >= min(len(data.splitlines()), 20) or format == "gemini-session"


@pytest.mark.parametrize(("format", "name"), LOGS)
def test_damaged_logs_count_and_resume_alike(format: str, name: str) -> None:
    data = log(format, name)[:60_000]
    for seed in range(30):
        broken = mutated(data, random.Random(seed))
        check_counting(format, broken)
        check_resuming(format, broken, 6)


def test_no_mark_inside_a_line_or_where_too_much_is_pending() -> None:
    reader = LINE_READERS["codex-exec"]()
    assert reader.mark() is not None
    reader.feed(b'{"type":"turn.')
    assert reader.mark() is None
    reader.feed(b'started"}\n')
    assert reader.mark() is not None
    item = {"id": "1", "type": "command_execution", "command": "x" * MARK_LIMIT}
    reader.feed(json.dumps({"type": "item.started", "item": item}).encode() + b"\n")
    assert reader.mark() is None
    reader.feed(json.dumps({"type": "item.completed", "item": {"id": "1"}}).encode() + b"\n")
    assert reader.mark() is not None


def test_a_mark_is_small() -> None:
    for format, data in MADE_UP.items():
        reader = LINE_READERS[format](counting=True)
        for line in data.splitlines(keepends=True):
            reader.feed(line)
            assert len(json.dumps(reader.mark() or {})) < 8_000


def test_steps_of_a_resumed_reader_have_the_numbers_of_the_whole_log() -> None:
    data = MADE_UP["claude-stream"]
    first = data.splitlines(keepends=True)[:9]
    reader = LINE_READERS["claude-stream"](counting=True)
    for line in first:
        reader.feed(line)
    mark = reader.mark()
    assert mark is not None
    resumed = LINE_READERS["claude-stream"]()
    resumed.resume(mark)
    rest: list[Step] = fed(resumed, data[len(b"".join(first)) :])
    assert [step.number for step in rest][:2] == [reader.steps + 1, reader.steps + 2]
