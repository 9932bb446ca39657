"""An expression inside its query: what it is about, by the names and items around it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from workbench.rules.lexicon import entities, words
from workbench.rules.rule import Kind, Rule, number
from workbench.rules.scopes import Origin, Query, line_of, table_name

MOST_ITEMS = 4
"""So many items in a condition on the rows say what a value is of; more do not."""
_JOINING = (exp.And, exp.Paren)
_PLAIN = (exp.Paren, exp.Cast, exp.TryCast, exp.Neg, exp.Round, exp.Alias)


@dataclass(frozen=True)
class Clause:
    """One scope of one statement of ``file``."""

    query: Query
    scope: Scope
    file: str

    def rule(
        self,
        kind: Kind,
        node: exp.Expr,
        subject: str,
        operator: str,
        value: str,
        *,
        unit: str = "",
        gives: str = "",
        about: str = "",
    ) -> Rule:
        """A rule at the line of ``node``; ``about`` adds to the words of its subject."""
        line = line_of(node) or line_of(self.scope.expression)
        found = entities(value) if kind is Kind.GRAIN else words(f"{subject} {about} {self._parts(node)}")
        return Rule(kind, subject, operator, value, unit, gives, self.file, line, found)

    def _items(self, node: exp.Expr | None) -> list[str]:
        """Item ids in an expression."""
        if node is None:
            return []
        if id(node) not in self.query.items:
            literals = node.find_all(exp.Literal)
            found = [one.name for one in literals if not one.is_string and len(one.name) >= 5]
            self.query.items[id(node)] = found
        return self.query.items[id(node)]

    def _parts(self, node: exp.Expr) -> str:
        """The steps of the derivation that the columns of an expression are read from."""
        named = {column.table.lower() for column in node.find_all(exp.Column)}
        return " ".join(sorted(named & self._steps))

    @property
    def _steps(self) -> set[str]:
        return {
            alias.lower()
            for alias, (_, source) in self.scope.selected_sources.items()
            if isinstance(source, Scope)
        }

    def origin(self, node: exp.Expr | None) -> Origin:
        """The origin of the first column in ``node``."""
        column = node if isinstance(node, exp.Column) else node.find(exp.Column) if node is not None else None
        return self.query.origin(column, self.scope) if column is not None else Origin()

    def subject(self, node: exp.Expr) -> str:
        """What an operand is called: its names inward, in the words of the query."""
        return " ".join(dict.fromkeys(self.origin(node).names)) or plain(node).sql(dialect="duckdb")[:60]

    def around(self, node: exp.Expr) -> str:
        """The name that the expression is given, and the items asked for beside it."""
        named = node.find_ancestor(exp.Alias)
        found = [named.alias] if named is not None else []
        top = node
        while isinstance(top.parent, _JOINING):
            top = top.parent
        beside = node.find_ancestor(exp.Filter, exp.Select)
        chosen = (
            beside.expression if isinstance(beside, exp.Filter) else self.scope.expression.args.get("where")
        )
        found += self._items(top)
        found += few if len(few := self._items(chosen)) <= MOST_ITEMS else []
        tables = [
            table_name(source) if isinstance(source, exp.Table) else ""
            for _, source in self.scope.selected_sources.values()
        ]
        return " ".join([*found, *(name.split(".")[-1] for name in tables if "derived" in name)])


def plain(node: exp.Expr) -> exp.Expr:
    """The expression without brackets, casts, signs and rounding around it."""
    while isinstance(node, _PLAIN):
        node = node.this
    return node


def constant(node: exp.Expr | None) -> str | None:
    """A literal's value as text, numbers in one spelling; None for anything else."""
    if isinstance(node, exp.Paren | exp.Cast):
        return constant(node.this)
    if isinstance(node, exp.Neg):
        inner = constant(node.this)
        return None if inner is None else f"-{inner}"
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else number(node.name)
    return None


def turned_round(node: exp.Expr) -> bool:
    """Whether a NOT stands before a comparison or inside it (``NOT LIKE``)."""
    return isinstance(node.parent, exp.Not) or bool(node.args.get("negate"))


def is_number(node: exp.Expr | None) -> bool:
    """Whether it is a literal number, signed or cast or not."""
    if isinstance(node, exp.Paren | exp.Cast | exp.Neg):
        return is_number(node.this)
    return isinstance(node, exp.Literal) and not node.is_string
