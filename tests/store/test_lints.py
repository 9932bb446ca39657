"""Re-lints: kept beside the result, the newest one shown in listings, events and search."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from workbench.records import (
    BadInput,
    DataPaths,
    FixedClock,
    Level,
    LintRecord,
    LintReport,
    Place,
    RunPaths,
    RunPlan,
    RunResult,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    Verdict,
    Violation,
    relinted,
)
from workbench.store import (
    EventLog,
    LocalRuns,
    RunStore,
    atomic_write,
    events_of_lint,
    keep_lint,
    newest_lint,
    newest_lints,
)
from workbench.trajectories import Only, StepQuery, search_runs

RUN = "20300501-120000-aaaaaa"


def violation(step: int | None, rule: str = "late-rule", level: Level = Level.FAIL) -> Violation:
    return Violation(rule=rule, level=level, message=f"seen by {rule}", place=Place(step=step))


def step(number: int) -> Step:
    call = ToolCall(call_id=f"c{number}", name="bash", kind=ToolKind.COMMAND, command=f"ls {number}")
    return Step(number=number, source=StepSource.AGENT, calls=[call])


@pytest.fixture
def run(
    data: DataPaths, make_plan: Callable[..., RunPlan], make_result: Callable[..., RunResult]
) -> RunPaths:
    """Three steps; the first lint warned at the second."""
    plan = make_plan(RUN)
    paths = RunStore(data).create(plan)
    log = EventLog(paths.events, FixedClock(plan.created))
    first = violation(2, "first-rule", Level.WARN)
    for number in (1, 2, 3):
        log.step(step(number))
        if number == 2:
            log.violation(first)
    result = make_result(RUN, lint=LintReport(verdict="warn", violations=[first]))
    atomic_write(paths.result, result.to_json())
    log.finished(result)
    log.close()
    return paths


@pytest.fixture
def record(run: RunPaths) -> Callable[..., LintRecord]:
    result = RunResult.load(run.result)

    def make(*violations: Violation, verdict: Verdict = Verdict.QUARANTINED) -> LintRecord:
        return LintRecord(
            run_id=RUN,
            made=result.finished + timedelta(days=1),
            code="0",
            log_sha256="0" * 64,
            first_verdict=result.verdict,
            verdict=verdict,
            reasons=["contaminated"],
            report=LintReport(verdict="fail", violations=list(violations)),
        )

    return make


def found(data: DataPaths) -> list[tuple[int, tuple[str, ...]]]:
    hits = search_runs(data, StepQuery(), Only(violations=True)).hits
    return [(hit.step, hit.rules) for hit in hits]


def test_the_newest_is_listed_and_the_result_stays(
    data: DataPaths, run: RunPaths, record: Callable[..., LintRecord]
) -> None:
    before = run.result.read_bytes()
    store = RunStore(data)
    (row,) = store.rows()
    assert (row.said, row.first_verdict) == ("publishable, 1 warn", "")
    assert keep_lint(data, record(violation(1), violation(3))) == 1
    (row,) = store.rows()
    assert (row.verdict, row.fails, row.warns) == (Verdict.QUARANTINED, 2, 0)
    assert row.said == "quarantined, 2 fails, re-lint, was publishable"
    assert keep_lint(data, record(verdict=Verdict.PUBLISHABLE)) == 2
    (row,) = store.rows()
    assert row.said == "publishable, re-lint"
    assert store.rows(verdict="quarantined") == []
    assert newest_lints(data) == {RUN: 2}
    assert run.result.read_bytes() == before
    assert run.lint(1).is_file()


def test_a_result_with_a_relint_keeps_all_but_lint_and_verdict(
    run: RunPaths, record: Callable[..., LintRecord]
) -> None:
    result = RunResult.load(run.result)
    shown = relinted(result, record(violation(1)))
    assert (shown.verdict, shown.reasons, shown.fails) == (Verdict.QUARANTINED, ["contaminated"], 1)
    assert shown.score == result.score
    assert relinted(result, None) == result


def test_rebuilding_finds_it_again(data: DataPaths, run: RunPaths, record: Callable[..., LintRecord]) -> None:
    keep_lint(data, record(violation(1)))
    data.index.unlink()
    assert newest_lints(data) == {RUN: 1}
    assert RunStore(data).rows()[0].fails == 1


def test_a_damaged_one_is_a_problem_and_the_result_is_shown(
    data: DataPaths, run: RunPaths, record: Callable[..., LintRecord]
) -> None:
    keep_lint(data, record(violation(1)))
    run.lint(2).write_text('{"run_id": ')
    store = RunStore(data)
    store.rebuild()
    assert store.rows()[0].said == "publishable, 1 warn"
    assert [problem.where for problem in store.problems()] == [RUN]
    with pytest.raises(BadInput, match="not valid JSON") as told:
        newest_lint(run)
    assert "Lint the run again, or remove that" in told.value.remedy
    assert keep_lint(data, record(violation(1))) == 3
    assert RunStore(data).rows()[0].fails == 1 and store.problems() == []


@pytest.mark.parametrize("linked", ["folder", "file"])
def test_links_are_not_followed(
    data: DataPaths, run: RunPaths, record: Callable[..., LintRecord], tmp_path: Path, linked: str
) -> None:
    keep_lint(data, record(violation(1)))
    elsewhere = tmp_path / "elsewhere"
    moved, place = (run.lints, run.lints) if linked == "folder" else (run.lint(1), run.lint(1))
    shutil.move(moved, elsewhere)
    place.symlink_to(elsewhere)
    with pytest.raises(BadInput, match="is a link"):
        newest_lint(run)


def test_one_of_another_run_is_refused(run: RunPaths, record: Callable[..., LintRecord]) -> None:
    run.lints.mkdir()
    run.lint(1).write_text(record().model_copy(update={"run_id": "20300501-120000-bbbbbb"}).to_json())
    with pytest.raises(BadInput, match="names another run"):
        newest_lint(run)


def test_events_tell_it_at_the_steps(
    data: DataPaths, run: RunPaths, record: Callable[..., LintRecord]
) -> None:
    lint = record(violation(1), violation(None, "of-files"), violation(1, "again"), violation(9, "beyond"))
    told = list(events_of_lint(LocalRuns(RunStore(data)).events(RUN), lint))
    shape = [
        event.violation.rule if event.kind == "violation" else event.kind
        for event in told
        if event.kind != "stage"
    ]
    assert shape == [
        *("note", "step", "late-rule", "again", "step", "step"),
        *("of-files", "beyond", "finished"),
    ]
    assert told[0].text == "linted again on 2030-05-02 12:00 UTC: the verdict was publishable first"
    assert told[-1].result.verdict is Verdict.QUARANTINED
    plain = LocalRuns(RunStore(data)).events(RUN)
    assert list(events_of_lint(plain, None)) == plain


def test_search_goes_by_the_newest(data: DataPaths, run: RunPaths, record: Callable[..., LintRecord]) -> None:
    assert found(data) == [(2, ("first-rule",))]
    keep_lint(data, record(violation(3), violation(1, "told", Level.INFORMATION)))
    assert found(data) == [(3, ("late-rule",))]
    keep_lint(data, record(violation(1, "other"), violation(None)))
    assert found(data) == [(1, ("other",))]
    shutil.rmtree(run.lints)
    RunStore(data).rebuild()
    assert found(data) == [(2, ("first-rule",))]


def test_search_of_a_fresh_index_goes_by_the_newest(
    data: DataPaths, run: RunPaths, record: Callable[..., LintRecord]
) -> None:
    keep_lint(data, record(violation(3)))
    assert found(data) == [(3, ("late-rule",))]
