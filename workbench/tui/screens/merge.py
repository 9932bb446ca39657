"""Merge: another branch's versions beside ours; each conflict explained, chosen or edited; then the merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.records import WorkbenchError, read_regular
from workbench.tui.actions import bindings
from workbench.tui.changed_lines import changed_blocks
from workbench.tui.context import AppContext
from workbench.tui.editor import edit, private_copy
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_texts import place_in
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.folding import Block, OpenLines
from workbench.tui.widgets.line_source import Sign, Tone, as_line

if TYPE_CHECKING:
    from workbench.review import Comparison, FileConflict, Saved

MESSAGE = "message"
CONFLICT = "conflict"
EDITED = "edited"


class MergeScreen(TextScreen):
    """``other``: a revision; empty pulls what the branch's remote one has."""

    screen_name = "merge"
    title_text = "Merge"
    kept = False
    BINDINGS = [*bindings("merge")]

    def __init__(self, skill: JsonValue = "", other: JsonValue = "") -> None:
        super().__init__()
        self._skill, self._other = str(skill), str(other)
        self._compared: Comparison | None = None
        self._read_once = False
        self._choices: dict[int, str] = {}
        self._given: dict[str, str] = {}

    @property
    def heading(self) -> Inert:
        name = self._other.removeprefix("refs/heads/").removeprefix("refs/remotes/")
        return Inert.line(f"{self._skill}: " + (f"merge {name}" if name else "pull"))

    @property
    def plain_twin(self) -> str:
        return f"workbench skill proposals {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill, "other": self._other}

    def on_mount(self) -> None:
        self.view.focus()
        context, skill, other = self.workbench.context, self._skill, self._other
        self.in_background(lambda: read_comparison(context, skill, other), self._show)

    def _show(self, compared: Comparison | None) -> None:
        self._compared = compared
        self._read_once = True
        self._draw()

    def _draw(self) -> None:
        row = self.view.cursor
        if self._compared is None or self._compared.nothing_new:
            blocks = [Block(head=as_line("nothing new: all of theirs is here already"))]
        else:
            blocks = merge_blocks(self._compared, self._choices, self._given)
        self.pane.show(OpenLines(blocks))
        self.view.go_to(row)
        self.moved()

    def position(self) -> Inert:
        if not self._read_once:
            return Inert.of("reading")
        numbers, left = self._numbers(), len(self._left())
        return Inert.of(f"{len(numbers)} conflicts, {left} to settle" if numbers else "no conflicts")

    def _numbers(self) -> list[int]:
        files = self._compared.conflicts if self._compared is not None else ()
        return [item.number for file in files for item in file.merged.conflicts]

    def _left(self) -> list[int]:
        files = self._compared.conflicts if self._compared is not None else ()
        done = [item.number for file in files if file.path in self._given for item in file.merged.conflicts]
        return [number for number in self._numbers() if number not in self._choices and number not in done]

    def _here(self) -> int:
        source = self.view.source
        return source.blocks[source.block_at(self.view.cursor)].key if isinstance(source, OpenLines) else 0

    def action_ours(self) -> None:
        self._choose("ours")

    def action_theirs(self) -> None:
        self._choose("theirs")

    def action_both(self) -> None:
        self._choose("both")

    def action_base(self) -> None:
        self._choose("base")

    def _choose(self, choice: str) -> None:
        number = self._here() or next(iter(self._left()), 0)
        if not number:
            self.tell(Inert.of("the cursor is in no conflict"))
            return
        self._choices[number] = choice
        file = self._file_of(number)
        if file is not None:
            self._given.pop(file.path, None)
        self._draw()

    def _file_of(self, number: int) -> FileConflict | None:
        files = self._compared.conflicts if self._compared is not None else ()
        return next(
            (file for file in files if number in [item.number for item in file.merged.conflicts]), None
        )

    def action_next_conflict(self) -> None:
        if not self.view.go_to_mark(CONFLICT):
            self.tell(Inert.of("no conflict after this line"))

    def action_previous_conflict(self) -> None:
        if not self.view.go_to_mark(CONFLICT, backwards=True):
            self.tell(Inert.of("no conflict before this line"))

    def action_editor(self) -> None:
        """The whole file in the user's editor, what is not chosen yet with both sides one after the other."""
        file = self._file_of(self._here() or next(iter(self._numbers()), 0))
        if file is None:
            self.tell(Inert.of("there is no conflict to edit"))
            return
        from workbench.review import Choice

        numbers = [item.number for item in file.merged.conflicts]
        text = self._given.get(file.path) or file.merged.settled(
            {number: Choice(self._choices.get(number, "both")) for number in numbers}
        )
        try:
            with private_copy(self.workbench.data, "SKILL.md", text) as copy:
                self.tell(edit(self.workbench, copy, file.merged.conflicts[0].line))
                self._given[file.path] = read_regular(copy, follow_link=False).decode("utf-8")
        except (WorkbenchError, OSError, UnicodeDecodeError) as error:
            told = error.what if isinstance(error, WorkbenchError) else "what it left cannot be read"
            self.tell(Inert.line(f"error {told}"))
        self._draw()

    def action_commit(self) -> None:
        if self._compared is None or self._compared.nothing_new:
            self.tell(Inert.of("there is nothing to merge"))
        elif self._left():
            self.tell(Inert.of(f"not settled yet: conflicts {', '.join(map(str, self._left()))}"))
        else:
            AskLine.of(self).ask(MESSAGE, Inert.of("message; empty: the usual one. Enter merges"))

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        compared = self._compared
        if message.name != MESSAGE or compared is None:
            return
        self.view.focus()
        context, skill, whole = self.workbench.context, self._skill, not self._other
        choices, given, told = dict(self._choices), dict(self._given), message.value
        self.in_background(
            lambda: merge_now(context, skill, compared, choices, given, told, whole=whole),
            self._done, group="write",
        )  # fmt: skip

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def _done(self, saved: Saved) -> None:
        told = f"merged as {saved.commit[:10]} on {saved.branch}: {', '.join([*saved.files, *saved.notes])}"
        if self.workbench.current is self:
            self.workbench.pop_screen()
        self.workbench.call_after_refresh(self.workbench.tell, Inert.line(told))


