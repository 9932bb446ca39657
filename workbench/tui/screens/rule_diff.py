"""Rule diff: two texts held against each other, rule by rule; both follow the row the cursor rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import JsonValue
from textual.containers import Container
from textual.timer import Timer
from textual.widget import Widget

from workbench.records import WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.inert import Inert
from workbench.tui.rule_keeping import content_lines, edit_text, export_rows, keep_mark
from workbench.tui.rule_sides import CONCEPT, REFERENCE, Choices, Laid, first_choices, lay, second_choices
from workbench.tui.rule_table import (
    ACCEPTED,
    RowFilter,
    RuleRow,
    about,
    counted,
    coverage_lines,
    rule_rows,
    rule_table,
)
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.line_pane import LinePane
from workbench.tui.widgets.line_source import TextLines
from workbench.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from workbench.rules import Rule
    from workbench.tui.rule_lines import RuleTexts

WIDE = 120
"""From this width on, the two texts stand side by side."""
RESTS_S = 0.12
"""A cursor that stays so long on a row rests there: a held key would draw both texts at every row."""
FIRST, SECOND = "first side", "second side"
WORDS, REASON, REVIEWER, EXPORT = "words", "reason", "reviewer", "export to"
_SIDES = (False, True)
"""Whether it is the second."""


class RuleDiffScreen(TextScreen):
    """``first`` and ``second`` as in ``rule_sides.lay``; ``row``: key of the row to begin at."""

    screen_name = "rule-diff"
    title_text = "Rule diff"
    CSS_PATH = "rule_diff.tcss"
    BINDINGS = [*bindings("rule-diff")]

    def __init__(self, first: JsonValue = "", second: JsonValue = "", row: JsonValue = "") -> None:
        super().__init__()
        self._first, self._second = str(first), str(second) or _usual(str(first))
        self._wanted = str(row)
        self._closure = False
        self._laid: Laid | None = None
        self._rows: list[RuleRow] = []
        self._texts: RuleTexts | None = None
        self._filter = RowFilter()
        self._reason = self._reviewer = ""
        self._marking: RuleRow | None = None
        self._rest: Timer | None = None
        self.table = rule_table()

    @property
    def heading(self) -> Inert:
        what, _, which = self._second.partition(":")
        against = which[:10] if what == "version" else self._second
        return Inert.line(
            f"Rule diff: {self._first.partition(':')[2]}" + (f" / {against}" if self._first else "")
        )

    @property
    def plain_twin(self) -> str:
        kind, _, name = self._first.partition(":")
        against, _, target = self._second.partition(":")
        if kind == "run":
            return f"workbench runs explain {name}"
        if against == "version":
            return f"workbench skill diff {name} {target}"
        if kind == "reference":
            return f"workbench rules diff FILE.sql --family {name} --against {against}"
        more = (f" --target {target}" if target else "") + (" --closure" if self._closure else "")
        return f"workbench rules diff {name or 'SKILL'} --against {against}{more}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"first": self._first, "second": self._second}

    def body(self) -> Iterable[Widget]:
        yield from super().body()
        yield Label(id="about")
        with Container(id="sides"):
            for second in _SIDES:
                pane = LinePane(numbers=True, id="second" if second else "first")
                pane.view.more_cursor = True
                yield pane
        yield LinePane(opens=False, id="coverage")

    def side(self, second: bool) -> LinePane:
        """One of the two texts."""
        return self.query_one("#second" if second else "#first", LinePane)

    def on_mount(self) -> None:
        self.set_class(self.size.width >= WIDE, "wide")
        self.pane.show(self.table)
        self.view.focus()
        self.action_reload() if self._first else self.action_first_side()

    def on_resize(self) -> None:
        self.set_class(self.size.width >= WIDE, "wide")

    def state(self) -> dict[str, JsonValue]:
        item = self.item
        return {"row": item.key if item is not None else self._wanted, **asdict(self._filter)}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._wanted = str(state.get("row", ""))
        self._filter = RowFilter(*(str(state.get(name, "")) for name in ("status", "kind", "words")))
        if self._laid is not None:
            self._arrange()

    @property
    def item(self) -> RuleRow | None:
        """The row that the cursor is on."""
        return self.table.row_at(self.view.cursor)

    @property
    def labels(self) -> tuple[str, str]:
        """What the sides are called."""
        found = self._laid.comparison if self._laid is not None else None
        return (found.first.label, found.second.label) if found is not None else ("first", "second")

    def action_reload(self) -> None:
        context, first, second, closure = self.workbench.context, self._first, self._second, self._closure
        self.in_background(
            lambda: _read(lay(context, first, second, closure=closure)), self._show, group="lay"
        )

    def _show(self, found: tuple[Laid, list[RuleRow], RuleTexts]) -> None:
        self._wanted = self._wanted or str(self.state()["row"])
        self._laid, self._rows, self._texts = found
        self.table = rule_table(*self.labels)
        self.pane.show(self.table)
        self.query_one("#coverage", LinePane).show(TextLines(list(coverage_lines(self._laid))))
        self._arrange()

    def failed(self, error: WorkbenchError) -> None:
        super().failed(error)
        self.query_one("#about", Label).say(Inert.line(f"{error.what}. {error.remedy}"))

    def _arrange(self) -> None:
        """The rows that the filters let through; the cursor stays on its row where that is among them."""
        key, self._wanted = self._wanted or str(self.state()["row"]), ""
        self.table.fill([row for row in self._rows if self._filter.passes(row)])
        self.table.filter(self._filter.words)
        self.pane.reload()
        self.view.go_to(self.table.row_of_key(key) or 0, middle=True)
        self.follow()

    def position(self) -> Inert:
        if self._laid is None:
            return Inert.of("reading" if self._first else "")
        at = f"{min(self.view.cursor + 1, len(self.table))}/{len(self.table)}"
        return Inert.line("  ".join(word for word in (self._filter.told, counted(self._rows), at) if word))

    def on_line_view_cursor_moved(self, message: LineView.CursorMoved) -> None:
        if self._laid is None or not (message.view is self.view or message.view.has_focus):
            return
        if self._rest is not None:
            self._rest.stop()
        second = message.view is self.side(True).view
        lead = self.follow if message.view is self.view else lambda: self._lead(second)
        self._rest = self.set_timer(RESTS_S, lead)

    def follow(self) -> None:
        """Bring both texts to the lines of the row, and tell of it."""
        item = self.item
        self.query_one("#about", Label).say(about(item, *self.labels, self.size.width - 2))
        for second in _SIDES:
            self._bring(second, item)
        self.moved()

    def _bring(self, second: bool, item: RuleRow | None) -> None:
        """Where a side says nothing of it, its text stays as it is."""
        view, rule = self.side(second).view, rule_of(item, second)
        if self._texts is None:
            return
        if rule is None and self._texts.text(view.source) is not None:
            return
        lines = self._texts.lines(second, rule.file if rule is not None else "")
        if lines is not None and lines is not view.source:
            self.side(second).show(lines)
        if rule is not None and not view.has_focus and lines is not None:
            view.go_to(lines.row_of(rule.line), middle=True)

    def _lead(self, second: bool) -> None:
        """A text leads: the row whose rule stands at its cursor's line, or before, and the other text."""
        view = self.side(second).view
        text = self._texts.text(view.source) if self._texts is not None else None
        if text is None or not len(view.source):
            return
        at, best, found = view.source.place(view.cursor).major, 0, -1
        for row in range(len(self.table)):
            rule = rule_of(self.table.row_at(row), second)
            if rule is not None and rule.file == text.file and best < rule.line <= at:
                best, found = rule.line, row
        if found >= 0:
            self.view.go_to(found, middle=True)
            self.follow()

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        if message.view is not self.view:
            self.action_editor()
            return
        item = self.item
        if item is not None:
            self.follow()
            self.side(item.row.first is None).view.focus()

    def leave_part(self) -> bool:
        if self.view.has_focus or not self.is_there:
            return False
        self.remove_class("with-coverage")
        self.view.focus()
        return True

    def action_next_conflict(self) -> None:
        self._to_conflict(range(self.view.cursor + 1, len(self.table)), "after")

    def action_previous_conflict(self) -> None:
        self._to_conflict(range(self.view.cursor - 1, -1, -1), "before")

    def _to_conflict(self, rows: Iterable[int], where: str) -> None:
        for row in rows:
            item = self.table.row_at(row)
            if item is not None and item.row.status.value == "conflict":
                self.view.go_to(row, middle=True)
                return
        self.tell(Inert.of(f"no conflict {where} this row"))

    def action_status(self) -> None:
        self._filter.next_status()
        self._arrange()

    def action_kind(self) -> None:
        self._filter.next_kind(self._rows)
        self._arrange()

    def action_filter(self) -> None:
        AskLine.of(self).ask(
            WORDS, Inert.of("only rows with all these words; empty for all"), self._filter.words
        )

    def action_coverage(self) -> None:
        self.toggle_class("with-coverage")

    def action_first_side(self) -> None:
        context = self.workbench.context
        self.in_background(
            lambda: first_choices(context), lambda found: self._choose(FIRST, found), group="choose"
        )

    def action_second_side(self) -> None:
        context, first = self.workbench.context, self._first
        self.in_background(
            lambda: second_choices(context, first), lambda found: self._choose(SECOND, found), group="choose"
        )

    def _choose(self, name: str, found: Choices) -> None:
        now = self._first if name == FIRST else self._second
        self.workbench.open_screen(
            "finder", what="choices", of=name, choices=[[*one] for one in found], now=now
        )

    def take_choice(self, name: str, value: str) -> None:
        if name == FIRST:
            self._first, self._second = value, _usual(value)
        elif name == SECOND:
            self._second = value
        self.action_reload()

    def action_concepts(self) -> None:
        """With the concepts that the reference stands on, or without."""
        self._closure = not self._closure
        self.tell(Inert.of("with the concepts below" if self._closure else "without the concepts below"))
        self.action_reload()

    def action_accept(self) -> None:
        """Of an accepted row: withdraw that."""
        item, laid = self.item, self._laid
        if item is None or laid is None:
            return
        if not laid.skill:
            self.tell(Inert.of("only rows of a skill can be accepted"))
            return
        self._marking = item
        what = "intended no longer" if item.state == ACCEPTED else "intended"
        AskLine.of(self).ask(REASON, Inert.of(f"why this row is {what}"))

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name not in (WORDS, REASON, REVIEWER, EXPORT):
            return
        self.view.focus()
        if message.name == WORDS:
            self._filter.words = message.value.strip()
            self._arrange()
        elif message.name == REASON:
            self._reason = message.value
            AskLine.of(self).ask(REVIEWER, Inert.of("your reviewer id, such as C1"), self._reviewer)
        elif message.name == REVIEWER:
            self._reviewer = message.value.strip()
            self._mark()
        else:
            self._export(message.value)

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def _mark(self) -> None:
        item, laid, context = self._marking, self._laid, self.workbench.context
        if item is None or laid is None:
            return
        reason, reviewer = self._reason, self._reviewer

        def kept(told: str) -> None:
            self.tell(Inert.of(told))
            self._wanted = item.key
            self.action_reload()

        self.in_background(lambda: keep_mark(context, laid, item, reason, reviewer), kept, group="mark")

    def action_flag(self) -> None:
        """A new caveat at the lines of the row, as far as they are in files of the content."""
        places = content_lines(self.item)
        if not places:
            self.tell(Inert.of("no line of this row is in a file of the content"))
            return
        self.workbench.open_screen("caveat-form", anchors=places, values={"source": "rule diff"})

    def action_export(self) -> None:
        shown = len(self.table)
        AskLine.of(self).ask(EXPORT, Inert.of(f"file for the {shown} rows shown: .md, .json or .csv"))

    def _export(self, typed: str) -> None:
        laid = self._laid
        shown = [item.row for at in range(len(self.table)) if (item := self.table.row_at(at)) is not None]
        if laid is not None:
            self.in_background(
                lambda: export_rows(laid, shown, typed),
                lambda told: self.tell(Inert.line(told)),
                group="export",
            )

    def action_editor(self) -> None:
        """The text at its line: of the side with the focus, else the first that says something of the row."""
        item = self.item
        second = self.side(True).view.has_focus
        if not second and not self.side(False).view.has_focus:
            second = item is not None and item.row.first is None
            self.follow()
        view = self.side(second).view
        text = self._texts.text(view.source) if self._texts is not None else None
        if text is None:
            self.tell(Inert.of("there is no text to open yet"))
            return
        try:
            told, changed = edit_text(self.workbench, text, max(view.source.place(view.cursor).major, 1))
        except WorkbenchError as error:
            self.failed(error)
            return
        self.tell(told)
        if changed:
            self.action_reload()


def rule_of(item: RuleRow | None, second: bool) -> Rule | None:
    """What that side says in a row."""
    return None if item is None else item.row.second if second else item.row.first


def _usual(first: str) -> str:
    """What a side is held against first of all."""
    return CONCEPT if first.startswith(f"{REFERENCE}:") else REFERENCE


def _read(laid: Laid) -> tuple[Laid, list[RuleRow], RuleTexts]:
    """In a thread: rows and texts, ready to be drawn."""
    from workbench.tui.rule_lines import RuleTexts

    return laid, rule_rows(laid), RuleTexts(laid.comparison)
