"""What screens of Markdown share: the text with an index of its sections, and the file it is written in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from workbench.patterns import visible
from workbench.records import WorkbenchError
from workbench.tui.context import AppContext
from workbench.tui.editor import edit, private_copy
from workbench.tui.inert import Inert
from workbench.tui.screens.text import OutlinedScreen
from workbench.tui.widgets.line_source import Line, Span, TextLines, Tone, one_line
from workbench.tui.widgets.markdown_lines import MarkdownLines, Section
from workbench.tui.widgets.markdown_parse import Inline, Paragraph

MOST_TITLE = 30
"""Characters of a section's title that the header has room for; the whole text's title is in its heading."""


@dataclass(frozen=True)
class Written:
    """A text as it is shown, and where it is written.

    ``text``: the file's, to see whether it has changed; ``line``: where the editor begins, 0 for the line of
    the file that the cursor is on.
    """

    lines: MarkdownLines
    text: str
    file: Path
    line: int = 0


class SectionScreen(OutlinedScreen):
    """A subclass says in ``written`` what it shows."""

    def __init__(self, section: JsonValue = "") -> None:
        """``section``: anchor of the heading to begin at."""
        super().__init__()
        self._section = str(section)
        self._wanted_line = 0
        self._written: Written | None = None

    @property
    def lines(self) -> MarkdownLines | None:
        """What is shown; None while it is read."""
        return None if self._written is None else self._written.lines

    def written(self, context: AppContext) -> Written:
        """In a thread: read it. Raises WorkbenchError."""
        raise NotImplementedError

    def state(self) -> dict[str, JsonValue]:
        anchor = self._anchor()
        line = self.view.line
        return {"section": anchor} if anchor or line is None else {"line": line.origin or 0}

    def restore(self, state: dict[str, JsonValue]) -> None:
        line = state.get("line", 0)
        self._section = self._section or str(state.get("section", ""))
        self._wanted_line = line if isinstance(line, int) else 0
        if self._written is not None:
            self._go_to_wanted()

    def on_mount(self) -> None:
        self.read()

    def read(self) -> None:
        """Read it, again if the file may have changed."""
        context = self.workbench.context
        self.in_background(lambda: self.written(context), self._show)

    def _show(self, found: Written) -> None:
        if self._written is not None and found.text == self._written.text:
            return
        self._written = found
        self.pane.show(found.lines)
        self.outline.show(TextLines([section_line(section) for section in found.lines.sections]))
        self._go_to_wanted()
        self.moved()

    def _go_to_wanted(self) -> None:
        lines = self.lines
        if lines is None:
            return
        row = lines.row_of_anchor(self._section) if self._section else None
        if row is None and self._wanted_line:
            row = lines.row_of(self._wanted_line)
        if row is not None:
            self.view.go_to(row, middle=True)

    def action_editor(self) -> None:
        """The file itself; of content that cannot be written a copy."""
        found, line = self._written, self.view.line
        if found is None:
            return
        at = found.line or (line.origin if line is not None and line.origin else 1)
        self._section = self._anchor() or self._section
        try:
            if self.workbench.context.content.paths.writable:
                self.tell(edit(self.workbench, found.file, at))
            else:
                with private_copy(self.workbench.data, found.file.name, found.text) as file:
                    edit(self.workbench, file, at)
                self.tell(Inert.of("that was a copy: the content installed with the program is not changed"))
        except WorkbenchError as error:
            self.failed(error)
        else:
            self.read()

    def position(self) -> Inert:
        lines = self.lines
        if lines is None:
            return Inert.of("reading")
        line = self.view.line
        part = self.part_at(self.view.cursor)
        section = lines.sections[part] if part >= 0 else None
        title = section.title if section is not None and section.level > 1 else ""
        own = self._written is not None and not self._written.line
        where = f"line {line.origin} of the file  " if own and line is not None and line.origin else ""
        shown = f"{title[:MOST_TITLE]}…  " if len(title) > MOST_TITLE else f"{title}  " if title else ""
        return Inert.line(f"{shown}{where}{max(part + 1, 0)}/{len(lines.sections)}")

    def part_at(self, row: int) -> int:
        return -1 if self.lines is None else self.lines.section_at(row)

    def row_of_part(self, part: int) -> int:
        rows = [] if self.lines is None else self.lines.section_rows
        return rows[part] if 0 <= part < len(rows) else 0

    def action_next_section(self) -> None:
        self.go_to_part(1)

    def action_previous_section(self) -> None:
        self.go_to_part(-1)

    def _anchor(self) -> str:
        part = self.part_at(self.view.cursor)
        return "" if self.lines is None or part < 0 else self.lines.sections[part].anchor


def labelled(name: str, value: str, *, tight: bool) -> Paragraph:
    """``name: value`` with the name in bold."""
    label = visible(f"{name}: ")
    inline = Inline(label + visible(value), (Span(0, len(label), Tone.STRONG),))
    return Paragraph(1, tight=tight, inline=inline)


def section_line(section: Section) -> Line:
    """A heading in the index, further in by its level."""
    return Line(one_line("  " * (section.level - 1) + section.title), origin=section.line)
