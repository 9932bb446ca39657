"""Recorded runs linted again: the same material, today's rules, the first result untouched."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.contamination import IGNORED, CannotRun, HiddenMaterial, PartialMaterial
from workbench.ehr import connect
from workbench.records import (
    BadInput,
    Level,
    Observation,
    RunPaths,
    RunResult,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    Verdict,
    file_sha256,
)
from workbench.runs import Context, lint_log, not_expected, relint
from workbench.runs.lint_log import NO_RUN, NO_TASK, STEPS_ONLY
from workbench.store import RunStore, keep_lint

TASK = "mimic-suspicion-infection"
FAMILY = "suspicion-infection"


@pytest.fixture(scope="module")
def copied(
    ready_context: Context,
    workbench_command: Callable[..., list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> RunPaths:
    """A real run that tries a hidden place and hands in rows of the hidden reference."""
    folder = tmp_path_factory.mktemp("script")
    source = ready_context.settings.source
    leaked, script = folder / "leak.csv", folder / "script.sh"
    with connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_parquet(?) ORDER BY random() LIMIT 50) TO '{leaked}' (HEADER)",
            [str(ready_context.data.source(source).reference(FAMILY, "public-code"))],
        )
    script.write_text(f"cat > output.csv <<'EOF'\n{leaked.read_text()}EOF\ncat /root/answers.csv\n")
    done = subprocess.run(
        workbench_command("run", TASK, "--agent", "script", "--file", str(script), "--source", source),
        env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
        capture_output=True, text=True, timeout=300, cwd=ready_context.content.paths.root,
    )  # fmt: skip
    words = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("run ")]
    assert words, done.stdout + done.stderr
    return ready_context.data.run(words[0])


def test_the_same_rules_say_the_same(ready_context: Context, copied: RunPaths) -> None:
    result = RunResult.load(copied.result)
    record = relint(ready_context, result.run_id)
    assert result.lint is not None and result.lint.verdict == "fail"
    assert set(record.report.violations) == set(result.lint.violations)
    assert record.report.outcomes == result.lint.outcomes
    assert (record.verdict, record.first_verdict) == (result.verdict, result.verdict)
    assert sorted(record.reasons) == sorted(result.reasons)
    assert (record.notes, record.differs) == ([], False)
    assert record.log_sha256 == file_sha256(copied.events)
    assert RunResult.load(copied.result) == result and not copied.lints.exists()


def test_without_the_rules_that_failed_it_waits_for_a_person(
    ready_context: Context, copied: RunPaths
) -> None:
    record = relint(ready_context, copied.folder.name, select=["secrets"])
    outcome = next(item for item in record.report.outcomes if item.rule == "hidden-copies")
    assert (outcome.ran, outcome.reason) == (False, IGNORED)
    assert record.report.verdict == "not-run"
    assert record.verdict is not Verdict.PUBLISHABLE
    assert any(reason.startswith("lint not run: ") and "hidden-copies" in reason for reason in record.reasons)


def test_another_reference_than_then_is_no_proof_of_anything(
    ready_context: Context, copied: RunPaths, tmp_path: Path
) -> None:
    """The source is gone: what needs its reference is told as not run."""
    data = replace(ready_context.data, root=tmp_path / "home")
    data.runs.mkdir(parents=True)
    data.concept_sql.symlink_to(ready_context.data.concept_sql)
    subprocess.run(["cp", "-r", str(copied.folder), str(data.runs)], check=True)
    record = relint(replace(ready_context, data=data), copied.folder.name)
    outcome = next(item for item in record.report.outcomes if item.rule == "hidden-copies")
    assert not outcome.ran and "is not here any more: public-code" in outcome.reason
    assert record.notes == [outcome.reason]
    assert any(item.rule == "outside-paths" for item in record.report.violations)


def test_wrong_names_are_refused(ready_context: Context, copied: RunPaths) -> None:
    plan = RunStore(ready_context.data).rows()[0]
    with pytest.raises(BadInput, match="no run"):
        relint(ready_context, f"{plan.run_id}x")
    with pytest.raises(BadInput, match="no lint rule is called"):
        relint(ready_context, copied.folder.name, select=["everything"])


def test_two_are_numbered(ready_context: Context, copied: RunPaths) -> None:
    record = relint(ready_context, copied.folder.name)
    first = keep_lint(ready_context.data, record)
    assert keep_lint(ready_context.data, record) == first + 1


def command(number: int, text: str, back: str = "", code: int = 0) -> Step:
    call = ToolCall(call_id=f"c{number}", name="bash", kind=ToolKind.COMMAND, command=text)
    seen = Observation(call_id=f"c{number}", text=back, exit_code=code)
    return Step(number=number, source=StepSource.AGENT, calls=[call], observations=[seen])


READS = command(1, "duckdb d.db -c 'SELECT * FROM mimiciv_derived.suspicion_of_infection'", "│ 1 │ 2 │")
LOOKS = command(2, "cat /root/answers.csv", "cat: Permission denied", 1)


def test_a_log_alone_shows_what_its_steps_do(ready_context: Context) -> None:
    report = lint_log(ready_context, [READS, LOOKS])
    reasons = {item.rule: item.reason for item in report.outcomes}
    assert reasons["hidden-copies"] == NO_RUN
    assert reasons["removed-tables"] == NO_TASK
    assert reasons["secrets"] == STEPS_ONLY
    assert report.verdict == "not-run"
    assert [(item.rule, item.place.step) for item in report.violations] == [("outside-paths", 2)]
    assert all(not_expected(item.reason) for item in report.outcomes if not item.ran)


def test_a_log_of_a_task_is_asked_for_its_tables(ready_context: Context) -> None:
    report = lint_log(ready_context, [READS], task=TASK, select=["removed-tables"])
    assert [(item.rule, item.level) for item in report.violations] == [("removed-tables", Level.FAIL)]
    assert report.verdict == "fail"
    with pytest.raises(BadInput, match="no task"):
        lint_log(ready_context, [READS], task="sofa-tomorrow")


def test_what_is_absent_is_not_empty(ready_context: Context) -> None:
    task = ready_context.content.task(TASK)
    whole = HiddenMaterial(task=task, removed_tables=["a.b"], condition="no-skill")
    part = PartialMaterial.of(whole, {"removed_tables": "not here", "skills": "nor this"})
    assert part.condition == "no-skill"
    for name in ("removed_tables", "skills", "removed"):
        with pytest.raises(CannotRun, match=r"not here|nor this"):
            getattr(part, name)