def merge_blocks(compared: Comparison, choices: dict[int, str], given: dict[str, str]) -> list[Block]:
    """Whose versions there are, then each conflict with why it is one and what either side did."""
    blocks = []
    for side, found in (("you", compared.ours), ("they", compared.theirs)):
        for version in found:
            blocks.append(Block(head=as_line(f"{side}: {version.short} {version.author}: {version.subject}")))
    for file in compared.conflicts:
        blocks.append(Block(head=as_line(f"{file.path}: {file.reason}", Tone.STRONG)))
        for item in file.merged.conflicts:
            chosen = EDITED if file.path in given else choices.get(item.number, "")
            section = f", section {item.section}" if item.section else ""
            told = f"conflict {item.number}: line {item.line}{section}"
            head = as_line(f"{'✓' if chosen else '!'} {told}  [{chosen or 'to settle'}]", Tone.HEADING)
            sign = Sign.GOOD if chosen else Sign.WARNING
            blocks.append(Block(head=head, sign=sign, kinds=frozenset({CONFLICT}), key=item.number))
            blocks.append(Block(body=item.reason, first="  ", rest="  ", words=True, key=item.number))
            for name, text in (("you", item.ours), ("they", item.theirs)):
                blocks.append(Block(head=as_line(f"  {name}:", Tone.STRONG), key=item.number))
                for block in changed_blocks(item.base, text, around=-1):
                    block.key = item.number
                    blocks.append(block)
    if not compared.conflicts:
        blocks.append(Block(head=as_line("no conflicts: it merges by itself")))
    return blocks


def read_comparison(context: AppContext, skill: str, other: str) -> Comparison | None:
    """Raises WorkbenchError."""
    from workbench.review import compare, pull

    place = place_in(context, skill)
    return compare(place, other) if other else pull(place)


def merge_now(
    context: AppContext, skill: str, compared: Comparison, choices: dict[int, str], given: dict[str, str],
    message: str, *, whole: bool,
) -> Saved:  # fmt: skip
    """Raises WorkbenchError; nothing is changed then."""
    from workbench.review import merge, settle

    settled = settle(compared, choices, given=given)
    return merge(place_in(context, skill), compared, message, settled=settled, whole=whole)
