"""The scripted model: turns follow from what the request says came back."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from workbench.llm import ScriptedModel, Turn

TURNS = [Turn(("ls", "pwd")), Turn(("make",), "now building"), Turn(message="done")]


def output(call_id: str, text: str = "ok") -> dict[str, str]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def asked(items: list[dict[str, Any]]) -> list[Any]:
    """What the model says, in short."""
    said: list[Any] = []
    for item in ScriptedModel(TURNS).answer({"input": items}):
        if item["type"] == "message":
            said.append(item["content"][0]["text"])
        else:
            arguments = json.loads(item["arguments"])
            said.append((item["call_id"], arguments.get("cmd", arguments.get("session_id"))))
    return said


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], [("call_0_0", "ls"), ("call_0_1", "pwd")]),
        ([output("call_0_0")], [("call_0_1", "pwd")]),
        ([output("call_0_1"), output("call_0_0")], ["now building", ("call_1_0", "make")]),
        ([output("call_0_0"), output("call_0_1"), output("call_1_0")], ["done"]),
        ([output("unrelated")], [("call_0_0", "ls"), ("call_0_1", "pwd")]),
        ([output("call_0_0", "Process running with session ID 77\n")], [("poll_1", 77)]),
    ],
)
def test_the_next_turn(items: list[dict[str, Any]], said: list[Any]) -> None:
    assert asked(items) == said
    assert asked(items) == said


@pytest.mark.parametrize("turns", [[], [Turn(("ls",))], [Turn(("ls",), "not the end")]])
def test_a_script_ends_with_a_message(turns: list[Turn]) -> None:
    with pytest.raises(ValueError, match="last turn"):
        ScriptedModel(turns)


def post(url: str, body: object, key: str) -> str:
    request = urllib.request.Request(
        f"{url}/responses", json.dumps(body).encode(), {"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


def test_the_stream_and_its_usage() -> None:
    with ScriptedModel(TURNS, key="right") as model:
        body = {"model": "m", "stream": True, "input": []}
        lines = post(model.url, body, "right").splitlines()
        told = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
        assert [event["type"] for event in told] == [
            "response.created",
            "response.output_item.added",
            "response.output_item.done",
            "response.output_item.added",
            "response.output_item.done",
            "response.completed",
        ]
        usage = told[-1]["response"]["usage"]
        assert usage["output_tokens"] > 0
        assert json.loads(post(model.url, {**body, "stream": False}, "right"))["usage"] == usage
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(model.url, body, "wrong")
        caught.value.close()
        assert caught.value.code == 401
        assert [one.path for one in model.asked] == ["/v1/responses"] * 3
