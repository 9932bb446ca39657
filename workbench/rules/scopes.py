"""Names in a query: which stored column, through which names, a column stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from workbench.sql import parse

_ERRORS = (SqlglotError, RecursionError, ValueError, AttributeError, KeyError, IndexError, TypeError)
_DEPTH = 12


@dataclass(frozen=True)
class Origin:
    """``table`` is ``<schema>.<table>``, empty if unknown; ``names`` from the name in the query inward."""

    table: str = ""
    names: tuple[str, ...] = ()

    @property
    def column(self) -> str:
        """The innermost name: that of the stored column."""
        return self.names[-1] if self.names else ""


@dataclass
class Query:
    """One statement with its scopes, innermost first."""

    tree: exp.Expr
    scopes: list[Scope]
    items: dict[int, list[str]] = field(default_factory=dict)
    """Item ids below an expression, by its identity: asked for by every condition of a long chain."""
    _known: dict[tuple[int, str, str], Origin] = field(default_factory=dict)

    def origin(self, column: exp.Column, scope: Scope) -> Origin:
        """Where a column comes from; only its own name where that cannot be told."""
        return self._follow(column.table.lower(), column.name.lower(), scope, 0)

    def _follow(self, table: str, name: str, scope: Scope, depth: int) -> Origin:
        key = (id(scope), table, name)
        if key not in self._known:
            self._known[key] = Origin("", (name,))  # a circle ends here
            self._known[key] = self._found(table, name, scope, depth)
        return self._known[key]

    def _found(self, table: str, name: str, scope: Scope, depth: int) -> Origin:
        source = source_of(table, name, scope)
        if isinstance(source, exp.Table):
            return Origin(table_name(source), (name,))
        if not isinstance(source, Scope) or depth > _DEPTH:
            return Origin("", (name,))
        inner = self._first_branch(source)
        given = next((item for item in _selects(inner) if item.alias_or_name.lower() == name), None)
        if given is None:
            return Origin("", (name,))
        names, stored = [name], ""
        for column in _values(given):
            origin = self._follow(column.table.lower(), column.name.lower(), inner, depth + 1)
            stored = stored or origin.table
            names += [other for other in origin.names if other not in names]
        return Origin(stored, tuple(names))

    def _first_branch(self, scope: Scope) -> Scope:
        """The first SELECT of a UNION; any other scope as it is."""
        body = scope.expression
        while isinstance(body, exp.SetOperation | exp.Subquery):
            body = body.this
        return next((other for other in self.scopes if other.expression is body), scope)


def queries(sql: str) -> list[Query]:
    """Every statement that is a query, or makes a table or a file of one; others left out. Never raises."""
    found = []
    for statement in parse(sql).statements:
        body = query_of(statement.tree)
        if body is None:
            continue
        try:
            found.append(Query(body, traverse_scope(body)))
        except _ERRORS:
            continue
    return found


def query_of(tree: exp.Expr | None) -> exp.Expr | None:
    """The query of a statement: itself, or what it creates, inserts or copies; None for any other."""
    body = tree
    if isinstance(tree, exp.Create | exp.Insert):
        body = tree.expression
    elif isinstance(tree, exp.Copy):
        body = tree.this
    while isinstance(body, exp.Subquery | exp.Paren):
        body = body.this
    return body if isinstance(body, exp.Query) else None


def table_name(table: exp.Table) -> str:
    """``<schema>.<table>`` in lower case, or the table alone."""
    return f"{table.db}.{table.name}".lower().lstrip(".")


def line_of(node: exp.Expr) -> int:
    """The first line that any part of ``node`` is known to stand in; 0 where none is."""
    lines = [int(part.meta["line"]) for part in node.walk() if "line" in part.meta]
    return min(lines, default=0)


def source_of(table: str, name: str, scope: Scope) -> exp.Table | Scope | None:
    """What a column of a query is read from; None where that cannot be told."""
    sources = {alias.lower(): source for alias, source in scope.selected_sources.items()}
    if table:
        chosen = sources.get(table)
        return chosen[1] if chosen else None
    holding = [
        source for _, source in sources.values() if not isinstance(source, Scope) or name in _names(source)
    ]
    return holding[0] if len(holding) == 1 else None


def _values(node: exp.Expr) -> Iterator[exp.Column]:
    """Columns that the value of an expression is made of: not those that only choose rows or branches."""
    choosing = {id(part.expression) for part in node.find_all(exp.Filter)}
    choosing |= {id(part.this) for part in node.find_all(exp.If)}
    for found in node.walk(prune=lambda part: id(part) in choosing):
        if isinstance(found, exp.Column) and id(found) not in choosing:
            yield found


def _selects(scope: Scope) -> list[exp.Expr]:
    body = scope.expression
    return list(body.selects) if isinstance(body, exp.Query) else []


def _names(scope: Scope) -> list[str]:
    body = scope.expression
    return [name.lower() for name in body.named_selects] if isinstance(body, exp.Query) else []
