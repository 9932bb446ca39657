"""Inspect's logs: a real one against Inspect's own reading of it, and each kind of event."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Step as Made
from workbench.records import StepSource, ToolKind, TrajectorySummary, Usage
from workbench.trajectories import read_trajectory
from workbench.trajectories.readers.inspect_eval import EvalLog

from .samples import read_bytes, sample

REAL = "inspect_eval/vivaria_small_agentic.eval"

# inspect_ai 0.3.285, read_eval_log(path, resolve_attachments=True): counts of log.samples, of the events of
# each by their kind, and of model_usage over the samples.
SAMPLES = [f"default_epoch_{epoch}" for epoch in range(1, 7)]
EVENTS = {
    "span_begin": 118, "sample_init": 6, "span_end": 118, "sandbox": 100, "state": 12, "store": 24,
    "model": 76, "tool": 76, "score": 6,
}  # fmt: skip
TOTAL_TOKENS = [48095, 42964, 42843, 48294, 53259, 42906]
TOKENS = Usage(
    input_tokens=609 + 239400 + 27692,
    cached_input_tokens=239400,
    cache_write_input_tokens=27692,
    output_tokens=10660,
    reasoning_output_tokens=3394,
)


@pytest.mark.demo
def test_a_real_log_as_inspect_itself_reads_it() -> None:
    path = sample(REAL)
    log = EvalLog()
    with path.open("rb") as file:
        log.read(file)
    steps, summary = log.taken(), log.summary()
    assert log.events == EVENTS
    assert [part.session for part in summary.sessions] == SAMPLES
    totals = [part.usage and part.usage.input_tokens + part.usage.output_tokens for part in summary.sessions]
    assert totals == TOTAL_TOKENS
    assert {count.source: count.usage for count in summary.usage_counts} == {
        "sample.model_usage": TOKENS,
        "model events": TOKENS,
        "stats.model_usage": TOKENS,
    }
    assert (summary.usage_source, summary.agent, summary.model) == (
        "sample.model_usage",
        "inspect-ai 0.3.132",
        "testing-dummy",
    )
    assert (steps, summary) == read_trajectory(path)


@pytest.mark.demo
def test_steps_of_a_real_log() -> None:
    # Of the 100 sandbox events 70 are inside the 70 calls of bash (their spans), 30 around them. Per sample
    # steps are: these 5, the model's 12 to 14, as many messages of the user, 1 of the system, 1 score.
    steps, summary = read_trajectory(sample(REAL))
    assert (len(steps), summary.calls) == (194, 76)
    assert Counter(step.source for step in steps) == {
        StepSource.AGENT: 76, StepSource.USER: 76, StepSource.SYSTEM: 6 + 30 + 6,
    }  # fmt: skip
    calls = [(call, step.observations[0]) for step in steps for call in step.calls]
    assert Counter(call.kind for call, _ in calls) == {ToolKind.COMMAND: 70, ToolKind.OTHER: 6}
    assert all(result.exit_code is not None for call, result in calls if call.kind is ToolKind.COMMAND)
    assert steps[4].calls[0].command == "ls -la /home/agent/"
    assert steps[4].observations[0].text.startswith("total 6824\n")
    assert steps[4].reasoning.startswith("I need to run an oxDNA simulation")
    assert all(part.complete for part in summary.sessions) and not summary.unknown_events
    assert (summary.damaged_lines, summary.retries, summary.errors) == (0, 0, [])


HEADER = {"status": "success", "eval": {"model": "m", "packages": {"inspect_ai": "0.3"}}, "plan": {}}


def log(*samples: dict[str, Any], header: dict[str, Any] = HEADER) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for number, document in enumerate(samples, 1):
            archive.writestr(f"samples/x_epoch_{number}.json", json.dumps(document))
        archive.writestr("header.json", json.dumps(header))
    return held.getvalue()


def read(*events: Any, header: dict[str, Any] = HEADER, **more: Any) -> tuple[list[Made], TrajectorySummary]:
    return read_bytes("inspect-eval", log({"id": "x", "epoch": 1, "events": events, **more}, header=header))


def model(*calls: dict[str, Any], text: str = "", asked: Any = (), **more: Any) -> dict[str, Any]:
    message = {"id": f"m{text}", "role": "assistant", "content": text, "tool_calls": list(calls)}
    output = {"model": "m-1", "choices": [{"message": message}]} | more.pop("output", {})
    return {"event": "model", "timestamp": "t", "input": list(asked), "output": output, **more}


def call(call_id: str, function: str, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "function": function, "arguments": arguments}


def tool(call_id: str, function: str, result: Any, **more: Any) -> dict[str, Any]:
    return {"event": "tool", "id": call_id, "function": function, "arguments": {}, "result": result, **more}


def span(name: str, kind: str, parent: str = "") -> dict[str, Any]:
    return {"event": "span_begin", "id": name, "name": name, "type": kind, "parent_id": parent or None}


def test_errors_limits_retries_and_scores() -> None:
    steps, summary = read(
        model(call("a", "bash", cmd="x"), call("b", "python", code="y"), text="go", retries=2),
        tool("a", "bash", "out", error={"type": "timeout", "message": "too slow"}),
        tool("b", "python", [{"type": "text", "text": "two"}, {"type": "image", "image": "x"}], failed=True),
        model(text="bad", error="overloaded"),
        {"event": "sample_limit", "type": "token", "message": "too many tokens"},
        {"event": "error", "error": {"message": "boom"}},
        {"event": "score", "scorer": "match", "score": {"value": "I", "explanation": "no"}},
        {"event": "info", "source": "s", "data": {"a": 1}},
        {"event": "approval", "decision": "reject", "call": {"function": "bash"}, "explanation": "why"},
        {"event": "approval", "decision": "approve"},
        {"event": "compaction", "tokens_before": 9, "tokens_after": 4},
        {"event": "input", "input": "hello"},
        {"event": "novelty"},
        7,
        error={"message": "boom"},
        limit={"type": "token", "limit": 5},
        error_retries=[{"message": "first"}],
        header={**HEADER, "status": "error", "error": {"message": "eval failed"}},
    )
    assert [(o.call_id, o.text, o.is_error) for o in steps[0].observations] == [
        ("a", "out\ntoo slow", True),
        ("b", "two\n[image]", True),
    ]
    assert [step.message for step in steps[1:]] == [
        "bad", "too many tokens", "boom", "score match: I\nno", 's: {"a": 1}',
        "approval of bash: reject (why)", "compaction: 9 to 4 tokens", "hello",
    ]  # fmt: skip
    assert [step.is_error for step in steps[1:4]] == [True, True, True]
    assert steps[-1].source is StepSource.USER
    assert summary.errors == ["eval failed", "overloaded", "boom", "limit: token"]
    assert (summary.retries, summary.damaged_lines, summary.complete) == (3, 1, False)
    assert summary.unknown_events == {"event novelty": 1}


def test_nested_agents_by_their_spans() -> None:
    steps, _ = read(
        span("main", "agent"),
        {**model(call("a", "researcher", task="find"), text="outer"), "span_id": "main"},
        span("researcher", "tool", "main"),
        {**tool("a", "researcher", "found"), "span_id": "main"},
        span("inner", "agent", "researcher"),
        {**model(call("b", "bash", cmd="ls"), text="deep"), "span_id": "inner"},
        span("bash", "tool", "inner"),
        {**tool("b", "bash", "x"), "span_id": "inner"},
        {"event": "sandbox", "action": "exec", "cmd": "bash -c ls", "result": 3, "span_id": "bash"},
        {**model(text="end"), "span_id": "main"},
    )
    assert [(step.message, step.agent, step.parent_call_id) for step in steps] == [
        ("outer", "", ""),
        ("deep", "inner", "a"),
        ("end", "", ""),
    ]
    assert (steps[0].observations[0].text, steps[0].observations[0].exit_code) == ("found", None)
    assert (steps[1].observations[0].exit_code, steps[1].observations[0].is_error) == (3, True)


def test_events_inside_a_call_as_old_versions_write_them() -> None:
    inner = [model(text="in"), {"event": "subtask", "events": [model(text="deeper")]}]
    steps, _ = read(model(call("a", "sub"), text="out"), tool("a", "sub", 5, events=inner))
    assert [step.message for step in steps] == ["out", "in", "deeper"]
    assert steps[0].observations[0].text == "5"


def test_attachments_and_pooled_messages() -> None:
    pool = [
        {"id": "s", "role": "system", "content": "be good"},
        {"id": "u", "role": "user", "content": "attachment://h"},
    ]
    steps, summary = read(
        model(call("a", "bash", cmd="attachment://h"), text="x", input_refs=[[0, 2], ["?"], [5, -1]]),
        tool("a", "bash", "attachment://none"),
        attachments={"h": "long"},
        events_data={"messages": pool, "calls": []},
    )  # fmt: skip
    assert [step.message for step in steps] == ["be good", "long", "x"]
    assert steps[2].calls[0].command == "long"
    assert (steps[2].observations[0].text, summary.damaged_lines) == ("attachment://none", 1)


def test_what_the_model_was_given_is_shown_once() -> None:
    user = {"role": "user", "content": "hi"}
    first = {"role": "assistant", "content": "shown before", "tool_calls": []}
    steps, _ = read(
        model(text="one", asked=[user, first]),
        model(text="two", asked=[user, first, {"id": "mone", "role": "assistant", "content": "one"}]),
        model(text="three", asked=[user, {"role": "tool", "tool_call_id": "z", "content": "late"}]),
    )
    assert [(step.source.value, step.message) for step in steps] == [
        ("user", "hi"), ("agent", "shown before"), ("agent", "one"), ("agent", "two"), ("system", ""),
        ("agent", "three"),
    ]  # fmt: skip
    assert steps[4].observations[0].text == "late"


def test_tools_on_the_models_side_thinking_and_usage() -> None:
    content = [
        {"type": "reasoning", "reasoning": "secret", "redacted": True, "summary": "gist"},
        {"type": "tool_use", "id": "w", "name": "web_search", "arguments": '{"query": "q"}', "result": "r"},
        {"type": "text", "text": "words"},
    ]
    usage = {"input_tokens": 10, "input_tokens_cache_read": 4, "output_tokens": 2, "total_tokens": 12}
    message = {"id": "1", "role": "assistant", "content": content}
    output = {"model": "m", "choices": [{"message": message}], "usage": usage}
    again = {**output, "choices": [{"message": {**message, "id": "2"}}]}
    given = {
        "m": {
            "input_tokens": 6,
            "input_tokens_cache_read": 4,
            "output_tokens": 2,
            "total_tokens": 12,
            "total_cost": 0.5,
        }
    }
    steps, summary = read(
        {"event": "model", "input": [], "output": output},
        {"event": "model", "input": [], "output": again, "cache": "read"},
        model_usage=given,
    )  # fmt: skip
    assert (steps[0].reasoning, steps[0].message, steps[0].calls[0].kind) == ("gist", "words", ToolKind.WEB)
    assert steps[0].observations[0].text == "r"
    counted = Usage(input_tokens=10, cached_input_tokens=4, output_tokens=2)
    assert [count.usage for count in summary.usage_counts] == [counted, counted]
    assert summary.cost_usd == 0.5


def test_a_sample_without_events_is_read_by_its_messages() -> None:
    messages = [
        {"id": "u", "role": "user", "content": "hi"},
        {"id": "a", "role": "assistant", "content": "", "tool_calls": [call("c", "bash", cmd="ls")]},
        {"id": "t", "role": "tool", "tool_call_id": "c", "content": "x", "error": {"message": "e"}},
        {"id": "?", "role": "oracle"},
    ]
    steps, summary = read(messages=messages)
    assert [step.source.value for step in steps] == ["user", "agent"]
    assert (steps[1].calls[0].command, steps[1].observations[0].is_error) == ("ls", True)
    assert summary.unknown_events == {"message oracle": 1}


def test_an_older_log_as_one_document() -> None:
    document = {"version": 2, **HEADER, "samples": [{"id": 1, "epoch": 2, "events": [model(text="x")]}, 5]}
    steps, summary = read_bytes("auto", json.dumps(document, indent=1).encode(), 50)
    assert [(step.session, step.message) for step in steps] == [("1_epoch_2", "x")]
    assert (summary.format, summary.agent, summary.damaged_lines) == ("inspect-eval", "inspect-ai 0.3", 1)


def test_a_sample_in_chunks() -> None:
    prefix = "samples/x_epoch_1"
    members: dict[str, Any] = {
        f"{prefix}/sample.json": {"id": "x", "epoch": 1, "message_refs": [[0, 1]]},
        f"{prefix}/messages/0.json": [{"id": "u", "role": "user", "content": "attachment://1"}],
        f"{prefix}/events/10.json": [model(text="second")],
        f"{prefix}/events/2.json": [model(text="first", input_refs=[[0, 1]])],
        f"{prefix}/attachments/0.json": ["zero", "one"],
        "samples/y_epoch_1/sample.json": {"id": "y", "epoch": 1, "message_refs": [[0, 9]]},
        "samples/y_epoch_1/messages/0.json": [{"id": "v", "role": "user", "content": "alone"}],
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, document in members.items():
            archive.writestr(name, json.dumps(document))
    steps, summary = read_bytes("inspect-eval", held.getvalue())
    assert [step.message for step in steps] == ["one", "first", "second", "alone"]
    assert [part.session for part in summary.sessions] == ["x_epoch_1", "y_epoch_1"]


def test_a_zip_that_is_no_log_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("samples/a_epoch_1.json", log())
        archive.writestr("notes.txt", "x")
    steps, summary = read_bytes("auto", held.getvalue())
    assert (steps, summary.damaged_lines, summary.complete) == ([], 1, False)
    path = tmp_path / "a.eval"
    path.write_bytes(b"PK\x03\x04 and then nothing that is a zip")
    steps, summary = read_trajectory(path)
    assert (steps, summary.complete) == ([], False)
    assert summary.damaged_lines
