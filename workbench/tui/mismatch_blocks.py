"""Examples of mismatches as rows below the column they belong to. They hold patients' values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.tui.run_lines import COLUMN, DetailBlock
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import Line, Tone, one_line

if TYPE_CHECKING:
    from workbench.scoring import Mismatch

EXAMPLE = "example"


def with_examples(blocks: Iterable[Block], target: str, found: Sequence[Mismatch]) -> Iterator[Block]:
    """Each example behind its column's row; missing and extra keys behind the row of keys."""
    for block in blocks:
        yield block
        if isinstance(block, DetailBlock) and block.opens.startswith(f"{COLUMN}:{target}/"):
            name = block.opens.partition("/")[2]
            yield from (example(item) for item in found if item.column == name)


def example(item: Mismatch) -> Block:
    """``key 17, 3  got "E. coli"  wanted null``."""
    key = ", ".join(item.key)
    if item.kind == "value":
        text = f"      key {key}   got {_value(item.got)}   wanted {_value(item.wanted)}"
    else:
        text = f"      {item.kind} key {key}"
    return Block(head=Line(one_line(text), tone=Tone.CODE), kinds=frozenset({EXAMPLE}))


def _value(value: str | None) -> str:
    return "null" if value is None else f'"{value}"'
