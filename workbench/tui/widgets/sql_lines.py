"""A SQL file as rows, in colours, with an index of the rules that its comments name."""

from __future__ import annotations

from workbench.catalog import rule_marks
from workbench.patterns import visible
from workbench.records import BadInput
from workbench.tui.widgets.line_source import TAB_CELLS
from workbench.tui.widgets.markdown_lines import MarkdownLines, Section
from workbench.tui.widgets.markdown_parse import Code


class SqlLines(MarkdownLines):
    """Rows of one file; its sections begin at ``-- rule: <name>``; none if one is damaged."""

    def __init__(self, sql: str) -> None:
        super().__init__(
            [Code(1, tight=True, text=visible(sql.expandtabs(TAB_CELLS)).rstrip("\n"), language="sql")]
        )
        taken: dict[str, int] = {}
        try:
            marks = rule_marks(sql)
        except BadInput:
            marks = []
        for mark in marks:
            name = mark.name
            taken[name] = taken.get(name, 0) + 1
            anchor = name if taken[name] == 1 else f"{name}-{taken[name] - 1}"
            self.sections.append(Section(name, 1, anchor, mark.line))

    def lay_out(self, width: int) -> None:
        super().lay_out(width)
        rows = {line.origin: row for row, line in reversed(list(enumerate(self._lines)))}
        self.section_rows = [rows.get(section.line, 0) for section in self.sections]
