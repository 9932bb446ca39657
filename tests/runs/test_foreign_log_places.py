"""Foreign logs, linted: the agent's own folder accuses nobody, whatever it is called."""

from __future__ import annotations

from workbench.records import Level, Step, StepSource, ToolCall, ToolKind
from workbench.runs import Context, lint_log


def _step(number: int, kind: ToolKind, **call: object) -> Step:
    made = ToolCall.model_validate({"call_id": f"c{number}", "name": "tool", "kind": kind, **call})
    return Step(number=number, source=StepSource.AGENT, calls=[made])


def test_a_test_in_the_folder_s_name_accuses_nobody(ready_context: Context) -> None:
    steps = [
        _step(1, ToolKind.SEARCH, arguments={"path": "/private/tmp/my-test"}),
        _step(2, ToolKind.FILE_CHANGE, path="/private/tmp/my-test/hello.txt", content="x"),
        _step(3, ToolKind.FILE_CHANGE, path="/private/tmp/my-test/tests/test_hello.py", content="x"),
    ]
    found = lint_log(ready_context, steps).violations
    assert [item for item in found if item.level in (Level.FAIL, Level.QUARANTINE)] == []


def test_what_lies_beside_the_folder_is_still_outside(ready_context: Context) -> None:
    steps = [
        _step(1, ToolKind.COMMAND, command="cat /srv/private/reference.csv", arguments={"cwd": "/srv/job"}),
        _step(2, ToolKind.FILE_CHANGE, path="/srv/job/output.csv", content="x"),
    ]
    assert any(item.rule == "outside-paths" for item in lint_log(ready_context, steps).violations)
