"""Values that rows are chosen by: items, diagnosis codes, texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from workbench.rules.clause import Clause, constant, plain, turned_round
from workbench.rules.rule import Kind, Rule
from workbench.rules.scopes import Origin

_CODE = re.compile(r"^[A-Z]?\d{1,2}[0-9A-Z]{0,5}$")
_EQUAL = (exp.EQ, exp.NEQ, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ)
_PATTERNS = (
    exp.Like,
    exp.ILike,
    exp.SimilarTo,
    exp.RegexpLike,
    exp.RegexpILike,
    exp.StartsWith,
    exp.Contains,
)
ITEM_DIGITS = 5


def value_rules(clause: Clause, node: exp.Expr) -> Iterator[Rule]:
    """Rules of one comparison with a literal, or of one row of VALUES."""
    if isinstance(node, exp.In):
        for value in node.expressions:
            yield from _compared(clause, node, node.this, value)
    elif isinstance(node, _EQUAL):
        yield from _compared(clause, node, node.this, node.expression)
        if not isinstance(node.expression, exp.Column):
            return
        yield from _compared(clause, node, node.expression, node.this)
    elif isinstance(node, _PATTERNS):
        yield from _pattern(clause, node)
    elif isinstance(node, exp.Between):
        yield from _range(clause, node)
    elif isinstance(node, exp.If):
        yield from _given(clause, node.args.get("true"))
    elif isinstance(node, exp.Case):
        yield from _given(clause, node.args.get("default"))
    elif isinstance(node, exp.Tuple) and isinstance(node.parent, exp.Values):
        yield from _listed(clause, node)


def is_item(origin: Origin, value: str) -> bool:
    """Whether a number compared with that column is an item's."""
    return any("itemid" in name for name in origin.names) or (value.isdigit() and len(value) > ITEM_DIGITS)


def _compared(clause: Clause, node: exp.Expr, operand: exp.Expr, value: exp.Expr) -> Iterator[Rule]:
    literal = constant(value)
    if literal is None or not isinstance(plain(operand), exp.Column | exp.Func | exp.Case):
        return
    origin = clause.origin(operand)
    negated = isinstance(node, exp.NEQ | exp.NullSafeNEQ) or turned_round(node)
    operator = "not" if negated else "="
    where = origin.table or clause.subject(operand)
    if is_item(origin, literal):
        yield clause.rule(Kind.ITEM, value, where, operator, literal, about=clause.around(node))
    elif isinstance(value, exp.Literal) and value.is_string:
        kind = Kind.CODE if _is_code(origin) else Kind.TEXT
        about = clause.around(node)
        yield clause.rule(kind, value, clause.subject(operand), operator, literal, about=about)


def _is_code(origin: Origin) -> bool:
    return any("icd" in name for name in origin.names)


def _pattern(clause: Clause, node: exp.Expr) -> Iterator[Rule]:
    literal = constant(node.expression if node.expression else None)
    if literal is None:
        return
    origin = clause.origin(node.this)
    operator = "not like" if turned_round(node) else "like"
    shown = literal.strip("%^$")
    kind = Kind.CODE if _is_code(origin) else Kind.TEXT
    at = node.expression
    yield clause.rule(kind, at, clause.subject(node.this), operator, shown, about=clause.around(node))


def _range(clause: Clause, node: exp.Between) -> Iterator[Rule]:
    low, high = node.args["low"], node.args["high"]
    if isinstance(low, exp.Literal) and isinstance(high, exp.Literal) and low.is_string and high.is_string:
        kind = Kind.CODE if _CODE.match(low.name) else Kind.TEXT
        value = code_range(low.name, high.name)
        yield clause.rule(kind, low, clause.subject(node.this), "=", value, about=clause.around(node))
    elif is_item(clause.origin(node.this), constant(low) or ""):
        value = code_range(constant(low) or "", constant(high) or "")
        yield clause.rule(Kind.ITEM, low, clause.origin(node.this).table, "=", value)


def code_range(low: str, high: str) -> str:
    """One code, or the two ends of a range."""
    return low if low == high else f"{low} to {high}"


def _given(clause: Clause, value: exp.Expr | None) -> Iterator[Rule]:
    """A text that a branch of a CASE gives."""
    if isinstance(value, exp.Literal) and value.is_string:
        yield clause.rule(Kind.TEXT, value, clause.around(value), "give", value.name)


def _listed(clause: Clause, row: exp.Tuple) -> Iterator[Rule]:
    """A row of VALUES: codes with their version, else each text."""
    numbers = [item.name for item in row.expressions if isinstance(item, exp.Literal) and not item.is_string]
    texts = [item for item in row.expressions if isinstance(item, exp.Literal) and item.is_string]
    codes = [item for item in texts if _CODE.match(item.name)]
    version = next((name for name in numbers if name in ("9", "10")), "")
    about = " ".join(item.name for item in texts if item not in codes)
    if codes and version:
        value = code_range(codes[0].name, codes[-1].name)
        yield clause.rule(Kind.CODE, codes[0], about, "=", value, unit=f"ICD-{version}")
        return
    for item in row.expressions:
        value = constant(item) or ""
        if value.isdigit() and len(value) > ITEM_DIGITS:
            yield clause.rule(Kind.ITEM, item, about, "=", value)
        elif item in texts and value:
            yield clause.rule(Kind.TEXT, item, about, "=", value)
