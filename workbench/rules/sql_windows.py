"""Windows in time: intervals added to an anchor, differences of times, which side is open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from workbench.rules.clause import Clause, constant, is_number, plain
from workbench.rules.rule import Kind, Rule, hour_unit, hours

_COMPARED: dict[type[exp.Expr], str] = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_DIFFERENCES = (exp.DateDiff, exp.TimestampDiff, exp.DatetimeDiff, exp.TimeDiff)
_TIME = re.compile(r"(?:time|date|offset|intime|outtime|starts|ends|_at|hour|minute)s?$")
_OFFSET = re.compile(r"offset")


def window_rules(clause: Clause, node: exp.Expr) -> Iterator[Rule]:
    """Rules of one interval, of one comparison of durations, and of one comparison of two times."""
    if isinstance(node, exp.Interval):
        yield from _interval(clause, node)
    elif isinstance(node, exp.Between):
        yield from _between(clause, node)
    elif type(node) in _COMPARED:
        yield from _compared(clause, node)


def is_duration(clause: Clause, operand: exp.Expr) -> bool:
    """Whether a number compared with it is a length of time."""
    return _unit(clause, operand) != ""


def _unit(clause: Clause, operand: exp.Expr) -> str:
    inner = plain(operand)
    for found in inner.find_all(*_DIFFERENCES):
        unit = found.args.get("unit")
        return unit.name.lower() if unit is not None else "day"
    names = clause.origin(inner).names if isinstance(inner, exp.Column) else ()
    if any(_OFFSET.search(name) for name in names):
        return "minute"
    if any(re.search(r"(?:^|_)(?:hours|hr)(?:_|$)", name) for name in names[:1]):
        return "hour"
    return ""


def _interval(clause: Clause, node: exp.Interval) -> Iterator[Rule]:
    amount, unit = constant(node.this), node.args.get("unit")
    if amount is None or unit is None:
        return
    parent = node.parent
    anchor = parent.this if isinstance(parent, exp.Add | exp.Sub) and parent.this is not node else None
    sign = "before" if isinstance(parent, exp.Sub) else "after"
    asked = parent.find_ancestor(*_COMPARED, exp.Between) if parent is not None else None
    operator = _length_operator(node, asked) or sign
    subject = clause.subject(anchor) if anchor is not None else ""
    about = clause.around(node) + (f" {clause.subject(asked.this)}" if asked is not None else "")
    length = hours(amount, unit.name)
    yield clause.rule(
        Kind.WINDOW, node, subject or "elapsed time", operator, length, unit=hour_unit(length), about=about
    )


def _length_operator(node: exp.Interval, asked: exp.Expr | None) -> str:
    """``<=`` where the time from the anchor may be at most the interval: by the comparison around it."""
    if asked is None or node.find_ancestor(exp.Select, exp.Case) is not asked.find_ancestor(
        exp.Select, exp.Case
    ):
        return ""
    if isinstance(asked, exp.Between):
        holds = [name for name in ("low", "high") if any(part is node for part in asked.args[name].walk())]
        operator = {"low": ">=", "high": "<="}.get(holds[0] if holds else "", "")
    else:
        operator = _COMPARED[type(asked)]
        if any(part is node for part in asked.this.walk()):
            operator = _TURNED[operator]
    return _TURNED.get(operator, "") if isinstance(node.parent, exp.Sub) else operator


def _between(clause: Clause, node: exp.Between) -> Iterator[Rule]:
    low, high = node.args["low"], node.args["high"]
    unit = _unit(clause, node.this)
    if is_number(low) and unit:
        for operator, bound in ((">=", low), ("<=", high)):
            yield _length(clause, node, node.this, operator, bound, unit)
    elif _is_time(node.this) and not is_number(low):
        yield _side(clause, node, node.this, low, ">=")
        yield _side(clause, node, node.this, high, "<=")


def _compared(clause: Clause, node: exp.Expr) -> Iterator[Rule]:
    left, right, operator = node.this, node.expression, _COMPARED[type(node)]
    for operand, bound, sign in ((left, right, operator), (right, left, _TURNED[operator])):
        unit = _unit(clause, operand)
        if is_number(bound) and unit:
            yield _length(clause, node, operand, sign, bound, unit)
            return
    if _is_time(left) and not is_number(right) and right.find(exp.Column):
        yield _side(clause, node, left, right, operator)


def _length(
    clause: Clause, node: exp.Expr, operand: exp.Expr, operator: str, bound: exp.Expr, unit: str
) -> Rule:
    value = hours(constant(bound) or "", unit)
    ends = " ".join(clause.subject(column) for column in operand.find_all(exp.Column))
    about = f"{ends} {clause.around(node)}"
    return clause.rule(
        Kind.WINDOW, node, clause.subject(operand), operator, value, unit=hour_unit(value), about=about
    )


def _side(clause: Clause, node: exp.Expr, operand: exp.Expr, bound: exp.Expr, operator: str) -> Rule:
    """Whether a moment on the bound itself belongs to the window."""
    which = "start" if operator[0] == ">" else "end"
    value = "included" if operator.endswith("=") else "excluded"
    about = f"{clause.subject(bound)} {clause.around(node)}"
    return clause.rule(Kind.WINDOW, node, clause.subject(operand), which, value, about=about)


def _is_time(node: exp.Expr) -> bool:
    inner = plain(node)
    return isinstance(inner, exp.Column) and bool(_TIME.search(inner.name.lower()))
