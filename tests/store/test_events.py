"""What a run tells is kept line by line, and can be followed while it is written."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.records import (
    FinishedEvent,
    FixedClock,
    Level,
    NoteEvent,
    RunResult,
    StageEvent,
    Step,
    StepSource,
    SystemClock,
    Violation,
)
from workbench.store import EventLines, EventLog, events, follow_events, read_events, unreadable_lines

STEP = Step(number=1, source=StepSource.AGENT, message="line\nbreak é")


def test_all_kinds_come_back_in_order(tmp_path: Path, make_result: Callable[..., RunResult]) -> None:
    clock = FixedClock(SystemClock().now())
    log = EventLog(tmp_path / "events.jsonl", clock)
    log.stage("prepare", "begin")
    log.step(STEP)
    log.violation(Violation(rule="network", level=Level.WARN, message="m"))
    log.note("degraded")
    log.finished(make_result("20300501t120000-a"))
    log.close()
    events = read_events(log.path)
    assert [event.kind for event in events] == ["stage", "step", "violation", "note", "finished"]
    assert [event.sequence for event in events] == [1, 2, 3, 4, 5]
    assert events[1].step == STEP
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_left_out_and_writing_goes_on_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    log.note("one")
    log.note("two")
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert [event.text for event in read_events(path)] == ["one"]
    again = EventLog(path)
    again.note("three")
    again.close()
    texts = [event.text for event in read_events(path) if isinstance(event, NoteEvent)]
    assert texts == ["one", "line 2 of the event log is damaged", "three"]


def test_every_cut_of_the_file_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    for number in range(3):
        log.note(f"note {number}")
    log.close()
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        assert len(read_events(path)) == whole[:length].count(b"\n")


def test_a_missing_log_is_empty(tmp_path: Path) -> None:
    assert read_events(tmp_path / "none") == []
    assert list(follow_events(tmp_path / "none", lambda: False)) == []


def test_following_ends_at_the_end(tmp_path: Path, make_result: Callable[..., RunResult]) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.stage("prepare", "begin")
    seen = []
    for event in follow_events(log.path, lambda: True, poll_s=0.001):
        seen.append(event)
        if isinstance(event, StageEvent):
            log.finished(make_result("20300501t120000-a"))
    assert isinstance(seen[-1], FinishedEvent)
    assert len(seen) == 2


def test_following_a_dead_run_yields_what_it_wrote_last(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.note("one")
    answers = iter([True, True, False])

    def alive() -> bool:
        log.note("more")
        return next(answers)

    texts = [event.text for event in follow_events(log.path, alive, poll_s=0.001)]
    assert texts == ["one", "more", "more", "more"]


def test_what_comes_between_two_polls_is_not_waited_for(
    tmp_path: Path, make_result: Callable[..., RunResult]
) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.note("0")
    asked = 0

    def alive() -> bool:
        nonlocal asked
        asked += 1
        return True

    seen = []
    for event in follow_events(log.path, alive, poll_s=3600, look_s=0.001):
        seen.append(event)
        if len(seen) < 5:
            threading.Timer(0.02, log.note, [str(len(seen))]).start()
        elif len(seen) == 5:
            threading.Timer(0.02, log.finished, [make_result("20300501t120000-a")]).start()
    assert [event.sequence for event in seen] == [1, 2, 3, 4, 5, 6]
    assert asked == 1


WRITER = (
    "import os, sys, pathlib\n"
    "from workbench.store import EventLog\n"
    "log = EventLog(pathlib.Path(sys.argv[1]))\n"
    "for number in range(200):\n"
    "    log.note(f'note {number}')\n"
    "os.kill(os.getpid(), 9)\n"
)


def test_a_killed_writer_loses_nothing_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) as writer:
        seen = list(follow_events(path, lambda: writer.poll() is None, poll_s=0.005))
    assert writer.returncode == -9
    assert [event.sequence for event in seen] == list(range(1, 201))


@pytest.mark.parametrize("known", [b"\n\n", b"not json\n", b"\xff\xfe\n"])
def test_damage_at_the_start_does_not_stop_the_log(tmp_path: Path, known: bytes) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(known)
    log = EventLog(path)
    log.note("first")
    log.close()
    assert [event.sequence for event in read_events(path)] == [1]


def notes(path: Path, *texts: str) -> None:
    log = EventLog(path)
    for text in texts:
        log.note(text)
    log.close()


def test_a_line_above_the_limit_is_told_with_its_size_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_PIECE_BYTES", 64)
    path = tmp_path / "events.jsonl"
    notes(path, "one", "x" * 5000, "three")
    size = len(path.read_bytes().split(b"\n")[1])
    lines = EventLines(path, most_bytes=1000)
    held = 0
    texts = []
    for event in lines.new():
        held = max(held, len(lines._rest))
        texts.append(event.text)
    assert texts == ["one", f"line 2 of the event log has {size:,} bytes, too many to be shown", "three"]
    assert (lines.damaged, lines.rest_bytes) == (1, 0)
    assert held <= 1000


def test_a_piece_at_a_time_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is behind the piece that was read is not known yet: it may be changed."""
    monkeypatch.setattr(events, "_PIECE_BYTES", 500)
    path = tmp_path / "events.jsonl"
    notes(path, *(f"note {number:04}" for number in range(2000)))
    coming = EventLines(path).new()
    assert next(coming).text == "note 0000"
    path.write_bytes(path.read_bytes()[:1500])
    assert len(list(coming)) < 200


def test_a_line_that_does_not_end_is_counted_and_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"x" * 3_000_000)
    lines = EventLines(path, most_bytes=1000)
    assert list(lines.new()) == []
    assert (lines.rest_bytes, len(lines._rest)) == (3_000_000, 0)
    assert unreadable_lines(path) == 1
    with path.open("ab") as file:
        file.write(b"x\n")
    assert list(lines.new()) == []
    assert (lines.rest_bytes, lines.damaged) == (0, 1)
