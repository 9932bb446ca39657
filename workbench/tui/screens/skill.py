"""Skill: the procedure as a person reads it, with an index of its sections. Changed in the user's editor."""

from __future__ import annotations

from pydantic import JsonValue

from workbench.patterns import visible
from workbench.records import Skill, WorkbenchError
from workbench.tui.actions import bindings
from workbench.tui.editor import edit, private_copy
from workbench.tui.inert import Inert
from workbench.tui.screens.text import OutlinedScreen
from workbench.tui.widgets.line_source import Line, Span, TextLines, Tone, one_line
from workbench.tui.widgets.markdown_lines import MarkdownLines, Section
from workbench.tui.widgets.markdown_parse import Flow, Inline, Paragraph, parse_markdown


class SkillScreen(OutlinedScreen):
    """``name``: the skill's; ``section``: anchor of the heading to begin at."""

    screen_name = "skill"
    title_text = "Skill"
    BINDINGS = [*bindings("skill")]

    def __init__(self, skill: JsonValue = "", section: JsonValue = "") -> None:
        super().__init__()
        self._skill = str(skill)
        self._section = str(section)
        self._lines: MarkdownLines | None = None
        self._text = ""

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Skill: {self._skill}")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill show {self._skill};workbench skill sections {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill}

    def state(self) -> dict[str, JsonValue]:
        return {"section": self._anchor()}

    def restore(self, state: dict[str, JsonValue]) -> None:
        self._section = self._section or str(state.get("section", ""))

    def on_mount(self) -> None:
        self._read()

    def _read(self) -> None:
        content, name = self.workbench.context.content, self._skill

        def read() -> tuple[str, MarkdownLines]:
            skill = content.skill(name)
            return skill.text, skill_lines(skill)

        self.in_background(read, self._show)

    def _show(self, found: tuple[str, MarkdownLines]) -> None:
        text, lines = found
        if self._lines is not None and text == self._text:
            return
        self._text, self._lines = text, lines
        self.pane.show(lines)
        self.outline.show(TextLines([section_line(section) for section in lines.sections]))
        row = lines.row_of_anchor(self._section) if self._section else None
        if row is not None:
            self.view.go_to(row, middle=True)
        self.moved()

    def action_editor(self) -> None:
        """The file itself; of content that cannot be written a copy."""
        paths, line = self.workbench.context.content.paths, self.view.line
        at = line.origin if line is not None and line.origin else 1
        self._section = self._anchor() or self._section
        try:
            if paths.writable:
                self.tell(edit(self.workbench, paths.skill(self._skill), at))
            else:
                with private_copy(self.workbench.data, "SKILL.md", self._text) as file:
                    edit(self.workbench, file, at)
                self.tell(Inert.of("that was a copy: the content installed with the program is not changed"))
        except WorkbenchError as error:
            self.failed(error)
        else:
            self._read()

    def position(self) -> Inert:
        if self._lines is None:
            return Inert.of("reading")
        line = self.view.line
        part = self.part_at(self.view.cursor)
        title = self._lines.sections[part].title if part >= 0 else ""
        where = f"line {line.origin} of the file  " if line is not None and line.origin else ""
        return Inert.line(f"{title[:40]}  {where}{max(part + 1, 0)}/{len(self._lines.sections)}")

    def part_at(self, row: int) -> int:
        return -1 if self._lines is None else self._lines.section_at(row)

    def row_of_part(self, part: int) -> int:
        rows = [] if self._lines is None else self._lines.section_rows
        return rows[part] if 0 <= part < len(rows) else 0

    def action_next_section(self) -> None:
        self.go_to_part(1)

    def action_previous_section(self) -> None:
        self.go_to_part(-1)

    def _anchor(self) -> str:
        part = self.part_at(self.view.cursor)
        return "" if self._lines is None or part < 0 else self._lines.sections[part].anchor


def skill_lines(skill: Skill) -> MarkdownLines:
    """Frontmatter as labelled paragraphs, then the body."""
    front = skill.frontmatter
    named = {
        "name": front.name,
        "description": front.description,
        "license": front.license,
        "compatibility": front.compatibility,
        "allowed tools": front.allowed_tools,
        **front.metadata,
    }
    given = [(name, value) for name, value in named.items() if value]
    flow: list[Flow] = [
        labelled(name, value, tight=at < len(given)) for at, (name, value) in enumerate(given, 1)
    ]
    return MarkdownLines(flow + parse_markdown(skill.body, skill.body_line))


def labelled(name: str, value: str, *, tight: bool) -> Paragraph:
    """``name: value`` with the name in bold."""
    label = visible(f"{name}: ")
    inline = Inline(label + visible(value), (Span(0, len(label), Tone.STRONG),))
    return Paragraph(1, tight=tight, inline=inline)


def section_line(section: Section) -> Line:
    """A heading in the index, further in by its level."""
    return Line(one_line("  " * (section.level - 1) + section.title), origin=section.line)
