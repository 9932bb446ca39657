"""Rules that use what is known only later than the time their row speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.catalog import RuleMark, rule_marks
from workbench.records import BadInput
from workbench.rules.rule import Kind, Rule

_CLAUSE = re.compile(
    r"^\s*(?:FROM|WHERE|GROUP|HAVING|ORDER|INNER|LEFT|FULL|CROSS|ASOF|JOIN|SELECT|UNION|\))", re.IGNORECASE
)
_AFTERWARDS = re.compile(
    r"\b(?:dod|deathtime|dischtime|discharge_location|hospital_expire_flag|outtime|los|diagnoses_icd|procedures_icd|drgcodes|"
    r"unitdischargeoffset|hospitaldischargeoffset|\w*dischargestatus)\b"
)  # fmt: skip
OUTCOME = "known when the stay or the admission has ended"
NEXT_ROW = "looks at a later row"


def with_later(rules: Sequence[Rule], sql: str, delays: Mapping[str, str]) -> list[Rule]:
    """The rules of one SQL text, each with why it is known only later.

    ``delays``: what a family says of its named rules (``-- rule:`` comments) whose inputs come later. Else
    told by the SQL itself: columns filled at discharge or death, and the next row of a window.
    """
    named = _delays_by_line(sql, delays)
    return [replace(rule, later=named.get(rule.line, "") or _by_itself(rule)) for rule in rules]


def _by_itself(rule: Rule) -> str:
    if rule.kind is Kind.AGGREGATE and rule.value == "next":
        return NEXT_ROW
    about = f"{rule.subject} {rule.value}" if rule.kind is Kind.SOURCE else rule.subject
    return OUTCOME if _AFTERWARDS.search(about) else ""


def _delays_by_line(sql: str, delays: Mapping[str, str]) -> dict[int, str]:
    try:
        marks = rule_marks(sql)
    except BadInput:
        return {}
    lines = sql.splitlines()
    found: dict[int, str] = {}
    for mark in marks:
        if delays.get(mark.name):
            found |= dict.fromkeys(_covered(lines, mark), f"{mark.name}: {delays[mark.name]}")
    return found


def _covered(lines: list[str], mark: RuleMark) -> list[int]:
    """Lines of the expression or condition below a mark: to its comma, or to the next clause or mark."""
    depth, covered = 0, list[int]()
    for number, line in enumerate(lines[mark.line :], mark.line + 1):
        code = line.partition("--")[0].rstrip()
        if not code:
            if "-- rule:" in line and covered:
                break
            continue
        if covered and depth <= 0 and _CLAUSE.match(code):
            break
        covered.append(number)
        depth += code.count("(") - code.count(")")
        if depth < 0 or (depth == 0 and code.endswith(",")):
            break
    return covered
