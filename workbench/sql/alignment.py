"""Which parts of two SQL scripts are alike: by shapes of their syntax trees, and part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz
from sqlglot import exp

from workbench.sql.parse import parse
from workbench.sql.similarity import tree_words

MAX_NODES = 4_000
MAX_PARTS = 30
LEAST_WORDS = 12
"""Shorter parts are alike by nature."""
_NAMES = (exp.Identifier, exp.Literal, exp.TableAlias, exp.Boolean, exp.Null, exp.DataType, exp.Var)


@dataclass(frozen=True)
class Aligned:
    """A part of the first script (a CTE, ``query`` for the last SELECT) and its nearest part in the second.

    ``line`` counts from 1 in the first script where it is known; ``likeness`` is from 0 to 1.
    """

    part: str
    line: int | None
    nearest: str
    likeness: float


def tree_likeness(sql_a: str, sql_b: str) -> float:
    """Share of equal shapes from 0 to 1: a node's kind with the kinds below it, without names."""
    first, second = _shapes(sql_a), _shapes(sql_b)
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def aligned(sql_a: str, sql_b: str) -> list[Aligned]:
    """The parts of the first script, each beside the nearest of the second, the most alike first."""
    theirs = _parts(sql_b)
    found = []
    for name, line, words in _parts(sql_a):
        likeness, nearest = max(
            ((fuzz.ratio(words, other) / 100, other_name) for other_name, _, other in theirs),
            default=(0.0, ""),
        )
        found.append(Aligned(name, line, nearest, likeness))
    return sorted(found, key=lambda item: -item.likeness)


@lru_cache(maxsize=64)
def _shapes(sql: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for tree in _trees(sql):
        for node in islice(tree.walk(), MAX_NODES):
            if not isinstance(node, _NAMES):
                below = sorted(type(item).__name__ for item in node.iter_expressions())
                found[f"{type(node).__name__}({' '.join(below)})"] += 1
    return found


@lru_cache(maxsize=64)
def _parts(sql: str) -> list[tuple[str, int | None, tuple[str, ...]]]:
    found = []
    for tree in _trees(sql):
        for name, line, part in islice(_each(tree), MAX_PARTS):
            words = tuple(tree_words(part))
            if len(words) >= LEAST_WORDS:
                found.append((name, line, words))
    return found


def _each(tree: exp.Expr) -> Iterator[tuple[str, int | None, exp.Expr]]:
    for step in tree.find_all(exp.CTE):
        yield step.alias, _line(step), step.this
    last = tree.find(exp.Query)
    if last is not None:
        bare = last.copy()
        bare.set("with_", None)
        yield "query", None, bare


def _line(step: exp.CTE) -> int | None:
    alias = step.args.get("alias")
    line = alias.this.meta.get("line") if isinstance(alias, exp.TableAlias) and alias.this else None
    return line if isinstance(line, int) else None


def _trees(sql: str) -> list[exp.Expr]:
    return [item.tree for item in parse(sql).statements if item.tree is not None]
