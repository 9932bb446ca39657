"""What ``gemini -o json`` prints."""

from __future__ import annotations

import json

from workbench.records import StepSource, Usage
from workbench.trajectories import detect_format

from .samples import read_bytes

STATS = {
    "models": {
        "gemini-2.5-pro": {
            "api": {"totalRequests": 3, "totalErrors": 1, "totalLatencyMs": 9},
            "tokens": {
                "prompt": 100,
                "candidates": 20,
                "total": 135,
                "cached": 60,
                "thoughts": 10,
                "tool": 5,
            },
        },
        "gemini-2.5-flash": {"tokens": {"input": 7, "cached": 1, "candidates": 2}},
    },
    "tools": {"totalCalls": 4, "byName": {"run_shell_command": {"count": 4}}},
}


def test_the_answer_and_the_counts() -> None:
    data = json.dumps({"session_id": "s", "response": "42", "stats": STATS, "warnings": ["slow"]}, indent=2)
    assert detect_format(data.encode()) == "gemini-json"
    steps, summary = read_bytes("auto", b"Loaded cached credentials.\n" + data.encode(), 50)
    assert [(step.source, step.message) for step in steps] == [
        (StepSource.AGENT, "42"),
        (StepSource.SYSTEM, "slow"),
    ]
    # 100 + 5 of tools, and 7 + 1; 20 + 10 of thoughts, and 2
    assert summary.usage == Usage(
        input_tokens=113, cached_input_tokens=61, output_tokens=32, reasoning_output_tokens=10
    )
    assert (summary.usage_source, summary.calls, summary.retries) == ("stats.models", 4, 1)
    assert (summary.session, summary.model, summary.final_message) == ("s", "gemini-2.5-pro", "42")
    assert summary.complete and summary.unknown_events == {"(text line)": 1}


def test_an_error_and_two_runs_in_one_file() -> None:
    failed = {"session_id": "a", "error": {"type": "FatalTurnLimitedError", "message": "no more", "code": 53}}
    again = {"session_id": "b", "response": "ok", "stats": {}, "novelty": 1}
    steps, summary = read_bytes("gemini-json", (json.dumps(failed) + "\n" + json.dumps(again)).encode(), 9)
    assert [(step.session, step.is_error) for step in steps] == [("a", True), ("b", False)]
    assert [(part.session, part.first_step, part.steps) for part in summary.sessions] == [
        ("a", 1, 1),
        ("b", 2, 1),
    ]
    assert (summary.errors, summary.unknown_events) == (["no more"], {"novelty": 1})
