"""One thing that a check of the content found wrong, and where findings are collected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.catalog import Content, line_of
from workbench.checks.rules import RULES
from workbench.records import BadInput, Problem, read_regular

_LINE = re.compile(r", line (\d+)$")


Place = Sequence[str | int]
"""Keys and indices that lead to a part of a TOML document."""


@dataclass(frozen=True)
class Finding:
    """``where`` is a file below the content root, as a path with ``/``; ``line`` counts from 1."""

    rule: str
    where: str
    line: int
    what: str
    remedy: str

    @property
    def is_warning(self) -> bool:
        """Whether a reviewer may let it stand."""
        return RULES[self.rule].warning


class Report:
    """Collects the findings of one rule set about files of one content root."""

    def __init__(self, content: Content) -> None:
        self._root = content.paths.root
        self.findings: list[Finding] = []

    def add(self, rule: str, path: Path, what: str, remedy: str = "", line: int | Place = 1) -> None:
        """Note a finding about ``path``, at a line or a place in TOML, with its remedy or else its rule's."""
        at = line if isinstance(line, int) else toml_line(path, *line)
        self.findings.append(Finding(rule, self.told(path), at, what, remedy or RULES[rule].remedy))

    def told(self, path: Path) -> str:
        """``path`` from the content root."""
        return path.relative_to(self._root).as_posix()

    def unreadable(self, problem: Problem | BadInput, path: Path) -> None:
        """Note a file that cannot be read, or ``path`` where the problem names no file of the content."""
        place = _LINE.search(problem.where)
        file = Path(_LINE.sub("", problem.where))
        where = file if file.is_relative_to(self._root) else path
        self.add("unreadable", where, problem.what, problem.remedy, int(place[1]) if place else 1)

    def none(
        self,
        rule: str,
        path: Path,
        what: str,
        offending: Iterable[object],
        remedy: str = "",
        line: int | Place | None = None,
    ) -> None:
        """A finding that names what offends, if anything does; without ``line``, where the first stands."""
        names = [str(item) for item in offending]
        if names:
            at = line_with(path, names[0]) if line is None else line
            self.add(rule, path, f"{what}: {', '.join(names)}", remedy, at)


def text_at(path: Path) -> str:
    """What is in a file, as far as it is text; empty where it cannot be read."""
    try:
        return read_regular(path, 50_000_000).decode("utf-8", "replace")
    except OSError:
        return ""


def line_with(path: Path, words: str) -> int:
    """The first line that holds ``words``, best as a word of its own and as it is spelt; 1 if none does."""
    lines = text_at(path).split("\n")
    whole = rf"(?<!\w){re.escape(words)}(?!\w)"
    for pattern in (re.compile(whole), re.compile(re.escape(words), re.IGNORECASE)):
        for number, line in enumerate(lines, 1):
            if pattern.search(line):
                return number
    return 1


def line_at(text: str, start: int) -> int:
    """The line of the character ``start`` of ``text``."""
    return text.count("\n", 0, start) + 1


def toml_line(path: Path, *place: str | int) -> int:
    """The line of a key of a TOML file."""
    return line_of(text_at(path), place)
