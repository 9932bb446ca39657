"""Skills: within the Agent Skills limits, with their sections, free of SQL, paths and answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt

from workbench.catalog import Content
from workbench.checks.finding import EMPTY_LINE, SQL_WORDS, Report, unmeant_bullets
from workbench.records import Skill

MAX_LINES = 500
MAX_TOKENS = 5_000
SECTIONS = ("Definition and source", "Grain", "Inputs", "Missing data", "Traps", "What this does not claim")
PATH = re.compile(r"(^|\s)(/|\.\./|~/)\w", re.MULTILINE)
TELLING = re.compile(
    r"output\.csv|benchmark|\breward\b|mimiciv_|ground truth"
    r"|reference (sql|query|table|derivation|implementation|output)|hidden reference|scored column",
    re.IGNORECASE,
)
"""Words of the task or its scoring; a skill knows of neither."""


def tokens(text: str) -> int:
    """An upper estimate: every word piece of up to four letters, every digit group, every sign."""
    return len(re.findall(r"[A-Za-z]{1,4}|\d{1,3}|[^\sA-Za-z\d]", text))


def check_skill(content: Content, skill: Skill, tasks: Sequence[str], report: Report) -> None:
    """Everything a machine can see of one skill; ``tasks`` are the ids of all tasks."""
    path = content.paths.skill(skill.name)
    _limits(skill, path, report)
    headings = _headings(skill.body)
    lacking = [
        section
        for section in SECTIONS
        if not any(heading.lower().startswith(section.lower()) for heading in headings)
    ]
    report.none("skill-sections", path, "no section", lacking, "Add a heading that starts so.")
    fences = [token for token in MarkdownIt().parse(skill.body) if token.type in ("fence", "code_block")]
    report.none("skill-code", path, "code blocks at lines", [_line(skill, token.map) for token in fences])
    report.none(
        "skill-sql", path, "words of SQL", sorted({found[0] for found in SQL_WORDS.finditer(skill.body)})
    )
    report.none("skill-path", path, "paths", [found[0].strip() for found in PATH.finditer(skill.text)])
    report.none(
        "skill-task", path, "words of the task", sorted({found[0] for found in TELLING.finditer(skill.text)})
    )
    report.none(
        "skill-list", path, "a list right below text, at lines", unmeant_bullets(skill.text), EMPTY_LINE
    )
    named = [task for task in tasks if task in skill.text]
    report.none("skill-task", path, "names tasks", named)


def _limits(skill: Skill, path: Path, report: Report) -> None:
    lines = skill.text.count("\n")
    if lines > MAX_LINES:
        report.add("skill-length", path, f"{lines} lines, at most {MAX_LINES}")
    size = tokens(skill.text)
    if size > MAX_TOKENS:
        report.add("skill-length", path, f"about {size:,} tokens, at most {MAX_TOKENS:,}")
    if "Use when" not in skill.frontmatter.description:
        report.add("skill-description", path, "does not say 'Use when'", "Say when an agent should load it.")
    if re.search(r"[<>]", skill.frontmatter.description):
        report.add("skill-description", path, "holds < or >")


def _headings(body: str) -> list[str]:
    return [found[1].strip() for found in re.finditer(r"^#{2,3} (.+)$", body, re.MULTILINE)]


def _line(skill: Skill, span: list[int] | None) -> int:
    return skill.body_line + (span[0] if span else 0)
