"""Document: one part of a family as a person reads it: specification, reference, caveats and the like."""

from __future__ import annotations

from pydantic import JsonValue

from workbench.catalog import PartKind, PartText, part_command, part_place, part_text
from workbench.patterns import visible
from workbench.records import BadInput
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.problems import CANNOT, line_number
from workbench.tui.screens.sections import SectionScreen, Written, labelled
from workbench.tui.widgets.markdown_lines import MarkdownLines
from workbench.tui.widgets.markdown_parse import Flow, Heading, Inline
from workbench.tui.widgets.sql_lines import SqlLines

_WITHIN = {PartKind.CAVEAT: 2, PartKind.CASE: 3}
"""Parts that are sections of the caveats' text, and the level of their headings."""


class DocumentScreen(SectionScreen):
    """``part``: ``<family>/<kind>:<name>``; a caveat or a case begins at its section."""

    screen_name = "document"
    title_text = "Document"
    BINDINGS = [*bindings("document")]

    def __init__(self, part: JsonValue = "", section: JsonValue = "") -> None:
        super().__init__(section)
        self._family, _, self._key = str(part).partition("/")

    @property
    def heading(self) -> Inert:
        kind, _, name = self._key.partition(":")
        shown = PartKind.CAVEATS if kind in _WITHIN else kind
        which = f" {name}" if kind not in _WITHIN and name != self._family else ""
        return Inert.line(f"{self._family}: {shown}{which}")

    @property
    def plain_twin(self) -> str:
        kind, _, name = self._key.partition(":")
        if kind not in {*PartKind}:
            return f"workbench task family {self._family}"
        return part_command(self._family, PartKind(kind), name)

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"part": f"{self._family}/{self._key}"}

    def written(self, context: AppContext) -> Written:
        content, family, key = context.content, self._family, self._key
        file = part_place(content.paths, content.family_paths(family), key)
        try:
            found = part_text(content, family, key)
        except BadInput as error:
            return Written(problem_lines(error), str(error), file, line_number(error.where))
        lines = text_lines(found)
        kind, _, name = key.partition(":")
        if kind in _WITHIN and not self._section:
            level = _WITHIN[PartKind(kind)]
            self._section = next(
                (item.anchor for item in lines.sections if item.level == level and item.title == name), ""
            )
        return Written(lines, found.text, file, 0 if found.as_file else 1)


def text_lines(found: PartText) -> MarkdownLines:
    """SQL or Markdown as rows."""
    return SqlLines(found.text) if found.sql else MarkdownLines.of(found.text)


def problem_lines(error: BadInput) -> MarkdownLines:
    """What is wrong with a part, and what to do."""
    given = {"where": error.where, "what": error.what, "what to do": error.remedy or "Correct the file."}
    flow: list[Flow] = [Heading(1, level=1, inline=Inline(visible(CANNOT)))]
    flow += [labelled(name, value, tight=False) for name, value in given.items() if value]
    return MarkdownLines(flow)
