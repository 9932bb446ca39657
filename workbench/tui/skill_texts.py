"""A skill's text by the name that screens give it: a version, the file as it is now, a draft, nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.records import BadInput
from workbench.tui.context import AppContext

if TYPE_CHECKING:
    from workbench.records import SkillDraft
    from workbench.review import SkillPlace

NOW = ""
"""The file as it is, saved or not."""
NOTHING = "0"
"""No text at all: what was before the first version."""
DRAFT = "draft:"
"""Before the name of the editor whose draft is meant."""


def place_in(context: AppContext, skill: str) -> SkillPlace:
    """Where the skill is in its repository. Raises WorkbenchError."""
    from workbench.review import place_of

    return place_of(context.content.paths, context.data, skill)


def drafts_of(context: AppContext, skill: str = "") -> list[SkillDraft]:
    """Drafts of this content, newest first; what cannot be read is left out."""
    from workbench.review import Drafts

    return Drafts.of(context.content.paths.root, context.data, context.clock).all(skill)[0]


def named_text(context: AppContext, place: SkillPlace, name: str) -> str:
    """The text of that name. Raises BadInput for one that is not there."""
    from workbench.review import text_at

    if name == NOTHING:
        return ""
    if name.startswith(DRAFT):
        editor = name.removeprefix(DRAFT)
        found = [draft for draft in drafts_of(context, place.name) if draft.editor == editor]
        if not found:
            raise BadInput(
                "that draft is not there any more", where=place.name, remedy="It was saved or dropped."
            )
        return found[0].text
    return text_at(place, name)


def told_name(name: str) -> str:
    """What a person reads for it."""
    if name == NOW:
        return "the file now"
    if name == NOTHING:
        return "nothing"
    return "your draft" if name.startswith(DRAFT) else name[:10]
