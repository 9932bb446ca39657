"""Caveat: one, with the lines it is about, evidence, witness cases to run, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.records import WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.caveat_changes import ReadCaveat, act, read_caveat, run_cases
from workbench.tui.caveat_lines import ADDRESS, CASE, FILE, RUN, CaveatLines, Target
from workbench.tui.editor import edit
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.themes import state_text
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from workbench.witness import ShownCase

REVIEWER, WORDS = "reviewer", "words"
_ACTS = {
    "comment": "what you found",
    "dispute": "why it is not right",
    "resolve": "what was done, so that the fault is gone",
    "retain": "why it is kept on purpose",
}


class CaveatScreen(TextScreen):
    """``caveat``: ``<family>/<id>``."""

    screen_name = "caveat"
    title_text = "Caveat"
    BINDINGS = [*bindings("caveat")]

    def __init__(self, caveat: JsonValue = "") -> None:
        super().__init__()
        self._family, _, self._caveat = str(caveat).partition("/")
        self._read: ReadCaveat | None = None
        self._cases: Mapping[str, ShownCase] = {}
        self._lines: CaveatLines | None = None
        self._act = self._words = self._reviewer = ""
        self._wanted_row = 0

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Caveat: {self._caveat}")

    @property
    def plain_twin(self) -> str:
        named = f"{self._family} {self._caveat}"
        return f"workbench caveat show {named};workbench caveat witness {named}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"caveat": f"{self._family}/{self._caveat}"}

    def state(self) -> dict[str, JsonValue]:
        return {"row": self.view.cursor}

    def restore(self, state: dict[str, JsonValue]) -> None:
        row = state.get("row", 0)
        self._wanted_row = row if isinstance(row, int) else 0
        self.view.go_to(self._wanted_row, middle=True)

    def on_mount(self) -> None:
        self.view.focus()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def action_reload(self) -> None:
        context, family, name = self.workbench.context, self._family, self._caveat
        self.in_background(lambda: read_caveat(context, family, name), self._show, group="caveat")

    def _show(self, read: ReadCaveat) -> None:
        row = self.view.cursor if self._lines is not None else self._wanted_row
        if self._read is not None and read.caveat.witness != self._read.caveat.witness:
            self._cases = {}
        self._read = read
        self._lines = CaveatLines(read.family, read.caveat, read.anchors, self._cases)
        self.pane.show(self._lines, row=row)
        self.moved()

    def position(self) -> Inert:
        if self._read is None:
            return Inert.of("reading")
        caveat = self._read.caveat
        return state_text(caveat.severity.value) + f"  {caveat.review.value}"

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        target = self._lines.target(message.row) if self._lines is not None else None
        if target is None:
            self.tell(Inert.of("nothing is opened from this line"))
        elif target.kind == CASE and target.name not in self._cases:
            self.action_witness()
        elif self._lines is not None:
            self._open(target, self._lines)

    def _open(self, target: Target, lines: CaveatLines) -> None:
        if target.kind == RUN:
            step = {"step": target.number} if target.number else {}
            self.workbench.open_screen("trajectory", run=target.name, **step)
        elif target.kind == CASE:
            self.view.go_to(lines.row_of_case(target.name), middle=True)
        elif target.kind == ADDRESS:
            self.tell(Inert.line(f"{target.name} (y copies the line)"))
        elif target.kind == FILE:
            self._edit(target)

    def _edit(self, target: Target) -> None:
        paths = self.workbench.context.content.paths
        if not paths.writable:
            self.tell(Inert.of("the content installed with the program is not changed"))
            return
        try:
            self.tell(edit(self.workbench, paths.root / target.name, target.number))
        except WorkbenchError as error:
            self.failed(error)
        self.action_reload()

    def action_witness(self) -> None:
        """Run all witness cases here and now, on their made-up rows."""
        context, read = self.workbench.context, self._read
        if read is None or not read.caveat.witness:
            self.tell(Inert.of("this caveat has no witness case"))
            return
        self.tell(Inert.of("the witness cases are run"))

        def done(cases: Mapping[str, ShownCase]) -> None:
            self._cases = cases
            differing = sum(bool(case.unmet) for case in cases.values())
            self._show(read)
            self.tell(Inert.of(f"{len(cases)} run, {differing} give something else than is written down"))

        self.in_background(lambda: run_cases(context, read), done, group="witness")

    def action_edit(self) -> None:
        if self._read is not None:
            self.workbench.open_screen("caveat-form", caveat=f"{self._family}/{self._caveat}")

    def action_confirm(self) -> None:
        self._ask("confirm")

    def action_discuss(self) -> None:
        self._ask("comment")

    def action_dispute(self) -> None:
        self._ask("dispute")

    def action_resolve(self) -> None:
        self._ask("resolve")

    def action_retain(self) -> None:
        self._ask("retain")

    def _ask(self, what: str) -> None:
        """First the words, where there are any, then who says it."""
        if self._read is None:
            return
        self._act, self._words = what, ""
        if what in _ACTS:
            AskLine.of(self).ask(WORDS, Inert.of(f"{_ACTS[what]}; without values of patients"))
        else:
            self._ask_reviewer()

    def _ask_reviewer(self) -> None:
        AskLine.of(self).ask(REVIEWER, Inert.of(f"your reviewer id, such as C1: {self._act}"), self._reviewer)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name == WORDS:
            self._words = message.value
            self._ask_reviewer()
        elif message.name == REVIEWER:
            self._reviewer = message.value.strip()
            self.view.focus()
            self._do()

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def _do(self) -> None:
        context, read = self.workbench.context, self._read
        what, reviewer, words = self._act, self._reviewer, self._words
        if read is None:
            return

        def done(told: str) -> None:
            self.tell(Inert.line(told))
            self.action_reload()

        self.in_background(lambda: act(context, read, what, reviewer, words), done, group="act")
