"""Numbers of a log: times over several sessions, and why a log is not complete."""

from __future__ import annotations

import pytest

from workbench.records import SessionSummary, Step, StepSource, TrajectorySummary
from workbench.trajectories import not_complete, trajectory_stats


def test_first_and_last_time_are_those_of_all_sessions() -> None:
    times = ("2026-01-02T10:00:00Z", "2026-01-02T12:00:00+01:00", "2026-01-01T09:00:00Z", "soon", "")
    steps = [
        Step(number=number, source=StepSource.AGENT, timestamp=time) for number, time in enumerate(times, 1)
    ]
    stats = trajectory_stats(steps)
    assert (stats.first_time, stats.last_time) == ("2026-01-01T09:00:00Z", "2026-01-02T12:00:00+01:00")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"complete": False}, "its last event is not there"),
        ({"complete": False, "damaged_lines": 1}, "1 line cannot be read"),
        (
            {
                "complete": False,
                "sessions": [
                    SessionSummary(session=str(at), first_step=1, steps=1, complete=at == 0)
                    for at in range(6)
                ],
            },
            "no end of session 1, 2, 3 and 2 more",
        ),
    ],
)
def test_why_a_log_is_not_complete(changes: dict[str, object], said: str) -> None:
    summary = TrajectorySummary.model_validate(
        {"format": "claude-session", "steps": 1, "complete": True} | changes
    )
    assert not_complete(summary).startswith(said) and bool(not_complete(summary)) is bool(said)
