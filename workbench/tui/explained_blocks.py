"""Rules that may explain a wrong column, as rows below the column; texts of SQL only, no values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.tui.run_lines import COLUMN, DetailBlock
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import Sign, Tone

if TYPE_CHECKING:
    from workbench.rules import Row
    from workbench.runs import ExplainedRun

MOST_RULES = 8
"""Of one column."""
_SIDES = {"conflict": "conflict", "first-only": "only the agent", "second-only": "only the reference"}


def with_rules(blocks: Iterable[Block], explained: ExplainedRun) -> Iterator[Block]:
    """Each column's rules behind its row."""
    by_column = {item.column: item.rows for item in explained.columns}
    for block in blocks:
        yield block
        if isinstance(block, DetailBlock) and block.opens.startswith(f"{COLUMN}:{explained.target}/"):
            rows = by_column.get(block.opens.partition("/")[2])
            if rows is not None:
                yield from _of_column(rows)


def _of_column(rows: list[Row]) -> Iterator[Block]:
    for row in rows[:MOST_RULES]:
        yield _line(rule_text(row), sign=Sign.WARNING if row.status == "conflict" else Sign.NOTE)
    if len(rows) > MOST_RULES:
        yield _line(f"{len(rows) - MOST_RULES} more: workbench runs explain")
    if not rows:
        yield _line("no rule that differs has a part in it")


def rule_text(row: Row) -> str:
    """``conflict, threshold: > 39 (x) [agent line 4] / > 38 (x) [reference line 3]``."""
    from workbench.rules import shown

    sides = (("agent", row.first), ("reference", row.second))
    told = [f"{shown(rule)} [{side} line {rule.line}]" for side, rule in sides if rule is not None]
    return f"{_SIDES[row.status]}, {row.kind}: {' / '.join(told)}"


def _line(text: str, sign: Sign = Sign.NONE) -> Block:
    return Block(body=text, tone=Tone.DIM, sign=sign, first="      ", rest="        ", words=True)
