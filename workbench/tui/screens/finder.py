"""The finder: commands, things to go to, or choices for a field of the screen below, by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import JsonValue
from textual.dom import DOMNode
from textual.widget import Widget

from workbench.records import WorkbenchError
from workbench.tui.actions import bindings, by_id, in_scope, key_label, keys_of, scopes, told_in
from workbench.tui.finder import Candidate, rank
from workbench.tui.inert import Inert
from workbench.tui.screen_table import SCREENS, screen_entry
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.things import find_more, find_things
from workbench.tui.widgets.base import Field, ListItem, ListPane

_AT_ONCE = 2000
"""Up to so many are ranked at every key, more in the background."""
_TEXT_WIDTH = 28
"""Of the column of names; a longer name moves only what follows it."""
_ELSEWHERE = "elsewhere:"
"""Begins the key of a command of another screen."""
_HEADINGS = {"commands": "Commands", "choices": "Choose"}


class FinderScreen(WorkbenchScreen):
    """``what``: ``commands``, ``things`` or ``choices``; these are ``[value, text, note]`` for the field
    ``of`` of the screen below, which has the value ``now``.
    """

    screen_name = "finder"
    CSS_PATH = "finder.tcss"
    BINDINGS = bindings("finder")
    kept = False

    def __init__(
        self, what: JsonValue = "things", of: JsonValue = "", choices: JsonValue = None, now: JsonValue = ""
    ) -> None:
        super().__init__()
        self.what = str(what)
        self._of, self._now = str(of), str(now)
        self._choices = choices if isinstance(choices, list) else []
        self._candidates: Sequence[Candidate] = ()
        self._commands: dict[str, tuple[str, DOMNode]] = {}
        self._moved = False
        """Whether the cursor was moved since the last letter: then it stays where it is."""
        self._all_read = self._ranking = self._choose_when_shown = False
        self._steps: list[Callable[[], None]] = []
        """Moves that were typed while the hits to move in were not there yet."""

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{_HEADINGS.get(self.what, 'Go to')}{f': {self._of}' if self._of else ''}")

    @property
    def plain_twin(self) -> str:
        if self.what == "commands":
            return "workbench --help"
        return ";".join(f"workbench {name} list" for name in ("task", "skill", "data", "witness", "runs"))

    @property
    def answering(self) -> bool:
        return self._choose_when_shown

    def body(self) -> Iterable[Widget]:
        yield Field(hint=Inert.of("type a few letters"), id="query")
        yield ListPane(empty=Inert.of("reading"), id="hits")

    def on_mount(self) -> None:
        self.query_one(ListPane).can_focus = False
        self.query_one(Field).focus()
        if self.what == "commands":
            self._all_read = True
            self._show_candidates([*self._read_commands(), *self._commands_elsewhere()])
        elif self.what == "choices":
            self._all_read = True
            self._show_candidates(
                [Candidate(f"choice:{value}", str(text), str(note)) for value, text, note in self._triples()]
            )
            self.query_one(ListPane).go_to(f"choice:{self._now}")
        else:
            context, drafts = self.workbench.context, self.workbench.recovery.drafts
            self.in_background(lambda: find_things(context, drafts), self._show_things, group="things")

    def _read_commands(self) -> list[Candidate]:
        """What can be done on the screen below, by its bindings now."""
        before = self.app.screen_stack[-2]
        scope = before.screen_name if isinstance(before, WorkbenchScreen) else ""
        found = []
        for key, active in before.active_bindings.items():
            action = by_id(active.binding.id or "")
            if action is None or action.id in self._commands or not active.enabled:
                continue
            self._commands[action.id] = (active.binding.action, active.node)
            action = told_in(scope, action)
            found.append(Candidate(action.id, f"{action.title}: {action.help}", key_label(key), action.title))
        return found

    def _commands_elsewhere(self) -> list[Candidate]:
        """What the other screens can do."""
        before = self.app.screen_stack[-2]
        here = before.screen_name if isinstance(before, WorkbenchScreen) else ""
        found = []
        for name in (entry.name for entry in SCREENS if entry.name not in (here, self.screen_name)):
            for action in in_scope(name):
                if action.id not in self._commands:
                    key = key_label(keys_of(action, self.workbench.keys.remapped)[0])
                    text = f"{action.title} ({scopes()[name].title}): {action.help}"
                    found.append(Candidate(_ELSEWHERE + action.id, text, key, action.title, far=True))
        return found

    def _triples(self) -> Iterator[tuple[JsonValue, JsonValue, JsonValue]]:
        for choice in self._choices:
            if isinstance(choice, list) and len(choice) == 3:
                yield choice[0], choice[1], choice[2]

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
        self._steps.clear()
        self._rank()

    def _rank(self) -> None:
        query, candidates = self.query_one(Field).value, self._candidates
        self._ranking = len(candidates) > _AT_ONCE
        if self._ranking:
            self.in_background(lambda: rank(query, candidates), self._show_hits, group="rank")
        else:
            self._show_hits(rank(query, candidates))

    def _show_hits(self, hits: list[Candidate]) -> None:
        pane, nothing = self.query_one(ListPane), "nothing of that name" if self._all_read else "reading"
        lines = command_lines(hits) if self.what == "commands" else thing_lines(hits, self.what == "things")
        pane.fill(lines, keep=self._moved, empty=Inert.of(nothing))
        self._ranking = False
        if not self._nothing_yet:
            steps, self._steps = self._steps, []
            for step in steps:
                self._move(step)
        more = "" if self._all_read else ", reading"
        self.status(Inert.of(f"{len(hits)} of {len(self._candidates)}{more}"))
        if self._choose_when_shown and (hits or self._all_read):
            self._choose_when_shown = False
            pane.action_choose()

    def on_input_submitted(self) -> None:
        """Choose; before there is something to choose from, as soon as there is."""
        self._choose_when_shown = self._nothing_yet
        if not self._choose_when_shown:
            self.query_one(ListPane).action_choose()

    @property
    def _nothing_yet(self) -> bool:
        """Whether the hits of what was typed are still to come."""
        return self._ranking or not (self.query_one(ListPane).items or self._all_read)

    def _move(self, step: Callable[[], None]) -> None:
        if self._nothing_yet:
            self._steps.append(step)
        else:
            self._moved = True
            step()

    def action_up(self) -> None:
        self._move(self.query_one(ListPane).action_up)

    def action_down(self) -> None:
        self._move(self.query_one(ListPane).action_down)

    def action_page_up(self) -> None:
        self._move(self.query_one(ListPane).action_page_up)

    def action_page_down(self) -> None:
        self._move(self.query_one(ListPane).action_page_down)

    async def on_list_pane_chosen(self, event: ListPane.Chosen) -> None:
        app = self.workbench
        below = app.screen_stack[-2]
        app.pop_screen()
        if event.key.startswith(_ELSEWHERE):
            app.call_later(self._go_where_it_works, event.key.removeprefix(_ELSEWHERE))
        elif self.what == "choices":
            if isinstance(below, WorkbenchScreen):
                app.call_later(below.take_choice, self._of, event.key.partition(":")[2])
        elif self.what == "commands":
            action, node = self._commands[event.key]
            app.call_later(app.run_action, action, node)
        else:
            kind, _, name = event.key.partition(":")
            app.call_later(app.open_thing, kind, name)

    def _go_where_it_works(self, action_id: str) -> None:
        """Open the command's screen, if it is one that stands by itself; do it there, or say how."""
        app, action = self.workbench, by_id(action_id)
        if action is None:
            return
        where, key = scopes()[action.scope].title, app.key_of(action_id)
        if screen_entry(action.scope).mode:
            app.open_screen(action.scope)
            screen = app.current
            if action.alone and screen is not None:
                screen.call_after_refresh(getattr(screen, f"action_{action.method}"))
            else:
                app.call_later(app.tell, Inert.of(f"{key}: {action.title}"))
        else:
            app.tell(Inert.of(f"{action.title} ({key}) works where there is a {where} on the screen"))


def command_lines(hits: Sequence[Candidate]) -> list[ListItem]:
    """The key, and what it does."""
    return [
        ListItem(hit.key, Inert.line(hit.hint, "bold $accent").fit(8) + Inert.line(hit.text)) for hit in hits
    ]


def thing_lines(hits: Sequence[Candidate], with_kind: bool) -> list[ListItem]:
    """What it is, its name, and what else is known, in columns no wider than need be."""
    texts = [Inert.line(hit.text) for hit in hits]
    width = min(_TEXT_WIDTH, max((text.width for text in texts), default=0))
    return [
        ListItem(
            hit.key,
            (Inert.of(hit.key.partition(":")[0]).fit(8) if with_kind else Inert())
            + text.fit(max(width, text.width))
            + "  "
            + Inert.line(hit.hint, "$secondary"),
        )
        for hit, text in zip(hits, texts, strict=True)
    ]
