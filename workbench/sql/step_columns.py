"""Columns of the steps of a derivation, and what a SELECT over them names that no step has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from workbench.sql.parse import parse

Columns = list[str] | None
"""Names in order, lower-case; None where they cannot be told from the text."""
_NOWHERE: Mapping[str, Sequence[str]] = {}


def step_columns(sql: str, tables: Mapping[str, Sequence[str]] = _NOWHERE) -> dict[str, Columns]:
    """The columns of each step (CTE) of the first statement; ``tables`` are those of qualified tables."""
    statements = parse(sql).statements
    tree = statements[0].tree if statements else None
    known: dict[str, Columns] = {name: list(columns) for name, columns in tables.items()}
    found: dict[str, Columns] = {}
    for step in (tree.args.get("with_") or exp.With(expressions=[])).expressions if tree else []:
        alias = step.args["alias"]
        own = [column.name.lower() for column in alias.columns]
        found[step.alias.lower()] = known[step.alias.lower()] = own or _given(step.this, known)
    return found


def given_columns(select: str, known: Mapping[str, Columns]) -> Columns:
    """The columns that one SELECT over tables and steps of ``known`` gives."""
    statements = parse(select).statements
    return _given(statements[0].tree, known) if len(statements) == 1 else None


def unknown_columns(select: str, known: Mapping[str, Columns]) -> list[str]:
    """What one SELECT without subqueries names and none of its sources has; nothing where that is unknown."""
    statements = parse(select).statements
    tree = statements[0].tree if len(statements) == 1 else None
    if not isinstance(tree, exp.Select):
        return []
    sources = dict(_sources(tree, known))
    everywhere = {name for columns in sources.values() for name in columns or ()}
    if any(columns is None for columns in sources.values()):
        return []
    aliases = {item.alias.lower() for item in tree.expressions if item.alias}
    told = []
    for column in tree.find_all(exp.Column):
        names = [part.name.lower() for part in column.parts]
        inside = sources.get(names[0])
        if inside is not None and len(names) > 1:
            if names[1] not in [*inside, "*"]:
                told.append(".".join(names[:2]))
        elif names[0] not in everywhere | aliases | {"*"}:
            told.append(names[0])
    return list(dict.fromkeys(told))


def _given(query: exp.Expr | None, known: Mapping[str, Columns]) -> Columns:
    if isinstance(query, exp.SetOperation):
        return _given(query.this, known)
    if isinstance(query, exp.Subquery):
        return _given(query.this, known)
    if not isinstance(query, exp.Select):
        return None
    sources = dict(_sources(query, known))
    found: list[str] = []
    for item in query.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if not isinstance(star, exp.Star):
            found.append(item.alias_or_name.lower())
            continue
        chosen = [item.table.lower()] if isinstance(item, exp.Column) else list(sources)
        left_out = {name.name.lower() for name in star.args.get("except_") or []}
        for source in chosen:
            columns = sources.get(source)
            if columns is None:
                return None
            found += [name for name in columns if name not in left_out]
    return list(dict.fromkeys(found))


def _sources(query: exp.Select, known: Mapping[str, Columns]) -> Iterator[tuple[str, Columns]]:
    """What stands behind FROM and JOIN, by the name that columns are qualified with."""
    parts = [query.args.get("from_"), *(query.args.get("joins") or [])]
    for part in parts:
        source = part.this if part is not None else None
        if isinstance(source, exp.Table):
            name = f"{source.db}.{source.name}".lstrip(".").lower()
            yield source.alias_or_name.lower(), known.get(name)
        elif isinstance(source, exp.Subquery):
            yield source.alias.lower(), _given(source.this, known)
        elif source is not None:
            yield source.alias_or_name.lower(), None
