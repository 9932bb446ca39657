"""Edit: a skill's text in the app; what is typed is kept within two seconds, and checked as it is typed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import JsonValue
from textual.widget import Widget

from workbench.records import WorkbenchError, read_regular
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.draft_keeper import DraftKeeper, still_there
from workbench.tui.editor import edit, private_copy
from workbench.tui.inert import Inert
from workbench.tui.screens.base import WorkbenchScreen
from workbench.tui.skill_texts import DRAFT, NOW
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.base import Label
from workbench.tui.widgets.line_pane import LinePane
from workbench.tui.widgets.markdown_lines import MarkdownLines
from workbench.tui.widgets.text_editor import TextEditor

if TYPE_CHECKING:
    from workbench.checks import Finding
    from workbench.records import SkillDraft

KEEP_EVERY_S = 1.0
CHECK_AFTER_S = 0.4
SEARCH, REPLACE, WITH = "search", "replace", "with"
_HEADING = re.compile(r"#{1,6}\s")


class EditScreen(WorkbenchScreen):
    """``skill``: its name; ``line``: where to begin, from 1."""

    screen_name = "edit"
    title_text = "Edit"
    BINDINGS = bindings("edit")
    DEFAULT_CSS = """
    EditScreen {
        & #finding { height: 1; padding: 0 1; background: $surface; }
        & #preview { display: none; }
        &.previewing #preview { display: block; }
        &.previewing #editor { display: none; }
    }
    """

    def __init__(self, skill: JsonValue = "", line: JsonValue = 1) -> None:
        super().__init__()
        self._skill = str(skill)
        self._line = line if isinstance(line, int) else 1
        self._keeper: DraftKeeper | None = None
        self._number = 0
        self._findings: list[Finding] | None = None
        self._wanted = self._replaced = ""
        self.editor = TextEditor(id="editor")
        """Known beyond its life on the screen: what is in it is kept when the screen is left."""

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Edit: {self._skill}")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill show {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill, "line": self._line}

    def body(self) -> Iterable[Widget]:
        yield self.editor
        yield LinePane(opens=False, id="preview")
        yield Label(Inert.of("reading"), id="finding")

    def on_mount(self) -> None:
        self.editor.read_only = True
        self.editor.focus()
        context, skill = self.workbench.context, self._skill
        self.in_background(lambda: DraftKeeper(context, skill), self._opened, group="open")
        self.set_interval(KEEP_EVERY_S, self._keep_in_thread)

    def on_unmount(self) -> None:
        self.keep_drafts()
        if self._keeper is not None:
            self._keeper.release()

    def on_screen_resume(self) -> None:
        """What lay upon this screen may have saved the text."""
        if self._keeper is not None:
            context, draft = self.workbench.context, self._keeper.draft
            self.in_background(lambda: still_there(context, draft), self._come_back, group="again")

    def _opened(self, keeper: DraftKeeper) -> None:
        self._keeper = keeper
        writable = self.workbench.context.content.paths.writable
        if not (self.editor.open_text(keeper.draft.text) and writable):
            self.editor.read_only = True
            self.tell(Inert.of("this text cannot be changed here: it holds control or hidden characters, or "
                               "belongs to the installed program; open it in your own editor"))  # fmt: skip
        elif keeper.taken_up:
            told = f"unsaved text of {keeper.draft.kept:%Y-%m-%d %H:%M} UTC goes on here; "
            told += f"{self.workbench.key_of('edit.difference')} shows what it changes, "
            self.tell(Inert.line(told + f"{self.workbench.key_of('edit.discard')} twice discards it"))
        self.editor.go_to_line(self._line)
        self.refresh_bindings()  # from now on letters are typed, and the footer says so
        self._check()

    def _come_back(self, draft: SkillDraft | None) -> None:
        keeper = self._keeper
        if keeper is None:
            return
        if draft is not None:
            keeper.draft = draft
        elif self._was_kept:
            keeper.release()
            context, skill = self.workbench.context, self._skill
            self.in_background(lambda: DraftKeeper(context, skill), self._anew, group="open")

    _was_kept = False

    def _anew(self, keeper: DraftKeeper) -> None:
        """The text was saved: what is typed from now on is another draft."""
        self._keeper, self._was_kept = keeper, False
        if keeper.draft.text != self.editor.text:
            self.editor.put(keeper.draft.text)
        self._number = 0

    def on_text_area_changed(self, message: TextEditor.Changed) -> None:
        self._number += 1
        self.set_timer(CHECK_AFTER_S, self._check)

    def on_text_area_selection_changed(self) -> None:
        self._line = self.editor.cursor_location[0] + 1
        self._tell_findings()

    def keep_drafts(self) -> None:
        """At once, as the app is about to leave. Raises WorkbenchError."""
        if self._keeper is not None and not self.editor.read_only and self._number:
            self._was_kept |= self._keeper.keep(self.editor.text, self._number)

    def _keep_in_thread(self) -> None:
        keeper = self._keeper
        if keeper is None or self.editor.read_only or not self._number:
            return
        text, number = self.editor.text, self._number

        def kept(was: bool) -> None:
            self._was_kept |= was

        if text != keeper.draft.text:
            self.in_background(lambda: keeper.keep(text, number), kept, group=f"keep {number}")

    def _check(self) -> None:
        context, skill, text, number = self.workbench.context, self._skill, self.editor.text, self._number

        def done(found: list[Finding]) -> None:
            if number == self._number:
                self._findings = found
                self._tell_findings()

        self.in_background(lambda: checked(context, skill, text), done, group="check")

    def _tell_findings(self) -> None:
        """What is wrong with the cursor's line, else how much is wrong."""
        found = self._findings
        if found is None:
            return
        here = next((item for item in found if item.line == self._line), None)
        if here is not None:
            text = Inert.line(f"! {here.rule}: {here.what}. {here.remedy}", "$warning")
        elif found:
            lines = ", ".join(str(item.line) for item in found[:8])
            text = Inert.line(f"! {len(found)} problems, at lines {lines}", "$warning")
        else:
            text = Inert.of("✓ no problems", "$success")
        self.query_one("#finding", Label).say(text)

    def action_next_problem(self) -> None:
        lines = [item.line for item in self._findings or []]
        after = [line for line in lines if line > self._line]
        if lines:
            self.editor.go_to_line((after or lines)[0])
        else:
            self.tell(Inert.of("no problems"))

    def action_next_section(self) -> None:
        self._to_section(range(self._line, self.editor.document.line_count))

    def action_previous_section(self) -> None:
        self._to_section(range(self._line - 2, -1, -1))

    def _to_section(self, rows: Iterable[int]) -> None:
        for row in rows:
            if _HEADING.match(self.editor.document.get_line(row)):
                self.editor.go_to_line(row + 1)
                return
        self.tell(Inert.of("no section that way"))

    def action_preview(self) -> None:
        if self.has_class("previewing"):
            self.leave_part()
            return
        text = self.editor.text
        self.in_background(lambda: MarkdownLines.of(text), self._show_preview, group="preview")

    def _show_preview(self, lines: MarkdownLines) -> None:
        self.add_class("previewing")
        pane = self.query_one("#preview", LinePane)
        pane.show(lines, row=lines.row_of(self._line))
        pane.view.focus()

    def leave_part(self) -> bool:
        if not self.has_class("previewing"):
            return False
        self.remove_class("previewing")
        self.editor.focus()
        return True

    def action_search(self) -> None:
        AskLine.of(self).ask(SEARCH, Inert.of("search, whatever the case"), self._wanted)

    def action_search_again(self) -> None:
        if self._wanted and not self.editor.find(self._wanted, again=True):
            self.tell(Inert.line(f"{self._wanted}: not found"))

    def action_replace(self) -> None:
        AskLine.of(self).ask(REPLACE, Inert.of("replace this, exactly"), self._wanted)

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        self.editor.focus()
        if message.name == SEARCH:
            self._wanted = message.value
            if not self.editor.find(message.value):
                self.tell(Inert.line(f"{message.value}: not found"))
        elif message.name == REPLACE and message.value:
            self._replaced = message.value
            AskLine.of(self).ask(WITH, Inert.line(f"in place of every {message.value}"))
        elif message.name == WITH:
            count = self.editor.text.count(self._replaced)
            if count and not self.editor.read_only:
                self.editor.put(self.editor.text.replace(self._replaced, message.value))
            self.tell(Inert.line(f"{count} times replaced; undo takes it back"))

    def on_ask_line_left(self) -> None:
        self.editor.focus()

    def action_difference(self) -> None:
        """What the typed text changes in the file."""
        if self._written():
            editor = self._keeper.draft.editor if self._keeper else ""
            self.workbench.open_screen("difference", skill=self._skill, old=NOW, new=DRAFT + editor)

    def action_save(self) -> None:
        if self.editor.read_only:
            self.tell(Inert.of("this text cannot be changed here"))
        elif self._written() and self._keeper is not None:
            self.workbench.open_screen("save-skill", skill=self._skill, editor=self._keeper.draft.editor)

    def _written(self) -> bool:
        """Have the draft on the disk, for the screen that comes."""
        if self._keeper is None:
            return False
        try:
            self.keep_drafts()
            self._keeper.write()
        except WorkbenchError as error:
            self.failed(error)
            return False
        self._was_kept = True
        return True

    _discarding = -1

    def action_discard(self) -> None:
        """Back to the file as it is; twice, and undo brings the text back."""
        keeper = self._keeper
        if keeper is None or self.editor.read_only:
            return
        if self._discarding != self._number:
            self._discarding = self._number
            self.tell(Inert.of("the same key again goes back to the file's text; undo brings yours back"))
            return
        keeper.drop()
        keeper.release()
        self._was_kept = False
        context, skill = self.workbench.context, self._skill
        self.in_background(lambda: DraftKeeper(context, skill), self._anew, group="open")

    def action_editor(self) -> None:
        """The text in the user's own editor; what is changed there comes back."""
        try:
            with private_copy(self.workbench.data, "SKILL.md", self.editor.text) as file:
                self.tell(edit(self.workbench, file, self._line))
                text = read_regular(file, follow_link=False).decode("utf-8")
        except (WorkbenchError, OSError, UnicodeDecodeError) as error:
            told = error.what if isinstance(error, WorkbenchError) else "what it left cannot be read"
            self.tell(Inert.line(f"error {told}"))
            return
        if text != self.editor.text and not self.editor.read_only:
            self.editor.put(text)


def checked(context: AppContext, skill: str, text: str) -> list[Finding]:
    """What is wrong with the text."""
    from workbench.checks import check_draft

    return check_draft(context.content, skill, text)
