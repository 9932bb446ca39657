"""The emitters against the product's readers: what was written is what is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmark_emitters import CARRIES, EMITTERS
from emitters import Move, Session

from workbench.trajectories import READERS, detect_format, read_trajectory

SESSION = Session(
    asked="ASKED for it",
    moves=(
        Move(prose="PROSE", reasoning="REASONING", command="echo 'COMMAND'", output="OUTPUT\nof it"),
        Move(command="false", output="FAILED", exit_code=3),
        Move(path="/workspace/PATH.md", content="CONTENT\nof it"),
        Move(arguments={"query": "ARGUMENTS"}, result="RESULT"),
        Move(todo=("TODO", "and more")),
        Move(prompt="PROMPT"),
    ),
    final="FINAL words",
)
MARKS = {
    part: part.upper() for part in ("prose", "reasoning", "command", "output", "path", "content", "arguments")
}
MARKS |= {part: part.upper() for part in ("todo", "prompt", "asked")}
FORMS = {"gemini-session-lines": "gemini-session", "mini-swe-agent-list": "mini-swe-agent"}
"""Other forms of a format."""


@pytest.mark.parametrize("format", EMITTERS)
def test_the_product_tells_the_format(format: str) -> None:
    assert detect_format(EMITTERS[format](SESSION)) == FORMS.get(format, format)


@pytest.mark.parametrize("format", [name for name in EMITTERS if FORMS.get(name, name) in READERS])
def test_what_an_emitter_writes_is_read_back(format: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(EMITTERS[format](SESSION))
    steps, summary = read_trajectory(path)
    read = "\n".join(step.model_dump_json() for step in steps)
    wanted = {mark for part, mark in MARKS.items() if part in CARRIES[format]}
    assert {mark for mark in wanted if mark not in read} == set()
    assert "FINAL words" in read or "FINAL words" in summary.final_message
    assert (summary.damaged_lines, summary.unknown_events, summary.complete) == (0, {}, True)


@pytest.mark.parametrize("format", [name for name in EMITTERS if CARRIES[name]])
def test_no_format_says_what_it_has_no_place_for(format: str) -> None:
    written = EMITTERS[format](SESSION).decode()
    assert {part for part, mark in MARKS.items() if mark in written} == CARRIES[format]
