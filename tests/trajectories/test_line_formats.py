"""What readers make of made-up logs that hold all that a format can: order, pairing, sessions, nested agents,
retries, edits, todo lists, hooks, denials, compaction, conversations that went back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Step, Usage
from workbench.trajectories import read_log, read_trajectory
from workbench.trajectories.formats import log_files

from .line_logs import (
    CLAUDE_EVENTS,
    CLAUDE_SESSION,
    MADE_UP,
    claude,
    gemini,
    lines,
    message,
    node,
    prompt,
    read,
    response,
    result,
    said,
    text,
    tokens,
    turn,
    use,
)


def short(step: Step) -> str:
    """A step in one line: who, words, calls with what came back, and what is wrong."""
    answers = {answer.call_id: answer for answer in step.observations}
    parts = [f"{step.source.value}{'/' + step.agent if step.agent else ''}", step.message.replace("\n", " ")]
    for call in step.calls:
        answer = answers.pop(call.call_id, None)
        back = "" if answer is None else f" -> {answer.text.split(chr(10))[-1]}{'!' * bool(answer.is_error)}"
        parts.append(f"{call.kind.value}:{call.command or call.path or call.name}{back}")
    parts += [f"late:{answer.text}" for answer in answers.values()]
    return " | ".join(part for part in [*parts, "error" if step.is_error else ""] if part)


TOLD = {
    "codex-exec": [
        "agent | command:pwd -> ",
        "agent | other:todo_list",
        "agent | command:ls -> x!",
        "agent | other:todo_list",
        "agent | file-change:a ->  | file-change:b",
        "agent | other:s.t -> r",
        'agent | agent:spawn_agent -> {"z": {"status": "done"}}',
        "agent | web:web_search",
        "system | Reconnecting... 1/5 | error",
        "system | Reconnecting... 2/5 | error",
        "agent | done é",
        "system | quota | error",
        "agent | command:sleep 9",
    ],
    "codex-rollout": [
        "user | derive",
        "agent | command:pwd -> /w!",
        "agent | command:ls -> ",
        "agent | file-change:a.sql -> no such file! | file-change:b.py",
        "agent | web:web_search_call",
        "system | stream disconnected - retrying 1/5 in 200ms | error",
        "system | late:late",
        "agent | Done.",
        "system | The conversation was compacted. so far",
        "user | again",
        "system | Steps 10 to 10 were revoked: the last 1 turns were taken back.",
        "user | other",
        "agent | command:ls '-l a'",
        "system | The turn was broken off. interrupted | error",
    ],
    "claude-stream": [
        "agent | I look. | command:ls -> no!",
        "user/scout | seek",
        "agent/scout | search:src -> hit",
        "system | Retry 1 of 9 in 6 ms: 429 | error",
        "agent/scout | Found.",
        "agent | agent:Task -> Found.",
        "agent | file-change:f -> not allowed! | file-change:f",
        "agent | other:TodoWrite -> ok",
        "system | The conversation was compacted (unknown trigger, 1,000 tokens before).",
        "system | Hook Stop: no | error",
        "agent | Done.",
        "agent | file-change:g -> Permission was denied.!",
        "system | error_max_turns | error",
    ],
    "claude-session": [
        "user | derive",
        "user/u4 | count",
        "agent/u4 | file-read:f -> 1",
        "agent/u4 | one",
        "agent | I ask. | agent:Task -> one",
        "system | Retry 1 of 10: overloaded | error",
        "agent | It is one.",
        "user | no, try again",
        "agent | It is two.",
        "system | The conversation went back: steps 8 to 9 were given up.",
        "user | now truly",
        "agent | file-change:f -> ok",
        "system | The conversation was compacted (manual, 9 tokens before).",
        "system | Summary: so far",
        "system | Hook Stop: fine",
        "user | and this",
        "system | API Error: 500 | error",
        "agent | command:sleep 99",
    ],
    "gemini-stream": [
        "user | derive",
        "agent | file-change:f -> no match!",
        "agent | I look. | command:ls -> Exit Code: 2!",
        "system | late:late",
        "system | Retrying after 429",
        "agent | Done.",
        "agent | file-read:f",
        "system | too many turns | error",
    ],
    "gemini-session": [
        "user | derive",
        "agent | I look. | command:ls -> a | file-read:f",
        "system | Request cancelled.",
        "agent | file-read:f -> x",
        "user | again",
        "agent | It is two.",
        "system | The conversation went back: steps 5 to 6 were given up.",
        "user | truly",
        "agent | It is three.",
        "system | The messages were replaced: steps 2, 3, 8, 9 were given up.",
        "user | summary",
        "system | The conversation went back to an unknown message: the steps before were given up.",
        "system | quota | error",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_steps(name: str) -> None:
    steps, summary = read(name, MADE_UP[name])
    assert [short(step) for step in steps] == TOLD[name]
    assert summary.calls == sum(len(step.calls) for step in steps)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("codex-exec", {"retries": 2, "sessions": ["t1", "t2"], "complete": False, "errors": ["quota"],
                        "unknown": {"(text line)": 1, "item.plan.delta": 1}}),
        ("codex-rollout", {"retries": 1, "sessions": [], "complete": False, "errors": [],
                           "unknown": {"event_msg hologram": 1}}),
        ("claude-stream", {"retries": 1, "sessions": ["S", "S2"], "complete": True,
                           "errors": ["error_max_turns"], "unknown": {"hologram": 1}}),
        ("claude-session", {"retries": 1, "sessions": [], "complete": False, "errors": ["API Error: 500"],
                            "unknown": {"hologram": 1}}),
        ("gemini-stream", {"retries": 1, "sessions": ["g1", "g2"], "complete": False,
                           "errors": ["too many turns"], "unknown": {"(text line)": 1, "hologram": 1}}),
        ("gemini-session", {"retries": 0, "sessions": [], "complete": False, "errors": ["quota"],
                            "unknown": {"message hologram": 1}}),
    ],
)  # fmt: skip
def test_summaries(name: str, expected: dict[str, Any]) -> None:
    steps, summary = read(name, MADE_UP[name])
    found = {
        "retries": summary.retries,
        "sessions": [session.session for session in summary.sessions],
        "complete": summary.complete,
        "errors": summary.errors,
        "unknown": summary.unknown_events,
    }
    assert found == expected
    for session in summary.sessions:
        mine = [step.number for step in steps if step.session == session.session]
        assert (session.first_step, session.steps) == (mine[0], len(mine))


def counts(name: str, data: bytes) -> dict[str, tuple[int, int]]:
    summary = read(name, data)[1]
    return {
        count.source: (count.usage.input_tokens, count.usage.output_tokens) for count in summary.usage_counts
    }


def test_counts_of_tokens_are_told_apart() -> None:
    assert counts("claude-stream", MADE_UP["claude-stream"]) == {
        "modelUsage": (25, 11),
        "result.usage": (9, 8),
        "messages, each once": (26, 13),
        "modelUsage + messages, each once": (28, 12),
    }
    assert counts("gemini-session", MADE_UP["gemini-session"]) == {"messages, each once": (50, 7)}
    assert counts("gemini-stream", MADE_UP["gemini-stream"]) == {"result.stats": (100, 30)}
    assert counts("codex-rollout", MADE_UP["codex-rollout"]) == {
        "token_count, total": (60, 9),
        "token_count, each": (60, 9),
    }


def test_a_message_that_is_cut_keeps_its_last_count_and_is_told_once() -> None:
    first = claude("assistant", "u1", **said("a", text("I look."), output=1))
    grown = claude("assistant", "u2", **said("a", text("I look."), use("c1", "Bash", command="ls"), output=9))
    answer = claude("user", "u3", **result("c1", "x"))
    again = claude("assistant", "u4", **said("a", text("I look."), use("c1", "Bash", command="ls"), output=9))
    steps, summary = read("claude-stream", lines(first, grown, grown, answer, again))
    assert [short(step) for step in steps] == ["agent | I look. | command:ls -> x"]
    assert steps[0].usage == Usage(input_tokens=3, output_tokens=9)
    assert summary.usage == Usage(input_tokens=3, output_tokens=9)
    assert (summary.usage_source, summary.complete) == ("messages, each once", False)


@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_of_claude_reads_as_its_lines_do(indent: int | None) -> None:
    array = json.dumps(CLAUDE_EVENTS, indent=indent).encode()
    assert read("claude-stream", array) == read("claude-stream", lines(*CLAUDE_EVENTS))
    assert read("claude-stream", array + b"\n", piece=100) == read("claude-stream", lines(*CLAUDE_EVENTS))
    steps, summary = read("claude-stream", array[: len(array) // 2])
    whole = read("claude-stream", array)[0]
    assert 3 < len(steps) < len(whole)
    assert steps[:4] == whole[:4]
    assert (summary.damaged_lines, summary.complete) == (1, False)


@pytest.mark.parametrize(
    "text", ["[WARN] no\n[INFO] yes", "[1] 4711", "[", "[]", "[[", "{", '{"type":"user"', "[{}", "[3]"]
)
@pytest.mark.parametrize("name", ["claude-stream", "gemini-session"])
def test_text_with_brackets_before_a_log_does_not_hide_it(name: str, text: str) -> None:
    assert read(name, text.encode() + b"\n" + MADE_UP[name])[0] == read(name, MADE_UP[name])[0]


def test_a_result_alone_is_the_agents_last_word() -> None:
    only = {"type": "result", "subtype": "success", "result": "42", "num_turns": 1, "session_id": "s"}
    steps, summary = read("claude-stream", lines(only))
    assert [short(step) for step in steps] == ["agent | 42"]
    assert (summary.complete, summary.final_message) == (True, "42")


def test_calls_of_one_message_are_answered_in_any_order() -> None:
    uses = [use(f"c{number}", "Bash", command=str(number)) for number in range(3)]
    order = (2, 0, 1)
    answers = [claude("user", f"r{number}", **result(f"c{number}", "ok")) for number in order]
    steps, _ = read(
        "claude-stream", lines(claude("assistant", "u1", **said("a", text("go"), *uses)), *answers)
    )
    assert [short(step) for step in steps] == [
        "agent | command:2 -> ok",
        "agent | go | command:0 -> ok",
        "agent | command:1 -> ok",
    ]
    assert [step.message_id for step in steps] == ["a"] * 3
    assert [step.usage is not None for step in steps] == [True, False, False]


def test_a_lost_answer_does_not_hold_up_what_follows() -> None:
    first = claude("assistant", "u1", **said("a", use("c1", "Bash", command="ls")))
    second = claude("assistant", "u2", **said("b", text("on")))
    late = claude("user", "u3", **result("c1", "x"))
    steps, summary = read("claude-stream", lines(first, second, late))
    assert [short(step) for step in steps] == ["agent | command:ls", "system | late:x", "agent | on"]
    assert not summary.complete


def test_a_run_that_was_killed_does_not_run_on_into_the_next() -> None:
    first = claude("assistant", "u1", **said("a", use("c1", "Bash", command="ls")))
    second = [
        claude("system", "u2", subtype="init", model="m"),
        claude("assistant", "u3", **said("b", text("hello"))),
        claude("result", "u4", subtype="success", result="hello", num_turns=1),
    ]
    steps, summary = read("claude-stream", lines(first, *(event | {"session_id": "T"} for event in second)))
    assert [(step.session, short(step)) for step in steps] == [
        ("S", "agent | command:ls"),
        ("T", "agent | hello"),
    ]
    assert [session.complete for session in summary.sessions] == [False, True]


def test_events_in_broken_lines_are_found() -> None:
    done = '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"done"}}'
    cut = '{"type":"item.completed","item":{"id":"0","type":"agent_mess'
    steps, summary = read("codex-exec", lines(cut + done, "2026 WARN " + done, done + done, cut))
    assert [step.message for step in steps] == ["done"] * 4
    assert (summary.damaged_lines, summary.unknown_events) == (2, {})


def test_files_of_nested_agents_are_read_after_the_session(tmp_path: Path) -> None:
    path = tmp_path / "S.jsonl"
    path.write_bytes(CLAUDE_SESSION)
    folder = tmp_path / "S" / "subagents"
    folder.mkdir(parents=True)
    shape = {"isSidechain": True, "agentId": "ag1"}
    nested = [
        node("user", "v1", None, **prompt("count")) | shape,
        node("assistant", "v2", "v1", **said("z", use("z1", "Read", file_path="q"))) | shape,
        node("user", "v3", "v2", **result("z1", "7")) | shape,
        node("assistant", "v4", "v3", **said("z2", text("seven"))) | shape,
    ]
    (folder / "agent-ag1.jsonl").write_bytes(b"\xef\xbb\xbf" + lines(*nested))
    (folder / "agent-gone.jsonl").symlink_to(path)
    (folder / "workflows" / "w").mkdir(parents=True)
    (folder / "workflows" / "w" / "agent-ag2.jsonl").write_bytes(
        lines(node("user", "w1", None, **prompt("deep")) | shape | {"agentId": "ag2"})
    )
    (folder / "other.jsonl").write_bytes(b"x\n")
    assert [file.name for file in log_files(path)] == [
        "S.jsonl",
        "agent-ag1.jsonl",
        "agent-gone.jsonl",
        "agent-ag2.jsonl",
    ]
    steps, summary = read_log(path)
    alone, _ = read_trajectory(path)
    assert steps[: len(alone)] == alone
    more = steps[len(alone) :]
    assert [short(step) for step in more] == [
        "user/ag1 | count",
        "agent/ag1 | file-read:q -> 7",
        "agent/ag1 | seven",
        "user/ag2 | deep",
    ]
    assert [step.number for step in more] == [19, 20, 21, 22]
    assert [step.parent_call_id for step in more] == ["c1", "c1", "c1", ""]
    assert summary.steps == 22


def test_a_rollout_of_the_older_form() -> None:
    steps, summary = read(
        "codex-rollout",
        lines(
            {"id": "old", "timestamp": "t", "instructions": None, "git": {}},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "why"}]},
            {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "1"},
            {"type": "function_call_output", "call_id": "1", "output": "a"},
        ),
    )
    assert [short(step) for step in steps] == ["user | hi", "agent | command:ls -> a"]
    assert (steps[1].reasoning, summary.session, summary.unknown_events) == ("why", "old", {})


def test_counts_that_come_after_their_response_and_counts_that_come_before() -> None:
    call = response("function_call", name="shell", arguments='{"command":["ls"]}', call_id="1")
    answer = response("function_call_output", call_id="1", output="a")
    words = response("message", role="assistant", content=[{"type": "output_text", "text": "Done."}])
    one, two = tokens(10, 1, 10, 1), tokens(30, 3, 20, 2)
    for order in ([call, one, answer, words, two], [one, call, answer, two, words]):
        steps, summary = read("codex-rollout", lines(*order))
        assert [step.usage and step.usage.input_tokens for step in steps] == [10, 20]
        assert summary.usage == Usage(input_tokens=30, output_tokens=3)


def test_what_cannot_be_undone_is_told_where_it_happens() -> None:
    user = [response("message", role="user", content=str(number)) for number in range(3)]
    user.append(response("message", role="user", content="<environment_context>\n/w"))
    steps, _ = read("codex-rollout", lines(*user, message("thread_rolled_back", num_turns=2)))
    assert steps[-1].message == "Steps 2 to 4 were revoked: the last 2 turns were taken back."
    steps, _ = read("codex-rollout", lines(message("thread_rolled_back", num_turns=2)))
    assert steps[-1].message == "Steps before this one were revoked: the last 2 turns were taken back."


def test_a_gemini_session_as_one_line_or_pretty() -> None:
    about = {"sessionId": "g", "projectHash": "h", "startTime": "t"}
    messages = [turn("1", "user", "hi"), turn("2", "gemini", "hello", tokens={"input": 3, "output": 1})]
    log = read("gemini-session", lines(about, *messages))
    for indent in (None, 2):
        assert (
            read("gemini-session", json.dumps({**about, "messages": messages}, indent=indent).encode()) == log
        )


def test_errors_and_words_of_a_gemini_stream_are_not_mixed() -> None:
    steps, summary = read(
        "gemini-stream",
        lines(
            gemini("message", role="assistant", content="a", delta=True),
            gemini("error", severity="error", message="boom"),
            gemini("message", role="assistant", content="b", delta=True),
            gemini("message", role="assistant", content="c"),
        ),
    )
    assert [short(step) for step in steps] == ["agent | a", "system | boom | error", "agent | b", "agent | c"]
    assert summary.errors == ["boom"]


def test_hostile_values_of_every_format_can_be_stored() -> None:
    odd = json.loads('["\\ud800", "\\u0000", 1e999, -5, true, null, {"a": ["\\udfff"]}, [[]], ""]')
    for name, data in MADE_UP.items():
        events = [json.loads(line) for line in data.splitlines() if line.startswith(b"{")]
        for value in odd:
            broken = [
                {**event, key: {**inner, spot: value} if isinstance(inner, dict) else value}
                for event in events
                for key, inner in event.items()
                for spot in (inner if isinstance(inner, dict) else [""])
            ]
            steps, summary = read(name, lines(*broken))
            for step in steps:
                assert Step.model_validate_json(step.model_dump_json()) == step
            assert type(summary).model_validate_json(summary.model_dump_json()) == summary
