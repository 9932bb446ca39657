"""Proposals of a skill, here and on remotes; propose, compare, merge; pull and push of the current branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from workbench.records import BadInput
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.text import TextScreen
from workbench.tui.skill_texts import place_in
from workbench.tui.widgets.ask import AskLine
from workbench.tui.widgets.line_view import LineView
from workbench.tui.widgets.table_source import Column, TableLines

if TYPE_CHECKING:
    from workbench.review import Proposal

NAME, MESSAGE = "proposal", "message"


@dataclass(frozen=True)
class Proposed:
    """``where``: the branch, and how far it is from its remote one as last fetched."""

    proposals: list[Proposal]
    where: str


class ProposalsScreen(TextScreen):
    """Enter holds a proposal against the current branch."""

    screen_name = "proposals"
    title_text = "Proposals"
    BINDINGS = [*bindings("proposals")]

    def __init__(self, skill: JsonValue = "") -> None:
        super().__init__()
        self._skill = str(skill)
        self._found: Proposed | None = None
        self._proposal = ""
        self.table = proposal_table()

    @property
    def heading(self) -> Inert:
        return Inert.line(f"{self._skill}: proposals")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill proposals {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill}

    def on_mount(self) -> None:
        self.view.more_cursor = True
        self.pane.show(self.table)
        self.view.focus()

    def on_screen_resume(self) -> None:
        self.action_reload()

    def action_reload(self) -> None:
        context, skill = self.workbench.context, self._skill
        self.in_background(lambda: read_proposals(context, skill), self._show, group="rows")

    def _show(self, found: Proposed) -> None:
        self._found = found
        self.table.fill(found.proposals)
        self.pane.reload()
        self.moved()

    def position(self) -> Inert:
        if self._found is None:
            return Inert.of("reading")
        return Inert.line(f"{len(self._found.proposals)} proposals  {self._found.where}")

    def on_line_view_chosen(self, message: LineView.Chosen) -> None:
        proposal = self.table.row_at(message.row)
        if proposal is not None:
            self.workbench.open_screen("difference", skill=self._skill, old="HEAD", new=proposal.commit)

    def action_propose(self) -> None:
        AskLine.of(self).ask(NAME, Inert.of("name: lower-case letters, digits, hyphens; the file as it is"))

    def on_ask_line_answered(self, message: AskLine.Answered) -> None:
        if message.name == NAME and message.value.strip():
            self._proposal = message.value.strip()
            AskLine.of(self).ask(MESSAGE, Inert.of("what is proposed and why, in one line"))
            return
        if message.name in (NAME, MESSAGE):
            self.view.focus()
        if message.name == MESSAGE:
            context, skill, name, told = self.workbench.context, self._skill, self._proposal, message.value
            self.in_background(lambda: propose_now(context, skill, name, told), self._told, group="write")

    def on_ask_line_left(self) -> None:
        self.view.focus()

    def action_merge(self) -> None:
        proposal = self.table.row_at(self.view.cursor)
        if proposal is not None:
            self.workbench.open_screen("merge", skill=self._skill, other=proposal.ref)

    def action_pull(self) -> None:
        self.workbench.open_screen("merge", skill=self._skill, other="")

    def action_push(self) -> None:
        context, skill = self.workbench.context, self._skill
        self.tell(Inert.of("sending"))
        self.in_background(lambda: push_now(context, skill), self._told, group="write")

    def action_push_proposal(self) -> None:
        proposal = self.table.row_at(self.view.cursor)
        if proposal is not None and not proposal.remote:
            context, skill, name = self.workbench.context, self._skill, proposal.name
            self.in_background(lambda: push_now(context, skill, name), self._told, group="write")
        else:
            self.tell(Inert.of("the cursor is on no proposal of this clone"))

    def _told(self, text: str) -> None:
        self.tell(Inert.line(text))
        self.action_reload()


def proposal_table() -> TableLines[Proposal]:
    """A row a proposal."""
    columns: tuple[Column[Proposal], ...] = (
        Column("proposal", lambda item: item.name, 16, least=8),
        Column("from", lambda item: item.remote or "here", 8),
        Column("state", lambda item: "merged" if item.merged else f"{item.versions} new", 7),
        Column("author", lambda item: item.author, 12, least=6),
        Column("message", lambda item: item.subject, 20, stretch=True, least=8),
    )
    return TableLines(columns, lambda item: item.ref)


def read_proposals(context: AppContext, skill: str) -> Proposed:
    """Raises WorkbenchError."""
    from workbench.records import Refused
    from workbench.review import distance, proposals, standing_of

    place = place_in(context, skill)
    branch = standing_of(place).branch or "detached head"
    try:
        apart = distance(place)
        where = f"{branch}: {apart.ahead} to push, {apart.behind} to pull"
    except (BadInput, Refused):
        where = f"{branch}: no remote"
    return Proposed(proposals(place), where)


def propose_now(context: AppContext, skill: str, name: str, message: str) -> str:
    """Raises WorkbenchError."""
    from workbench.review import propose

    saved = propose(place_in(context, skill), name, message)
    return f"proposed as {saved.branch} ({saved.commit[:10]}); branch and files here stay as they are"


def push_now(context: AppContext, skill: str, proposal: str = "") -> str:
    """Raises WorkbenchError."""
    from workbench.review import push

    return f"sent to {push(place_in(context, skill), proposal)}"
