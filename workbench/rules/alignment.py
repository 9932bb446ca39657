"""Two lists of rules side by side: what agrees, what conflicts, what only one of them says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from workbench.rules.rule import Kind, Rule

SAME_WORD = 88
"""From this likeness (0 to 100) on two words are one."""
RELATED = 0.34
"""Share of the shorter subject's words that both sides must have to speak of one thing."""
SAME_SUBJECT = 0.6
"""The same, to say that they contradict each other."""
_ITEM_WEIGHT = 2.0
_BY_VALUE = {Kind.ITEM, Kind.CODE, Kind.TEXT, Kind.SOURCE}
"""Kinds whose value is the rule: the same value is the same rule, whatever the words beside it."""
_ALIKE = {
    "earliest": "first",
    "smallest first": "first",
    "latest": "last",
    "largest first": "last",
    "previous": "last",
    "later": "last",
    "earlier": "first",
}


MOST_PAIRS = 400_000
"""Of rules that are left over; texts with more (no skill or reference has) are not searched for conflicts."""
MOST_PARTNERS = 200
"""Rules of one value that one rule is held against."""
_SIDED = ("included", "excluded")


class Status(StrEnum):
    """What became of a rule. The first side is the skill or specification, the second mostly SQL."""

    AGREE = "agree"
    CONFLICT = "conflict"
    FIRST_ONLY = "first-only"
    SECOND_ONLY = "second-only"


@dataclass(frozen=True)
class Row:
    """A rule of the first side, of the second, or of both."""

    kind: Kind
    status: Status
    first: Rule | None
    second: Rule | None

    @property
    def later(self) -> str:
        """Why the rule uses what is known only later; empty where it does not."""
        return next((rule.later for rule in (self.second, self.first) if rule and rule.later), "")


def align(first: Sequence[Rule], second: Sequence[Rule]) -> list[Row]:
    """Rows in the order of the first side, then what only the second says.

    A rule that is written several times on one side agrees with one place of the other as often.
    """
    rows: list[Row] = []
    for kind in Kind:
        rows += _of_kind(kind, _distinct(first, kind), _distinct(second, kind))
    places = {id(rule): place for place, rule in enumerate([*first, *second])}
    return sorted(rows, key=lambda row: places[id(row.first or row.second)])


def likeness(one: Rule, other: Rule) -> float:
    """How much of the shorter subject both share, 0 to 1; item ids weigh double."""
    if one.words == other.words:
        return 1.0
    if not one.words or not other.words:
        return 0.0
    small, large = sorted((one.words, other.words), key=len)
    shared = total = 0.0
    for word in small:
        weight = _ITEM_WEIGHT if word.isdigit() else 1.0
        total += weight
        if word in large or any(
            fuzz.ratio(word, near) >= SAME_WORD for near in large if near[:2] == word[:2]
        ):
            shared += weight
    return shared / total


def _distinct(rules: Iterable[Rule], kind: Kind) -> list[Rule]:
    """Each rule once: what says the same of the same words at several places is told at the first."""
    found: dict[object, Rule] = {}
    for rule in rules:
        if rule.kind is kind:
            subject = "" if kind in (Kind.ITEM, Kind.CODE, Kind.SOURCE) else rule.words
            found.setdefault((rule.says, subject), rule)
    return list(found.values())


def _of_kind(kind: Kind, first: list[Rule], second: list[Rule]) -> list[Row]:
    rows, first_left, second_left = _agreeing(kind, first, second)
    for one, other in _conflicting(kind, first_left, second_left):
        rows.append(Row(kind, Status.CONFLICT, one, other))
        first_left.remove(one)
        second_left.remove(other)
    rows += [Row(kind, Status.FIRST_ONLY, rule, None) for rule in first_left]
    rows += [Row(kind, Status.SECOND_ONLY, None, rule) for rule in second_left]
    return rows


def _agreeing(kind: Kind, first: list[Rule], second: list[Rule]) -> tuple[list[Row], list[Rule], list[Rule]]:
    """Rows of what agrees, and what is left. The best partner first; all that agree are taken off both."""
    by_value: defaultdict[str, list[Rule]] = defaultdict(list)
    for other in second:
        by_value[_key(kind, other)].append(other)
    rows: list[Row] = []
    used: set[int] = set()
    first_left: list[Rule] = []
    for one in first:
        alike = by_value[_key(kind, one)]
        partners = [other for other in alike[:MOST_PARTNERS] if _agrees(kind, one, other)]
        if kind is Kind.TEXT:
            partners = [other for other in partners if other.value == one.value] or partners
        if not partners:
            first_left.append(one)
            continue
        best = max(partners, key=lambda other: (likeness(one, other), id(other) not in used))
        rows.append(Row(kind, Status.AGREE, one, best))
        near = likeness(one, best)
        used.update(id(other) for other in partners if kind in _BY_VALUE or likeness(one, other) >= near)
    return rows, first_left, [other for other in second if id(other) not in used]


