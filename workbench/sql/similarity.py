"""How alike two SQL scripts are, whatever their names, literals and layout. Information, no accusation."""

from __future__ import annotations

import re
from itertools import islice

from rapidfuzz import fuzz
from sqlglot import exp

from workbench.sql.parse import Script, parse

MAX_WORDS = 4_000
"""Words of a script that are compared."""


def similarity(sql_a: str, sql_b: str) -> float:
    """Likeness from 0 to 1: share of equal words of the two normalised scripts, in sequence.

    Normalised: names of columns, tables, CTEs and aliases are all one word, literals one word a kind, CTEs
    stand in an order that does not depend on their names. An empty script is like nothing.
    """
    first, second = normalised(sql_a), normalised(sql_b)
    if not first or not second:
        return 0.0
    return fuzz.ratio(first, second) / 100.0


def normalised(sql: str) -> list[str]:
    """Words of a script after normalisation, at most MAX_WORDS."""
    script = parse(sql)
    words: list[str] = []
    for statement in script.statements:
        if statement.tree is None:
            words += _plain_words(statement.text)
        elif not isinstance(statement.tree, exp.Drop | exp.Set | exp.Use):
            words += tree_words(statement.tree)
    return list(islice(words, MAX_WORDS)) if script.statements else _unreadable(script, sql)


def tree_words(tree: exp.Expr) -> list[str]:
    """Words of one statement without its names; of ``CREATE … AS`` and ``COPY (…)`` the query alone."""
    query: exp.Expr | None = (
        tree.find(exp.Query) if isinstance(tree, exp.Create | exp.Copy | exp.Insert) else None
    )
    while isinstance(query, exp.Subquery):
        query = query.this
    body = (query or tree).copy()
    try:
        clauses = list(body.find_all(exp.With))
        for clause in clauses:
            ordered = sorted(clause.expressions, key=lambda item: _shape(item.this))
            clause.set("expressions", ordered)
        text = body.sql(dialect="duckdb", comments=False, normalize=True)
    except (RecursionError, ValueError, AttributeError, TypeError):
        return _plain_words(tree.sql(comments=False))
    return _plain_words(text)


def _shape(node: exp.Expr) -> str:
    """A text that does not depend on names: kinds of nodes in order."""
    return " ".join(type(item).__name__ for item in islice(node.walk(), 2_000))


_WORD = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\d+(?:\.\d+)?|[A-Za-z_]\w*|<>|!=|<=|>=|\|\||::|\S")
_KEYWORDS = {
    "select", "from", "where", "group", "by", "order", "having", "join", "left", "inner", "full", "right",
    "on", "and", "or", "not", "null", "is", "in", "as", "case", "when", "then", "else", "end", "over",
    "partition", "rows", "range", "between", "union", "all", "distinct", "interval", "cast", "with",
    "exists", "qualify", "limit", "asc", "desc", "nulls", "first", "last", "coalesce", "max", "min", "sum",
    "avg", "count", "row_number", "date_trunc", "rank", "lag", "lead", "greatest", "least", "any", "like",
    "ilike", "hour", "day", "minute", "preceding", "following", "unbounded", "using", "cross",
}  # fmt: skip


def _plain_words(text: str) -> list[str]:
    """Words with every name replaced by what it is, so that only structure and functions are left."""
    words = []
    for word in _WORD.findall(text):
        lowered = word.lower()
        if word[0] == "'":
            words.append("text")
        elif word[0].isdigit():
            words.append("number")
        elif lowered in _KEYWORDS or not (word[0].isalpha() or word[0] in '_"'):
            words.append(lowered)
        else:
            words.append("name")
    return words


def _unreadable(script: Script, sql: str) -> list[str]:
    return [] if script.exact else list(islice(_plain_words(sql), MAX_WORDS))
