"""Run: set up a run field by field, make ready what it needs, start it, and go to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue
from textual.timer import Timer
from textual.widget import Widget

from workbench.records import BadInput, Condition, WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.launching import ProgressBox, start_run
from workbench.tui.problems import problem_text
from workbench.tui.run_form import FIELD_TITLES, FIELDS, OF_ONE_TASK, FormField, RunForm, in_form_words
from workbench.tui.screens.list_screen import ListScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label, ListItem, ListPane

START = "start"
LISTED = 4
"""From so many choices on, Enter shows them in a list."""
PROGRESS_S = 0.25
_TITLE_WIDTH = 11


class RunScreen(ListScreen):
    """``task``: the one to choose."""

    screen_name = "run"
    title_text = "New run"
    CSS_PATH = "run.tcss"
    BINDINGS = [*bindings("run")]

    def __init__(self, task: JsonValue = "") -> None:
        super().__init__()
        self._chosen_task = str(task)
        self._form: RunForm | None = None
        self._progress: ProgressBox | None = None
        self._timer: Timer | None = None
        self._unreadable: list[tuple[str, str]] = []
        self._titles: dict[str, str] = {}
        self._start_when_read = self._failure_shown = False

    @property
    def plain_twin(self) -> str:
        return self.form.command()

    @property
    def form(self) -> RunForm:
        """What is filled in."""
        if self._form is None:
            values = {"task": self._chosen_task}
            self._form = RunForm(self.workbench.context.settings, values=values, reading=True)
        return self._form

    @property
    def starting(self) -> bool:
        """Whether a run is being made ready."""
        return self._progress is not None

    def body(self) -> Iterable[Widget]:
        yield ListPane(empty=Inert.of("reading tasks"), id="fields")
        yield Label(id="about")
        yield Label(id="progress")

    def on_mount(self) -> None:
        self.query_one(ListPane).focus()

    def on_screen_resume(self) -> None:
        context = self.workbench.context
        self.in_background(lambda: read_choices(context), self._show_choices, group="choices")

    def show(self, **arguments: JsonValue) -> None:
        task = str(arguments.get("task") or "")
        if task and task != self.form.values.get("task", ""):
            for name in OF_ONE_TASK:
                self.form.values.pop(name, None)
            self.form.values["task"] = task
            self._fill()

    def state(self) -> dict[str, JsonValue]:
        return {"values": dict(self.form.values)}

    def restore(self, state: dict[str, JsonValue]) -> None:
        values = state.get("values")
        names = {item.name for item in FIELDS}
        for name, value in values.items() if isinstance(values, dict) else ():
            if name in names and isinstance(value, str):
                try:
                    self.form.set(name, value)
                except BadInput:
                    continue
        self._fill()

    def _show_choices(self, found: Choices) -> None:
        self.form.tasks, self.form.sources = found.tasks, found.sources
        self.form.counterfactuals = found.counterfactuals
        self._unreadable, self._titles = found.unreadable, found.titles
        self.form.reading = False
        self._fill()
        if self._start_when_read:
            self._start_when_read = False
            self.action_start()

    def _fill(self) -> None:
        """Draw the form anew; what went wrong with it as it was is told no longer."""
        if self._failure_shown:
            self._failure_shown = False
            self.tell(Inert())
        form = self.form
        items = [field_line(form, item) for item in FIELDS]
        items.append(ListItem(START, Inert.of("Start the run", "bold")))
        items += [unreadable_line(name, where) for name, where in self._unreadable]
        self.query_one(ListPane).fill(items)
        self._about()

    def _about(self) -> None:
        """The field's help, and the plain command that does the same."""
        item = self._field()
        words = item.help if item is not None else "Make ready what is missing and start; it runs by itself."
        same = Inert.of("\nSame as: ") + Inert.line(self.form.command())
        self.query_one("#about", Label).say(Inert.of(words) + same)

    def _field(self) -> FormField | None:
        key = self.query_one(ListPane).chosen_key
        return next((item for item in FIELDS if item.name == key), None)

    def on_list_pane_moved(self) -> None:
        self._about()

    def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        if event.key == START:
            self.action_start()
        else:
            self._edit()

    def _edit(self) -> None:
        item = self._field()
        if item is None:
            return
        if item.typed:
            known = ", ".join(value for value in self.form.choices(item) if value)
            here = f"; here: {known}" if known else ""
            hint = Inert.line(f"{item.title}; empty: {self.form.default(item)}{here}")
            AskLine.of(self).ask(item.name, hint, self.form.value(item.name))
        elif self._has_list(item):
            self._open_list(item)
        else:
            self.action_next_value()

    def _has_list(self, item: FormField) -> bool:
        return not item.typed and len(self.form.choices(item)) >= LISTED

    def _open_list(self, item: FormField) -> None:
        choices: list[JsonValue] = [
            [value, value or self.form.default(item), self._titles.get(value, "")]
            for value in self.form.choices(item)
        ]
        now = self.form.value(item.name)
        self.workbench.open_screen("finder", what="choices", of=item.name, choices=choices, now=now)

    def take_choice(self, name: str, value: str) -> None:
        self.form.values[name] = value
        self._fill()

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name not in FIELD_TITLES:
            return
        try:
            self.form.set(message.name, message.value)
        except BadInput as error:
            self.tell(Inert.line(f"{FIELD_TITLES[message.name]}: {error.what}"))
        self._fill()

    def action_next_value(self) -> None:
        self._step(1)

    def action_previous_value(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        item = self._field()
        if item is not None and self.form.step(item, by):
            self._fill()
        elif item is not None:
            self.tell(Inert.of(f"{self.workbench.key_of('list.choose')} lets you type it"))

    def action_clear(self) -> None:
        item = self._field()
        if item is not None and item.name != "task":
            self.form.values.pop(item.name, None)
            self._fill()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.starting if action == "cancel" else True

    def action_start(self) -> None:
        if self.starting:
            self.tell(Inert.of("a run is being made ready already"))
            return
        if self.form.reading:
            self._start_when_read = True
            self.tell(Inert.of("still reading the tasks; the run starts when they are there"))
            return
        context, form = self.workbench.context, self.form
        progress = self._progress = ProgressBox(context.clock)
        self._timer = self.set_interval(PROGRESS_S, self._show_progress)
        self.refresh_bindings()
        self.in_background(lambda: start_run(context, form, progress), self._started, group="start")

    def action_cancel(self) -> None:
        if self._progress is not None:
            self._progress.cancel()
            self.tell(Inert.of("stopping; what is ready stays ready"))

    def _show_progress(self) -> None:
        if self._progress is not None:
            self.query_one("#progress", Label).say(Inert.line(self._progress.text))

    def _ended(self) -> None:
        self._progress = None
        if self._timer is not None:
            self._timer.stop()
        self.query_one("#progress", Label).say(Inert())
        self.refresh_bindings()

    def _started(self, run_id: str) -> None:
        self._ended()
        if not run_id:
            self.tell(Inert.of("not started"))
        elif self.workbench.screen is self:
            self.workbench.open_screen("live", run=run_id)
        else:
            self.workbench.tell(Inert.of(f"run {run_id} has started"))

    def failed(self, error: WorkbenchError) -> None:
        if self.starting:
            self._ended()
        self._start_when_read, self._failure_shown = False, True
        super().failed(in_form_words(error))


@dataclass(frozen=True)
class Choices:
    """Ids of tasks and names of sources to choose from; what cannot be read, with the place to see to; titles
    of tasks and conditions, counterfactuals of the tasks.
    """

    tasks: list[str]
    sources: list[str]
    unreadable: list[tuple[str, str]]
    titles: dict[str, str]
    counterfactuals: dict[str, list[str]]


def read_choices(context: AppContext) -> Choices:
    """What can be read, and what cannot."""
    from workbench import ehr, runs

    entries = context.content.entries()
    unreadable = [(name, error.where) for entry in entries for name, error in entry.problems.items()]
    sources, problems = ehr.readable_sources(context.data)
    unreadable += [(Path(problem.where).parent.name, problem.where) for problem in problems]
    tasks = {task.id: task.title for entry in entries for task in entry.readable_tasks}
    titles = tasks | {condition: runs.explain_condition(condition) for condition in Condition}
    changed: dict[str, list[str]] = {}
    listed, broken = runs.list_counterfactuals(context.content)
    for found in listed:
        for task in found.tasks:
            changed.setdefault(task, []).append(found.item.name)
    unreadable += [(Path(problem.where).parent.name, problem.where) for problem in broken]
    return Choices(list(tasks), [source.name for source in sources], unreadable, titles, changed)


def unreadable_line(name: str, where: str) -> ListItem:
    """What there would be to choose if it could be read."""
    return ListItem("", Inert.line(name) + "  " + problem_text(where))


def field_line(form: RunForm, item: FormField) -> ListItem:
    """``Title  value``; what is not set is dim and in brackets."""
    value = Inert.line(form.shown(item), "" if form.value(item.name) else "$secondary")
    return ListItem(item.name, Inert.of(item.title).fit(_TITLE_WIDTH) + value)
