"""Random logs in the normal form: every field, nested agents, sessions, ids that are used twice."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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

TEXT = st.text(max_size=12)
IDS = st.sampled_from(["", "c1", "c2", "c3", "é\n"])
COUNTS = st.integers(0, 2**62)
USAGE = st.builds(Usage, *[], **dict.fromkeys(Usage.model_fields, COUNTS))
MONEY = st.none() | st.floats(0, 1e6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)
NAMES = st.sampled_from(
    ["Bash", "shell", "apply_patch", "MultiEdit", "str_replace_editor", "write_file", "x", ""]
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["command", "path", "file_path", "content", "edits", "input", "workbench"]) | TEXT,
    VALUES
    | st.just([{"old_string": "a", "new_string": "b"}, {"new_string": "c"}])
    | st.just("*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch"),
    max_size=3,
)
CALLS = st.builds(
    ToolCall,
    call_id=IDS,
    name=NAMES,
    kind=st.sampled_from(ToolKind),
    command=st.none() | TEXT,
    path=st.none() | TEXT,
    content=st.none() | TEXT,
    replaced=st.none() | TEXT,
    arguments=ARGUMENTS,
)
OBSERVATIONS = st.builds(
    Observation,
    call_id=IDS,
    text=TEXT,
    exit_code=st.none() | st.integers(-(2**63) + 1, 2**63 - 1),
    is_error=st.none() | st.booleans(),
)
TIMES = TEXT | st.sampled_from(
    ["2026-01-01T00:00:00Z", "2026-01-01 00:00", "2026-13-01T00:00:00Z", "1746001974.25", "2026-01-01"]
)


def _numbered(fields: list[dict[str, Any]]) -> list[Step]:
    return [Step(number=number, **each) for number, each in enumerate(fields, 1)]


STEPS = st.lists(
    st.fixed_dictionaries(
        {"source": st.sampled_from(StepSource)},
        optional={
            "message": TEXT,
            "reasoning": TEXT,
            "calls": st.lists(CALLS, max_size=2),
            "observations": st.lists(OBSERVATIONS, max_size=2),
            "timestamp": TIMES,
            "model": st.sampled_from(["", "m", "n"]),
            "usage": st.none() | USAGE,
            "is_error": st.booleans(),
            "session": st.sampled_from(["", "s", "t"]),
            "agent": st.sampled_from(["", "", "helper", "helper#2"]),
            "parent_call_id": st.sampled_from(["", "", "c1", "c2"]),
            "message_id": TEXT,
        },
    ),
    max_size=5,
).map(_numbered)

SUMMARIES = st.builds(
    TrajectorySummary,
    format=st.just("atif"),
    steps=st.just(0),
    calls=st.integers(0, 99),
    retries=st.integers(0, 99),
    usage=st.none() | USAGE,
    usage_source=TEXT,
    usage_counts=st.lists(st.builds(UsageCount, source=TEXT, usage=USAGE, cost_usd=MONEY), max_size=2),
    cost_usd=MONEY,
    model=st.sampled_from(["", "m"]),
    agent=st.sampled_from(["", "claude-code 2.0.27", "codex", "two words", "x y1 z2", " 1"]) | TEXT,
    session=st.sampled_from(["", "s"]),
    sessions=st.lists(
        st.builds(
            SessionSummary,
            session=TEXT,
            first_step=COUNTS,
            steps=COUNTS,
            usage=st.none() | USAGE,
            cost_usd=MONEY,
            complete=st.booleans(),
        ),
        max_size=2,
    ),
    unknown_events=st.dictionaries(TEXT, st.integers(0, 9), max_size=2),
    damaged_lines=st.integers(0, 9),
    complete=st.booleans(),
    final_message=TEXT,
    errors=st.lists(TEXT, max_size=2),
)
