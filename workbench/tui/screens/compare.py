"""Compare: two runs side by side, step by step, and what changed from one to the other."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import BadInput, Step
from workbench.tui.actions import bindings
from workbench.tui.compare_table import SAME, ComparedRuns, change_rows, pair_key, pair_table
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.raw_logs import how_shown, source_of
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.line_pane import LinePane
from workbench.tui.widgets.line_source import TextLines
from workbench.tui.widgets.line_view import LineView

MOST_STEPS = 20_000


class CompareScreen(TextScreen):
    """``run`` stands left, ``other`` right: ids of runs of one task."""

    screen_name = "compare"
    title_text = "Compare"
    CSS_PATH = "compare.tcss"
    BINDINGS = [*bindings("compare")]

    def __init__(self, run: JsonValue = "", other: JsonValue = "") -> None:
        super().__init__()
        self._run, self._other = str(run), str(other)
        self._compared: ComparedRuns | None = None
        self._wanted = ""
        self.table = pair_table(self._run, self._other)

    @property
    def plain_twin(self) -> str:
        return (
            f"workbench runs compare {self._run} {self._other} --every;"
            f"workbench trajectory compare {self._run} {self._other}"
        )

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"run": self._run, "other": self._other}

    def body(self) -> Iterable[Widget]:
        yield from super().body()
        yield Label(Inert.of("From the left run to the right one"), id="about")
        yield LinePane(opens=False, id="changes")

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.pane.show(self.table)
        self.view.focus()
        self.action_reload()

    def state(self) -> dict[str, JsonValue]:
        pair = self.table.row_at(self.view.cursor)
        return {"pair": pair_key(pair) if pair is not None else ""}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._wanted = str(state.get("pair", ""))

    def action_reload(self) -> None:
        context, run, other = self.workbench.context, self._run, self._other
        self.in_background(lambda: read_both(context, run, other), self._show, group="pairs")

    def _show(self, compared: ComparedRuns) -> None:
        self._compared = compared
        self.table.fill(compared.pairs)
        self.pane.reload()
        row = self.table.row_of_key(self._wanted) if self._wanted else None
        self.view.go_to(row or 0, middle=True)
        self.query_one("#changes", LinePane).show(TextLines(list(change_rows(compared))))
        self.moved()

    def position(self) -> Inert:
        if self._compared is None:
            return Inert.of("reading")
        pairs = self._compared.pairs
        differing = sum(pair.sign != SAME for pair in pairs)
        return Inert.of(f"{min(self.view.cursor + 1, len(pairs))}/{len(pairs)}  {differing} differ")

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        pair = self.table.row_at(message.row) if message.view is self.view else None
        if pair is not None:
            self._open(*((self._run, pair.left) if pair.left is not None else (self._other, pair.right)))

    def action_right(self) -> None:
        pair = self.table.row_at(self.view.cursor)
        if pair is None or pair.right is None:
            self.tell(Inert.of("the right run has no step here"))
        else:
            self._open(self._other, pair.right)

    def _open(self, run: str, step: Step | None) -> None:
        if step is not None:
            self.workbench.open_screen("trajectory", run=run, step=step.number)

    def action_next_difference(self) -> None:
        self._to_difference(range(self.view.cursor + 1, len(self.table)), "after")

    def action_previous_difference(self) -> None:
        self._to_difference(range(self.view.cursor - 1, -1, -1), "before")

    def _to_difference(self, rows: Iterable[int], where: str) -> None:
        for row in rows:
            pair = self.table.row_at(row)
            if pair is not None and pair.sign != SAME:
                self.view.go_to(row, middle=True)
                return
        self.tell(Inert.of(f"no step differs {where} this line"))


def shown_steps(context: AppContext, run_id: str, steps: list[Step]) -> list[Step]:
    """The steps as they may be drawn."""
    shown = how_shown(context, source_of(context, run_id))
    if shown is None:
        return steps
    with shown() as show:
        return [show(step) for step in steps]


def read_both(context: AppContext, run: str, other: str) -> ComparedRuns:
    """Both runs' records and logs. Raises BadInput: unknown, or of two tasks."""
    from workbench import runs, trajectories
    from workbench.store import LocalRuns, RunStore

    store = RunStore(context.data, context.clock)
    change = runs.change_between(LocalRuns(store), run, other)
    sides: list[list[Step]] = []
    notes = []
    for run_id in (run, other):
        log = store.paths(run_id).trajectory
        try:
            steps = trajectories.StepFile(log, context.data)
            if steps.count > MOST_STEPS:
                raise BadInput(f"has {steps.count:,} steps: too many to be set side by side")
            sides.append(shown_steps(context, run_id, steps.steps(1, steps.count)))
        except BadInput as error:
            notes.append(f"{run_id}: {error.what}")
    if len(sides) < 2:
        return ComparedRuns(change, [], tuple(notes))
    return ComparedRuns(change, trajectories.pair_steps(*sides))
