"""A skill: frontmatter (Agent Skills format) and body."""

from __future__ import annotations

from pydantic import Field

from workbench.records.base import Part


class SkillFrontmatter(Part):
    """The keys that the Agent Skills format allows."""

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    description: str = Field(min_length=1, max_length=1024)
    license: str = ""
    compatibility: str = Field(default="", max_length=500)
    metadata: dict[str, str] = {}
    allowed_tools: str = Field(default="", alias="allowed-tools")


class Skill(Part):
    """One SKILL.md. ``text`` is the file as written; ``body`` without frontmatter."""

    frontmatter: SkillFrontmatter
    body: str
    body_line: int  # 1-based line of the file at which the body starts
    text: str

    @property
    def name(self) -> str:
        return self.frontmatter.name
