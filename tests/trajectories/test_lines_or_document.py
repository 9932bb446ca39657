"""Logs that are lines, or the same as one document: a document's steps come as its bytes do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.trajectories import open_reader

from .samples import read_bytes

SESSION = {"sessionId": "s", "projectHash": "h", "startTime": "t", "kind": "subagent"}


def message(number: int, kind: str = "gemini", **more: Any) -> dict[str, Any]:
    return {"id": f"m{number}", "timestamp": "t", "type": kind, "content": f"text {number}", **more}


def spoken(number: int) -> dict[str, Any]:
    content = [{"type": "text", "text": f"text {number}"}]
    return {
        "type": "assistant", "session_id": "s", "uuid": f"u{number}",
        "message": {"id": f"m{number}", "role": "assistant", "content": content},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("format", "document"),
    [
        ("gemini-session", {**SESSION, "messages": [message(number) for number in range(50)]}),
        ("claude-stream", [spoken(number) for number in range(50)]),
    ],
)
def test_steps_come_as_the_document_does(format: str, document: Any) -> None:
    data = json.dumps(document, indent=2).encode()
    whole, _ = read_bytes(format, data)
    assert [step.message for step in whole] == [f"text {number}" for number in range(50)]
    reader = open_reader(format)
    early = reader.feed(data[: len(data) // 2])
    assert 20 <= len(early) <= 25
    rest = [
        step for start in range(len(data) // 2, len(data), 7) for step in reader.feed(data[start : start + 7])
    ]
    assert early + rest + reader.close() == whole
    assert read_bytes(format, json.dumps(document).encode()) == read_bytes(format, data)


def test_what_a_session_says_of_itself_may_stand_behind_its_messages() -> None:
    document = {"messages": [message(1, "user"), message(2), 5], **SESSION}
    steps, summary = read_bytes("gemini-session", json.dumps(document, indent=1).encode(), 20)
    assert [step.message for step in steps] == ["text 1", "text 2"]
    assert (summary.session, summary.sessions, summary.damaged_lines) == ("s", [], 1)
    steps, _ = read_bytes(
        "gemini-session", json.dumps({**SESSION, "messages": [message(1)]}, indent=1).encode()
    )
    assert [(step.session, step.agent) for step in steps] == [("s", "subagent")]
