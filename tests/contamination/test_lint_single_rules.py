"""Web search, planted tokens and answers without work: the smallest runs, both ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.contamination import HiddenMaterial, Lint
from workbench.records import Level, LintReport, Observation, Step, StepSource, ToolCall, ToolKind

LintFolder = Callable[..., LintReport]
StepMaker = Callable[..., Step]
TOKEN = "wbc-aaaabbbbccccdddd"


def _step(kind: ToolKind, name: str, text: str, message: str = "", **arguments: Any) -> Step:
    call = ToolCall(call_id="c", name=name, kind=kind, arguments=arguments)
    back = Observation(call_id="c", text=text)
    return Step(number=1, source=StepSource.AGENT, message=message, calls=[call], observations=[back])


def _levels(hidden: HiddenMaterial, step: Step, rule: str) -> list[Level]:
    return [item.level for item in Lint(hidden).check_step(step) if item.rule == rule]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (_step(ToolKind.WEB, "web_search", "1. a page on sepsis", query="sepsis sql"), [Level.FAIL]),
        (_step(ToolKind.WEB, "web_search", "network is disabled", query="sepsis sql"), [Level.WARN]),
        (_step(ToolKind.SEARCH, "search", "a.sql:1: SELECT", query="SELECT", path="/workspace"), []),
    ],
)  # fmt: skip
def test_web_search_by_what_came_back(hidden: HiddenMaterial, step: Step, expected: list[Level]) -> None:
    assert _levels(hidden, step, "web-search") == expected


def test_an_agent_that_says_it_looked_things_up(hidden: HiddenMaterial) -> None:
    said = Step(number=1, source=StepSource.AGENT, message="I found this query on GitHub.")
    honest = Step(number=1, source=StepSource.AGENT, message="I found this column in the schema.")
    assert _levels(hidden, said, "web-search") == [Level.QUARANTINE]
    assert _levels(hidden, honest, "web-search") == []


def test_a_planted_token_fails_in_any_spelling(hidden: HiddenMaterial, command_step: StepMaker) -> None:
    planted = replace(hidden, run_canaries=frozenset({TOKEN}))
    for text in (TOKEN, TOKEN[::-1], TOKEN.encode().hex()):
        assert _levels(planted, command_step(1, "cat x", text), "canaries") == [Level.FAIL]
    assert _levels(planted, command_step(1, "cat x", "aaaabbbb"), "canaries") == []


def test_a_token_that_nobody_knows_goes_to_a_person(hidden: HiddenMaterial, command_step: StepMaker) -> None:
    assert _levels(hidden, command_step(1, "cat x", TOKEN), "canaries") == [Level.QUARANTINE]


def test_an_output_without_a_query_goes_to_a_person(
    lint_folder: LintFolder, command_step: StepMaker, tmp_path: Path
) -> None:
    (tmp_path / "output.csv").write_text("subject_id,ab_id\n1,1\n")
    idle = lint_folder(tmp_path, [command_step(1, "ls", "output.csv")])
    assert [item.level for item in idle.violations if item.rule == "no-work"] == [Level.QUARANTINE]
    assert [item for item in lint_folder(tmp_path).violations if item.rule == "no-work"] == []
