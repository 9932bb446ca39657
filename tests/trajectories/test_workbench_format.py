"""Our own format carries everything of a step and of a summary, also what is added to them later."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from workbench.records import (
    Observation,
    SessionSummary,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    TrajectorySummary,
    Usage,
    UsageCount,
)
from workbench.trajectories import trajectory_bytes
from workbench.trajectories.formats import LINE_READERS
from workbench.trajectories.readers.workbench import COUNTED

from .line_logs import MADE_UP, REAL, lines, read, real

USAGE = Usage(
    input_tokens=9,
    cached_input_tokens=2,
    cache_write_input_tokens=3,
    output_tokens=4,
    reasoning_output_tokens=1,
)
CALL = ToolCall(
    call_id="c",
    name="Edit",
    kind=ToolKind.FILE_CHANGE,
    command="ls",
    path="f",
    content="b",
    replaced="a",
    arguments={"x": [1, 2.5, None, {"y": "é"}]},
)
STEP = Step(
    number=1,
    source=StepSource.AGENT,
    message="m",
    reasoning="r",
    calls=[CALL],
    observations=[Observation(call_id="c", text="t", exit_code=3, is_error=True)],
    timestamp="2026-01-01T00:00:00Z",
    model="x",
    usage=USAGE,
    is_error=True,
    session="s",
    agent="scout",
    parent_call_id="p",
    message_id="i",
)
SESSION = SessionSummary(
    session="s",
    first_step=1,
    steps=1,
    model="x",
    usage=USAGE,
    usage_source="u",
    cost_usd=0.5,
    complete=False,
    final_message="f",
)
SUMMARY = TrajectorySummary(
    format="workbench",
    steps=1,
    calls=1,
    retries=2,
    usage=USAGE,
    usage_source="u",
    usage_counts=[UsageCount(source="u", usage=USAGE, cost_usd=0.25)],
    cost_usd=0.75,
    model="x",
    agent="a 1.0",
    session="s",
    sessions=[SESSION],
    unknown_events={"hologram": 2},
    damaged_lines=3,
    complete=False,
    final_message="f",
    errors=["e"],
)


@pytest.mark.parametrize("record", [USAGE, CALL, STEP, STEP.observations[0], SESSION, SUMMARY])
def test_the_example_sets_every_field(record: BaseModel) -> None:
    """So that a field that is added later fails here until it is carried."""
    for name, field in type(record).model_fields.items():
        assert getattr(record, name) != field.get_default(call_default_factory=True), name


@pytest.mark.parametrize("name", Step.model_fields)
def test_every_field_of_a_step_comes_back(name: str) -> None:
    [step], _ = read("workbench", trajectory_bytes([STEP], SUMMARY))
    assert getattr(step, name) == getattr(STEP, name)


@pytest.mark.parametrize("name", TrajectorySummary.model_fields)
def test_every_field_of_a_summary_comes_back(name: str) -> None:
    _, summary = read("workbench", trajectory_bytes([STEP], SUMMARY))
    assert getattr(summary, name) == getattr(SUMMARY, name)


@pytest.mark.parametrize("format", MADE_UP)
def test_every_log_comes_back_from_our_own_format(format: str) -> None:
    check_round_trip(*read(format, MADE_UP[format]))


@pytest.mark.parametrize("name", REAL)
def test_real_logs_come_back_from_our_own_format(name: str) -> None:
    check_round_trip(*read(REAL[name], real(name)))


def check_round_trip(steps: list[Step], summary: TrajectorySummary) -> None:
    written = trajectory_bytes(steps, summary)
    again, told = read("workbench", written)
    assert again == steps
    assert told == summary.model_copy(update={"format": "workbench"})
    assert trajectory_bytes(again, told) == written


def test_what_the_end_tells_is_believed_where_it_is_of_its_kind() -> None:
    end = dict.fromkeys(TrajectorySummary.model_fields, "nonsense") | {"kind": "end", "retries": 4}
    _, summary = read("workbench", lines({"kind": "step", "step": {"number": 1, "source": "agent"}}, end))
    assert (summary.steps, summary.retries, summary.usage, summary.format) == (1, 4, None, "workbench")
    assert summary.model == "nonsense"
    assert set(COUNTED) == {"format", "steps"}


ODD: list[Any] = [0, 1, -1, 1.0, 1.5, "1", "x", "", True, None, [], {}, ["a"], {"a": 1}, 2**70, "agent"]


PLACES = [*Step.model_fields, "calls.kind", "calls.exit", "usage.input_tokens", "unknown"]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(ODD)), min_size=1, max_size=3))
def test_a_step_is_read_the_same_the_fast_and_the_slow_way(changes: list[tuple[str, Any]]) -> None:
    """A line with a spare key is read the slow way; what is decided of its step must not depend on that."""
    raw: dict[str, Any] = json.loads(STEP.model_dump_json())
    for place, value in changes:
        if place == "calls.kind":
            raw["calls"] = [{"call_id": "1", "name": "n", "kind": value}]
        elif place == "calls.exit":
            raw["observations"] = [{"call_id": "1", "exit_code": value}]
        elif place == "usage.input_tokens":
            raw["usage"] = {"input_tokens": value}
        else:
            raw[place] = value
    fast = read("workbench", lines({"kind": "step", "step": raw}))
    slow = read("workbench", lines({"kind": "step", "step": raw, "spare": 1}))
    assert fast == slow
    counting = LINE_READERS["workbench"](counting=True)
    counting.feed(lines({"kind": "step", "step": raw}))
    assert counting.summary() == fast[1]
