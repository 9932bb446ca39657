"""Two texts beside each other as rows: what went, what came, the words that differ within a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.patterns import visible
from workbench.tui.widgets.folding import Block
from workbench.tui.widgets.line_source import TAB_CELLS, Span, Tone, as_line

if TYPE_CHECKING:
    from workbench.review import DiffLine

CHANGE = "change"
"""Kind of the first row of a changed stretch, for jumps."""
_MARKS = {
    "same": (" ", "", "", Tone.PLAIN),
    "removed": ("-", "[-", "-]", Tone.ERROR),
    "added": ("+", "{+", "+}", Tone.GOOD),
}
_ALL = 1_000_000


def changed_blocks(old: str, new: str, *, around: int = 3) -> list[Block]:
    """Changed lines with ``around`` equal ones before and after; -1: all lines. Call it in a thread."""
    from workbench.review import diff_texts, hunks

    lines = diff_texts(old, new)
    parts = [lines] if around < 0 else hunks(lines, around)
    width = len(str(max((max(line.old, line.new) for line in lines), default=1)))
    blocks: list[Block] = []
    for part in parts:
        if around >= 0:
            first = part[0]
            blocks.append(Block(head=as_line(f"@@ line {first.new or first.old} @@", Tone.HEADING)))
        blocks += _part(part, width)
    return blocks


def changed_counts(old: str, new: str) -> tuple[int, int]:
    """Lines that came, and lines that went."""
    from workbench.review import LineKind, diff_texts

    kinds = [line.kind for line in diff_texts(old, new)]
    return kinds.count(LineKind.ADDED), kinds.count(LineKind.REMOVED)


def _part(lines: list[DiffLine], width: int) -> Iterator[Block]:
    before = "same"
    for line in lines:
        kind = line.kind.value
        begins = kind != "same" and before == "same"
        before = kind
        mark, _, _, tone = _MARKS[kind]
        body, spans = _told(line)
        before_it = f"{line.old or '':>{width}} {line.new or '':>{width}} {mark} "
        shift = len(before_it)
        yield Block(
            body=before_it + body + ("" if line.ended else "  (no line feed at the end)"),
            tone=tone,
            rest=" " * shift,
            words=True,
            kept=_ALL,
            spans=tuple(Span(span.start + shift, span.end + shift, span.tone) for span in spans),
            kinds=frozenset({CHANGE}) if begins else frozenset(),
            key=line.new or line.old,
        )


def _told(line: DiffLine) -> tuple[str, list[Span]]:
    """The line as it is drawn, changed words between marks, as ``workbench skill diff`` prints them."""
    _, opening, closing, _ = _MARKS[line.kind.value]
    whole = all(piece.changed for piece in line.pieces)
    text, spans = "", []
    for piece in line.pieces:
        shown = visible(piece.text.replace("\t", " " * TAB_CELLS))
        if piece.changed and not whole:
            start = len(text)
            text += f"{opening}{shown}{closing}"
            spans.append(Span(start, len(text), Tone.STRONG))
        else:
            text += shown
    return text, spans
