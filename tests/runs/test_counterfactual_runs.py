"""Whole runs under a counterfactual: real sandbox, both references, listings; the original stays as it is."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.records import (
    UNCHANGED,
    Condition,
    InputHashes,
    RunIdentity,
    RunPlan,
    RunResult,
    Verdict,
    cell_of,
    file_sha256,
)
from workbench.runs import Context, content_of, tells_of_change

TASK = "mimic-suspicion-infection-raw"
FAMILY = "suspicion-infection"
NAME = "culture-within-48-hours"
PRIMARY = "public-code"
PLAN: dict[str, Any] = {
    "run_id": "20300501-120000-abcdef", "created": "2030-05-01T12:00:00Z", "task": "t", "family": "f",
    "condition": Condition.NO_SKILL, "source": "s", "agent": {"name": "script"}, "sandbox": "bubblewrap",
}  # fmt: skip
CELL = "80771324ea5458df"
"""Of ``PLAN``, by the code of before."""


@dataclass(frozen=True)
class Done:
    """A run and what was printed; ``run_id`` is empty where none began."""

    code: int
    out: str
    err: str
    run_id: str


class Commands:
    """The command line on the shared data directory."""

    def __init__(self, context: Context, words: Callable[..., list[str]]) -> None:
        self.context, self._words = context, words

    def __call__(self, *words: str) -> Done:
        done = subprocess.run(
            self._words(*words),
            env={**os.environ, "WORKBENCH_HOME": str(self.context.data.root)},
            capture_output=True, text=True, timeout=300, cwd=self.context.content.paths.root,
        )  # fmt: skip
        heads = [line for line in done.stdout.splitlines() if line.startswith("run ")]
        return Done(done.returncode, done.stdout, done.stderr, heads[0].split()[1] if heads else "")

    def run(self, file: Path, *more: str) -> tuple[RunResult, RunIdentity, str]:
        source = self.context.settings.source
        done = self("run", TASK, "--agent", "script", "--file", str(file), "--source", source, *more)
        assert done.run_id, done.out + done.err
        paths = self.context.data.run(done.run_id)
        return RunResult.load(paths.result), RunIdentity.load(paths.identity), done.out


@pytest.fixture(scope="module")
def commands(ready_context: Context, workbench_command: Callable[..., list[str]]) -> Commands:
    return Commands(ready_context, workbench_command)


@pytest.fixture(scope="module")
def answers(ready_context: Context, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The SQL of both references, each as a script."""
    content = ready_context.content
    seen = content_of(content, task=content.task(TASK), counterfactual=NAME)
    folder = tmp_path_factory.mktemp("answers")
    files = {target: folder / f"{target}.sql" for target in (PRIMARY, UNCHANGED)}
    for target, file in files.items():
        file.write_text(seen.reference_sql(FAMILY, target, "mimic-iv"))
    return files


@pytest.fixture(scope="module")
def original(ready_context: Context) -> Path:
    source = ready_context.data.source(ready_context.settings.source)
    return source.reference(FAMILY, PRIMARY)


@pytest.fixture(scope="module")
def followed(
    commands: Commands, answers: dict[str, Path], original: Path
) -> tuple[RunResult, RunIdentity, str]:
    """An answer by the changed text, under the counterfactual."""
    before = file_sha256(original)
    done = commands.run(answers[PRIMARY], "--counterfactual", NAME, "--condition", "with-skill")
    assert file_sha256(original) == before
    return done


def rewards(result: RunResult) -> dict[str, float]:
    assert result.score is not None
    return {target.target: target.reward for target in result.score.targets}


def test_an_answer_by_the_changed_text_is_right(followed: tuple[RunResult, RunIdentity, str]) -> None:
    result, _, printed = followed
    assert result.score is not None and result.score.reward == 1.0 and result.score.strict_pass
    assert list(rewards(result)) == [PRIMARY, UNCHANGED]
    assert rewards(result)[UNCHANGED] < 1.0
    assert result.verdict is Verdict.PUBLISHABLE
    assert f"{TASK}, with-skill, counterfactual {NAME}" in printed
    assert f"A: {PRIMARY}" in printed and f"B: {UNCHANGED}" in printed


def test_the_public_code_is_not(
    commands: Commands, answers: dict[str, Path], followed: tuple[RunResult, RunIdentity, str]
) -> None:
    result, identity, _ = commands.run(
        answers[UNCHANGED], "--counterfactual", NAME, "--condition", "with-skill"
    )
    assert rewards(result)[UNCHANGED] == 1.0
    assert result.score is not None and result.score.reward == rewards(result)[PRIMARY] < 1.0
    assert identity.cell != followed[1].cell, "another script is another cell"


