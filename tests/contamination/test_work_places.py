"""Foreign logs: the folder that the agent worked in is its own place, whatever it is called."""

from __future__ import annotations

import pytest

from workbench.contamination import work_places
from workbench.records import Step, StepSource, ToolCall, ToolKind


def _step(number: int, kind: ToolKind, **call: object) -> Step:
    made = ToolCall.model_validate({"call_id": f"c{number}", "name": "tool", "kind": kind, **call})
    return Step(number=number, source=StepSource.AGENT, calls=[made])


def _told(text: str, source: StepSource = StepSource.USER) -> Step:
    return Step(number=1, source=source, message=text)


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/srv/jobs/test-7</cwd>",
        "Working directory: /srv/jobs/test-7\nPlatform: linux",
        "I'm currently working in the directory: /srv/jobs/test-7",
        "Your current working directory is `/srv/jobs/test-7`.",
    ],
)
def test_a_folder_that_the_log_states_is_the_agent_s_place(text: str) -> None:
    assert work_places([_told(text)]) == ("/srv/jobs/test-7",)


def test_an_agent_cannot_state_its_own_place() -> None:
    assert work_places([_told("Working directory: /srv/private", StepSource.AGENT)]) == ()


@pytest.mark.parametrize("folder", ["/", "/etc/cron.d", "/root", "/home/someone", "/proc/1/root"])
def test_the_machine_and_secrets_are_nobody_s_work_folder(folder: str) -> None:
    assert work_places([_told(f"<cwd>{folder}</cwd>")]) == ()


def test_without_a_statement_the_folder_of_all_writes_counts() -> None:
    deep = [_step(1, ToolKind.FILE_CHANGE, path="/private/tmp/my-test/hello.txt", content="x")]
    assert work_places(deep) == ("/private/tmp/my-test",)
    apart = [*deep, _step(2, ToolKind.FILE_CHANGE, path="/opt/other/x.py", content="x")]
    assert work_places(apart) == ()
