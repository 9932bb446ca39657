"""mini-swe-agent's trajectories: the bare list, the object of version 1, calls and responses of version 2."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.records import StepSource, ToolKind, Usage
from workbench.trajectories import read_trajectory

from .samples import read_bytes, sample


@pytest.mark.demo
def test_a_real_bare_list() -> None:
    # json.load: 22 messages: system, user, then 10 pairs of an assistant's with one block of commands and a
    # user's with what came back, all but the last (the submission) with a return code, of which 2 are 1.
    path = sample("mini_swe_agent/github_issue.traj.json")
    steps, summary = read_trajectory(path)
    assert (len(steps), summary.calls, summary.usage, summary.complete) == (12, 10, None, True)
    assert [step.source for step in steps] == [StepSource.SYSTEM, StepSource.USER, *[StepSource.AGENT] * 10]
    calls = [step.calls[0] for step in steps[2:]]
    assert all(call.kind is ToolKind.COMMAND for call in calls)
    assert calls[1].command == "ls -la"
    assert calls[8].command is not None and calls[8].command.startswith(
        "cat > tests/missing_colon.py << 'EOF'\n#!"
    )
    exits = [step.observations[0].exit_code for step in steps[2:]]
    assert exits == [1, 0, 0, 0, 0, 0, 0, 1, 0, None]
    assert steps[8].observations[0].text == "8.2\n"
    assert read_bytes("mini-swe-agent", path.read_bytes(), 101) == (steps, summary)


def log(*messages: dict[str, Any], **info: Any) -> bytes:
    document = {"info": {"mini_version": "2.4", "config": {"model": {"model_name": "m"}}, **info}}
    return json.dumps({**document, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}).encode()


def said(*commands: str, answer: str = "", tokens: int = 0) -> dict[str, Any]:
    calls = [
        {"id": f"c{number}", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for number, command in enumerate(commands, 1)
    ]  # fmt: skip
    usage = {"prompt_tokens": tokens, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}
    extra = {
        "cost": 0.25,
        "timestamp": 1746001974.5,
        "response": {"id": answer, "model": "m-1", "usage": usage},
    }
    return {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": calls,
        "extra": extra,
    }


def result(call_id: str, code: int, text: str) -> dict[str, Any]:
    content = f"<returncode>{code}</returncode>\n<output>\n{text}</output>"
    return {"role": "tool", "tool_call_id": call_id, "content": content, "extra": {"returncode": code}}


def test_calls_of_version_2_are_answered_by_their_ids() -> None:
    steps, summary = read_bytes(
        "mini-swe-agent",
        log(
            {"role": "system", "content": "s"},
            {"role": "user", "content": "task"},
            said("ls", "false", answer="r1", tokens=10),
            result("c2", 1, ""),
            result("c1", 0, "a\n"),
            said("echo done", answer="r1", tokens=10),
            {
                "role": "exit",
                "content": "patch",
                "extra": {"exit_status": "Submitted", "submission": "patch"},
            },
            exit_status="Submitted",
            model_stats={"instance_cost": 0.5, "api_calls": 2},
        ),
    )
    agent = steps[2]
    assert [call.command for call in agent.calls] == ["ls", "false"]
    assert [(o.call_id, o.exit_code, o.is_error, o.text) for o in agent.observations] == [
        ("c2", 1, True, ""),
        ("c1", 0, False, "a\n"),
    ]
    assert (agent.reasoning, agent.model, agent.timestamp, agent.message_id) == (
        "hm",
        "m-1",
        "1746001974.5",
        "r1",
    )
    assert (steps[3].observations, steps[3].usage, steps[4].message) == ([], None, "patch")
    counted = Usage(input_tokens=10, cached_input_tokens=2, output_tokens=1)
    assert (agent.usage, summary.usage, summary.usage_source) == (counted, counted, "messages, each once")
    assert (summary.cost_usd, summary.model, summary.agent) == (0.5, "m", "mini-swe-agent 2.4")
    assert summary.complete and not summary.errors


def test_responses_refused_answers_a_persons_command_and_limits() -> None:
    output = [
        {"type": "reasoning", "summary": [{"text": "thought"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "words"}]},
        {"type": "function_call", "call_id": "f", "name": "bash", "arguments": '{"command": "pwd"}'},
    ]
    usage = {"input_tokens": 4, "output_tokens": 3, "output_tokens_details": {"reasoning_tokens": 2}}
    refused = {
        "interrupt_type": "FormatError",
        "cost": 0.1,
        "response": {"id": "x", "usage": {"prompt_tokens": 9}},
    }
    late = "<exception>late</exception>\n<returncode>-1</returncode>\n<output>\n</output>"
    words = [{"type": "input_text", "text": "one call only"}]
    steps, summary = read_bytes(
        "mini-swe-agent",
        log(
            {"object": "response", "id": "r", "output": output, "usage": usage, "extra": {"cost": 0.2}},
            {"type": "function_call_output", "call_id": "f", "output": late},
            {"type": "message", "role": "user", "content": words, "extra": refused},
            {"role": "user", "content": "run this", "extra": {"actions": [{"command": "id"}]}},
            {"role": "user", "content": "<returncode>0</returncode>", "extra": {"returncode": 0}},
            {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded"}},
            {"role": "critic"},
        ),
    )  # fmt: skip
    agent, refusal, person, ended = steps
    assert (agent.message, agent.reasoning, agent.calls[0].command) == ("words", "thought", "pwd")
    assert (agent.observations[0].exit_code, agent.observations[0].is_error) == (-1, True)
    assert (refusal.source, refusal.is_error, refusal.message) == (StepSource.USER, True, "one call only")
    assert (person.source, person.calls[0].command, person.observations[0].exit_code) == (
        StepSource.USER,
        "id",
        0,
    )
    assert (ended.source, ended.is_error) == (StepSource.SYSTEM, True)
    assert summary.usage == Usage(input_tokens=13, output_tokens=3, reasoning_output_tokens=2)
    assert summary.cost_usd is not None and abs(summary.cost_usd - 0.3) < 1e-9
    assert (summary.retries, summary.errors) == (1, ["LimitsExceeded"])
    assert summary.unknown_events == {"message critic": 1}


def test_two_blocks_are_no_action_and_an_answer_to_nothing_is_the_users() -> None:
    blocks = "```bash\nls\n```\n```bash\npwd\n```"
    data = json.dumps(
        [{"role": "assistant", "content": blocks}, {"role": "user", "content": "one block, please"}]
    )
    steps, summary = read_bytes("mini-swe-agent", data.encode())
    assert [(step.source, len(step.calls)) for step in steps] == [(StepSource.AGENT, 0), (StepSource.USER, 0)]
    assert not summary.complete


def test_a_late_result_is_kept() -> None:
    steps, _ = read_bytes("mini-swe-agent", log(result("c9", 2, "x")))
    assert (steps[0].source, steps[0].observations[0].call_id) == (StepSource.SYSTEM, "c9")
