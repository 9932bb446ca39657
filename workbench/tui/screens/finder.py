"""The finder: commands of the screen before it, or things to go to, by a few letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import JsonValue
from textual.dom import DOMNode
from textual.widget import Widget

from workbench.records import WorkbenchError
from workbench.tui.actions import bindings, by_id, key_label
from workbench.tui.finder import Candidate, rank
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.things import find_more, find_things
from workbench.tui.widgets.base import Field, ListItem, ListPane

_AT_ONCE = 2000
"""Up to so many are ranked at every key, more in the background."""
_TEXT_WIDTH = 44


class FinderScreen(WorkbenchScreen):
    """``what``: ``commands`` or ``things``."""

    screen_name = "finder"
    CSS_PATH = "finder.tcss"
    BINDINGS = bindings("finder")
    kept = False

    def __init__(self, what: JsonValue = "things") -> None:
        super().__init__()
        self.what = str(what)
        self._candidates: Sequence[Candidate] = ()
        self._commands: dict[str, tuple[str, DOMNode]] = {}
        self._moved = False
        """Whether the cursor was moved since the last letter: then it stays where it is."""
        self._all_read = self._choose_when_read = False

    @property
    def heading(self) -> Inert:
        return Inert.of("Commands" if self.what == "commands" else "Go to")

    @property
    def plain_twin(self) -> str:
        if self.what == "commands":
            return "workbench --help"
        return ";".join(f"workbench {name} list" for name in ("task", "skill", "data", "witness", "runs"))

    def body(self) -> Iterable[Widget]:
        yield Field(hint=Inert.of("type a few letters"), id="query")
        yield ListPane(empty=Inert.of("reading"), id="hits")

    def on_mount(self) -> None:
        self.query_one(ListPane).can_focus = False
        self.query_one(Field).focus()
        if self.what == "commands":
            self._all_read = True
            self._show_candidates(self._read_commands())
        else:
            context, drafts = self.workbench.context, self.workbench.recovery.drafts
            self.in_background(lambda: find_things(context, drafts), self._show_things, group="things")

    def _read_commands(self) -> list[Candidate]:
        """What can be done on the screen below, by its bindings now."""
        before = self.app.screen_stack[-2]
        found = []
        for key, active in before.active_bindings.items():
            action = by_id(active.binding.id or "")
            if action is None or action.id in self._commands or not active.enabled:
                continue
            self._commands[action.id] = (active.binding.action, active.node)
            found.append(Candidate(action.id, f"{action.title}: {action.help}", key_label(key), action.title))
        return found

    def _show_things(self, things: list[Candidate]) -> None:
        """What is read at once; what takes longer comes before the runs, of which there may be many."""
        context = self.workbench.context
        runs = next((at for at, thing in enumerate(things) if thing.key.startswith("run:")), len(things))
        self._show_candidates(things)

        def show_all(more: list[Candidate]) -> None:
            self._all_read = True
            self._show_candidates([*things[:runs], *more, *things[runs:]])

        self.in_background(lambda: find_more(context), show_all, group="more")

    def failed(self, error: WorkbenchError) -> None:
        self._all_read = True
        self._rank()
        super().failed(error)

    def _show_candidates(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = candidates
        self._rank()

    def on_input_changed(self) -> None:
        self._moved = False
        self._rank()

    def _rank(self) -> None:
        query, candidates = self.query_one(Field).value, self._candidates
        if len(candidates) <= _AT_ONCE:
            self._show_hits(rank(query, candidates))
        else:
            self.in_background(lambda: rank(query, candidates), self._show_hits, group="rank")

    def _show_hits(self, hits: list[Candidate]) -> None:
        pane, nothing = self.query_one(ListPane), "nothing of that name" if self._all_read else "reading"
        pane.fill([_line(hit) for hit in hits], keep=self._moved, empty=Inert.of(nothing))
        more = "" if self._all_read else ", reading"
        self.status(Inert.of(f"{len(hits)} of {len(self._candidates)}{more}"))
        if self._choose_when_read and (hits or self._all_read):
            self._choose_when_read = False
            pane.action_choose()

    def on_input_submitted(self) -> None:
        """Choose; before there is something to choose from, as soon as there is."""
        pane = self.query_one(ListPane)
        self._choose_when_read = not pane.items and not self._all_read
        pane.action_choose()

    def action_up(self) -> None:
        self._moved = True
        self.query_one(ListPane).action_up()

    def action_down(self) -> None:
        self._moved = True
        self.query_one(ListPane).action_down()

    def action_page_up(self) -> None:
        self._moved = True
        self.query_one(ListPane).action_page_up()

    def action_page_down(self) -> None:
        self._moved = True
        self.query_one(ListPane).action_page_down()

    async def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        app = self.workbench
        app.pop_screen()
        if self.what == "commands":
            action, node = self._commands[event.key]
            app.call_later(app.run_action, action, node)
        else:
            kind, _, name = event.key.partition(":")
            app.call_later(app.open_thing, kind, name)


def _line(candidate: Candidate) -> ListItem:
    kind = candidate.key.partition(":")[0]
    text = Inert.line(candidate.text)
    if ":" not in candidate.key:
        return ListItem(candidate.key, Inert.line(candidate.hint, "bold $accent").fit(8) + text)
    hint = Inert.line(candidate.hint, "$secondary")
    return ListItem(
        candidate.key, Inert.of(kind).fit(7) + text.fit(max(_TEXT_WIDTH, text.width)) + "  " + hint
    )
