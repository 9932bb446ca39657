"""Every real log beside the project goes through all rules: none breaks, and each comes to an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.contamination import HiddenMaterial, RunContext
from workbench.contamination.rule import actions_of
from workbench.records import Step, StepSource, ToolCall, ToolKind
from workbench.runs import Context, lint_log, not_expected
from workbench.trajectories import detect_format, read_log

LOGS = Path(__file__).resolve().parents[3] / "shared" / "data" / "trajectories"
FILES = [path for path in sorted(LOGS.rglob("*")) if path.is_file() and path.parent != LOGS]


@pytest.mark.parametrize("path", FILES or [None], ids=lambda path: path.name if path else "none")
def test_rules_do_not_break(path: Path | None, ready_context: Context) -> None:
    if path is None:
        pytest.skip("the real logs are not beside the project (../shared/data)")
    with path.open("rb") as file:
        if detect_format(file.read(65536)) == "plain":
            pytest.skip("not a log of an agent")
    steps, _ = read_log(path)
    report = lint_log(ready_context, steps[:400], task="mimic-suspicion-infection")
    assert len(report.outcomes) == len({item.rule for item in report.outcomes})
    assert [item for item in report.outcomes if not item.ran and not not_expected(item.reason)] == []


def test_a_relative_path_is_asked_for_to_its_end(ready_context: Context) -> None:
    hidden = HiddenMaterial(task=ready_context.content.task("mimic-suspicion-infection"), removed_tables=[])
    call = ToolCall(call_id="c", name="bash", kind=ToolKind.COMMAND, command="ls > notes.txt")
    (action,) = actions_of(Step(number=1, source=StepSource.AGENT, calls=[call]), RunContext(hidden))
    assert action.is_own("/workspace/notes.txt")
    assert not action.is_own("answers.csv") and not action.is_own("")
