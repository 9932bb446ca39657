"""Which rows there are, which one is taken, and what stands where nothing was recorded."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from workbench.rules.clause import Clause, constant, plain, turned_round
from workbench.rules.rule import Kind, Rule
from workbench.rules.scopes import table_name

_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Min: "lowest",
    exp.Max: "highest",
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.First: "first",
    exp.Last: "last",
    exp.FirstValue: "first",
    exp.LastValue: "last",
    exp.ArgMin: "lowest",
    exp.ArgMax: "highest",
    exp.Median: "median",
    exp.Least: "lowest",
    exp.Greatest: "highest",
    exp.Lag: "previous",
    exp.Lead: "next",
}


def row_rules(clause: Clause, node: exp.Expr) -> Iterator[Rule]:
    """Rules of one expression: an aggregate, a default, an order, a join, a source."""
    word = _AGGREGATES.get(type(node))
    if word is not None and node.find(exp.Column):
        yield clause.rule(Kind.AGGREGATE, node, clause.subject(node), "take", word, about=clause.around(node))
    elif isinstance(node, exp.Coalesce):
        yield from _default(clause, node)
    elif isinstance(node, exp.Case):
        default = node.args.get("default")
        literal = constant(default)
        if literal is not None and default is not None:
            name = clause.around(node) or clause.subject(node)
            yield clause.rule(Kind.MISSING, default, name, "else", literal)
    elif isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        operator = "is present" if turned_round(node) else "is missing"
        yield clause.rule(
            Kind.MISSING, node, clause.subject(node.this), operator, "", about=clause.around(node)
        )
    elif isinstance(node, exp.Ordered) and isinstance(node.parent, exp.Order):
        yield from _ordered(clause, node)
    elif isinstance(node, exp.Join):
        yield from _join(clause, node)
    elif isinstance(node, exp.Table) and node.db and isinstance(node.parent, exp.From | exp.Join):
        yield clause.rule(Kind.SOURCE, node, table_name(node), "read", node.name.lower())


def grain_rules(clause: Clause, outermost: bool) -> Iterator[Rule]:
    """What one row of this query is: its groups; for the result its key columns."""
    query = clause.scope.expression
    group = query.args.get("group")
    keys = [clause.origin(item).names[:1] for item in group.expressions] if group is not None else []
    names = [key[0] for key in keys if key]
    if names:
        yield clause.rule(Kind.GRAIN, group or query, " ".join(names), "one row per", ", ".join(names))
    elif outermost and isinstance(query, exp.Select):
        given = [name.lower() for name in query.named_selects if name.lower().endswith("id")]
        if given:
            yield clause.rule(Kind.GRAIN, query, " ".join(given), "one row per", ", ".join(given))


def _default(clause: Clause, node: exp.Coalesce) -> Iterator[Rule]:
    *_, final = [node.this, *node.expressions]
    literal = constant(final)
    if literal is not None:
        about = clause.around(node)
        yield clause.rule(Kind.MISSING, node, clause.subject(node.this), "else", literal, about=about)
    else:
        chosen = clause.subject(final)
        yield clause.rule(
            Kind.MISSING, node, clause.subject(node.this), "else", chosen, about=clause.around(node)
        )


def _ordered(clause: Clause, node: exp.Ordered) -> Iterator[Rule]:
    """One term of an order that decides which row is taken: inside a window or of DISTINCT ON."""
    window = node.find_ancestor(exp.Window, exp.Select)
    ranks = isinstance(window, exp.Window) and isinstance(
        plain(window.this),
        exp.RowNumber | exp.Rank | exp.DenseRank | exp.First | exp.FirstValue | exp.Last | exp.LastValue,
    )
    distinct = isinstance(window, exp.Select) and window.args.get("distinct") is not None
    aggregate = node.find_ancestor(exp.AggFunc, exp.Select)
    if not ranks and not distinct and not isinstance(aggregate, exp.AggFunc):
        return
    value = "largest first" if node.args.get("desc") else "smallest first"
    yield clause.rule(Kind.TIE, node, clause.subject(node.this), "order", value, about=clause.around(node))


def _join(clause: Clause, node: exp.Join) -> Iterator[Rule]:
    """Whether rows without a partner stay: told by the table that is joined."""
    name = node.this.alias_or_name.lower()
    side = (node.side or "").upper()
    if side in ("LEFT", "FULL", "RIGHT"):
        yield clause.rule(Kind.MISSING, node, name, "no partner", "kept")
