"""Limits on numbers and what they yield, and changes of unit."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from workbench.rules.clause import Clause, constant, is_number, plain
from workbench.rules.rule import Kind, Rule
from workbench.rules.sql_values import is_item
from workbench.rules.sql_windows import is_duration

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.EQ: "=",
    exp.NEQ: "not",
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MANY_ROUND_DIGITS = 12


def limit_rules(clause: Clause, node: exp.Expr) -> Iterator[Rule]:
    """Rules of one comparison with a number, and of one multiplication, division or rounding by one."""
    operator = _OPERATORS.get(type(node))
    if operator is not None:
        left, right = node.this, node.expression
        if is_number(right):
            yield from _limit(clause, node, left, operator, right)
        elif is_number(left):
            yield from _limit(clause, node, right, _TURNED.get(operator, operator), left)
    elif isinstance(node, exp.Between) and is_number(node.args["low"]):
        yield from _limit(clause, node, node.this, ">=", node.args["low"])
        yield from _limit(clause, node, node.this, "<=", node.args["high"])
    elif isinstance(node, exp.In):
        for value in node.expressions:
            if is_number(value):
                yield from _limit(clause, node, node.this, "=", value)
    elif isinstance(node, exp.Mul | exp.Div):
        yield from _scaled(clause, node)
    elif isinstance(node, exp.Round):
        digits = constant(node.args.get("decimals")) or "0"
        yield clause.rule(
            Kind.UNIT, node, clause.subject(node), "round", digits, unit="decimals", about=clause.around(node)
        )


def yielded(node: exp.Expr) -> str:
    """What the CASE branch gives that ``node`` is a condition of; empty where it gives no constant."""
    child, parent = node, node.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(parent, exp.If):
            return (constant(parent.args.get("true")) or "") if parent.this is child else ""
        child, parent = parent, parent.parent
    return ""


def _limit(
    clause: Clause, node: exp.Expr, operand: exp.Expr, operator: str, value: exp.Expr
) -> Iterator[Rule]:
    literal = constant(value) or ""
    origin = clause.origin(operand)
    if is_item(origin, literal) or is_duration(clause, operand) or is_number(operand):
        return
    about = clause.around(node)
    yield clause.rule(
        Kind.THRESHOLD, node, clause.subject(operand), operator, literal, gives=yielded(node), about=about
    )


def _scaled(clause: Clause, node: exp.Mul | exp.Div) -> Iterator[Rule]:
    for operand, factor in ((node.this, node.expression), (node.expression, node.this)):
        if not is_number(factor) or is_number(operand) or isinstance(plain(operand), exp.Interval):
            continue
        if constant(factor) == "1":
            continue
        turned = isinstance(node, exp.Div) and factor is node.expression
        operator = "divide by" if turned else "times"
        about = clause.around(node)
        yield clause.rule(
            Kind.UNIT, node, clause.subject(operand), operator, constant(factor) or "", about=about
        )
