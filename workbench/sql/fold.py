"""Constant text of SQL expressions: ``'a' || 'b'``, ``concat``, ``lower`` and the like."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

MAX_DEPTH = 60
_NOTHING: Mapping[str, str] = {}


def fold(node: exp.Expr | None, variables: Mapping[str, str] = _NOTHING, depth: int = 0) -> str | None:
    """The text that the expression always has, or None. ``variables``: DuckDB's ``SET VARIABLE`` values."""
    if node is None or depth > MAX_DEPTH:
        return None
    if isinstance(node, exp.Literal | exp.RawString | exp.Identifier | exp.Var | exp.ByteString):
        return node.name
    if isinstance(node, exp.Paren | exp.Cast | exp.TryCast | exp.Alias):
        return fold(node.this, variables, depth + 1)
    if isinstance(node, exp.Concat | exp.ConcatWs):
        pieces = [fold(item, variables, depth + 1) for item in node.expressions]
        return _join(pieces, by_first=isinstance(node, exp.ConcatWs))
    if isinstance(node, exp.DPipe | exp.Add):
        return _join([fold(item, variables, depth + 1) for item in (node.this, node.expression)])
    if isinstance(node, exp.Chr | exp.Cast) and node.find(exp.Column):
        return None
    if isinstance(node, exp.Lower | exp.Upper | exp.Trim | exp.Reverse | exp.Coalesce):
        inner = fold(node.this, variables, depth + 1)
        return None if inner is None else _CHANGES[type(node)](inner)
    if isinstance(node, exp.Replace):
        parts = [
            fold(item, variables, depth + 1)
            for item in (node.this, node.args.get("expression"), node.args.get("replacement"))
        ]
        whole, old, new = parts
        return whole.replace(old, new) if whole is not None and old and new is not None else None
    if isinstance(node, exp.Chr):
        codes = [fold(item, variables, depth + 1) for item in node.expressions]
        return "".join(chr(int(code)) for code in codes if code and code.isdigit() and int(code) < 0x110000)
    if isinstance(node, exp.Anonymous) and isinstance(folded := node.args.get("folded"), str):
        return folded
    if isinstance(node, exp.Anonymous) and node.name.lower() == "getvariable" and node.expressions:
        name = fold(node.expressions[0], variables, depth + 1)
        return variables.get(name.lower()) if name else None
    return None


def fold_all(node: exp.Expr | None, variables: Mapping[str, str] = _NOTHING) -> list[str | None]:
    """Texts of a list, or the one text of anything else; None for each that is not constant."""
    if isinstance(node, exp.Array | exp.Tuple):
        return [fold(item, variables) for item in node.expressions]
    return [fold(node, variables)]


def _join(pieces: list[str | None], *, by_first: bool = False) -> str | None:
    known = [piece for piece in pieces if piece is not None]
    if len(known) != len(pieces) or not known:
        return None
    return known[0].join(known[1:]) if by_first else "".join(known)


_CHANGES: dict[type[exp.Expr], Callable[[str], str]] = {
    exp.Lower: str.lower,
    exp.Upper: str.upper,
    exp.Trim: str.strip,
    exp.Reverse: lambda text: text[::-1],
    exp.Coalesce: lambda text: text,
}
