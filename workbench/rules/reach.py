"""Which lines of a script each column of its result is worked out by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from workbench.rules.scopes import query_of, source_of
from workbench.sql import parse

_ERRORS = (SqlglotError, RecursionError, ValueError, AttributeError, KeyError, IndexError, TypeError)
_CHOOSING = ("where", "group", "having", "qualify", "distinct", "order")
"""Clauses that decide which rows a SELECT gives, for all of its columns."""


def lines_by_column(script: str) -> dict[str, frozenset[int]]:
    """Column of the last query, in lower case, to the lines (from 1) that have a part in its values.

    Followed through CTEs, subqueries, and tables and views that the script itself makes: the expressions of
    the column, and what chooses and joins the rows that these read. A join that keeps all rows (LEFT JOIN)
    has a part only in columns that read what it brings. Empty for SQL that cannot be read so; never raises.
    """
    made: dict[str, list[Scope]] = {}
    last: list[Scope] = []
    try:
        for statement in parse(script).statements:
            tree = statement.tree
            body = query_of(tree)
            if body is None:
                continue
            last = traverse_scope(body)
            if isinstance(tree, exp.Create) and last:
                made[tree.this.find(exp.Table).name.lower()] = last
        return _Reach(made).columns(last[-1]) if last else {}
    except _ERRORS:
        return {}


@dataclass
class _Reach:
    """``made``: scopes of what the script makes, by its name, innermost first."""

    made: dict[str, list[Scope]]
    _known: dict[tuple[int, str], set[int]] = field(default_factory=dict)

    def columns(self, scope: Scope) -> dict[str, frozenset[int]]:
        body = scope.expression
        names = body.named_selects if isinstance(body, exp.Query) else []
        return {name.lower(): frozenset(self._of(scope, name.lower())) for name in names}

    def _of(self, scope: Scope, name: str) -> set[int]:
        """All lines behind one column, each column of a scope looked at once."""
        lines: set[int] = set()
        seen: set[tuple[int, str]] = set()
        waiting = [(scope, name)]
        while waiting:
            here, column = waiting.pop()
            if (id(here), column) in seen:
                continue
            seen.add((id(here), column))
            for node in _worked_out_by(here, column):
                lines |= _lines(node)
                waiting += self._read(here, node, column)
            waiting += [(part, column) for part in here.set_operation_scopes or []]
        return lines

    def _read(self, scope: Scope, node: exp.Expr, name: str) -> Iterator[tuple[Scope, str]]:
        """What an expression reads; ``name``: the column that a ``*`` stands for."""
        for found in node.find_all(exp.Column, exp.Star):
            if isinstance(found, exp.Star):
                yield from self._behind_star(scope, found, name)
                continue
            if not isinstance(found, exp.Column) or isinstance(found.this, exp.Star):
                continue
            table, column = found.table.lower(), found.name.lower()
            if found.db and table not in _aliases(scope):  # a field of a struct: source.column.field
                table, column = found.db.lower(), table
            source = self._scope(source_of(table, column, scope))
            if source is not None and _gives(source, column):
                yield source, column
            elif not table and _names_itself(scope, column):
                yield scope, column

    def _behind_star(self, scope: Scope, star: exp.Star, name: str) -> Iterator[tuple[Scope, str]]:
        owner = star.parent.table.lower() if isinstance(star.parent, exp.Column) else ""
        for alias in [owner] if owner else _aliases(scope):
            source = self._scope(source_of(alias, name, scope))
            if source is not None and _gives(source, name):
                yield source, name

    def _scope(self, source: exp.Table | Scope | None) -> Scope | None:
        if isinstance(source, exp.Table):
            made = self.made.get(source.name.lower())
            return made[-1] if made else None
        return source


def _aliases(scope: Scope) -> list[str]:
    return [alias.lower() for alias in scope.selected_sources]


def _gives(scope: Scope, name: str) -> bool:
    query = scope.expression
    names = [item.lower() for item in query.named_selects] if isinstance(query, exp.Query) else []
    return name in names or "*" in names


def _names_itself(scope: Scope, name: str) -> bool:
    """Whether a SELECT gives a column that its own clauses call by that name."""
    query = scope.expression
    return isinstance(query, exp.Select) and any(
        item.alias.lower() == name for item in query.selects if isinstance(item, exp.Alias)
    )


def _worked_out_by(scope: Scope, column: str) -> list[exp.Expr]:
    """Expressions of one SELECT that decide a column's values: its own, those that choose rows, joins."""
    query = scope.expression
    if not isinstance(query, exp.Select):
        return []
    own = [item for item in query.selects if item.alias_or_name.lower() == column]
    own = own or [item for item in query.selects if item.is_star]
    used = {part.table.lower() for item in own for part in item.find_all(exp.Column)}
    joins = [
        join
        for join in query.args.get("joins") or []
        if join.side not in ("LEFT", "FULL") or join.alias_or_name.lower() in used or "" in used
    ]
    conditions = [part for join in joins if (part := join.args.get("on")) is not None]
    clauses = [part for name in _CHOOSING if isinstance(part := query.args.get(name), exp.Expr)]
    return [*own, *conditions, *clauses, *(query.args.get("windows") or [])]


def _lines(node: exp.Expr) -> set[int]:
    """All lines from the first to the last that a part of ``node`` is known to stand in."""
    lines = [int(part.meta["line"]) for part in node.walk() if "line" in part.meta]
    return set(range(min(lines), max(lines) + 1)) if lines else set()
