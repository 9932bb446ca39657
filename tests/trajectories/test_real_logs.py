"""Real logs against numbers counted by hand, and against Harbor's conversions of two of them into ATIF."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from workbench.records import Step, StepSource, ToolKind, TrajectorySummary, Usage
from workbench.trajectories import read_log

from .line_logs import REAL, SAMPLES, read, real

HERU, HELLO, ROLLOUT, STREAM, SESSION, GEMINI = REAL
Counts = dict[str, Any]

COUNTS: dict[str, Counts] = {
    # 19 commands, 1 file change, 8 messages; one turn.completed.
    HERU: {"steps": 28, "calls": 20, "tokens": (377_620, 339_840, 0, 2_680, 0)},
    # Reasoning belongs to the file change behind it.
    HELLO: {"steps": 2, "calls": 1, "tokens": (6_008, 4_096, 0, 51, 0)},
    # 2 messages of the user, 34 function calls, 1 message of the agent.
    ROLLOUT: {"steps": 37, "calls": 34, "tokens": (536_834, 472_320, 0, 6_654, 4_096)},
    # 1 hook with words, 9 retries, 1 notification, 1 message in the user's place, 11 calls, 2 last words.
    STREAM: {"steps": 25, "calls": 11, "retries": 9, "tokens": (77_138, 66_752, 0, 1_206, 0)},
    # 6 messages of the user, 27 calls, 3 last words.
    SESSION: {"steps": 36, "calls": 27, "tokens": (1_243_308, 1_178_761, 64_499, 228, 0)},
    # 3 messages of the user, 15 of the model; 13 of these with a call.
    GEMINI: {"steps": 18, "calls": 13, "tokens": (102_805, 45_385, 0, 6_456, 4_905)},
}


@pytest.fixture(params=REAL, ids=[name.split("/")[1][:24] for name in REAL])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def usage(tokens: tuple[int, int, int, int, int]) -> Usage:
    given, cached, written, output, reasoning = tokens
    return Usage(
        input_tokens=given,
        cached_input_tokens=cached,
        cache_write_input_tokens=written,
        output_tokens=output,
        reasoning_output_tokens=reasoning,
    )


def test_steps_calls_and_tokens_are_as_counted_by_hand(name: str) -> None:
    real(name)
    steps, summary = read_log(SAMPLES / name)
    expected = COUNTS[name]
    assert summary.format == REAL[name]
    assert [step.number for step in steps] == list(range(1, expected["steps"] + 1))
    assert summary.steps == expected["steps"]
    assert (sum(len(step.calls) for step in steps), summary.calls, summary.retries) == (
        expected["calls"],
        expected["calls"],
        expected.get("retries", 0),
    )
    assert summary.usage == usage(expected["tokens"])
    assert summary.usage in [count.usage for count in summary.usage_counts]
    assert (summary.damaged_lines, summary.unknown_events, summary.complete) == (0, {}, True)
    assert summary.final_message == [step for step in steps if step.message][-1].message


def test_every_call_has_its_answer_in_its_step(name: str) -> None:
    for step in read(REAL[name], real(name))[0]:
        assert {call.call_id for call in step.calls} == {answer.call_id for answer in step.observations}


def test_pieces_of_any_size_give_the_same_steps(name: str) -> None:
    data = real(name)[:30_000]
    whole = read(REAL[name], data)
    for piece in (1, 7, 4096):
        assert read(REAL[name], data, piece) == whole


def test_what_the_stream_reports_what_its_messages_say_and_what_is_shown() -> None:
    steps, summary = read("claude-stream", real(STREAM))
    assert summary.usage_source == "modelUsage"
    told = {count.source: count for count in summary.usage_counts}
    fresh = {
        source: (count.usage.input_tokens - count.usage.cached_input_tokens, count.usage.output_tokens)
        for source, count in told.items()
    }
    assert fresh == {
        "modelUsage": (10_386, 1_206),
        "result.usage": (1_686, 914),
        "messages, each once": (8_700, 292),
    }
    naive = [json.loads(line) for line in real(STREAM).splitlines()]
    sums = [event["message"]["usage"] for event in naive if event["type"] == "assistant"]
    assert sum(count["output_tokens"] for count in sums) == 658, "the sum that must not be shown"
    assert (summary.cost_usd, told["result.usage"].cost_usd) == (
        pytest.approx(0.115456),
        pytest.approx(0.115456),
    )
    assert sum(step.usage.output_tokens for step in steps if step.usage) == 292


def test_hooks_retries_denials_and_kinds_of_the_stream() -> None:
    steps, summary = read("claude-stream", real(STREAM))
    system = [step for step in steps if step.source is StepSource.SYSTEM]
    assert sum(step.message.startswith("Retry ") and step.is_error for step in system) == 9
    assert [step.message.split("\n")[0] for step in system if "ook" in step.message] == [
        "Hook SessionStart:startup:",
        "Stop hook feedback:",
        "Stop hook error occurred",
    ]
    denied = [step.calls[0].name for step in steps for answer in step.observations if answer.is_error]
    assert denied == ["Bash", "Edit"]
    kinds = Counter(call.kind for step in steps for call in step.calls)
    assert kinds == {ToolKind.COMMAND: 8, ToolKind.FILE_READ: 2, ToolKind.FILE_CHANGE: 1}
    edit = next(call for step in steps for call in step.calls if call.name == "Edit")
    assert (edit.replaced or "")[:16] == "expertise_status"
    assert "528 tests passing" in (edit.content or "")
    assert (summary.agent, summary.model) == ("claude-code 2.1.138", "glm-5.1")


def oracle(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(real(f"atif/{name}"))
    return document


def observed(result: dict[str, Any]) -> str:
    """Harbor appends what a tool told besides its text; the text itself stands apart."""
    raw = result.get("extra", {}).get("tool_result_metadata", {}).get("raw_tool_result")
    return str(raw["content"] if raw else result["content"])


def calls_of(steps: list[Step]) -> list[tuple[Any, ...]]:
    return [
        (call.call_id, call.name, call.arguments, step.observations[0].text)
        for step in steps
        for call in step.calls
    ]


def oracle_calls(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (call["tool_call_id"], call["function_name"], call["arguments"], observed(result))
        for step in document["steps"]
        for call, result in zip(
            step.get("tool_calls", []), step.get("observation", {}).get("results", []), strict=True
        )
    ]


def check_against_oracle(steps: list[Step], summary: TrajectorySummary, document: dict[str, Any]) -> None:
    assert calls_of(steps) == oracle_calls(document)
    told = document["steps"]
    assert len(steps) == len(told) == document["final_metrics"]["total_steps"]
    assert summary.session == document["session_id"]
    assert summary.agent == f"{document['agent']['name']} {document['agent']['version']}"
    assert summary.model == document["agent"]["model_name"]
    assert summary.usage is not None
    assert (
        summary.usage.input_tokens,
        summary.usage.cached_input_tokens,
        summary.usage.output_tokens,
    ) == tuple(
        document["final_metrics"][f"total_{part}_tokens"] for part in ("prompt", "cached", "completion")
    )


def test_claude_session_against_harbor() -> None:
    """27 calls and 36 steps in both, cut alike; the order differs in one place.

    Harbor sorts by time, so that the user's command, which stands behind a caveat with a later time, is its
    first step. Here lines keep their order.
    """
    steps, summary = read("claude-session", real(SESSION))
    document = oracle("harbor-0.26_converted_claude-code.json")
    check_against_oracle(steps, summary, document)
    assert summary.calls == 27
    told = document["steps"]
    order = [1, 0, *range(2, 36)]
    assert [(step.source, step.message, step.timestamp) for step in steps] == [
        (told[place]["source"], told[place]["message"], told[place]["timestamp"]) for place in order
    ]
    for step, place in zip(steps, order, strict=True):
        metrics = told[place].get("metrics")
        assert (step.usage is None) == (metrics is None)
        if step.usage is not None:
            assert (step.usage.input_tokens, step.usage.cached_input_tokens, step.usage.output_tokens) == (
                metrics["prompt_tokens"],
                metrics["cached_tokens"],
                metrics["completion_tokens"],
            )


def test_codex_rollout_against_harbor() -> None:
    """34 calls and 37 steps in both, cut alike.

    Harbor puts each count on the step before the one that it was for: in this version of Codex a count is
    written before the items of its response. So its last step has none and its first two are summed nowhere.
    """
    steps, summary = read("codex-rollout", real(ROLLOUT))
    document = oracle("harbor-0.26_converted_codex.json")
    check_against_oracle(steps, summary, document)
    assert summary.calls == 34
    told = document["steps"]
    assert [(step.source, step.message, step.reasoning, step.timestamp) for step in steps] == [
        (step["source"], step["message"], step.get("reasoning_content", ""), step["timestamp"])
        for step in told
    ]
    here = [step.usage.input_tokens for step in steps if step.usage is not None]
    there = [step["metrics"]["prompt_tokens"] for step in told if "metrics" in step]
    assert sum(here) == document["final_metrics"]["total_prompt_tokens"]
    assert here[1:] == there
    assert [count.source for count in summary.usage_counts] == ["token_count, total", "token_count, each"]
    assert all(answer.exit_code == 0 for step in steps for answer in step.observations)


def test_a_gemini_session_has_thoughts_edits_and_failures() -> None:
    steps, _ = read("gemini-session", real(GEMINI))
    calls = [call for step in steps for call in step.calls]
    assert Counter(call.kind for call in calls) == {
        ToolKind.COMMAND: 5,
        ToolKind.FILE_READ: 2,
        ToolKind.FILE_CHANGE: 2,
        ToolKind.SEARCH: 3,
        ToolKind.WEB: 1,
    }
    codes = [
        answer.exit_code for step in steps for answer in step.observations if answer.exit_code is not None
    ]
    assert codes == [127, 1, 0, 0]
    assert [step.number for step in steps for answer in step.observations if answer.is_error] == [
        6,
        8,
        12,
        13,
    ]
    assert steps[1].reasoning.startswith("**Considering Project Structure**\n")
    assert steps[16].calls[0].content is not None
    assert "RestrictedPython" in steps[16].calls[0].content
