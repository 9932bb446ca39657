"""Skills: within the Agent Skills limits, with their sections, free of SQL, paths and orders to the agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from markdown_it import MarkdownIt

from workbench.catalog import Content
from workbench.checks.finding import Report, line_at, line_with
from workbench.checks.words import EMPTY_LINE, SQL_WORDS, unmeant_bullets
from workbench.records import Skill

MAX_LINES = 500
MAX_TOKENS = 5_000
SECTIONS = ("Definition and source", "Grain", "Inputs", "Missing data", "Traps", "What this does not claim")
PATH = re.compile(r"(^|\s)(/|\.\./|~/)\w", re.MULTILINE)
TELLING = re.compile(
    r"output\.csv|benchmark|\breward\b|mimiciv_|ground truth"
    r"|reference (sql|query|table|derivation|implementation|output)|hidden reference|scored column"
    r"|\b(task|family|output-checks|worked-example)\.toml|\b(instruction|operational-spec)\.md"
    r"|\b(reference|naive)\.[a-z.-]*sql",
    re.IGNORECASE,
)
"""Words of the task or its scoring; a skill knows of neither."""
PERSON = re.compile(r"\b(I|I'm|[Ww]e|[Yy]ou|[Yy]our)\b")
NETWORK = re.compile(
    r"\b(curl|wget|Invoke-WebRequest|git clone|(pip3?|uv|npm|conda|brew|apt|apt-get) (install|add))\b"
    r"|\|\s*(ba|z)?sh\b|\burllib\.request\b|\brequests\.(get|post)\b|\bhttp\.client\b"
)
INJECTION = re.compile(
    r"\b(ignore|disregard|forget)\b[^.\n]{0,40}\b(instructions?|rules|prompt|orders|messages?)\b"
    r"|\byou are now\b|\bsystem prompt\b|\bdeveloper message\b"
    r"|<\|[a-z_]+\|>|\[/?INST\]|</?(system|assistant|user)>"
    r"|\bdo not (tell|mention|reveal|show|inform)\b[^.\n]{0,40}\b(user|reviewer|person|anyone|human)\b|<!--",
    re.IGNORECASE,
)
"""Words that a skill says to an agent about its orders, or hides from a reader; a procedure needs none."""
MOST_ALIKE = 0.8
COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and any as asked by derive for from in is it its needed of on one or per row rows stay the to "
        "use when with",
    )
)
"""Words that every description has."""


def tokens(text: str) -> int:
    """An upper estimate: every word piece of up to four letters, every digit group, every sign."""
    return len(re.findall(r"[A-Za-z]{1,4}|\d{1,3}|[^\sA-Za-z\d]", text))


def check_skill(content: Content, skill: Skill, tasks: Sequence[str], report: Report) -> None:
    """The text of one skill; ``tasks`` are the ids of all tasks."""
    path = content.paths.skill(skill.name)
    _limits(skill, path, report)
    headings = _headings(skill.body)
    lacking = [
        section
        for section in SECTIONS
        if not any(heading.lower().startswith(section.lower()) for heading in headings)
    ]
    report.none("skill-sections", path, "no section", lacking, line=_first_line(skill))
    fences = [token for token in MarkdownIt().parse(skill.body) if token.type in ("fence", "code_block")]
    lines = [_line(skill, token.map) for token in fences]
    report.none("skill-code", path, "code blocks at lines", lines, line=next(iter(lines), 1))
    _matches("skill-sql", path, "words of SQL", SQL_WORDS, skill.text, report)
    _matches("skill-path", path, "paths", PATH, skill.text, report)
    _matches("skill-task", path, "words of the task", TELLING, skill.text, report)
    _matches("skill-network", path, "fetches from the network", NETWORK, skill.text, report)
    _matches("skill-injection", path, "speaks to the agent about its orders", INJECTION, skill.text, report)
    bullets = unmeant_bullets(skill.text)
    report.none(
        "skill-list", path, "a list right below text, at lines", bullets, EMPTY_LINE, next(iter(bullets), 1)
    )
    report.none("skill-task", path, "names tasks", [task for task in tasks if task in skill.text])


def check_descriptions(content: Content, skills: Iterable[Skill], report: Report) -> None:
    """Pairs of skills whose descriptions an agent could not tell apart."""
    words = {skill.name: _words(skill.frontmatter.description) for skill in skills}
    for one, two in combinations(words, 2):
        shared, all_words = words[one] & words[two], words[one] | words[two]
        if all_words and len(shared) >= MOST_ALIKE * len(all_words):
            path = content.paths.skill(two)
            what = f"its description has nearly the words of {one}'s"
            report.add("skill-alike", path, what, line=line_with(path, "description:"))


def _words(description: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", description.lower())) - COMMON


def _matches(rule: str, path: Path, what: str, pattern: re.Pattern[str], text: str, report: Report) -> None:
    found = list(pattern.finditer(text))
    if found:
        names = sorted({match[0].strip() for match in found})
        start = found[0].start() + len(found[0][0]) - len(found[0][0].lstrip())
        report.none(rule, path, what, names, line=line_at(text, start))


def _limits(skill: Skill, path: Path, report: Report) -> None:
    lines = skill.text.count("\n")
    if lines > MAX_LINES:
        report.add("skill-length", path, f"{lines} lines, at most {MAX_LINES}", line=MAX_LINES + 1)
    size = tokens(skill.text)
    if size > MAX_TOKENS:
        report.add("skill-length", path, f"about {size:,} tokens, at most {MAX_TOKENS:,}")
    told, at = skill.frontmatter.description, line_with(path, "description:")
    if "Use when" not in told:
        report.add(
            "skill-description", path, "does not say 'Use when'", "Say when an agent should load it.", at
        )
    if re.search(r"[<>]", told):
        report.add("skill-description", path, "holds < or >", line=at)
    persons = sorted({found[0] for found in PERSON.finditer(told)})
    report.none("skill-description", path, "speaks of persons", persons, line=at)


def _headings(body: str) -> list[str]:
    return [found[1].strip() for found in re.finditer(r"^#{2,3} (.+)$", body, re.MULTILINE)]


def _first_line(skill: Skill) -> int:
    """Where the text begins below the frontmatter."""
    return skill.body_line + len(skill.body) - len(skill.body.lstrip("\n"))


def _line(skill: Skill, span: list[int] | None) -> int:
    return skill.body_line + (span[0] if span else 0)
