"""Log: a file of a run's folder as it is, of any size; followed while the run goes on."""

from __future__ import annotations

from pydantic import JsonValue

from workbench.records import RunState
from workbench.store import RUN_FILES
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.raw_logs import refuse_hidden
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.file_lines import FileLines, FollowedFile

NEVER_SAVED = ("output", "egress")
"""Files of a run that hold patients' values."""


class LogScreen(TextScreen):
    """``run``: its id; ``file``: a key of ``RUN_FILES``; ``line``: where to begin, from 1."""

    screen_name = "log"
    title_text = "Log"
    BINDINGS = [*bindings("log")]
    numbers = True

    def __init__(self, run: JsonValue = "", file: JsonValue = "trajectory", line: JsonValue = 1) -> None:
        super().__init__()
        self._run = str(run)
        self._file = str(file) if str(file) in RUN_FILES else "trajectory"
        self._line = line if isinstance(line, int) else 1
        self._source: FileLines | None = None

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{RUN_FILES[self._file]}: {self._run}")

    def keeps_back(self) -> str:
        if self._file in NEVER_SAVED:
            return f"{RUN_FILES[self._file]} may hold patients' values: they go nowhere but to the screen"
        return ""

    @property
    def plain_twin(self) -> str:
        return f"workbench runs log {self._run} --file {self._file}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"run": self._run, "file": self._file}

    def state(self) -> dict[str, JsonValue]:
        line = self.view.line
        return {"line": int(line.label) if line is not None and line.label.isdecimal() else 1}

    def restore(self, state: dict[str, JsonValue]) -> None:
        line = state.get("line", 1)
        if isinstance(line, int) and self._line == 1:
            self._line = line

    def on_mount(self) -> None:
        self.view.focus()
        context, run, file = self.workbench.context, self._run, self._file
        self.in_background(lambda: open_log(context, run, file), self._show)

    def on_unmount(self) -> None:
        if self._source is not None:
            self._source.close()

    def _show(self, source: FileLines) -> None:
        self._source = source
        self.pane.show(source)
        if self._line > 1:
            self.view.jump_to_number(self._line)
        self.moved()


def open_log(context: AppContext, run_id: str, file: str) -> FileLines:
    """The file, followed while its run is not over. Raises BadInput, Refused where it may not be shown."""
    from workbench.store import RunStore, going_on, run_file

    store = RunStore(context.data)
    run = store.paths(run_id)
    refuse_hidden(context, run_id, RUN_FILES[file])
    path = run_file(run, file)
    if store.state(run_id) in (RunState.PLANNED, RunState.RUNNING):
        return FollowedFile(path, lambda: going_on(run))
    return FileLines(path)
