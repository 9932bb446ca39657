"""A re-lint in the app: drawn at its steps, named as one, beside the verdict that was first."""

from __future__ import annotations

from datetime import timedelta

import pytest
from recorded_runs import NOON, RUN, make_result, record_run
from snapshots import rows
from waiting import on_screen, until

from workbench.records import Level, LintRecord, LintReport, Place, RuleOutcome, RunPaths, Verdict, Violation
from workbench.store import keep_lint
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.trajectory import TrajectoryScreen

NEW = Violation(rule="answer-copy", level=Level.WARN, message="seen today", place=Place(step=2))


@pytest.fixture
def linted(tui_context: AppContext) -> RunPaths:
    """Quarantined first; today's rules warn at another step."""
    run = record_run(tui_context.data)
    keep_lint(
        tui_context.data,
        LintRecord(
            run_id=RUN,
            made=NOON + timedelta(days=1),
            code="0",
            log_sha256="0" * 64,
            first_verdict=make_result().verdict,
            verdict=Verdict.PUBLISHABLE,
            notes=["the task was changed since the run"],
            report=LintReport(
                verdict="warn",
                violations=[NEW],
                outcomes=[RuleOutcome(rule="answer-copy", version=3, ran=True, worst=Level.WARN)],
            ),
        ),
    )
    return run


async def test_run_detail_says_that_it_is_one(tui_context: AppContext, linted: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(100, 40), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("run-detail", run=RUN)
        screen = await on_screen(pilot, app, RunDetailScreen)
        await until(pilot, lambda: len(screen.lines) > 0)
        text = [screen.lines.line(row).text.plain.strip() for row in range(len(screen.lines))]
        assert text[0] == "✓ publishable, 1 warn"
        assert "linted again on 2030-05-02 12:00 UTC: the verdict was quarantined first" in text
        assert "the task was changed since the run" in text
        assert "Re-lint: warn, 1 of 1 rules ran" in text
        assert not any("hidden-copies" in line for line in text)
        await pilot.press("v", "v", "enter")
        trajectory = await on_screen(pilot, app, TrajectoryScreen)
        await until(pilot, lambda: trajectory.lines.complete)
        assert trajectory.view.line.text.plain.split() == ["2", "agent"]


async def test_violations_are_drawn_at_their_steps(tui_context: AppContext, linted: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(100, 40), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("trajectory", run=RUN)
        screen = await on_screen(pilot, app, TrajectoryScreen)
        await until(pilot, lambda: screen.lines.complete)
        shown = [row.strip() for row in rows(app)]
        at = next(place for place, row in enumerate(shown) if "warn: answer-copy: seen today" in row)
        assert any("ls /data" in row for row in shown[:at])
        assert not any("/references" in row for row in shown[:at])
        assert sum("answer-copy" in row for row in shown) == 1
        assert not any("reads-references" in row for row in shown)
        assert any("linted again on 2030-05-02" in row for row in shown)
        assert shown[0].endswith("✓ publishable, 1 warn")


async def test_runs_list_its_verdict(tui_context: AppContext, linted: RunPaths) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(80, 20), notifications=True, tooltips=True) as pilot:
        await pilot.pause()
        app.open_screen("runs")
        await on_screen(pilot, app, RunsScreen)
        await until(pilot, lambda: any("✓ publishable, re-lint" in row for row in rows(app)))
        assert "re-lint: 1 warn, was quarantined  " in rows(app)[0]
        assert not any("quarantined, 1 fail" in row for row in rows(app))
