"""Counterfactuals in the app: the form offers a task's own, Run detail tells both references."""

from __future__ import annotations

import pytest
from recorded_runs import NOON, RUN, make_plan, make_result, make_score
from waiting import on_screen, until

from workbench.catalog import Content
from workbench.records import RunRow, RunState, Settings
from workbench.store import LISTED, runs_with_words
from workbench.tui.app import WorkbenchApp
from workbench.tui.context import AppContext
from workbench.tui.run_form import FIELDS, RunForm
from workbench.tui.run_lines import DetailLines, RecordedRun, detail_blocks
from workbench.tui.screens.run import RunScreen

NAME = "culture-within-48-hours"
TASK = "mimic-suspicion-infection-raw"
CHANGED = next(item for item in FIELDS if item.name == "counterfactual")


def test_the_form_offers_those_of_its_task(content: Content) -> None:
    form = RunForm(Settings(), [TASK, "eicu-gcs"], counterfactuals={TASK: [NAME]}, values={"task": TASK})
    assert form.shown(CHANGED) == "(none)" and form.request(content.task).counterfactual == ""
    assert form.step(CHANGED, 1) and form.value("counterfactual") == NAME
    assert form.command() == f"workbench run {TASK} --counterfactual {NAME}"
    assert form.request(content.task).counterfactual == NAME
    form.values["task"] = "eicu-gcs"
    assert form.choices(CHANGED) == ("",)


async def test_the_screen_reads_them_from_the_families(tui_context: AppContext) -> None:
    app = WorkbenchApp(tui_context)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        app.open_screen("run", task=TASK)
        screen = await on_screen(pilot, app, RunScreen)
        await until(pilot, lambda: bool(screen.form.counterfactuals))
        assert screen.form.choices(CHANGED) == ("", NAME)
        await pilot.press("down", "down", "right")
        await pilot.pause()
        assert screen.plain_twin == f"workbench run {TASK} --counterfactual {NAME}"


@pytest.mark.parametrize("name", ["", NAME])
def test_run_detail_tells_it_with_both_references(name: str) -> None:
    score = make_score()
    other = score.targets[0].model_copy(update={"target": "unchanged", "reward": 0.25})
    result = make_result(score=score.model_copy(update={"targets": [score.targets[0], other]}))
    run = RecordedRun(RUN, "/x", make_plan(counterfactual=name), RunState.FINISHED, result, None)
    lines = DetailLines(list(detail_blocks(run)))
    text = "\n".join(lines.line(row).text.plain for row in range(len(lines)))
    assert ("public-code is the changed reference" in " ".join(text.split())) == bool(name)
    assert (NAME in text) == bool(name)
    assert "B: unchanged" in text and "0.250" in text


def test_a_listing_keeps_them_apart() -> None:
    plan = make_plan()
    fields = dict.fromkeys(("trial", "attempt", "warns", "fails"), 0)
    empty = dict.fromkeys(("reward", "strict_pass", "wall_s", "input_tokens", "output_tokens"))
    texts = dict.fromkeys(("family", "source", "agent", "model", "cell", "state", "verdict"), "x")
    rows = [
        RunRow(
            run_id=f"r{name}", created=f"{NOON:%Y-%m-%dT%H:%M:%SZ}", task=TASK, condition=plan.condition,
            schema_variant="native", counterfactual=name, demonstration=False, **fields, **empty, **texts,
        )
        for name in ("", NAME)
    ]  # fmt: skip
    assert [LISTED["condition"](row) for row in rows] == ["no-skill", f"no-skill {NAME}"]
    assert runs_with_words(rows, "48-hours") == [rows[1]]
