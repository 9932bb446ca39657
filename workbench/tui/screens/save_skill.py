"""Save: what a draft would commit, file by file and line by line; then its message, and the commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.records import Refused, WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.changed_lines import changed_blocks
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_texts import DRAFT, NOTHING, drafts_of, named_text, place_in
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.folding import Block, OpenLines
from workbench.tui.widgets.line_source import Tone, as_line

if TYPE_CHECKING:
    from workbench.review import Saved

MESSAGE, AUTHOR = "message", "author"


@dataclass(frozen=True)
class Planned:
    """What the commit would hold: other files of the skill's folder that are changed, too; the lines."""

    branch: str
    others: tuple[str, ...]
    blocks: list[Block]
    message: str
    author: str


class SaveSkillScreen(TextScreen):
    """``editor``: whose draft it is."""

    screen_name = "save-skill"
    title_text = "Save"
    kept = False
    BINDINGS = [*bindings("save-skill")]

    def __init__(self, skill: JsonValue = "", editor: JsonValue = "") -> None:
        super().__init__()
        self._skill, self._editor = str(skill), str(editor)
        self._planned: Planned | None = None
        self._author = self._message = ""

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Save {self._skill}: what the commit changes")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill diff {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill, "editor": self._editor}

    def on_mount(self) -> None:
        self.view.focus()
        context, skill, editor = self.workbench.context, self._skill, self._editor
        self.in_background(lambda: planned(context, skill, editor), self._show)

    def _show(self, found: Planned) -> None:
        self._planned = found
        head = [f"on branch {found.branch or '(none: the head is detached)'}, by {found.author}", "SKILL.md"]
        head += [f"{path} (changed by somebody else, in the same folder)" for path in found.others]
        blocks = [Block(head=as_line(text, Tone.STRONG)) for text in head]
        empty = [Block(head=as_line("the text is the same as in the last version"))]
        self.pane.show(OpenLines(blocks + (found.blocks or empty)))
        self.moved()

    def position(self) -> Inert:
        return Inert.of("reading" if self._planned is None else f"{1 + len(self._planned.others)} files")

    def action_commit(self) -> None:
        if self._planned is not None:
            hint = Inert.of("what is changed and why, in one line; Enter commits")
            AskLine.of(self).ask(MESSAGE, hint, self._message or self._planned.message)

    def action_author(self) -> None:
        AskLine.of(self).ask(AUTHOR, Inert.of("Name <address>; empty: as git knows you"), self._author)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name not in (MESSAGE, AUTHOR):
            return
        self.view.focus()
        if message.name == AUTHOR:
            self._author = message.value
            self.tell(Inert.line(f"author: {message.value or 'as git knows you'}"))
            return
        context, skill, editor, author = self.workbench.context, self._skill, self._editor, self._author
        told = self._message = message.value
        self.tell(Inert.of("committing"))
        self.in_background(
            lambda: committed(context, skill, editor, told, author), self._done, group="commit"
        )

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def _done(self, saved: Saved) -> None:
        told = f"saved as {saved.commit[:10]} on {saved.branch}: {', '.join([*saved.files, *saved.notes])}"
        if self.workbench.current is self:
            self.workbench.pop_screen()
        self.workbench.call_after_refresh(self.workbench.tell, Inert.line(told))


def planned(context: AppContext, skill: str, editor: str) -> Planned:
    """Raises WorkbenchError."""
    from workbench.review import changes_of, standing_of

    place = place_in(context, skill)
    draft = next((item for item in drafts_of(context, skill) if item.editor == editor), None)
    text = named_text(context, place, DRAFT + editor)
    now = standing_of(place)
    old = named_text(context, place, now.commit or NOTHING)
    others = tuple(change.path for change in changes_of(place) if change.path != place.file)
    author = place.git.try_text("var", "GIT_AUTHOR_IDENT").rsplit(" ", 2)[0]
    message = draft.message if draft is not None else ""
    return Planned(now.branch, others, changed_blocks(old, text), message, author or "nobody git knows")


def committed(context: AppContext, skill: str, editor: str, message: str, author: str) -> Saved:
    """Put the draft into the file and commit the skill; the draft is dropped only then.

    Raises WorkbenchError, with the draft still there: what put it into the file is noted in it, so that the
    next try goes through.
    """
    from workbench.records import blob_hash
    from workbench.review import Drafts, parse_author, put_text, save

    place = place_in(context, skill)
    drafts = Drafts.of(context.content.paths.root, context.data, context.clock)
    found = [item for item in drafts.all(skill)[0] if item.editor == editor]
    if not found:
        raise Refused("that draft is not there any more", where=skill, remedy="It was saved already.")
    draft = drafts.keep(found[0], found[0].text, message)
    who = parse_author(author) if author.strip() else None
    put_text(place, draft.text, draft.base)
    draft = draft.model_copy(update={"base": blob_hash(draft.text.encode())})
    try:
        saved = save(place, message, who)
    except WorkbenchError:
        drafts.keep(draft, draft.text, message)
        raise
    drafts.drop(draft)
    return saved
