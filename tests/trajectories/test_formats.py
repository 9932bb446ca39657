"""Telling formats apart, our own format both ways, and plain lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records import (
    BadInput,
    Observation,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    TrajectorySummary,
    Usage,
)
from workbench.trajectories import (
    detect_format,
    open_reader,
    read_trajectory,
    step_lines,
    trajectory_bytes,
    write_trajectory,
)

from .line_logs import MADE_UP, fed, read

STEPS = [
    Step(number=1, source=StepSource.USER, message="derive\r\nit"),
    Step(
        number=2,
        source=StepSource.AGENT,
        message="é 日本 \x1b[31m",
        reasoning="why",
        calls=[
            ToolCall(call_id="1", name="sh", kind=ToolKind.COMMAND, command="printf 'a\\nb'"),
            ToolCall(call_id="2", name="add", kind=ToolKind.FILE_CHANGE, path="a.sql", content="SELECT 1;\n"),
        ],
        observations=[Observation(call_id="1", text="a\nb", exit_code=3, is_error=True)],
        timestamp="2026-01-01T00:00:00Z",
        usage=Usage(input_tokens=3, output_tokens=1),
    ),
]
SUMMARY = TrajectorySummary(
    format="workbench",
    steps=2,
    usage=Usage(input_tokens=9, output_tokens=4),
    usage_source="turn.completed",
    model="m",
    session="s",
    final_message="bye",
    errors=["e"],
)


def test_our_own_format_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_trajectory(path, STEPS, SUMMARY)
    assert read_trajectory(path) == (STEPS, SUMMARY)


@given(st.text(), st.text(), st.binary(max_size=60))
def test_any_text_round_trips_and_any_bytes_are_survived(message: str, output: str, noise: bytes) -> None:
    step = Step(
        number=1,
        source=StepSource.AGENT,
        message=message,
        calls=[ToolCall(call_id="c", name="n", kind=ToolKind.COMMAND, command=message)],
        observations=[Observation(call_id="c", text=output)],
    )
    reader = open_reader("workbench")
    data = trajectory_bytes([step], SUMMARY)
    assert reader.feed(data[:11]) + reader.feed(data[11:]) + reader.close() == [step]
    for name in ("codex-exec", "workbench", "plain", "auto"):
        hostile = open_reader(name)
        hostile.feed(noise)
        hostile.close()
        hostile.summary()


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"", "plain"),
        (b"hello\n", "plain"),
        (b'{"type":"other"}\n', "plain"),
        (b'WARN x\n{"type":"thread.started","thread_id":"1"}\n', "codex-exec"),
        (trajectory_bytes(STEPS, SUMMARY), "workbench"),
        (b"\xff\xfe\x00" * 9, "plain"),
    ],
)
def test_detect_format(head: bytes, name: str) -> None:
    assert detect_format(head) == name


def test_auto_hands_steps_on_as_soon_as_the_format_shows() -> None:
    data = trajectory_bytes(STEPS, SUMMARY)
    reader = open_reader("auto")
    steps = []
    for start in range(0, len(data), 50):
        steps += reader.feed(data[start : start + 50])
    assert steps == STEPS
    assert reader.close() == []
    assert reader.summary() == SUMMARY


@pytest.mark.parametrize("piece", [1, 13, 1000])
@pytest.mark.parametrize("name", MADE_UP)
def test_auto_reads_as_the_format_does(name: str, piece: int) -> None:
    reader = open_reader("auto")
    assert (fed(reader, MADE_UP[name], piece), reader.summary()) == read(name, MADE_UP[name])


def test_text_of_no_format_is_one_step() -> None:
    reader = open_reader("auto")
    assert reader.feed("zwölf".encode()[:3]) == []
    assert reader.feed("zwölf".encode()[3:]) == []
    assert [step.message for step in reader.close()] == ["zwölf"]


def test_a_log_without_its_end_is_incomplete_and_damaged_steps_are_counted() -> None:
    data = trajectory_bytes(STEPS, SUMMARY)
    first, *rest = data.splitlines(keepends=True)
    reader = open_reader("workbench")
    reader.feed(first + b'{"kind":"step","step":{"source":"nobody"}}\n{"kind":"step"}\n' + rest[0])
    assert (reader.summary().complete, reader.summary().damaged_lines, reader.summary().steps) == (
        False,
        2,
        1,
    )


def test_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"codex-exec, .*workbench, .*plain"):
        open_reader("morse")


def test_step_lines_are_inert_and_fit() -> None:
    lines = step_lines(STEPS[1], width=40)
    assert not any(character in line for line in lines for character in "\x1b\r\x07\x9b")
    assert all(len(line) <= 40 for line in lines)
    assert lines[0] == "   2  agent"
    assert "      $ printf 'a\\nb'" in lines
    assert "      exit 3" in lines
    assert "      + SELECT 1;" in lines


def test_long_output_is_cut_with_its_count() -> None:
    step = Step(
        number=1,
        source=StepSource.AGENT,
        observations=[Observation(call_id="c", text="\n".join(map(str, range(100))))],
    )
    assert step_lines(step, output_lines=2)[-1] == "      | … 98 more lines"
