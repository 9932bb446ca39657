"""Large logs: an index gives what reading all gives, follows growth, and is given up for another log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.records import DataPaths, OffsetIndex
from workbench.trajectories import StepFile, read_trajectory
from workbench.trajectories import offset_index as indexing
from workbench.trajectories import step_file as opening

from .samples import sample

STEPS = 400


@pytest.fixture(autouse=True)
def small_strides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "STRIDE_BYTES", 4096)
    monkeypatch.setattr(opening, "SMALL_BYTES", 1024)


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def _line(kind: str, number: int, text: str) -> str:
    item = {"id": f"item_{number}", "type": "command_execution", "command": f"echo {number}"}
    done = {"aggregated_output": text, "exit_code": 0, "status": "completed"}
    return json.dumps({"type": kind, "item": item | (done if kind == "item.completed" else {})}) + "\n"


def _log(first: int, last: int) -> str:
    """Overlapping items: each is completed after the next one has begun."""
    lines = []
    for number in range(first, last):
        lines.append(_line("item.started", number, ""))
        if number > first:
            lines.append(_line("item.completed", number - 1, "ä" * (number % 50)))
    return "".join([*lines, _line("item.completed", last - 1, "end")])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "codex.jsonl"
    path.write_text('{"type":"thread.started","thread_id":"t1"}\n' + _log(0, STEPS))
    return path


def _index(data: DataPaths) -> OffsetIndex:
    (kept,) = data.offset_indexes.glob("*.json")
    return OffsetIndex.from_json(kept.read_text(), where="index")


def test_any_step_is_as_in_the_whole_log(log: Path, data: DataPaths) -> None:
    whole, summary = read_trajectory(log)
    found = StepFile(log, data)
    assert found.count == len(whole) == STEPS
    assert len(_index(data).checkpoints) > 10
    for first in (1, 2, 57, 200, STEPS - 1, STEPS):
        assert found.steps(first, 3) == whole[first - 1 : first + 2]
    assert found.steps(STEPS + 1, 5) == []
    assert list(found) == whole
    assert found.begin(4) == whole[:4]
    assert found.summary == summary


def test_the_kept_index_is_used_again(log: Path, data: DataPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    assert StepFile(log, data).count == STEPS
    monkeypatch.setattr(indexing, "LINE_READERS", {})
    assert StepFile(log, data).count == STEPS


def test_a_log_that_grows_is_read_on(log: Path, data: DataPaths) -> None:
    assert StepFile(log, data).count == STEPS
    before = _index(data).checkpoints
    with log.open("a") as file:
        file.write(_log(STEPS, STEPS + 40))
    whole, summary = read_trajectory(log)
    found = StepFile(log, data)
    assert found.count == len(whole) == STEPS + 40
    assert _index(data).checkpoints[: len(before)] == before
    assert found.summary == summary
    assert found.steps(STEPS - 2, 8) == whole[STEPS - 3 : STEPS + 5]


def test_a_torn_last_line_is_read_again_when_it_is_whole(log: Path, data: DataPaths) -> None:
    tail = _line("item.completed", STEPS, "last")
    with log.open("a") as file:
        file.write(tail[:40])
    assert StepFile(log, data).count == STEPS
    with log.open("a") as file:
        file.write(tail[40:])
    found = StepFile(log, data)
    assert found.count == STEPS + 1
    assert found.steps(STEPS + 1, 1)[0].observations[0].text == "last"


def test_another_log_of_the_same_size_is_indexed_anew(log: Path, data: DataPaths) -> None:
    assert StepFile(log, data).steps(5, 1)[0].calls[0].command == "echo 4"
    log.write_bytes(log.read_bytes().replace(b"echo 4", b"echo A"))
    assert StepFile(log, data).steps(5, 1)[0].calls[0].command == "echo A"


def test_a_longer_log_that_begins_otherwise_is_indexed_anew(log: Path, data: DataPaths) -> None:
    assert StepFile(log, data).count == STEPS
    log.write_text(_log(7, STEPS + 60))
    found = StepFile(log, data)
    assert found.count == STEPS + 53
    assert found.steps(1, 1)[0].calls[0].command == "echo 7"


@pytest.mark.parametrize("kept", [b"", b"{", b"[]", b'{"schema_version": 99}'])
def test_a_damaged_index_is_made_anew(log: Path, data: DataPaths, kept: bytes) -> None:
    assert StepFile(log, data).count == STEPS
    (file,) = data.offset_indexes.glob("*.json")
    file.write_bytes(kept)
    assert StepFile(log, data).steps(9, 1)[0].number == 9
    assert _index(data).steps == STEPS


def test_a_large_log_of_text_is_kept_as_lines(tmp_path: Path, data: DataPaths) -> None:
    path = tmp_path / "printed.txt"
    path.write_text("nothing known\n" * 1000)
    found = StepFile(path, data)
    assert (found.format, found.count) == ("plain", 1)
    assert found.steps(1, 1)[0].message.startswith("nothing known")
    assert found.summary.format == "plain"


@pytest.mark.parametrize(
    "name",
    [
        "codex_exec/heru_T-0001_merge-resolver.jsonl",
        "codex_rollout/agentcmd_rollout-2025-09-25T15-12-14.jsonl",
        "claude_stream/trackgentic_stream.jsonl",
        "claude_session/agentcmd_full-session-four.jsonl",
    ],
)
def test_real_logs(name: str, data: DataPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sample(name)
    whole, summary = read_trajectory(path)
    found = StepFile(path, data)
    assert [found.steps(step.number, 1) for step in whole] == [[step] for step in whole]
    assert found.summary == summary
    monkeypatch.setattr(indexing, "LINE_READERS", {})
    assert StepFile(path, data).count == len(whole)
