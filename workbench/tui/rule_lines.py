"""The texts of a rule diff by their lines: numbered, with a sign where a rule stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.patterns import visible
from workbench.tui.widgets.highlight import sql_spans
from workbench.tui.widgets.line_source import TAB_CELLS, Line, LineSource, Sign, Tone, one_line
from workbench.tui.widgets.markdown_lines import MarkdownLines
from workbench.tui.widgets.markdown_parse import Code

if TYPE_CHECKING:
    from workbench.rules import Comparison, Row, SourceText

_MOST_SAYING = (Sign.ERROR, Sign.WARNING, Sign.GOOD)
"""Of several rules in one line the first of these is drawn."""


class RuleLines(MarkdownLines):
    """Rows of one file as it is written; ``signs`` by line, from 1."""

    def __init__(self, text: SourceText, label: str, signs: Mapping[int, Sign]) -> None:
        language = "sql" if text.file.endswith(".sql") else "text"
        shown = visible(text.text.expandtabs(TAB_CELLS)).rstrip("\n")
        super().__init__([Code(1, tight=True, text=shown, language=language)])
        self.file = text.file
        self._label = label
        self._signs = signs

    def header(self) -> Line:
        return Line(one_line(f"{self._label}  {self.file}"), tone=Tone.STRONG)

    def lay_out(self, width: int) -> None:
        if width == self._width:
            return
        super().lay_out(width)
        before = None
        for row, line in enumerate(self._lines):
            if line.origin is not None and line.origin != before:
                before = line.origin
                sign = self._signs.get(before, Sign.NONE)
                self._lines[row] = replace(line, label=str(before), sign=sign)


def signs_of(rows: Iterable[Row], file: str, *, second: bool) -> dict[int, Sign]:
    """What stands at the lines of one file of a side: conflict, one-sided, agreement."""
    from workbench.rules import Status

    signs = {Status.CONFLICT: Sign.ERROR, Status.AGREE: Sign.GOOD}
    found: dict[int, Sign] = {}
    for row in rows:
        rule = row.second if second else row.first
        if rule is not None and rule.file == file:
            sign = signs.get(row.status, Sign.WARNING)
            known = found.get(rule.line, sign)
            found[rule.line] = min(sign, known, key=_MOST_SAYING.index)
    return found


class RuleTexts:
    """All texts of both sides as rows, by side (whether it is the second) and file."""

    def __init__(self, comparison: Comparison) -> None:
        """In a thread."""
        sql_spans("select 1", ["select 1"])  # what it imports is then there when the first text is drawn
        self._texts: dict[tuple[bool, str], tuple[SourceText, RuleLines]] = {}
        for second, side in ((False, comparison.first), (True, comparison.second)):
            for text in side.texts:
                signs = signs_of(comparison.rows, text.file, second=second)
                self._texts[second, text.file] = (text, RuleLines(text, side.label, signs))

    def lines(self, second: bool, file: str = "") -> RuleLines | None:
        """Those of a file; of the side's first one without a name."""
        return next(
            (lines for (of, name), (_, lines) in self._texts.items() if of is second and file in ("", name)),
            None,
        )

    def text(self, source: LineSource) -> SourceText | None:
        """The text whose rows these are."""
        return next((text for text, lines in self._texts.values() if lines is source), None)
