"""ATIF: real documents of Harbor's converters, what is written here, and that it comes back as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from workbench.records import (
    Observation,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    TrajectorySummary,
    Usage,
    UsageCount,
)
from workbench.trajectories import read_log, read_trajectory
from workbench.trajectories.atif_document import atif_problems
from workbench.trajectories.atif_writer import atif_bytes, atif_document
from workbench.trajectories.totals import usage_from

from .normal_forms import STEPS, SUMMARIES
from .samples import read_bytes, sample

CLAUDE = "atif/harbor-0.26_converted_claude-code.json"
CODEX = "atif/harbor-0.26_converted_codex.json"
OPENHANDS = "atif/harbor-golden_openhands_hello-world_v1.5.json"

# Counted with json.load: len(steps), tool_calls and results over steps, final_metrics, sums of metrics over
# steps where they differ. Tokens: input, cached, written to a cache, output, reasoning.
COUNTED = [
    (CLAUDE, 36, 27, 27, [1243308, 1178761, 64499, 228, 0], None),
    (CODEX, 37, 34, 34, [536834, 472320, 0, 6654, 4096], [533935, 469760, 0, 6554, 4032]),
    (OPENHANDS, 6, 2, 1, [220, 0, 0, 80, 0], None),
]


@pytest.mark.demo
@pytest.mark.parametrize(("name", "steps", "calls", "results", "total", "of_steps"), COUNTED)
def test_real_documents(
    name: str, steps: int, calls: int, results: int, total: list[int], of_steps: list[int] | None
) -> None:
    path = sample(name)
    read, summary = read_trajectory(path)
    assert (len(read), summary.steps, summary.calls, summary.format) == (steps, steps, calls, "atif")
    assert sum(len(step.calls) for step in read) == calls
    assert sum(len(step.observations) for step in read) == results
    assert (summary.usage, summary.usage_source) == (usage_from(total), "final_metrics")
    counts = {count.source: count.usage for count in summary.usage_counts}
    assert counts["steps"] == usage_from(of_steps or total)
    assert summary.complete and not summary.unknown_events and not summary.damaged_lines
    assert read_bytes("atif", path.read_bytes(), 777) == (read, summary)


@pytest.mark.demo
def test_what_the_calls_of_a_real_document_do() -> None:
    steps, summary = read_trajectory(sample(CODEX))
    (call,) = steps[2].calls
    assert (call.kind, call.command) == (ToolKind.COMMAND, "ls")
    assert steps[2].observations[0].exit_code == 0
    assert (summary.agent, summary.model, summary.cost_usd) == (
        "codex 0.40.0",
        "gpt-5-codex",
        0.20447875000000004,
    )
    steps, summary = read_trajectory(sample(CLAUDE))
    edit = next(call for step in steps for call in step.calls if call.name == "Edit")
    assert edit.kind is ToolKind.FILE_CHANGE
    assert (edit.replaced, edit.content) == (edit.arguments["old_string"], edit.arguments["new_string"])
    (edit,) = read_trajectory(sample(OPENHANDS))[0][4].calls
    assert (edit.kind, edit.path, edit.content) == (ToolKind.FILE_CHANGE, "/app/hello.txt", "Hello, world!")


@pytest.mark.demo
@pytest.mark.parametrize("name", [CLAUDE, CODEX, OPENHANDS])
@pytest.mark.parametrize("version", ["ATIF-v1.7", "ATIF-v1.8"])
def test_real_documents_come_back_as_they_were(name: str, version: str) -> None:
    path = sample(name)
    assert atif_problems(json.loads(path.read_bytes())) == []
    steps, summary = read_trajectory(path)
    written = atif_bytes(steps, summary, version)
    assert atif_problems(json.loads(written)) == []
    assert json.loads(written)["schema_version"] == version
    assert read_bytes("atif", written) == (steps, summary)


@pytest.mark.demo
def test_every_real_log_comes_back_from_atif_as_it_was() -> None:
    logs = sorted(path for path in sample("").glob("*/*") if path.is_file())
    assert len(logs) == 13
    for path in logs:
        steps, summary = read_log(path)
        written = atif_bytes(steps, summary)
        assert atif_problems(json.loads(written)) == [], path.name
        again, told = read_bytes("atif", written)
        assert again == steps, path.name
        assert told == summary.model_copy(update={"format": "atif"}), path.name


@settings(max_examples=150, deadline=None)
@given(STEPS, SUMMARIES)
def test_any_log_comes_back_as_it_was(steps: list[Step], summary: TrajectorySummary) -> None:
    written = atif_bytes(steps, summary)
    document = json.loads(written)
    assert atif_problems(document) == []
    expected = summary.model_copy(update={"steps": len(steps)})
    assert read_bytes("atif", written, 1 << 20) == (steps, expected)


def test_nested_agents_are_documents_inside_the_document(tmp_path: Any) -> None:
    def agent(number: int, text: str, **more: Any) -> Step:
        return Step(number=number, source=StepSource.AGENT, message=text, **more)

    steps = [
        agent(1, "go", calls=[ToolCall(call_id="a", name="Task", kind=ToolKind.AGENT)]),
        agent(2, "in", agent="h", parent_call_id="a", calls=[ToolCall(call_id="b", name="Task")]),
        agent(3, "deep", agent="i", parent_call_id="b"),
        agent(4, "lost", agent="j", parent_call_id="nowhere"),
        agent(5, "back", observations=[Observation(call_id="a", text="late")]),
    ]  # fmt: skip
    summary = TrajectorySummary(format="atif", steps=5, session="s", agent="claude-code 2.1")
    document = atif_document(steps, summary)
    assert [step["message"] for step in document["steps"]] == ["go", "back"]
    (ref,) = document["steps"][0]["observation"]["results"][0]["subagent_trajectory_ref"]
    first, lost = document["subagent_trajectories"]
    assert (ref["trajectory_id"], first["trajectory_id"], lost["trajectory_id"]) == ("h", "h", "j")
    assert [step["message"] for step in first["subagent_trajectories"][0]["steps"]] == ["deep"]
    path = tmp_path / "trajectory.json"
    path.write_bytes(atif_bytes(steps, summary))
    assert read_trajectory(path) == (steps, summary)


def document(*steps: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"schema_version": "ATIF-v1.6", "steps": steps, **more}).encode()


def step(**fields: Any) -> dict[str, Any]:
    return {"step_id": 1, "source": "agent", "message": "", **fields}


def test_nested_documents_of_others_come_after_the_steps() -> None:
    ref = {"source_call_id": "c", "content": None, "subagent_trajectory_ref": [{"trajectory_id": "t"}]}
    nested = {
        "trajectory_id": "t",
        "agent": {"name": "n", "model_name": "m"},
        "steps": [step(message="inner")],
    }
    steps, summary = read_bytes(
        "atif",
        document(
            step(tool_calls=[{"tool_call_id": "c", "function_name": "Task"}], observation={"results": [ref]}),
            step(message="outer"),
            subagent_trajectories=[nested, 7],
            session_id="late",
        ),
    )
    assert [(item.message, item.agent, item.parent_call_id, item.model) for item in steps] == [
        ("", "", "", ""),
        ("outer", "", "", ""),
        ("inner", "t", "c", "m"),
    ]
    assert steps[0].observations == []
    assert (summary.session, summary.sessions, summary.damaged_lines) == ("late", [], 1)
    assert summary.final_message == "outer"


def test_copied_steps_are_shown_and_not_counted_twice() -> None:
    metrics = {"prompt_tokens": 5, "completion_tokens": 1, "cost_usd": 0.5}
    steps, summary = read_bytes(
        "atif",
        document(
            step(metrics=metrics, is_copied_context=True),
            step(metrics={**metrics, "extra": {"completion_tokens_details": {"reasoning_tokens": 1}}}),
            final_metrics={"total_steps": 2},
            continued_trajectory_ref="next.json",
        ),
    )
    counted = Usage(input_tokens=5, output_tokens=1, reasoning_output_tokens=1)
    assert len(steps) == 2
    assert summary.usage_counts == [UsageCount(source="steps", usage=counted, cost_usd=0.5)]
    assert not summary.complete


def test_what_is_wrong_in_a_document_costs_only_itself() -> None:
    steps, summary = read_bytes(
        "atif",
        document(
            step(
                source="nobody", message=[{"type": "text", "text": "a"}, {"type": "image", "source": {}}, 5]
            ),
            "no step",
            step(tool_calls=[7, {"function_name": 3, "arguments": "[]"}], observation=[1], metrics="none"),
            step(
                observation={
                    "results": ["x", {"content": {"a": 1}, "extra": {"workbench": {"exit_code": "no"}}}]
                }
            ),
            step(extra={"workbench": {"calls": "no", "usage": 3}}, message="kept"),
            agent=3,
            novelty=1,
            extra={"workbench": {"summary": {"steps": "many"}}},
        ),
    )
    assert [item.source for item in steps] == [StepSource.SYSTEM, *[StepSource.AGENT] * 3]
    assert steps[0].message == "a\n[image]\n5"
    assert steps[1].calls == [ToolCall(call_id="", name="3", arguments={"value": "[]"})]
    assert steps[2].observations == [Observation(call_id="", text='{"a": 1}')]
    assert steps[3].message == "kept"
    assert (summary.damaged_lines, summary.unknown_events) == (1, {"novelty": 1})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"schema_version": "ATIF-v9"}, "schema_version: Input should be"),
        ({"steps": []}, "steps: List should have at least 1 item"),
        ({"steps": [step(step_id=2)]}, "step 1 has the step_id 2"),
        ({"steps": [step(timestamp="yesterday")]}, "not a time"),
        (
            {"steps": [step(source="user", reasoning_content="x")]},
            "reasoning_content on a step of source user",
        ),
        ({"steps": [step(observation={"results": [{"source_call_id": "c"}]})]}, "a call that is not in it"),
        ({"steps": [step(llm_call_count=0, metrics={})]}, "without a model call"),
        ({"steps": [step(message=[{"type": "text"}])]}, "a text part has a text"),
        ({"steps": [step(message=[{"type": "image"}])]}, "has a source and no text"),
        ({"subagent_trajectories": [{}]}, "subagent_trajectories.0.agent: Field required"),
        ({"more": 1}, "more: Extra inputs are not permitted"),
        ({"agent": {"name": "a", "version": 1}}, "agent.version: Input should be a valid string"),
    ],
)
def test_problems_of_a_document_are_told(change: dict[str, Any], problem: str) -> None:
    valid = {"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}, "steps": [step()]}
    assert atif_problems(valid) == []
    assert problem in "; ".join(atif_problems({**valid, **change}))
