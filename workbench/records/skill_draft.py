"""A skill's text that is being written and is in no version yet."""

from __future__ import annotations

from pydantic import Field

from workbench.records.base import Record, UtcTime


class SkillDraft(Record):
    """One editor's text of one skill.

    ``root``: the content root it belongs to; ``editor``: who writes it, a name that no other open editor has;
    ``base``: git blob hash of the file that it began with, empty for a new one.
    """

    root: str
    skill: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    editor: str = Field(pattern=r"^[a-z0-9]{1,32}$")
    base: str = Field(default="", pattern=r"^([0-9a-f]{40})?$")
    text: str
    message: str = ""
    kept: UtcTime
