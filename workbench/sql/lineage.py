"""How each column of a query is worked out of stored ones: two columns of one form say the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from workbench.sql.parse import parse

_ENDS = (exp.Max, exp.Min, exp.AnyValue, exp.First, exp.Last, exp.FirstValue, exp.LastValue)
"""Aggregates that give one of the values as it is."""
_PLAIN = (exp.Alias, exp.Paren, exp.Cast, exp.TryCast, exp.Round, exp.Floor, exp.Ceil, exp.Neg)
_BY_CONSTANT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Nullif)
_ERRORS = (SqlglotError, RecursionError, ValueError, AttributeError, KeyError, IndexError, TypeError)


@dataclass(frozen=True)
class Derivation:
    """``form``: equal for columns worked out alike, whatever their names.

    ``computed``: a constant takes part, such as an item's code or a limit; else a stored value as it is.
    """

    form: str
    computed: bool = False


Derivations = Mapping[str, Derivation]
"""Column to how it is worked out."""
_NOTHING: Mapping[str, Derivations] = {}


def derivations(
    script: str, tables: Mapping[str, Sequence[str]], known: Mapping[str, Derivations] = _NOTHING
) -> dict[str, Derivation]:
    """The columns that the last query of a script gives, in lower case, each with its derivation.

    ``tables``: columns of stored tables by ``<schema>.<table>``; ``known``: derivations of derived tables,
    through which columns are followed. Casts, rounding, a constant added or a default, and the highest or
    lowest of several values make no difference; which rows are read makes one for sums and counts only.
    Empty for SQL that cannot be read so; never raises.
    """
    query = _last_query(script)
    if query is None:
        return {}
    columns = {name: tuple(names) for name, names in tables.items()}
    columns |= {name: tuple(found) for name, found in known.items() if found}
    try:
        qualified = qualify(
            query,
            dialect="duckdb",
            schema=_schema(columns),
            expand_alias_refs=False,
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        scope = build_scope(qualified)
        if scope is None:
            return {}
        reader = _Reader(known)
        return {name.lower(): reader.column(scope, name.lower()) for name in query_names(qualified)}
    except _ERRORS:
        return {}


def query_names(query: exp.Expr) -> list[str]:
    """Names of the columns that a query gives, in order."""
    return list(query.named_selects) if isinstance(query, exp.Query) else []


def _last_query(script: str) -> exp.Expr | None:
    found: exp.Expr | None = None
    for statement in parse(script).statements:
        tree = statement.tree
        if isinstance(tree, exp.Create) and isinstance(tree.expression, exp.Query):
            found = tree.expression
        elif isinstance(tree, exp.Query):
            found = tree
    return found


def _schema(columns: Mapping[str, Sequence[str]]) -> dict[str, object]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for name, names in columns.items():
        schema, _, table = name.rpartition(".")
        found.setdefault(schema, {})[table] = dict.fromkeys(names, "UNKNOWN")
    return dict(found)


class _Reader:
    def __init__(self, known: Mapping[str, Derivations]) -> None:
        self._known = known
        self._found: dict[tuple[int, str], Derivation] = {}

    def column(self, scope: Scope, name: str) -> Derivation:
        key = (id(scope), name)
        if key not in self._found:
            self._found[key] = Derivation("itself")
            self._found[key] = self._given(scope, name)
        return self._found[key]

    def _given(self, scope: Scope, name: str) -> Derivation:
        query = scope.expression
        if isinstance(query, exp.SetOperation):
            place = [other.lower() for other in query_names(query)].index(name)
            parts = {
                self.column(part, query_names(part.expression)[place].lower())
                for part in scope.set_operation_scopes
            }
            return _joined(parts)
        for item in query.selects if isinstance(query, exp.Select) else ():
            if item.alias_or_name.lower() == name:
                return self._expression(scope, item)
        return Derivation(f"unknown {name}")

    def _expression(self, scope: Scope, node: exp.Expr) -> Derivation:
        node = _bare(node)
        if isinstance(node, exp.Column):
            return self._source(scope, node)
        node = node.copy()
        computed = node.find(exp.Literal) is not None
        for column in list(node.find_all(exp.Column)):
            known = self._source(scope, column)
            computed = computed or known.computed
            column.replace(exp.column(known.form))
        parts = [_text(node)]
        if _depends_on_rows(node):
            parts += [self._text_of(scope, clause) for clause in _clauses(scope.expression)]
        return Derivation(_digest(*parts), computed)

    def _text_of(self, scope: Scope, clause: exp.Expr) -> str:
        clause = clause.copy()
        for column in list(clause.find_all(exp.Column)):
            column.replace(exp.column(self._source(scope, column).form))
        return _text(clause)

    def _source(self, scope: Scope, column: exp.Column) -> Derivation:
        name = column.name.lower()
        source = scope.sources.get(column.table)
        if isinstance(source, Scope):
            return self.column(source, name)
        if isinstance(source, exp.Table):
            table = f"{source.db}.{source.name}".lower()
            return self._known.get(table, {}).get(name) or Derivation(_digest(table, name))
        query = scope.expression
        if not column.table and isinstance(query, exp.Select):
            for item in query.selects:
                if item.alias_or_name.lower() == name:
                    return self.column(scope, name)
        return self._source(scope.parent, column) if scope.parent else Derivation(_digest("unknown", name))


def _bare(node: exp.Expr) -> exp.Expr:
    """The expression without what changes a value trivially."""
    while True:
        one_of_them = isinstance(node, exp.Window) and isinstance(node.this, _ENDS)
        if one_of_them or isinstance(node, (*_PLAIN, *_ENDS)):
            node = node.this
        elif isinstance(node, exp.Coalesce) and len({_text(item) for item in _values(node)}) == 1:
            node = _values(node)[0]
        elif isinstance(node, _BY_CONSTANT) and _constant(node.expression):
            node = node.this
        elif isinstance(node, exp.Add | exp.Mul) and _constant(node.this):
            node = node.expression
        else:
            return node


def _values(node: exp.Coalesce) -> list[exp.Expr]:
    """What a COALESCE chooses from, without constants."""
    return [item for item in (node.this, *node.expressions) if not _constant(item)]


def _constant(node: exp.Expr | None) -> bool:
    return node is not None and node.find(exp.Column) is None and node.find(exp.Literal) is not None


def _depends_on_rows(node: exp.Expr) -> bool:
    return any(not isinstance(found, _ENDS) for found in node.find_all(exp.AggFunc))


def _clauses(query: exp.Expr) -> list[exp.Expr]:
    named = [query.args.get(name) for name in ("where", "group", "having")]
    return [clause for clause in (*(query.args.get("joins") or []), *named) if clause is not None]


def _joined(parts: set[Derivation]) -> Derivation:
    if len(parts) == 1:
        return next(iter(parts))
    return Derivation(_digest(*sorted(part.form for part in parts)), any(part.computed for part in parts))


def _text(node: exp.Expr) -> str:
    plain = node.transform(lambda part: _bare(part) if isinstance(part, _PLAIN) else part)
    return plain.sql("duckdb", comments=False).lower()


@lru_cache(maxsize=4096)
def _digest(*parts: str) -> str:
    return "c" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
