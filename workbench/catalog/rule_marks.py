"""The rules of a derivation: its ``-- rule: <name> (words)`` comments."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.records import BadInput

_MARK = re.compile(r"^\s*--\s*rule:(.*)$")
_RULE = re.compile(r"^\s*([a-z0-9]+(?:-[a-z0-9]+)*)\s*(?:\((.*))?$")
_COMMENT = re.compile(r"^\s*--(.*)$")


@dataclass(frozen=True)
class RuleMark:
    """One comment. ``words`` may be empty; ``line`` counts from 1. A rule may be marked at several places."""

    name: str
    words: str
    line: int


def rule_marks(sql: str) -> list[RuleMark]:
    """Every rule comment, in order; words in brackets may go on over further comment lines.

    Raises BadInput, with the line, for a name that is not written in small letters, digits and hyphens, and
    for brackets that are not closed.
    """
    lines = sql.splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        mark = _MARK.match(line)
        if mark is None:
            continue
        rule = _RULE.match(mark[1])
        if rule is None:
            raise BadInput(
                "no rule comment",
                where=f"line {number}",
                remedy="Write it as: -- rule: a-name (what it says)",
            )
        words = "" if rule[2] is None else _words(rule[2], lines[number:], number)
        found.append(RuleMark(rule[1], words, number))
    return found


def rule_names(sql: str) -> list[str]:
    """The names, each once, in the order of their first place. Raises BadInput as ``rule_marks`` does."""
    return list(dict.fromkeys(mark.name for mark in rule_marks(sql)))


def _words(first: str, following: list[str], line: int) -> str:
    """What stands in the brackets that ``first`` begins in."""
    text = first.rstrip()
    for more in following:
        if _closed(text):
            break
        comment = _COMMENT.match(more)
        if comment is None or _MARK.match(more):
            break
        text = f"{text} {comment[1].strip()}"
    if not _closed(text):
        raise BadInput("the brackets of a rule comment are not closed", where=f"line {line}")
    return text[:-1].strip()


def _closed(text: str) -> bool:
    return text.endswith(")") and text.count(")") == text.count("(") + 1
