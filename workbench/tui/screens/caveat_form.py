"""Caveat form: a caveat is flagged, or changed, one line a field; nothing is kept before it is saved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import BadInput
from workbench.tui.actions import bindings
from workbench.tui.caveat_changes import Flagged, ReadCaveat, add_values, edit_values, read_caveat
from workbench.tui.caveat_form import (
    CHANGED,
    FIELDS,
    NEW,
    CaveatField,
    begun,
    family_of,
    flagged_of,
    values_of,
)
from workbench.tui.inert import Inert
from workbench.tui.screens.list_screen import ListScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label, ListItem, ListPane

if TYPE_CHECKING:
    from collections.abc import Mapping

REVIEWER = "reviewer"
_NAME_CELLS = 13


class CaveatFormScreen(ListScreen):
    """``caveat``: ``<family>/<id>`` of the one to change; else a new one, begun as ``flagged_of`` says."""

    screen_name = "caveat-form"
    title_text = "Caveat form"
    BINDINGS = bindings("caveat-form")
    DEFAULT_CSS = """
    CaveatFormScreen #about { height: 2; padding: 0 1; background: $surface; }
    """

    def __init__(self, caveat: JsonValue = "", **begin: JsonValue) -> None:
        super().__init__()
        self._caveat, self._begin = str(caveat), begin
        self._flagged: Flagged = flagged_of(begin)
        self._values = {} if self._caveat else begun(self._flagged)
        self._read: ReadCaveat | None = None
        self._reviewer = ""

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Caveat form: {self._caveat or 'new'}")

    @property
    def plain_twin(self) -> str:
        family, _, name = self._caveat.partition("/")
        return f"workbench caveat edit {family} {name} --as C1" if name else "workbench caveat add --help"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"caveat": self._caveat} if self._caveat else dict(self._begin)

    @property
    def fields(self) -> tuple[CaveatField, ...]:
        """Those that there are."""
        return CHANGED if self._caveat else NEW

    def body(self) -> Iterable[Widget]:
        yield Label(id="about")
        yield ListPane(empty=Inert.of("reading"), id="fields")

    def state(self) -> dict[str, JsonValue]:
        return {"values": dict(self._values)}

    def restore(self, state: dict[str, JsonValue]) -> None:
        values = state.get("values")
        if isinstance(values, dict):
            self._values |= {str(key): str(value) for key, value in values.items()}
            self._draw()

    def on_mount(self) -> None:
        self.query_one(ListPane).focus()
        context, flagged = self.workbench.context, self._flagged
        places = [f"{file}:{line}" for file, line in flagged.anchors]
        if flagged.run:
            places.append(f"run {flagged.run}" + (f", step {flagged.step}" if flagged.step else ""))
        about = f"about {', '.join(places)}" if places else "a caveat of a reference"
        keys = f"{self.workbench.key_of('caveat-form.save')} saves it; nothing is kept before"
        self.query_one("#about", Label).say(Inert.line(about) + "\n" + Inert.of(keys))
        if self._caveat:
            family, _, name = self._caveat.partition("/")
            self.in_background(lambda: read_caveat(context, family, name), self._take, group="read")
            return
        self._draw()
        if not flagged.family:
            self.in_background(lambda: family_of(context, flagged), self._take_family, group="read")

    def _take(self, read: ReadCaveat) -> None:
        self._read = read
        self._values = {**values_of(read.caveat), **self._values}
        self._draw()

    def _take_family(self, family: str) -> None:
        self._values["family"] = self._values.get("family") or family
        self._draw()

    def _draw(self) -> None:
        pane = self.query_one(ListPane)
        chosen = pane.chosen_key
        pane.fill([self._line(field) for field in self.fields])
        pane.go_to(chosen)

    def _line(self, field: CaveatField) -> ListItem:
        value = self._values.get(field.name, "")
        shown = Inert.line(value) if value else Inert.line(field.hint, "$secondary")
        return ListItem(field.name, Inert.of(f"{field.name:<{_NAME_CELLS}}") + shown)

    def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        field = next((one for one in self.fields if one.name == event.key), None)
        if field is None:
            return
        now = self._values.get(field.name, "")
        if field.choices:
            choices: list[JsonValue] = [[value, value, ""] for value in field.choices]
            self.workbench.open_screen("finder", what="choices", of=field.name, choices=choices, now=now)
        else:
            AskLine.of(self).ask(field.name, Inert.of(field.hint), now)

    def take_choice(self, name: str, value: str) -> None:
        self._values[name] = value
        self._draw()

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name == REVIEWER:
            self._reviewer = message.value.strip()
            self._save()
        elif message.name in [field.name for field in self.fields]:
            self.take_choice(message.name, message.value.strip())

    def action_save(self) -> None:
        missing = [one.name for one in self.fields if one.name != "why" and not self._values.get(one.name)]
        if missing:
            self.tell(Inert.of(f"{missing[0]} is empty; Enter on its line fills it in"))
            self.query_one(ListPane).go_to(missing[0])
            return
        AskLine.of(self).ask(REVIEWER, Inert.of("your reviewer id, such as C1"), self._reviewer)

    def _save(self) -> None:
        context, values, reviewer = self.workbench.context, dict(self._values), self._reviewer
        read, flagged = self._read, self._flagged

        def keep() -> str:
            if not self._caveat:
                begun_of = Flagged(values["family"], {}, flagged.anchors, flagged.run, flagged.step)
                return add_values(context, begun_of, reviewer, values)
            if read is None:
                raise BadInput("the caveat is not read yet", remedy="Save it once its words are here.")
            return edit_values(context, read, reviewer, _fields_of(values), values.get("why", ""))

        self.in_background(keep, self._kept, group="save")

    def _kept(self, told: str) -> None:
        app, new = self.workbench, f"{self._values.get('family')}/{self._values.get('id')}"
        app.pop_screen()
        if not self._caveat:
            app.open_screen("caveat", caveat=new)
        app.call_later(app.tell, Inert.line(told))


def _fields_of(values: Mapping[str, str]) -> dict[str, str]:
    return {field.name: values[field.name] for field in FIELDS if field.name in values}