def _key(kind: Kind, rule: Rule) -> str:
    if kind is Kind.TEXT:
        return rule.value.strip("%").lower()
    if kind is Kind.WINDOW:
        return rule.value.lstrip("-")
    if kind in (Kind.AGGREGATE, Kind.TIE):
        return _ALIKE.get(rule.value, rule.value)
    return "" if kind in (Kind.MISSING, Kind.GRAIN) else rule.value


def _agrees(kind: Kind, one: Rule, other: Rule) -> bool:
    """Whether two rules of one value say the same."""
    if kind in _BY_VALUE:
        same_version = not one.unit or not other.unit or one.unit == other.unit
        return ("not" in one.operator) == ("not" in other.operator) and same_version
    near = likeness(one, other)
    if kind is Kind.MISSING:
        said = one.value.split() if one.operator == "if missing" else [one.value]
        return near >= RELATED and (other.value in said or one.value == other.value)
    if kind is Kind.GRAIN:
        return one.words == other.words
    if kind is Kind.THRESHOLD:
        same = one.operator == other.operator
        rung = not one.gives or not other.gives or one.gives == other.gives
        enough = near > 0 if one.gives == other.gives != "" else near >= RELATED
        return same and rung and enough
    if kind is Kind.WINDOW:
        return _window_agrees(one, other, near)
    return near >= RELATED and (kind is not Kind.UNIT or one.operator == other.operator)


def _window_agrees(one: Rule, other: Rule, near: float) -> bool:
    """Ends by their side, lengths by their comparators, where both have one; of related subjects."""
    if one.value in _SIDED:
        return one.operator == other.operator and near > 0
    ours, theirs = _strictness(one), _strictness(other)
    return (not ours or not theirs or ours == theirs) and (near > 0 or not other.words)


def _strictness(rule: Rule) -> str:
    """The comparator of a length of time; empty for an interval added to a time."""
    return rule.operator if rule.operator in ("<", ">", "<=", ">=") else ""


def _conflicting(kind: Kind, first: list[Rule], second: list[Rule]) -> list[tuple[Rule, Rule]]:
    """Pairs that speak of one thing and say another, the likest first; each rule once."""
    if len(first) * len(second) > MOST_PAIRS:
        return []
    pairs = [
        (likeness(one, other), -abs(place - beside), one, other)
        for place, one in enumerate(first)
        for beside, other in enumerate(second)
        if _contradicts(kind, one, other)
    ]
    pairs.sort(key=lambda pair: pair[:2], reverse=True)
    found: list[tuple[Rule, Rule]] = []
    taken: set[int] = set()
    for near, _, one, other in pairs:
        if near >= SAME_SUBJECT and id(one) not in taken and id(other) not in taken:
            taken |= {id(one), id(other)}
            found.append((one, other))
    return found


def _contradicts(kind: Kind, one: Rule, other: Rule) -> bool:
    """Whether two rules that are left over, of one subject, cannot both hold."""
    if kind in _BY_VALUE:
        return one.value == other.value and ("not" in one.operator) != ("not" in other.operator)
    if kind is Kind.THRESHOLD:
        return _limits_contradict(one, other)
    if kind is Kind.WINDOW:
        return _ends_contradict(one, other) or (_lengths(one, other) and one.value != other.value)
    if kind is Kind.UNIT:
        return one.operator == other.operator and one.value != other.value and _surely_one(one, other)
    return False


def _limits_contradict(one: Rule, other: Rule) -> bool:
    """Limits of one direction: of one rung of a ladder, or of a subject that is surely one."""
    if {one.operator, other.operator} & {"=", "not"} or one.operator[0] != other.operator[0]:
        return False
    if one.gives or other.gives:
        same_rung = one.gives == other.gives
        return same_rung or (one.value == other.value and one.operator == other.operator)
    return one.value == other.value or _surely_one(one, other)


def _ends_contradict(one: Rule, other: Rule) -> bool:
    sided = one.value in _SIDED and other.value in _SIDED
    return sided and one.operator == other.operator and one.value != other.value and _surely_one(one, other)


def _lengths(one: Rule, other: Rule) -> bool:
    """Whether both are lengths of time of a subject that is surely one, compared alike."""
    if one.value in _SIDED or other.value in _SIDED or not _surely_one(one, other):
        return False
    return _strictness(one) == _strictness(other) != ""


def _surely_one(one: Rule, other: Rule) -> bool:
    """Two subjects that share an item, or several words."""
    shared = one.words & other.words
    return len(shared) > 1 or any(word.isdigit() for word in shared)
