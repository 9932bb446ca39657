"""A new skill: the frontmatter and sections that every skill has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.catalog import Content
from workbench.records import BadInput
from workbench.scaffold.template import check_new_name, filled, in_toml, title_of
from workbench.scaffold.writing import write_content

MOST_DESCRIPTION = 1024
EMPTY: Mapping[str, str] = {
    "definition": "Name the paper, guideline or local rule, its year, and what of it is done here.",
    "grain": "Say what one row is about, and which rows there are when nothing was measured.",
    "inputs": "Say where each quantity is found: table, item numbers or words, unit, plausible range.",
    "steps": "1. Say step by step what is done, so that two people who follow it get the same values.",
    "missing": "Say what a missing input does: no row, an empty value, or a normal one.",
}
"""What the sections say until somebody writes them."""


def new_skill(
    content: Content, name: str, *, title: str = "", description: str = "", database: str = ""
) -> Path:
    """Write ``skills/<name>/SKILL.md``; its path.

    Raises BadInput for a name or description that a skill cannot have, Refused where there is such a skill.
    """
    path = content.paths.skill(check_new_name("skill", name))
    write_content(
        content.paths, {path: skill_text(name, title_of(name, title), description, database, EMPTY)}
    )
    return path


def skill_text(name: str, title: str, description: str, database: str, sections: Mapping[str, str]) -> str:
    """The text of a new SKILL.md. Raises BadInput for a description that is none."""
    told = " ".join(description.split()) or (
        f"Derive {title[:1].lower()}{title[1:]}{f' from {database}' if database else ''}. "
        f"Use when {name.replace('-', ' ')} is needed."
    )
    if "Use when" not in told:
        raise BadInput(
            "the description does not say 'Use when'", remedy="Say when an agent should load the skill."
        )
    if len(told) > MOST_DESCRIPTION:
        raise BadInput(f"the description has {len(told)} characters, at most {MOST_DESCRIPTION} are allowed")
    words = {
        "skill": name,
        "title": title,
        "description": _plain(told),
        "database_title": _plain(database or "any"),
    }
    return filled("SKILL.md", {**words, **sections})


def _plain(text: str) -> str:
    """As a YAML value on one line: in quotes where it would be read as something else."""
    return text if text[:1].isalnum() and not {":", "#"} & set(text) else in_toml(text)
