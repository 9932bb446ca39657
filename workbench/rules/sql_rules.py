"""All rules of a SQL text."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from workbench.rules.clause import Clause
from workbench.rules.rule import Kind, Rule
from workbench.rules.scopes import queries
from workbench.rules.sql_limits import limit_rules
from workbench.rules.sql_rows import grain_rules, row_rules
from workbench.rules.sql_values import value_rules
from workbench.rules.sql_windows import window_rules

_EXTRACTORS = (value_rules, limit_rules, window_rules, row_rules)


def rules_of_sql(sql: str, file: str = "") -> list[Rule]:
    """Every rule, by line. What does not parse as a query gives none; never raises."""
    found: list[Rule] = []
    for query in queries(sql):
        for scope in query.scopes:
            clause = Clause(query, scope, file)
            found += _of_scope(clause)
            found += grain_rules(clause, scope is query.scopes[-1])
    return sorted(dict.fromkeys(found), key=lambda rule: rule.line)


def _of_scope(clause: Clause) -> Iterator[Rule]:
    inner = {id(other.expression) for other in clause.query.scopes if other is not clause.scope}
    top = clause.scope.expression
    for node in top.walk(prune=lambda item: id(item) in inner):
        if id(node) in inner or isinstance(node, exp.Literal | exp.Identifier | exp.Column):
            continue
        for extractor in _EXTRACTORS:
            yield from extractor(clause, node)


def counted(rules: list[Rule]) -> dict[Kind, int]:
    """How many rules there are of each kind."""
    return {kind: sum(rule.kind is kind for rule in rules) for kind in Kind}
