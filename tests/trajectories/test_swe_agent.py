"""SWE-agent's trajectories, version 0 and 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.records import StepSource, ToolKind, Usage, UsageCount
from workbench.trajectories import read_trajectory

from .samples import read_bytes, sample

REAL = "swe_agent/marshmallow-1867_function_calling_v1.traj"


@pytest.mark.demo
def test_a_real_trajectory() -> None:
    # json.load: 13 entries in trajectory, all with an action; the first one's messages begin with a system
    # and a user prompt; info.model_stats is all 0 but for 13 api_calls, since the run is a replay.
    path = sample(REAL)
    steps, summary = read_trajectory(path)
    assert (len(steps), summary.calls, summary.retries) == (15, 13, 0)
    assert [step.source for step in steps] == [StepSource.SYSTEM, StepSource.USER, *[StepSource.AGENT] * 13]
    assert all(len(step.calls) == len(step.observations) == 1 for step in steps[2:])
    assert summary.usage_counts == [UsageCount(source="info.model_stats", usage=Usage(), cost_usd=0.0)]
    assert (summary.agent, summary.model, summary.session, summary.complete, summary.damaged_lines) == (
        "swe-agent", "replay", "marshmallow-code__marshmallow-1867", True, 0,
    )  # fmt: skip
    kinds = [step.calls[0].kind for step in steps[2:]]
    assert (kinds.count(ToolKind.COMMAND), kinds.count(ToolKind.FILE_CHANGE)) == (6, 3)
    assert read_bytes("swe-agent", path.read_bytes(), 1_001) == (steps, summary)


@pytest.mark.demo
def test_edits_name_the_file_that_was_open() -> None:
    steps, _ = read_trajectory(sample(REAL))
    insert, edit = steps[6].calls[0], steps[11].calls[0]
    assert (insert.path, insert.content is not None and insert.content[:19]) == (
        "/testbed/reproduce.py",
        "from marshmallow.fi",
    )
    assert edit.path == "/testbed/src/marshmallow/fields.py"
    assert edit.replaced == "return int(value.total_seconds() / base_unit.total_seconds())"
    assert edit.content is not None and edit.content.startswith("# round to nearest int\n")
    assert steps[11].calls[0].arguments["cwd"] == "/testbed"


def log(*entries: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"environment": "swe_main", "trajectory": entries, **more}).encode()


def test_version_0_has_its_state_as_text_and_its_prompts_only_in_its_history() -> None:
    state = json.dumps({"open_file": "/r/a.py", "working_dir": "/r"}) + "\n"
    edit = {
        "action": "edit 1:2\nx = 1\n  y\nend_of_edit\n",
        "observation": "ok",
        "response": "r",
        "state": state,
    }
    stats = {"tokens_sent": 7, "tokens_received": 2, "instance_cost": 0.5, "api_calls": 5}
    steps, summary = read_bytes(
        "swe-agent",
        log(
            {"action": "open a.py\n", "observation": "", "response": "r", "thought": "t", "state": state},
            edit,
            {"action": "", "observation": "Exit due to cost limit", "response": "", "state": "{broken"},
            history=[{"role": "system", "content": "s"}],
            info={"exit_status": "submitted (exit_cost)", "model_stats": stats},
        ),
    )  # fmt: skip
    assert [step.message for step in steps] == ["t", "r", ""]
    assert (steps[0].calls[0].kind, steps[0].calls[0].path) == (ToolKind.FILE_READ, "a.py")
    call = steps[1].calls[0]
    assert (call.kind, call.path, call.content, call.replaced) == (
        ToolKind.FILE_CHANGE, "/r/a.py", "x = 1\n  y", "",
    )  # fmt: skip
    assert (steps[2].calls, steps[2].observations[0].text) == ([], "Exit due to cost limit")
    assert (summary.usage, summary.cost_usd) == (Usage(input_tokens=7, output_tokens=2), 0.5)
    assert (summary.errors, summary.retries, summary.complete) == (["submitted (exit_cost)"], 2, True)


@pytest.mark.parametrize(
    ("action", "kind", "path", "content", "replaced"),
    [
        ("python x.py && ls", ToolKind.COMMAND, None, None, None),
        ("edit 'a b' 'c'", ToolKind.FILE_CHANGE, "open.py", "c", "a b"),
        ("edit 'unclosed", ToolKind.FILE_CHANGE, "open.py", None, ""),
        ("create new.py", ToolKind.FILE_CHANGE, "new.py", "", None),
        ("scroll_down", ToolKind.FILE_READ, "open.py", None, None),
        ("search_dir word src", ToolKind.SEARCH, "src", None, None),
        ("submit", ToolKind.OTHER, None, None, None),
        ("str_replace_editor view /r/a --view_range 1 2", ToolKind.FILE_READ, "/r/a", None, None),
        (
            "str_replace_editor str_replace /r/a --old_str 'x\ny' --new_str z",
            ToolKind.FILE_CHANGE, "/r/a", "z", "x\ny",
        ),
        ("str_replace_editor create /r/b --file_text 'hi'", ToolKind.FILE_CHANGE, "/r/b", "hi", None),
        (
            "str_replace_editor insert /r/a --insert_line 3 --new_str q",
            ToolKind.FILE_CHANGE, "/r/a", "q", "",
        ),
    ],
)  # fmt: skip
def test_actions(
    action: str, kind: ToolKind, path: str | None, content: str | None, replaced: str | None
) -> None:
    opened = {
        "action": "open open.py",
        "observation": "",
        "state": {"open_file": "open.py", "working_dir": "/r"},
    }
    steps, _ = read_bytes("swe-agent", log(opened, {"action": action, "observation": "", "state": {}}))
    (call,) = steps[1].calls
    assert (call.kind, call.path, call.content, call.replaced) == (kind, path, content, replaced)
    assert call.arguments == {"action": action, "cwd": "/r"}
    assert (call.command == action) == (kind is ToolKind.COMMAND)


def test_configuration_as_text_thinking_and_what_is_no_entry() -> None:
    config = {"agent": {"model": {"name": "gpt-x"}}, "problem_statement": {"id": "p-1"}}
    steps, summary = read_bytes(
        "swe-agent",
        log(
            {
                "action": "ls",
                "observation": 5,
                "query": [
                    {"role": "system", "content": [{"type": "text", "text": "be good"}]},
                    {"role": "assistant", "content": "demo"},
                    {"role": "user", "content": "not a prompt"},
                ],
                "thinking_blocks": [{"thinking": "hm"}, 3],
            },
            7,
            replay_config=json.dumps(config),
            novelty="x",
        )[:-1],
    )  # fmt: skip
    assert [(step.message, step.reasoning) for step in steps] == [("be good", ""), ("", "hm")]
    assert steps[1].observations[0].text == "5"
    assert (summary.model, summary.session) == ("gpt-x", "p-1")
    assert (summary.complete, summary.damaged_lines, summary.unknown_events) == (False, 2, {"novelty": 1})
