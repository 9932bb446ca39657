"""Every skill with where it stands: its state in the review, drafts, proposals, what is in no version yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.catalog import Content, FamilyEntry
from workbench.records import WorkbenchError
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.skill_texts import drafts_of, place_in
from workbench.tui.themes import state_text
from workbench.tui.widgets.table_source import Column, TableLines

READING = "reading"


@dataclass(frozen=True)
class SkillRow:
    """One skill. ``changed``: files that are not as they were signed; ``unsaved``: files in no version yet;
    ``problem``: why its state cannot be told.
    """

    name: str
    state: str = READING
    changed: tuple[str, ...] = ()
    drafts: int = 0
    proposals: int = 0
    unsaved: int = 0
    problem: str = ""

    @property
    def open(self) -> str:
        """What waits for somebody, in words."""
        counts = ((self.drafts, "draft"), (self.proposals, "proposal"), (self.unsaved, "unsaved"))
        return ", ".join(
            f"{count} {word}{'s' if count > 1 and word != 'unsaved' else ''}"
            for count, word in counts
            if count
        )

    @property
    def note(self) -> str:
        """What changed since it was signed, or what is wrong."""
        if self.problem:
            return self.problem
        return f"changed: {', '.join(self.changed)}" if self.changed else ""


class ContentOnce(Content):
    """Families are read once: every skill's state asks for all of them."""

    @cached_property
    def _entries(self) -> list[FamilyEntry]:
        return super().entries()

    def entries(self) -> list[FamilyEntry]:
        return self._entries


def skill_table() -> TableLines[SkillRow]:
    """A row a skill."""
    columns: tuple[Column[SkillRow], ...] = (
        Column("skill", lambda row: row.name, 26, least=12),
        Column("state", lambda row: row.state, 14, look=_state),
        Column("open", lambda row: row.open, 18, stretch=True, least=8),
        Column("since it was signed", lambda row: row.note, 19, stretch=True, drop=1),
    )
    return TableLines(columns, lambda row: row.name)


def _state(row: SkillRow) -> Inert:
    return Inert.of(row.state, "$secondary") if row.state == READING else state_text(row.state)


def skill_names(context: AppContext) -> list[SkillRow]:
    """What can be told at once."""
    kept = Counter(draft.skill for draft in drafts_of(context))
    return [SkillRow(name, drafts=kept[name]) for name in context.content.skill_names()]


def with_states(context: AppContext, content: Content, rows: Sequence[SkillRow]) -> list[SkillRow]:
    """The rows with all that git and the sign-offs say. What cannot be read is told in its row."""
    return [_with_state(context, content, row) for row in rows]


def _with_state(context: AppContext, content: Content, row: SkillRow) -> SkillRow:
    from workbench import review

    try:
        state = review.state_of(content, row.name).value
        signed = review.sign_offs_of(content, row.name)
    except WorkbenchError as error:
        return SkillRow(row.name, "error", drafts=row.drafts, problem=error.what)
    changed = tuple(dict.fromkeys(change.path for item in signed for change in item.changes))
    try:
        place = place_in(context, row.name)
        waiting = [item for item in review.proposals(place) if not item.merged]
        unsaved = len(review.changes_of(place))
    except WorkbenchError as error:
        return SkillRow(row.name, state, changed, row.drafts, problem=error.what)
    proposed = len({item.name for item in waiting})
    return SkillRow(row.name, state, changed, row.drafts, proposed, unsaved)