def test_it_is_another_cell_than_without(
    commands: Commands, answers: dict[str, Path], followed: tuple[RunResult, RunIdentity, str]
) -> None:
    result, plain, _ = commands.run(answers[PRIMARY], "--condition", "with-skill")
    changed = followed[1]
    assert plain.cell != changed.cell
    assert set(plain.inputs.references) == {"public-code", "adjudicated", "accepted-mimic-code-2026"}
    assert changed.inputs.references[UNCHANGED] == plain.inputs.references[PRIMARY]
    assert changed.inputs.references[PRIMARY] != plain.inputs.references[PRIMARY]
    assert changed.inputs.instruction != plain.inputs.instruction
    assert changed.inputs.skills.keys() == plain.inputs.skills.keys()
    assert changed.inputs.skills != plain.inputs.skills
    assert changed.inputs.database == plain.inputs.database
    assert result.score is not None and result.score.reward < 1.0


def test_what_its_agent_saw_does_not_tell_of_it(
    ready_context: Context, followed: tuple[RunResult, RunIdentity, str]
) -> None:
    paths = ready_context.data.run(followed[0].run_id)
    assert "counterfactual" not in paths.trajectory.read_text().lower()
    assert NAME not in paths.trajectory.read_text()


def test_it_is_told_where_runs_are_listed_and_shown(
    commands: Commands, followed: tuple[RunResult, RunIdentity, str]
) -> None:
    run_id = followed[0].run_id
    (item,) = json.loads(commands("runs", "show", run_id, "--json").out)["items"]
    assert item["plan"]["counterfactual"] == NAME
    shown = commands("runs", "show", run_id).out
    assert NAME in shown and "public-code is the changed reference" in shown
    assert f"with-skill {NAME}" in commands("runs", "list", "--match", NAME).out
    assert (
        len(json.loads(commands("runs", "list", "--match", f"{NAME} {run_id}", "--json").out)["items"]) == 1
    )
    groups = json.loads(commands("runs", "stats", "--task", TASK, "--json").out)["items"]
    assert {group["counterfactual"] for group in groups} >= {"", NAME}


def test_mismatches_can_be_seen_against_either(
    commands: Commands, followed: tuple[RunResult, RunIdentity, str]
) -> None:
    run_id = followed[0].run_id
    assert json.loads(commands("runs", "mismatches", run_id, "--json").out)["items"] == []
    unlike = json.loads(commands("runs", "mismatches", run_id, "--target", UNCHANGED, "--json").out)["items"]
    assert {item["column"] for item in unlike} >= {"culture_time"}
    refused = commands("runs", "mismatches", run_id, "--target", "adjudicated")
    assert (refused.code, "Known: public-code, unchanged." in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--counterfactual", "culture-within-47-hours"), f"Did you mean {NAME}"),
        (("--counterfactual", "x"), f"Known: {NAME}."),
        (("--counterfactual", "A b\x1b[31m"), f"Known: {NAME}."),
    ],
)
def test_one_that_is_not_there_is_told(
    commands: Commands, answers: dict[str, Path], words: tuple[str, ...], said: str
) -> None:
    done = commands("run", TASK, "--agent", "script", "--file", str(answers[PRIMARY]), *words)
    assert (done.code, done.run_id) == (2, "")
    assert "has no counterfactual" in done.err and said in done.err


def test_a_recording_is_not_replayed_under_one(commands: Commands) -> None:
    done = commands("run", TASK, "--counterfactual", NAME)
    assert (done.code, done.run_id) == (2, "")
    assert "a demonstration was recorded without the counterfactual" in done.err


def test_a_preview_shows_the_changed_text(commands: Commands) -> None:
    words = ("condition", "preview", TASK, "--condition", "operational-spec")
    changed = commands(*words, "--counterfactual", NAME).out
    assert "at most 48 h later (48 h included)" in changed and "72" not in changed
    assert "at most 72 h later (72 h included)" in commands(*words).out


@pytest.mark.parametrize(
    ("task", "name", "condition", "told"),
    [
        (TASK, NAME, Condition.NO_SKILL, True),
        ("mimic-sirs-24h-raw", "fast-heart-above-100", Condition.NO_SKILL, False),
        ("mimic-sirs-24h-raw", "fast-heart-above-100", Condition.WITH_SKILL_DECOY, False),
        ("mimic-sirs-24h-raw", "fast-heart-above-100", Condition.WITH_SKILL, True),
    ],
)
def test_whether_an_agent_can_know_of_it(
    ready_context: Context, task: str, name: str, condition: Condition, told: bool
) -> None:
    plan = RunPlan.model_validate(PLAN | {"task": task, "counterfactual": name, "condition": condition})
    assert tells_of_change(ready_context.content, plan) == told


def test_cells_without_one_stay_what_they_were() -> None:
    """The hash of a made-up plan as it was before there were counterfactuals."""
    plan = RunPlan.model_validate(PLAN)
    inputs = InputHashes(task="a", instruction="b", prompt="c")
    assert cell_of(plan, inputs) == CELL
    assert cell_of(plan.model_copy(update={"counterfactual": "x"}), inputs) != CELL
