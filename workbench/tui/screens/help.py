"""Help: how to get around, then every key that works on the screen it was asked from, from the registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from workbench.tui.actions import Action, active_scopes, by_id, in_scope, key_label, keys_of, scopes, told_in
from workbench.tui.inert import Inert
from workbench.tui.legend import LEGENDS
from workbench.tui.screens.text import TextScreen
from workbench.tui.widgets.line_source import Line, Span, TextLines, Tone
from workbench.tui.widgets.wrap import word_rows

MOUSE = {
    "click": "up down jump",
    "click again": "choose",
    "wheel": "page-up page-down",
    "mark and copy": "select-up select-down copy",
}
"""What the mouse does, and the names of the actions that do the same."""
FIRST_STEPS = (
    ("app.help app.back", "Back", "Leave this help."),
    ("app.home app.runs app.sources app.run app.settings", "Screens",
     "Home, Runs, Sources, New run, Settings."),
    ("app.palette", "Any command", "By a few letters of its name."),
    ("app.go-to", "Any thing", "A task, skill, run, source or caveat, by a few letters."),
    ("app.next-part app.previous-part", "Parts", "From one part of a screen to the next, and back."),
    ("app.messages", "Messages", "All that was said in the last line."),
    ("app.quit", "Leave", "Where you are is kept, and runs go on."),
)  # fmt: skip
"""What a newcomer needs: actions, a word, a sentence."""
_MOST_KEYS = 22
_BESIDE_CELLS = 24
"""With less room than this for it, a sentence stands below its key instead of beside it."""


@dataclass(frozen=True)
class Entry:
    """``key``: what it is about; without ``keys`` and ``help`` it is a heading, of ``title``."""

    key: str
    title: str
    keys: str = ""
    help: str = ""


class HelpScreen(TextScreen):
    """``scope``: the screen that help is asked for; ``twin``: the plain command that shows the same."""

    screen_name = "help"
    title_text = "Help"
    kept = False

    def __init__(self, scope: JsonValue = "app", twin: JsonValue = "") -> None:
        super().__init__()
        self._scope = str(scope) if str(scope) in scopes() else "app"
        self._twin = str(twin)

    @property
    def heading(self) -> Inert:
        return Inert.of(f"Help: {scopes()[self._scope].title}")

    @property
    def plain_twin(self) -> str:
        return "workbench --help"

    def on_mount(self) -> None:
        self.pane.show(HelpLines(help_entries(self._scope, self.workbench.keys.remapped, self._twin)))
        self.view.focus()
        self.moved()


class HelpLines(TextLines):
    """Three columns; what stands in the last one goes on below itself, in a narrow view below the others."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._entries = entries
        self._width = 0

    def lay_out(self, width: int) -> None:
        if width != self._width:
            self._width = width
            self.replace(list(self._rows(width)))

    def _rows(self, width: int) -> Iterator[Line]:
        keys_cells = 2 + min(_MOST_KEYS, max((len(item.keys) for item in self._entries), default=0))
        title_cells = 2 + max((len(item.title) for item in self._entries if item.keys), default=0)
        for at, item in enumerate(self._entries):
            if not item.help:
                if at:
                    yield Line(Inert())
                yield Line(Inert.of(item.title), tone=Tone.HEADING)
                continue
            before = Inert.of(f"  {item.keys}").fit(keys_cells + 2) + Inert.of(item.title).fit(title_cells)
            if not item.keys:
                before = Inert("  ")
            spans = (Span(2, 2 + len(item.keys), Tone.STRONG),) if item.keys else ()
            text = Inert.of(item.help)
            if item.keys and width - before.width < _BESIDE_CELLS:
                yield Line(Inert.of(f"  {item.keys}  {item.title}"), spans)
                before, spans = Inert("    "), ()
            for start, end in word_rows(text.plain, max(1, width - before.width)):
                yield Line(before + text.part(start, end), spans)
                before, spans = Inert(" " * before.width), ()


def help_entries(scope: str, remapped: Mapping[str, str], twin: str) -> list[Entry]:
    """First how to get around; then every action that holds in ``scope``, a heading a scope, what is of this
    screen alone first, and what its signs mean; then what the mouse does, and the plain commands.
    """
    entries = [Entry("", "Getting around")]
    for names, title, words in FIRST_STEPS:
        keys = " ".join(_first_key(action, remapped) for action in _actions(names.split()))
        entries.append(Entry(f"first:{title}", title, keys, words))
    together = active_scopes(scope)
    for name in (*(name for name in together if name != "app"), "app", *scopes()[scope].also):
        actions = [told_in(scope, action) for action in in_scope(name)]
        if actions:
            entries.append(Entry("", scopes()[name].title))
        for action in actions:
            keys = " ".join(key_label(key) for key in keys_of(action, remapped))
            entries.append(Entry(action.id, action.title, keys, action.help))
        if name == scope and name in LEGENDS:
            entries.append(Entry("", "What is shown"))
            entries += [Entry(f"shown:{seen}", where, seen, words) for seen, where, words in LEGENDS[name]]
    entries.append(Entry("", "With a mouse, and without"))
    moving = "lines" if "lines" in together else "list"
    for what, names in MOUSE.items():
        same = _actions(f"{moving}.{name}" for name in names.split())
        if same:
            keys = ", ".join(_first_key(action, remapped) for action in same)
            entries.append(Entry(f"mouse:{what}", "the mouse", what, f"as {keys}"))
    if twin:
        entries.append(Entry("", "The same in plain lines, for a screen reader or a script"))
        entries += [
            Entry(f"twin:{command}", "", "", Inert.line(command.strip()).plain) for command in twin.split(";")
        ]
    return entries


def _actions(names: Iterable[str]) -> list[Action]:
    return [action for name in names if (action := by_id(name)) is not None]


def _first_key(action: Action, remapped: Mapping[str, str]) -> str:
    return key_label(keys_of(action, remapped)[0])
