"""Examples of mismatches as rows below the column they belong to. They hold patients' values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.records import ColumnType, KeyColumn
from workbench.tui.run_lines import COLUMN, DetailBlock
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import Tone

if TYPE_CHECKING:
    from workbench.scoring import Mismatch

EXAMPLE = "example"
MOST_ROWS = 12
"""Of one example while it is closed."""
_WHOLE = re.compile(r"(-?\d+)\.0+")


@dataclass(frozen=True)
class Examples:
    """What was found against one target; ``keys``: the task's key columns."""

    target: str
    found: Sequence[Mismatch]
    keys: Sequence[KeyColumn]


def with_examples(blocks: Iterable[Block], examples: Examples) -> Iterator[Block]:
    """Each example behind its column's row; missing and extra keys behind the row of keys."""
    for block in blocks:
        yield block
        if isinstance(block, DetailBlock) and block.opens.startswith(f"{COLUMN}:{examples.target}/"):
            name = block.opens.partition("/")[2]
            yield from (example(item, examples.keys) for item in examples.found if item.column == name)


def example(item: Mismatch, keys: Sequence[KeyColumn]) -> Block:
    """``stay_id=17, ab_id=3   got "E. coli"   wanted null``."""
    key = ", ".join(
        f"{column.name}={value if column.type is ColumnType.TEXT else _whole(value)}"
        for column, value in zip(keys, item.key, strict=True)
    )
    if item.kind == "value":
        got, wanted = _told(item.got, item.wanted)
        text = f"{key}   got {got}   wanted {wanted}"
    else:
        text = f"{item.kind} {key}"
    return Block(
        body=text.replace("\n", "␊"), tone=Tone.CODE, first="      ", rest="        ", words=True,
        kept=MOST_ROWS, kinds=frozenset({EXAMPLE}),
    )  # fmt: skip


def _told(got: str | None, wanted: str | None) -> tuple[str, str]:
    """Both values; whole numbers without ``.0``, unless they are texts that differ by no more than that."""
    shorter = tuple(None if value is None else _whole(value) for value in (got, wanted))
    one, other = (got, wanted) if shorter[0] == shorter[1] else shorter
    return _value(one), _value(other)


def _whole(value: str) -> str:
    found = _WHOLE.fullmatch(value)
    return found[1] if found else value


def _value(value: str | None) -> str:
    return "null" if value is None else f'"{value}"'
