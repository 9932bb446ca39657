"""Macros of DuckDB: what a call of one stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp


@dataclass(frozen=True)
class Macro:
    """``body``: an expression or a query, in which ``parameters`` stand for what a call gives."""

    name: str
    parameters: tuple[str, ...]
    body: exp.Expr


def macro_of(tree: exp.Expr) -> Macro | None:
    """The macro that a statement creates; None for any other statement."""
    if not isinstance(tree, exp.Create) or not isinstance(tree.this, exp.UserDefinedFunction):
        return None
    body = tree.args.get("expression")
    if not isinstance(body, exp.Expr):
        return None
    names = tuple(item.name.lower() for item in tree.this.expressions)
    return Macro(tree.this.this.name.lower(), names, body)


def expanded(macro: Macro, arguments: Sequence[exp.Expr]) -> exp.Expr:
    """The macro's body with the arguments in place of its parameters."""
    given = {}
    for name, value in zip(macro.parameters, arguments, strict=False):
        given[name] = value.expression if isinstance(value, exp.PropertyEQ) else value

    def filled(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in given:
            return given[node.name.lower()].copy()
        return node

    return macro.body.copy().transform(filled)
