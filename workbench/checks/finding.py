"""One thing that a check of the content found wrong, and the texts that several checks look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.catalog import Content
from workbench.ehr import published_schema
from workbench.records import Problem

ITEM_ID = re.compile(r"\b\d{5,6}\b")
SQL_WORDS = re.compile(
    r"\b(SELECT|FROM \w+\.|GROUP BY|ORDER BY|PARTITION BY|LEFT JOIN|INNER JOIN|FULL JOIN|COALESCE)\b"
)
EMPTY_LINE = "Put an empty line before a list; turn the line over elsewhere if it is a minus sign."
DATABASES = ("mimic-iv", "eicu")
PLAIN_WORDS = frozenset(
    {
        "prescriptions",
        "services",
        "admissions",
        "patients",
        "transfers",
        "pharmacy",
        "provider",
        "caregiver",
        "patient",
        "lab",
        "medication",
        "diagnosis",
        "treatment",
        "note",
        "hospital",
        "allergy",
    }
)
"""Table names that are plain words too; they still may not stand in code type."""


@dataclass(frozen=True)
class Finding:
    """``where`` is a file below the content root, as a path with ``/``."""

    rule: str
    where: str
    what: str
    remedy: str = ""


class Report:
    """Collects the findings of one rule set about files of one content root."""

    def __init__(self, content: Content) -> None:
        self._root = content.paths.root
        self.findings: list[Finding] = []

    def add(self, rule: str, path: Path, what: str, remedy: str = "") -> None:
        """Note a finding about ``path``."""
        self.findings.append(Finding(rule, self.told(path), what, remedy))

    def told(self, path: Path) -> str:
        """``path`` from the content root."""
        return path.relative_to(self._root).as_posix()

    def unreadable(self, problem: Problem) -> None:
        """Note a file that cannot be read; what follows the file's name (a line) goes to the text."""
        place, _, line = problem.where.removeprefix(f"{self._root}/").partition(", ")
        what = f"{line}: {problem.what}" if line else problem.what
        self.findings.append(Finding("unreadable", place, what, problem.remedy))

    def none(self, rule: str, path: Path, what: str, offending: Iterable[object], remedy: str = "") -> None:
        """A finding that names what offends, if anything does."""
        names = [str(item) for item in offending]
        if names:
            self.add(rule, path, f"{what}: {', '.join(names)}", remedy)


@cache
def table_names() -> frozenset[str]:
    """Bare names of all published tables of all databases."""
    return frozenset(table.bare for database in DATABASES for table in published_schema(database).tables)


@cache
def telling_columns() -> frozenset[str]:
    """Published column names that are no plain words: with an underscore, or a time."""
    names = {
        name for database in DATABASES for table in published_schema(database).tables for name in table.types
    }
    return frozenset(name for name in names if "_" in name or name.endswith("time"))


def words_of(text: str) -> set[str]:
    """Lower-case words, underscores being letters."""
    return set(re.findall(r"[a-z_0-9]+", text.lower()))


def code_words(text: str) -> Iterator[str]:
    """What stands in code type."""
    yield from re.findall(r"`([^`]+)`", text)


def unmeant_bullets(text: str) -> list[int]:
    """Lines, from 1, that begin a list right below running text: often a minus sign at a line's start."""
    found, in_text, in_list, in_code = [], False, False, False
    for number, line in enumerate(text.split("\n"), 1):
        in_code ^= line.startswith("```")
        bullet = re.match(r"\s*([-*+]|\d+[.)]) ", line) is not None
        if bullet and in_text and not in_list and not in_code:
            found.append(number)
        in_list = bullet or (in_list and line.strip() != "")
        in_text = line.strip() != "" and not line.startswith(("#", "|", "```"))
    return found


def named_tables(text: str) -> list[str]:
    """Tables that a text names: unmistakable names anywhere, plain words in code type."""
    found = words_of(text) & (table_names() - PLAIN_WORDS)
    return sorted(found | (set(code_words(text)) & table_names()))
