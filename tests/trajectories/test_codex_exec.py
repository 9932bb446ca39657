"""The event stream of ``codex exec --json``: real logs, and what goes wrong in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Step, StepSource, ToolKind, TrajectorySummary, Usage
from workbench.trajectories import open_reader, read_trajectory
from workbench.trajectories.tool_kinds import unwrapped

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "trajectories" / "codex_exec"


def read(data: bytes, piece: int = 1 << 20) -> tuple[list[Step], TrajectorySummary]:
    reader = open_reader("codex-exec")
    steps: list[Step] = []
    for start in range(0, len(data), piece):
        steps += reader.feed(data[start : start + piece])
    steps += reader.close()
    return steps, reader.summary()


def log(*events: dict[str, Any] | str) -> bytes:
    lines = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return "\n".join(lines).encode() + b"\n"


def item(state: str, **values: Any) -> dict[str, Any]:
    return {"type": f"item.{state}", "item": values}


def sample(name: str) -> Path:
    if not SAMPLES.is_dir():
        pytest.skip("the shared sample logs are not beside the project")
    return SAMPLES / name


@pytest.mark.demo
def test_a_real_run_with_overlapping_items() -> None:
    path = sample("heru_T-0001_merge-resolver.jsonl")
    steps, summary = read_trajectory(path)
    commands = [call for step in steps for call in step.calls if call.kind is ToolKind.COMMAND]
    assert (len(steps), len(commands)) == (28, 19)
    assert [step.number for step in steps] == list(range(1, 29))
    assert commands[0].command == "git ls-files -u -- uv.lock"  # completed before the one started before it
    assert commands[2].command == 'rg -n "^(<<<<<<<|=======|>>>>>>>)" uv.lock'
    assert steps[3].observations[0].exit_code == 1
    assert summary.usage == Usage(input_tokens=377620, cached_input_tokens=339840, output_tokens=2680)
    assert summary.complete and summary.final_message.startswith("Resolved the `uv.lock` merge conflict")
    assert summary.session == "019d78d0-6497-7450-a942-efe1514b9101"
    for piece in (1, 7, 4096):
        assert read(path.read_bytes()[:20_000], piece)[0] == read(path.read_bytes()[:20_000])[0]


@pytest.mark.demo
def test_reasoning_goes_to_the_step_after_it() -> None:
    steps, _ = read_trajectory(sample("agentcmd_stream-output-3_v0.46.jsonl"))
    assert [step.reasoning for step in steps] == ["**Creating new file with patch**", ""]
    assert steps[0].calls[0].kind is ToolKind.FILE_CHANGE
    assert steps[0].calls[0].path == "/private/tmp/codex-research-test/hello.txt"


def test_a_run_that_was_killed_shows_the_command_it_was_in() -> None:
    steps, summary = read(
        log(
            {"type": "turn.started"},
            item("started", id="a", type="command_execution", command="bash -lc 'sleep 9'", exit_code=None),
            '{"type":"item.completed","item":{"id":"b","type":"agent_mess',
        )
    )
    assert [call.command for call in steps[0].calls] == ["sleep 9"]
    assert steps[0].observations == []
    assert (summary.complete, summary.damaged_lines, summary.usage) == (False, 1, None)


def test_lines_that_are_no_events_are_counted_and_passed_over() -> None:
    message = item("completed", id="a", type="agent_message", text="done")
    steps, summary = read(
        log(
            "Reading additional input from stdin...",
            "2026-01-02T03:04:05Z ERROR codex_core::exec: exec error",
            "2026-01-02T03:04:05Z WARN " + json.dumps(message, separators=(",", ":")),
            {"type": "item.plan.delta", "item_id": "x", "delta": "y"},
            item("completed", id="c", type="hologram", shape=3),
            item("completed", id="d", type="todo_list", items=[]),
            {"type": "item.completed", "item": 7},
            "[" * 100_000,
            '{"a":' * 100_000,
        )
    )
    assert [step.message for step in steps] == ["done"]
    assert summary.unknown_events == {"(text line)": 3, "item.plan.delta": 1, "item hologram": 1}
    assert summary.damaged_lines == 2


def test_failed_turn_and_quota_error_are_told_once() -> None:
    steps, summary = read(
        log(
            {"type": "turn.started"},
            {"type": "error", "message": "quota"},
            {"type": "turn.failed", "error": {"message": "quota"}},
        )
    )
    assert [(step.source, step.message, step.is_error) for step in steps] == [
        (StepSource.SYSTEM, "quota", True)
    ]
    assert (summary.errors, summary.complete) == (["quota"], True)


@pytest.mark.parametrize(
    ("events", "total"),
    [
        pytest.param([("t", 10, 1), ("t", 25, 3)], (25, 3), id="running total of one thread"),
        pytest.param([("t", 10, 5), ("t", 25, 3)], (35, 8), id="smaller count in one thread"),
        pytest.param([("t", 10, 1), ("u", 25, 3)], (35, 4), id="two threads"),
    ],
)
def test_usage_over_turns(events: list[tuple[str, int, int]], total: tuple[int, int]) -> None:
    lines: list[dict[str, Any]] = []
    for thread, tokens_in, tokens_out in events:
        lines.append({"type": "thread.started", "thread_id": thread})
        lines.append({"type": "turn.started"})
        usage = {"input_tokens": tokens_in, "output_tokens": tokens_out}
        lines.append({"type": "turn.completed", "usage": usage})
    summary = read(log(*lines))[1]
    assert summary.usage == Usage(input_tokens=total[0], output_tokens=total[1])


def test_hostile_values_never_raise_and_can_be_stored() -> None:
    steps, summary = read(
        log(
            '{"type":"item.completed","item":{"id":[1],"type":"command_execution","command":["\\ud800"],'
            '"aggregated_output":"\\udfff\\u0000","exit_code":1e999}}',
            '{"type":"item.completed","item":{"id":"m","type":"mcp_tool_call","server":"s","tool":"t",'
            '"arguments":{"n":NaN,"deep":' + "[" * 500 + "]" * 500 + "}}}",
            '{"type":"turn.completed","usage":{"input_tokens":-5,"output_tokens":true}}',
            '{"type":["x"],"item":null}',
        )
    )
    assert len(steps) == 2
    assert steps[0].observations[0].exit_code is None
    for step in steps:
        assert Step.model_validate_json(step.model_dump_json()) == step
    assert summary.usage == Usage()


def test_a_line_beyond_the_cap_is_dropped_with_flat_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.trajectories.reader import Lines

    lines = Lines(limit_bytes=1000)
    kept = [line for _ in range(50) for line in lines.feed(b"x" * 999)]
    kept += [*lines.feed(b"x\nshort\r\nlast"), *lines.close()]
    assert kept == [b"short", b"last"]
    assert lines.overlong == 1


@pytest.mark.parametrize(
    ("wrapped", "bare"),
    [
        ("/bin/bash -lc 'a && b'", "a && b"),
        ("bash -c \"echo 'x y'\"", "echo 'x y'"),
        ("/bin/bash -lc 'it'\"'\"'s'", "it's"),
        ("bash -lc pwd", "pwd"),
        ("bash script.sh", "bash script.sh"),
        ("bash -lc 'a' b", "bash -lc 'a' b"),
        ("bash -lc 'unclosed", "bash -lc 'unclosed"),
    ],
)
def test_the_shell_around_a_command_is_taken_off(wrapped: str, bare: str) -> None:
    assert unwrapped(wrapped) == bare
