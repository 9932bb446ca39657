"""Run detail: what became of one run and why; from here to its steps, files and mismatches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.records import RunPaths, relinted
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.explained_blocks import with_rules
from workbench.tui.inert import Inert
from workbench.tui.mismatch_blocks import EXAMPLE, Examples, with_examples
from workbench.tui.raw_logs import refuse_hidden
from workbench.tui.run_lines import COLUMN, EGRESS, DetailLines, RecordedRun, detail_blocks
from workbench.tui.screens.text import TextScreen
from workbench.tui.step_blocks import VIOLATION
from workbench.tui.themes import state_text, verdict_text
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from workbench.runs import ExplainedRun

PRIMARY = "public-code"
EXAMPLES = 5
"""Of mismatches, a column."""
MOST_REFUSED = 20
OTHER_RUN = "other-run"


class RunDetailScreen(TextScreen):
    """``run``: its id."""

    screen_name = "run-detail"
    title_text = "Run"
    BINDINGS = [*bindings("run-detail")]

    def __init__(self, run: JsonValue = "") -> None:
        super().__init__()
        self._run = str(run)
        self._recorded: RecordedRun | None = None
        self._examples: Examples | None = None
        self._explained: ExplainedRun | None = None
        self._wanted_row = 0
        self.lines = DetailLines()

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Run {self._run}")

    @property
    def plain_twin(self) -> str:
        return f"workbench runs show {self._run} --details;workbench runs mismatches {self._run}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"run": self._run}

    def state(self) -> dict[str, JsonValue]:
        return {"row": self.view.cursor if self._examples is None else 0}

    def restore(self, state: dict[str, JsonValue]) -> None:
        row = state.get("row", 0)
        if isinstance(row, int):
            self._wanted_row = row

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.view.focus()
        self.action_reload()

    def action_reload(self) -> None:
        context, run = self.workbench.context, self._run
        self.in_background(lambda: read_run(context, run), self._show, group="run")

    def _show(self, recorded: RecordedRun) -> None:
        self._recorded = recorded
        self._draw(self._wanted_row)

    def _draw(self, row: int) -> None:
        if self._recorded is None:
            return
        blocks = detail_blocks(self._recorded, self.workbench.key_of)
        if self._explained is not None:
            blocks = with_rules(blocks, self._explained)
        if self._examples is not None:
            blocks = with_examples(blocks, self._examples)
        self.lines = DetailLines(list(blocks))
        self.pane.show(self.lines, row=row)
        self.moved()

    def position(self) -> Inert:
        if self._recorded is None:
            return Inert.of("reading")
        result = self._recorded.result
        state = (
            state_text(self._recorded.state)
            if result is None
            else verdict_text(result.verdict, result.fails, result.warns)
        )
        shown = self._examples is not None and self._examples.found
        hint = Inert.of("values shown  ", "bold $warning") if shown else Inert()
        return hint + state

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        kind, _, what = self.lines.opens(message.row).partition(":")
        if kind == "step":
            self.workbench.open_screen("trajectory", run=self._run, step=int(what))
        elif kind == COLUMN:
            self._ask_examples(what.partition("/")[0])
        elif kind == "file":
            self.workbench.open_screen("log", run=self._run, file=what)

    def left_out(self, row: int) -> str:
        block = self.lines.blocks[self.lines.block_at(row)]
        if EXAMPLE in block.kinds:
            return "examples of mismatches (patients' values)"
        return "refused requests" if self.lines.opens(row) == EGRESS else ""

    def action_mismatches(self) -> None:
        """Of the target the cursor is in, else of the one that gives the reward; again hides them."""
        if self._examples is not None:
            self._examples = None
            self._draw(self.view.cursor)
            return
        kind, _, what = self.lines.opens(self.view.cursor).partition(":")
        self._ask_examples(what.partition("/")[0] if kind == COLUMN else PRIMARY)

    def _ask_examples(self, target: str) -> None:
        if self._examples is not None and self._examples.target == target:
            self.action_mismatches()
            return
        self.tell(Inert.of("comparing the output with the reference"))
        context, run = self.workbench.context, self._run

        def done(examples: Examples) -> None:
            self._examples, found = examples, examples.found
            opened = self.lines.opens(self.view.cursor)
            self._draw(0)
            if not opened.startswith(f"{COLUMN}:{target}/"):
                opened = f"{COLUMN}:{target}/{found[0].column if found else ''}"
            self.view.go_to(self.lines.row_of(opened) or 0, middle=True)
            told = f"{len(found)} examples against {target}: shown here, kept nowhere"
            self.tell(Inert.of(told if found else f"no mismatch against {target}"))

        self.in_background(lambda: read_mismatches(context, run, target), done, group="mismatches")

    def action_explain(self) -> None:
        """Of the target the cursor is in, else of the one that gives the reward; again hides them."""
        if self._explained is not None:
            self._explained = None
            self._draw(self.view.cursor)
            return
        kind, _, what = self.lines.opens(self.view.cursor).partition(":")
        target = what.partition("/")[0] if kind == COLUMN else PRIMARY
        self.tell(Inert.of("holding the agent's SQL against the reference"))
        context, run = self.workbench.context, self._run

        def done(explained: ExplainedRun) -> None:
            self._explained = explained
            self._draw(0)
            first = explained.columns[0].column if explained.columns else ""
            self.view.go_to(self.lines.row_of(f"{COLUMN}:{target}/{first}") or 0, middle=True)
            step = f"SQL of step {explained.answer.step} against {target}"
            told = f"{step}: rules stand below the wrong columns" if first else "every scored column is right"
            self.tell(Inert.line("; ".join([told, *explained.notes])))

        self.in_background(lambda: read_explained(context, run, target), done, group="explained")

    def action_next_violation(self) -> None:
        self.go_to_mark(VIOLATION, "violation", keys_of="run-detail")

    def action_previous_violation(self) -> None:
        self.go_to_mark(VIOLATION, "violation", keys_of="run-detail", backwards=True)

    def action_trajectory(self) -> None:
        self.workbench.open_screen("trajectory", run=self._run)

    def action_compare(self) -> None:
        """Ask which other run; the one before it of its task is there to be taken."""
        context, run = self.workbench.context, self._run

        def ask(other: str) -> None:
            AskLine.of(self).ask(OTHER_RUN, Inert.of("id of another run of this task"), other)

        self.in_background(lambda: earlier_run(context, run), ask, group="compare")

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name != OTHER_RUN:
            return
        self.view.focus()
        if message.value.strip():
            context, typed = self.workbench.context, message.value.strip()

            def opened(other: str) -> None:
                self.workbench.open_screen("compare", run=other, other=self._run)

            self.in_background(lambda: find_run(context, typed), opened, group="compare")

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def action_flag(self) -> None:
        self.workbench.open_screen("caveat-form", run=self._run)

    def action_rules(self) -> None:
        self.workbench.open_thing("rules", f"run:{self._run}")

    def action_attach(self) -> None:
        self.workbench.open_screen("live", run=self._run)


def read_run(context: AppContext, run_id: str) -> RecordedRun:
    """What is recorded of it. Raises BadInput."""
    from workbench.store import EventLines, LocalRuns, RunStore

    store = RunStore(context.data, context.clock)
    source = LocalRuns(store)
    paths = store.paths(run_id)
    first, lint = source.result(run_id), source.lint(run_id)
    result = relinted(first, lint) if first is not None else None
    refused = []
    if result is not None and result.egress is not None and result.egress.refused and paths.egress.exists():
        from workbench.gateway import read_egress

        refused = [record for record in read_egress(paths.egress) if not record.allowed][:MOST_REFUSED]
    return RecordedRun(
        run_id=run_id,
        folder=folder_name(paths),
        plan=source.plan(run_id),
        state=store.state(run_id),
        result=result,
        identity=source.identity(run_id),
        lint=lint,
        events=0 if result is not None else sum(1 for _ in EventLines(paths.events).new()),
        refused=tuple(refused),
    )


def read_explained(context: AppContext, run_id: str, target: str) -> ExplainedRun:
    """The rules behind its wrong columns. Raises BadInput."""
    from workbench import runs

    running = context.of_runs()
    return runs.explain_run(running, run_id, target)


def earlier_run(context: AppContext, run_id: str) -> str:
    """The newest ended run of the same task before this one, else any other of the task; empty if none."""
    from workbench.store import RunStore

    rows = RunStore(context.data, context.clock).rows()
    task = next((row.task for row in rows if row.run_id == run_id), "")
    alike = [row.run_id for row in rows if row.task == task and row.run_id != run_id and row.verdict]
    return next((other for other in alike if other < run_id), next(iter(alike), ""))


def find_run(context: AppContext, typed: str) -> str:
    """The id of a run by its beginning. Raises BadInput."""
    from workbench.store import RunStore

    return RunStore(context.data, context.clock).find(typed)


def read_mismatches(context: AppContext, run_id: str, target: str) -> Examples:
    """Examples; patients' values. Raises BadInput, Refused."""
    from workbench import runs
    from workbench.store import LocalRuns, RunStore

    refuse_hidden(context, run_id, "examples of mismatches")
    running = context.of_runs()
    found = runs.run_mismatches(running, run_id, target, EXAMPLES)
    task = LocalRuns(RunStore(context.data, context.clock)).plan(run_id).task
    return Examples(target, found, context.content.task(task).keys)


def folder_name(run: RunPaths) -> str:
    """Where it is recorded, as a person types it."""
    return str(run.folder)
