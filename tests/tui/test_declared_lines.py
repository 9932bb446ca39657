"""Declared choices and stages in Run detail and in plain lines: the same words, hostile text inert."""

from __future__ import annotations

from recorded_runs import RUN, make_result, record_run
from waiting import on_screen, until

from workbench.records import (
    ColumnScore,
    ColumnType,
    Declaration,
    DeclaredField,
    KeyScore,
    StageReport,
    StageScore,
    StageStatus,
)
from workbench.runs import result_lines
from workbench.store import atomic_write
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.screens.run_detail import RunDetailScreen
from workbench.tui.widgets.line_source import Sign

DECLARATION = Declaration(
    filled={DeclaredField.GRAIN: "one row \x1b[31m a stay\u202e", DeclaredField.TIES: "the earliest"},
    missing=[DeclaredField.UNITS],
    step=2,
    steps=9,
)
STAGES = StageReport(
    sql_sha256="0" * 64,
    first_diverging_stage="urine",
    stages=[
        StageScore(name="cohort", status=StageStatus.MISSING, problem="refused: link: stages/cohort.csv"),
        StageScore(name="weights", status=StageStatus.EQUAL, rate=1.0),
        StageScore(
            name="urine",
            status=StageStatus.DIFFERS,
            rate=0.75,
            keys=KeyScore(
                reference_rows=4, output_rows=5, matched=4, missing=0, extra=1, duplicates=0, unreadable=0,
                precision=0.8, recall=1.0, f1=0.9,
            ),
            columns=[
                ColumnScore(
                    column=name, type=ColumnType.ORDERED, present=True, matched=int(4 * rate), match_rate=rate
                )
                for name, rate in {"volume": 0.5, "hours": 1.0}.items()
            ],
        ),
    ],
)  # fmt: skip
TOLD = [
    "the first that diverges is urine (not compared: cohort)",
    "cohort   missing  (refused: link: stages/cohort.csv)",
    "weights  equal  1.000",
    "urine    differs  0.750",
    "keys: 4 of 4 matched, 0 missing, 1 extra, 0 duplicate",
    "volume 0.500",
    "2 of 3 fields; missing: units; first named in step 2 of 9",
    "ties: the earliest",
]


async def test_run_detail_shows_both(tui_context: AppContext) -> None:
    run = record_run(tui_context.data)
    atomic_write(run.result, make_result(declaration=DECLARATION, stages=STAGES).to_json())
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.open_screen("run-detail", run=RUN)
        screen = await on_screen(pilot, app, RunDetailScreen)
        await until(pilot, lambda: len(screen.lines) > 0)
        lines = [screen.lines.line(row) for row in range(len(screen.lines))]
        texts = [line.text.plain for line in lines]
        for words in TOLD:
            assert [text for text in texts if words in text], words
        signs = {text.split()[0]: line.sign for text, line in zip(texts, lines, strict=True) if text.split()}
        assert (signs["cohort"], signs["weights"], signs["urine"]) == (Sign.WARNING, Sign.GOOD, Sign.ERROR)
        assert "hours" not in " ".join(texts).split("Stages:")[1].split("Declared:")[0]
        assert not any("\x1b" in text or "\u202e" in text for text in texts)


def test_plain_lines_say_the_same() -> None:
    lines = list(result_lines(make_result(declaration=DECLARATION, stages=STAGES)))
    for words in TOLD:
        assert [line for line in lines if words in line], words
    assert [line for line in lines if line.startswith("stages   the first")]
    assert not any("\x1b" in line or "\u202e" in line for line in lines)
    plain = list(result_lines(make_result()))
    assert not [line for line in plain if line.startswith(("stages", "declared"))]
