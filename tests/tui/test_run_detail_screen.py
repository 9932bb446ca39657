"""Run detail: every part of a record, jumps to steps, mismatches on demand only."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorded_runs import (
    AT_STEP,
    RUN,
    TASK,
    begin_log,
    command,
    make_identity,
    make_plan,
    make_result,
    make_score,
    record_run,
    tell_steps,
)
from snapshots import footer, rows
from textual.pilot import Pilot
from waiting import on_screen, until

from workbench.ehr import connect
from workbench.records import (
    ColumnType,
    GroupScore,
    KeyColumn,
    LintReport,
    Reference,
    RunPaths,
    ScoreReport,
    StrictCheck,
    Verdict,
    file_sha256,
)
from workbench.runs import result_lines
from workbench.scoring import Mismatch
from workbench.store import RunStore, atomic_write, private_folder
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.mismatch_blocks import example
from workbench.tui.run_lines import DetailLines, RecordedRun, detail_blocks
from workbench.tui.screens.run_detail import RunDetailScreen, read_run
from workbench.tui.screens.trajectory import TrajectoryScreen
from workbench.tui.step_blocks import VIOLATION

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def recorded(tui_context: AppContext) -> RunPaths:
    return record_run(tui_context.data)


async def opened(app: WorkbenchApp, pilot: Pilot[int]) -> RunDetailScreen:
    await pilot.pause()
    app.open_screen("run-detail", run=RUN)
    screen = await on_screen(pilot, app, RunDetailScreen)
    await until(pilot, lambda: len(screen.lines) > 0)
    return screen


def text_of(lines: DetailLines) -> str:
    return "\n".join(lines.line(row).text.plain for row in range(len(lines)))


async def test_everything_that_is_recorded(tui_context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        text = text_of(screen.lines)
        for part in (
            "! quarantined",
            "contaminated: hidden-copies",
            f"{TASK}, schema native",
            "replay no-skill.codex",
            "trial      1, attempt 2",
            "Score: reward 0.750, strict not passed",
            "specimen             0.500 |##########",
            "culture_time         0.000 |                    |  column missing",
            "strict: key coverage not met (9 of 10 keys)",
            "Lint: fail, 1 of 2 rules ran",
            "network did not run: no egress log",
            "step 3  warn: reads-references",
            "step 4  fail: hidden-copies",
            "3 requests, 1 refused",
            "4,200 in (100 cached), 310 out",
            "full isolation",
            "ended by exit 0, 12.5 s, 200 MiB at most",
            "memory   cgroup v1",
            "link passwd",
            "Times: the agent 12.5 s, 21.0 s for all",
            "execute  12.5 s",
            "Made of: cell 0123456789abcdef, attempt 2",
            "skill suspicion-infection/SKILL.md  444444444444…",
            "database                            666666666666…",
            "output  000000000000…",
        ):
            assert "".join(part.split()) in "".join(text.split()), part
        assert "\x1b" not in text
        assert rows(app)[0].rstrip().endswith("! quarantined, 1 fail, 1 warn")
        assert screen.plain_twin == f"workbench runs show {RUN} --details;workbench runs mismatches {RUN}"


async def test_a_violation_opens_its_step(tui_context: AppContext, recorded: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("v")
        await pilot.pause()
        assert "step 4  fail: hidden-copies" in screen.view.line.text.plain
        await pilot.press("v", "enter")
        trajectory = await on_screen(pilot, app, TrajectoryScreen)
        await until(pilot, lambda: trajectory.lines.complete)
        assert trajectory.view.line.text.plain.split() == ["3", "agent"]
        await pilot.press("escape")
        await on_screen(pilot, app, RunDetailScreen)
        await pilot.press("v")
        await pilot.pause()
        assert "no violation after this line" in footer(app)
        await pilot.press("V")
        await pilot.pause()
        assert "step 4" in screen.view.line.text.plain
        await pilot.press("t")
        await on_screen(pilot, app, TrajectoryScreen)


@pytest.fixture
def scored(tui_context: AppContext, recorded: RunPaths) -> Iterator[RunPaths]:
    """With an output and the reference that it was scored against."""
    source = tui_context.data.source("synthetic-500-1")
    file = source.reference("suspicion-infection", "public-code")
    file.parent.mkdir(parents=True)
    values = ", ".join(
        f"({subject}, {number}, 0, 0, '[/urine]', 'drug', NULL, NULL, NULL, 1, 1)"
        for subject, number in ((17, 1), (17, 2), (18, 1))
    )
    names = (
        "subject_id, ab_id, suspected_infection, positive_culture, specimen, antibiotic, antibiotic_time, "
        "suspected_infection_time, culture_time, stay_id, hadm_id"
    )
    with connect() as connection:
        connection.execute(f"COPY (SELECT * FROM (VALUES {values}) t({names})) TO '{file}' (FORMAT parquet)")
    reference = Reference(
        family="suspicion-infection",
        target="public-code",
        database="mimic-iv",
        sql_sha256="",
        source_hash="",
        concept_revision="",
        duckdb_version="",
        rows=3,
        columns=[],
        keys=[],
        rows_sha256=make_identity().inputs.references["public-code"],
        file_sha256=file_sha256(file),
        canary_column="",
    )
    atomic_write(source.reference_manifest("suspicion-infection", "public-code"), reference.to_json())
    private_folder(recorded.collected)
    recorded.output.write_text(
        f"{names.replace(' ', '')}\n"
        "17,1,1,0,[/urine],drug,,,,1,1\n17,2,0,0,BLOOD,drug,,,,1,1\n99,9,0,0,x,y,,,,1,1\n"
    )
    yield recorded


async def test_mismatches_are_shown_on_demand_and_kept_nowhere(
    tui_context: AppContext, scored: RunPaths
) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert "subject_id=17" not in text_of(screen.lines)
        before = files(tui_context)
        await pilot.press("m")
        await until(pilot, lambda: "subject_id=17" in text_of(screen.lines))
        text = text_of(screen.lines)
        assert 'subject_id=17, ab_id=1   got "1"   wanted "0"' in text
        assert 'subject_id=17, ab_id=2   got "BLOOD"   wanted "[/urine]"' in text
        assert "missing subject_id=18, ab_id=1" in text and "extra subject_id=99, ab_id=9" in text
        assert "values shown" in rows(app)[0]
        assert "BLOOD" not in str(screen.state())
        await pilot.press("m")
        await pilot.pause()
        assert "subject_id=17" not in text_of(screen.lines)
        column = screen.lines.row_of("column:public-code/specimen")
        screen.view.go_to(column)
        await pilot.press("enter")
        await until(pilot, lambda: "subject_id=17" in text_of(screen.lines))
        assert "specimen" in screen.view.line.text.plain
        assert files(tui_context) == before


def files(context: AppContext) -> set[Path]:
    """All but where the app stands, which is written every few seconds."""
    there = {path for path in context.data.root.rglob("*") if path.is_file()}
    return there - {context.data.terminal_session}


KEYS = [KeyColumn(name="stay_id"), KeyColumn(name="charted", type=ColumnType.TEXT)]


@pytest.mark.parametrize(
    ("got", "wanted", "told"),
    [
        ("1.0", "0.0", 'got "1"   wanted "0"'),
        ("-3.00", None, 'got "-3"   wanted null'),
        ("1.5", "2.0", 'got "1.5"   wanted "2"'),
        ("1.0", "1", 'got "1.0"   wanted "1"'),
        ("10.0.0", "x.0", 'got "10.0.0"   wanted "x.0"'),
        ("(cannot be read as this type)", "100.0", 'got "(cannot be read as this type)"   wanted "100"'),
    ],
)
def test_values_are_told_as_a_person_writes_them(got: str, wanted: str | None, told: str) -> None:
    item = Mismatch("value", "creatinine", ("30000001.0", "2.0"), got, wanted)
    lines = DetailLines([example(item, KEYS)])
    lines.lay_out(120)
    assert text_of(lines).strip() == f"stay_id=30000001, charted=2.0   {told}"
    lines.lay_out(40)
    shown = [lines.line(row).text.plain for row in range(len(lines))]
    assert max(map(len, shown)) <= 40 and " ".join(" ".join(shown).split()).endswith(" ".join(told.split()))


async def test_another_reference_is_refused(tui_context: AppContext, scored: RunPaths) -> None:
    manifest = tui_context.data.source("synthetic-500-1").reference_manifest(
        "suspicion-infection", "public-code"
    )
    changed = Reference.load(manifest).model_copy(update={"rows_sha256": "other"})
    atomic_write(manifest, changed.to_json())
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await opened(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: "was not scored against the reference" in footer(app))


async def test_a_run_without_result_and_one_that_is_gone(tui_context: AppContext) -> None:
    run = RunStore(tui_context.data).create(make_plan())
    run.lock.unlink()
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        assert "■ interrupted" in text_of(screen.lines) and "0 events" in text_of(screen.lines)
        await pilot.press("m", "v", "enter")
        await pilot.pause()
        app.open_screen("run-detail", run="no-such-run")
        await until(pilot, lambda: "no run 'no-such-run'" in footer(app))


def test_reading_takes_the_refused_requests(tui_context: AppContext, recorded: RunPaths) -> None:
    found = read_run(tui_context, RUN)
    assert found.refused == ()
    assert found.result is not None and found.result.verdict is Verdict.QUARANTINED


def test_a_run_with_little_recorded_is_drawn_whole() -> None:
    result = make_result(score=None, lint=None, sandbox=None, egress=None, trajectory=None, stage_s={})
    run = RecordedRun("r", "folder", make_plan(), "finished", result, None)
    lines = DetailLines(list(detail_blocks(run)))
    assert lines.mark(VIOLATION, 0) is None
    assert "no gateway" in text_of(lines)


def test_several_references_stand_side_by_side() -> None:
    score = make_score()
    (public,) = score.targets
    draft = public.model_copy(update={"target": "adjudicated", "status": "draft", "reward": 0.25})
    both = score.model_copy(update={"targets": [public, draft]})
    run = RecordedRun("r", "folder", make_plan(), "finished", make_result(score=both), None)
    text = text_of(DetailLines(list(detail_blocks(run))))
    assert "adjudicated (draft): reward 0.250" in text
    told = text[text.index("agreement with each reference") :].splitlines()
    assert [line.split() for line in told[1:5]] == [
        ["A:", "public-code"],
        ["B:", "adjudicated", "(draft)"],
        ["A", "B"],
        ["reward", f"{public.reward:.3f}", "0.250"],
    ]
    several = [public.model_copy(update={"target": f"reference-of-a-long-name-{at}"}) for at in range(6)]
    wide = score.model_copy(update={"targets": several})
    assert max(len(row) for row in wide.side_by_side_rows) < 76
    one = RecordedRun("r", "folder", make_plan(), "finished", make_result(score=score), None)
    assert "agreement with each reference" not in text_of(DetailLines(list(detail_blocks(one))))


def test_a_score_is_told_by_hospital() -> None:
    score = make_score()
    (target,) = score.targets
    rates = [0.5] * len(target.columns)
    groups = [
        GroupScore(by="hospitalid", group=name, pooled=pooled, reference_rows=1200, matched=1199,
                   key_coverage=0.9992, match_rates=rates)
        for name, pooled in (("56", 0), ("other", 3))
    ]  # fmt: skip
    told = score.model_copy(update={"targets": [target.model_copy(update={"groups": groups})]})
    for text in (drawn(score=told), "\n".join(result_lines(make_result(score=told)))):
        lines = [line.split() for line in text.splitlines()]
        assert ["56", "1,200", "0.99", *["0.50"] * len(rates)] in lines
        assert ["other", "(3)", "1,200", "0.99", *["0.50"] * len(rates)] in lines
    assert "hospitalid" not in drawn()


def drawn(**changes: Any) -> str:
    run = RecordedRun("r", "folder", make_plan(), "finished", make_result(**changes), make_identity())
    return text_of(DetailLines(list(detail_blocks(run))))


def test_a_run_without_an_output_has_reward_0_in_app_and_command() -> None:
    problem = "there is no output file"
    nothing = ScoreReport(task=TASK, readable=False, problem=problem, reward=0, strict_pass=False)
    told = "\n".join(result_lines(make_result(output_sha256="", score=nothing)))
    assert "score    reward 0.000 (no output)" in told
    for text in (told, drawn(output_sha256="", score=nothing)):
        assert "reward 0.000 (no output)" in text and "not scored" not in text


@pytest.mark.parametrize(
    ("warns", "told", "line"),
    [
        (0, "publishable", ""),
        (1, "publishable, 1 warn", "1 warning: look at it before publishing"),
        (5, "publishable, 5 warns", "5 warnings: look at them before publishing"),
    ],
)
def test_warnings_stand_beside_the_verdict_in_app_and_command(warns: int, told: str, line: str) -> None:
    lint = LintReport(verdict="warn" if warns else "clean", violations=[AT_STEP] * warns)
    changes = {"verdict": Verdict.PUBLISHABLE, "reasons": [], "lint": lint}
    printed = list(result_lines(make_result(**changes)))
    shown = drawn(**changes).splitlines()
    assert f"verdict  {told}" in printed and shown[0].split(maxsplit=1)[-1] == told
    for text in ("\n".join(printed), " ".join(" ".join(shown).split())):
        assert (line in text) if line else ("before publishing" not in text)
    assert any("(v goes to " in row for row in shown) is bool(warns)


def test_agreement_is_ticked() -> None:
    run = RecordedRun("r", "folder", make_plan(), "finished", make_result(), make_identity())
    lines = DetailLines(list(detail_blocks(run)))
    shown = [lines.line(row) for row in range(len(lines))]
    assert [line.sign.value for line in shown if "suspected_infection " in line.text.plain] == ["✓"]


def test_a_failed_run_says_how_to_go_on() -> None:
    told = drawn(verdict=Verdict.FAILED, reasons=["no readable output"])
    assert "t shows its steps; x there goes to what failed" in told


def test_only_a_whole_match_fills_its_bar_and_thresholds_are_told() -> None:
    score = make_score()
    (target,) = score.targets
    columns = [target.columns[0], target.columns[1].model_copy(update={"match_rate": 0.99})]
    met = StrictCheck(
        check="column accuracy", passed=True, detail="all 2 columns at least 0.8", threshold=0.8
    )
    target = target.model_copy(update={"columns": columns, "strict_checks": [met], "strict_pass": True})
    changed = score.model_copy(update={"targets": [target]})
    for text in (drawn(score=changed), "\n".join(result_lines(make_result(score=changed)))):
        bars = [line.split("|")[1] for line in text.splitlines() if line.count("|") == 2]
        assert bars == ["#" * 20, "#" * 19 + " "]
        assert "strict: column accuracy met (all 2 columns at least 0.8)" in text


def test_no_name_of_an_input_drives_its_hash_off_the_line() -> None:
    lines = drawn().splitlines()
    at = lines.index(f"Made of: cell {make_identity().cell}, attempt 2")
    assert all("  " in line.strip() for line in lines[at + 1 : -1])
    assert lines[-1].strip() == "hashes in full: workbench runs show r"


async def test_mismatches_are_shown_from_anywhere(tui_context: AppContext, scored: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        for key in ("home", "end"):
            await pilot.press(key, "m")
            await until(pilot, lambda: "subject_id=17" in text_of(screen.lines))
            await until(pilot, lambda: any("subject_id=1" in line for line in rows(app)))
            assert screen.lines.opens(screen.view.cursor).startswith("column:public-code/")
            await pilot.press("m")
            await pilot.pause()
            assert "subject_id=17" not in text_of(screen.lines)


async def test_an_interrupted_run_is_not_scored(tui_context: AppContext) -> None:
    run = RunStore(tui_context.data).create(make_plan())
    run.lock.unlink()
    atomic_write(run.result, make_result(verdict=Verdict.INTERRUPTED).to_json())
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        text = text_of(screen.lines)
        assert "Score: not scored" in text and "reward" not in text
        app.open_screen("runs")
        await until(pilot, lambda: any("interrupted" in line for line in rows(app)))
        (line,) = (line for line in rows(app) if "interrupted" in line)
        assert "fail… " in line and " - mimic" in line and "0.000" not in line


async def test_rules_that_explain_wrong_columns_stand_below_them(tui_context: AppContext) -> None:
    sql = (ROOT / "tasks/m4bench/suspicion-infection/reference.mimic-iv.sql").read_text()
    right = "INTERVAL 72 HOUR"
    assert right in sql
    run = record_run(tui_context.data)
    log = begin_log(run)
    wrong = f"COPY ({sql.replace(right, 'INTERVAL 48 HOUR').strip().rstrip(';')}) TO 'output.csv'"
    tell_steps(log, [command(2, f"duckdb e.db <<'SQL'\n{wrong};\nSQL")])
    log.close()
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(100, 40), notifications=True, tooltips=True) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("x")
        rule = "only the agent, window: <= 48 h (chart_time charttime) [agent line 110]"
        await until(pilot, lambda: rule in text_of(screen.lines))
        told = text_of(screen.lines)
        assert told.count(rule) == 2  # of both columns that are not right
        assert told.index("specimen   ") < told.index(rule) < told.index("culture_time   ")
        await pilot.press("x")
        assert rule not in text_of(screen.lines)


async def test_a_run_without_a_query_is_told_when_it_is_to_be_explained(
    tui_context: AppContext, recorded: RunPaths
) -> None:
    recorded.events.unlink()
    log = begin_log(recorded)
    log.close()
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 24), notifications=True, tooltips=True) as pilot:
        await opened(app, pilot)
        await pilot.press("x")
        await until(pilot, lambda: "no query is in the steps" in " ".join(rows(app)[-3:]))
