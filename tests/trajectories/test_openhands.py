"""OpenHands' tasks with their histories."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.records import Observation, StepSource, ToolKind, Usage
from workbench.trajectories import read_trajectory

from .samples import read_bytes, sample


@pytest.mark.demo
def test_real_tasks() -> None:
    # A line of Python over json.loads of each line: history has 49, 70 and 103 events. Of these 4 each are
    # prompts and recalls (system, message, recall twice), 23, 33 and 49 actions with a call, 22, 32 and 49
    # answers to them (two tasks end with finish, which has none), 0, 1 and 1 errors that answer nothing: 27,
    # 38 and 54 steps. Tokens: metrics.accumulated_token_usage, which is the sum of the 23, 33 and 49 entries
    # of metrics.token_usages, and that of the usage of the model's answers, each counted once.
    path = sample("openhands/multi_swe_bench_output.jsonl")
    steps, summary = read_trajectory(path)
    assert [(part.session, part.steps, part.complete) for part in summary.sessions] == [
        ("ponylang__ponyc-4595", 27, True),
        ("ponylang__ponyc-4593", 38, True),
        ("ponylang__ponyc-4588", 54, False),
    ]
    assert [
        part.usage and (part.usage.input_tokens, part.usage.output_tokens) for part in summary.sessions
    ] == [(565158, 2558), (410169, 5156), (938015, 5627)]
    assert (len(steps), summary.calls, summary.retries) == (119, 105, 2)
    assert sum(len(step.observations) for step in steps) == 103
    total = Usage(input_tokens=1913342, output_tokens=13341)
    assert {count.source for count in summary.usage_counts} == {
        "metrics.accumulated_token_usage", "metrics.token_usages", "messages, each once",
    }  # fmt: skip
    assert (summary.usage, summary.cost_usd) == (total, 0.0)
    (error,) = summary.errors
    assert error.startswith("RuntimeError: Agent reached maximum iteration in headless mode.")
    assert (summary.agent, summary.model) == (
        "openhands CodeActAgent 0.35.0",
        "openai/openrouter-llama-4-maverick",
    )
    assert not summary.unknown_events and not summary.damaged_lines
    for piece in (999, 65_536):
        assert read_bytes("openhands", path.read_bytes(), piece) == (steps, summary)


@pytest.mark.demo
def test_what_the_actions_of_a_real_task_do() -> None:
    steps, _ = read_trajectory(sample("openhands/multi_swe_bench_output.jsonl"))
    run, edit = steps[4], next(step for step in steps for call in step.calls if call.replaced)
    assert (run.calls[0].kind, run.calls[0].command) == (
        ToolKind.COMMAND,
        "ls -l /workspace/ponylang__ponyc__0.1",
    )
    assert (run.observations[0].exit_code, run.observations[0].is_error) == (0, False)
    assert run.message.startswith("The task involves fixing an issue in the")
    assert run.usage == Usage(input_tokens=5920, output_tokens=128)
    assert (edit.calls[0].kind, edit.calls[0].name) == (ToolKind.FILE_CHANGE, "str_replace_editor")
    assert edit.calls[0].content == edit.calls[0].arguments["new_str"]
    failed = [step for step in steps if any(item.is_error for item in step.observations)]
    assert any(step.observations[0].text.startswith("ERROR:\nNo replacement") for step in failed)
    assert steps[-1].observations[0].exit_code == 100


def task(*events: Any, **more: Any) -> bytes:
    return json.dumps({"instance_id": "i", "history": events, **more}).encode() + b"\n"


def act(number: int, action: str, answer: str = "", call_id: str = "", **args: Any) -> dict[str, Any]:
    event: dict[str, Any] = {"id": number, "source": "agent", "action": action, "args": args}
    if answer:
        message = {"content": "words", "tool_calls": []}
        response = {
            "id": answer,
            "model": "m",
            "choices": [{"message": message}],
            "usage": {"prompt_tokens": 3},
        }
        event["tool_call_metadata"] = {
            "function_name": "f", "tool_call_id": call_id, "model_response": response,
        }  # fmt: skip
    return event


def came(cause: int, observation: str, content: str = "", **extras: Any) -> dict[str, Any]:
    return {
        "id": cause + 100,
        "cause": cause,
        "observation": observation,
        "content": content,
        "extras": extras,
    }


def test_one_answer_with_several_calls_is_counted_once() -> None:
    steps, summary = read_bytes(
        "openhands",
        task(
            act(1, "run", "r1", "a", command="ls"),
            act(2, "run", "r1", "b", command="pwd"),
            came(2, "run", "/", exit_code=0),
            came(1, "run", "x", metadata={"exit_code": -1}),
            act(3, "finish", "r2", "c", final_thought="bye"),
        ),
    )
    assert [(step.message, step.message_id, step.usage and step.usage.input_tokens) for step in steps] == [
        ("words", "r1", 3),
        ("", "r1", None),
        ("words", "r2", 3),
    ]
    assert [step.observations for step in steps[:2]] == [
        [Observation(call_id="a", text="x", exit_code=-1, is_error=False)],
        [Observation(call_id="b", text="/", exit_code=0, is_error=False)],
    ]
    assert summary.usage == Usage(input_tokens=6)
    assert (summary.usage_source, summary.complete) == ("messages, each once", True)


def test_a_delegate_is_a_nested_agent() -> None:
    steps, summary = read_bytes(
        "openhands",
        task(
            act(1, "delegate", agent="BrowsingAgent", inputs={}),
            act(2, "browse", url="http://x"),
            came(2, "browse", "page"),
            act(3, "finish", outputs={}),
            came(1, "delegate", "found"),
            act(4, "message", content="so it is"),
        ),
    )
    assert [(step.agent, step.parent_call_id) for step in steps] == [
        ("", ""), ("BrowsingAgent", "1"), ("BrowsingAgent", "1"), ("", ""), ("", ""),
    ]  # fmt: skip
    assert [call.kind for step in steps for call in step.calls] == [
        ToolKind.AGENT,
        ToolKind.WEB,
        ToolKind.OTHER,
    ]
    assert steps[3].observations == [Observation(call_id="1", text="found")]
    assert (summary.complete, summary.final_message) == (False, "so it is")


def test_kinds_of_actions() -> None:
    steps, summary = read_bytes(
        "openhands",
        task(
            act(1, "read", path="a"),
            act(2, "write", path="b", content="c"),
            act(3, "edit", path="d", command="str_replace", old_str="o", new_str="n", thought="t"),
            act(4, "run_ipython", code="1 + 1"),
            act(9, "edit", path="e", content="part", start=3, end=5),
            act(5, "call_tool_mcp", name="fetch", arguments={"command": "x"}),
            act(6, "dance", step=1),
            act(7, "change_agent_state", agent_state="finished"),
            came(99, "agent_state_changed"),
            came(98, "run", "late"),
            [act(8, "run", command="old pair"), came(8, "run", "ok")],
            {"kind": "DreamEvent"},
            5,
            test_result={},
            novelty=True,
        ),
    )
    kinds = [
        (call.name, call.kind, call.path, call.content, call.replaced)
        for step in steps
        for call in step.calls
    ]
    assert kinds == [
        ("read", ToolKind.FILE_READ, "a", None, None),
        ("write", ToolKind.FILE_CHANGE, "b", "c", None),
        ("edit", ToolKind.FILE_CHANGE, "d", "n", "o"),
        ("run_ipython", ToolKind.OTHER, None, None, None),
        ("edit", ToolKind.FILE_CHANGE, "e", "part", ""),
        ("fetch", ToolKind.COMMAND, None, None, None),
        ("dance", ToolKind.OTHER, None, None, None),
        ("run", ToolKind.COMMAND, None, None, None),
    ]
    assert steps[2].message == "t" and steps[3].calls[0].arguments == {"code": "1 + 1"}
    assert (steps[7].source, steps[7].observations[0].text) == (StepSource.SYSTEM, "late")
    assert steps[8].observations[0].text == "ok"
    assert summary.unknown_events == {"action dance": 1, "event DreamEvent": 1, "novelty": 1}
    assert summary.damaged_lines == 1


def test_what_was_put_before_the_model_is_shown() -> None:
    recalled = came(
        1, "recall", "Added", microagent_knowledge=[{"content": "a skill"}], repo_instructions="rules"
    )
    steps, _ = read_bytes("openhands", task({**act(1, "recall"), "message": "looking"}, recalled))
    assert [(step.source, step.message) for step in steps] == [
        (StepSource.SYSTEM, "looking"),
        (StepSource.SYSTEM, "Added\n\nrules\n\na skill"),
    ]


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def kind(name: str, number: int, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"kind": name, "id": f"e{number}", "source": source, "timestamp": "t", **more}


def sdk_call(number: int, tool: str, answer: str, arguments: str, **action: Any) -> dict[str, Any]:
    return kind(
        "ActionEvent",
        number,
        thought=text("words"),
        reasoning_content="hm",
        tool_name=tool,
        tool_call_id=f"c{number}",
        tool_call={"id": f"c{number}", "name": tool, "arguments": arguments},
        llm_response_id=answer,
        action={"kind": "X", **action},
    )


def sdk_answer(number: int, **observation: Any) -> dict[str, Any]:
    seen = {"content": text("out"), **observation}
    return kind(
        "ObservationEvent", number + 100, action_id=f"e{number}", tool_call_id=f"c{number}", observation=seen
    )


def test_events_that_name_their_kind() -> None:
    asked = {"role": "user", "content": text("do it")}
    steps, summary = read_bytes(
        "openhands",
        task(
            kind("SystemPromptEvent", 1, system_prompt={"text": "be"}, dynamic_context={"text": "good"}),
            kind("MessageEvent", 2, "user", llm_message=asked, extended_content=text("a skill")),
            sdk_call(3, "terminal", "r1", '{"command": "ls"}'),
            sdk_call(4, "file_editor", "r1", '{"command": "create", "path": "/a", "file_text": "x"}'),
            sdk_answer(3, metadata={"exit_code": 2}),
            sdk_answer(4, is_error=True),
            sdk_call(5, "fetch", "r2", "{broken"),
            kind("AgentErrorEvent", 6, tool_call_id="c5", tool_name="fetch", error="no such tool"),
            sdk_call(7, "my_tool", "r3", '{"a": 1}'),
            kind("UserRejectObservation", 8, action_id="e7", tool_call_id="c7", rejection_reason="no"),
            kind("TokenEvent", 9),
            kind("Condensation", 10, summary="so far"),
            kind("ConversationErrorEvent", 11, code="Limit", detail="too long"),
            sdk_call(12, "finish", "r4", '{"message": "done"}', message="done"),
            metrics={"accumulated_cost": 1.5, "accumulated_token_usage": {"prompt_tokens": 7}},
        ),
    )  # fmt: skip
    assert [(step.source.value, step.message) for step in steps] == [
        ("system", "be\n\ngood"), ("user", "do it\na skill"), ("agent", "words"), ("agent", ""),
        ("agent", "words"), ("agent", "words"), ("system", "so far"), ("system", "Limit: too long"),
        ("agent", "words"),
    ]  # fmt: skip
    calls = [(call.name, call.kind, call.command, call.path) for step in steps for call in step.calls]
    assert calls == [
        ("terminal", ToolKind.COMMAND, "ls", None),
        ("file_editor", ToolKind.FILE_CHANGE, None, "/a"),
        ("fetch", ToolKind.OTHER, None, None),
        ("my_tool", ToolKind.OTHER, None, None),
        ("finish", ToolKind.OTHER, None, None),
    ]
    answers = [
        (item.call_id, item.text, item.exit_code, item.is_error)
        for step in steps
        for item in step.observations
    ]
    assert answers == [
        ("c3", "out", 2, True),
        ("c4", "out", None, True),
        ("c5", "no such tool", None, True),
        ("c7", "no", None, True),
    ]
    assert (steps[2].reasoning, steps[3].message_id) == ("hm", "r1")
    assert (summary.complete, summary.errors, summary.cost_usd) == (True, ["Limit: too long"], 1.5)
    assert not summary.unknown_events
