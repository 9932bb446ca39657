"""A SKILL.md into a record."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from workbench.catalog.documents import Reader, read_text
from workbench.catalog.frontmatter import split_frontmatter
from workbench.catalog.names import did_you_mean
from workbench.records import BadInput, Skill, SkillFrontmatter

_KEYS = [field.alias or name for name, field in SkillFrontmatter.model_fields.items()]


def read_skill(path: Path, read: Reader = read_text) -> Skill:
    """Read and check one SKILL.md; its name is its folder's. Raises BadInput with the line."""
    text = read(path)
    front = split_frontmatter(text, str(path))
    try:
        frontmatter = SkillFrontmatter.model_validate(front.values)
    except ValidationError as error:
        item = error.errors(include_input=False, include_url=False, include_context=False)[0]
        key = str(item["loc"][0])
        what, remedy = f"{key}: {item['msg']}", "Correct the key."
        if item["type"] == "extra_forbidden":
            known = f"Known: {', '.join(_KEYS)}."
            what, remedy = f"unknown key {key!r}", did_you_mean(key, _KEYS, known)
        elif item["type"] == "missing":
            what, remedy = f"key {key!r} is missing", "Add it to the frontmatter."
        elif item["type"] == "string_pattern_mismatch":
            what, remedy = f"{key} is not in lower-case letters, digits and single hyphens", "Rename it."
        raise BadInput(what, where=f"{path}, line {front.lines.get(key, 1)}", remedy=remedy) from None
    if frontmatter.name != path.resolve().parent.name:
        raise BadInput(
            f"name {frontmatter.name!r} is not the folder's name {path.resolve().parent.name!r}",
            where=f"{path}, line {front.lines['name']}",
            remedy="Make them equal.",
        )
    return Skill(frontmatter=frontmatter, body=front.body, body_line=front.body_line, text=text)
