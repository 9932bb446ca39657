"""Skill: the procedure as a person reads it, with an index of its sections. Changed in the user's editor."""

from __future__ import annotations

from pydantic import JsonValue

from workbench.records import Skill
from workbench.tui.actions import bindings
from workbench.tui.context import AppContext
from workbench.tui.inert import Inert
from workbench.tui.screens.sections import SectionScreen, Written, labelled
from workbench.tui.widgets.markdown_lines import MarkdownLines
from workbench.tui.widgets.markdown_parse import Flow, parse_markdown


class SkillScreen(SectionScreen):
    """``skill``: its name; ``section``: anchor of the heading to begin at."""

    screen_name = "skill"
    title_text = "Skill"
    BINDINGS = [*bindings("skill")]

    def __init__(self, skill: JsonValue = "", section: JsonValue = "") -> None:
        super().__init__(section)
        self._skill = str(skill)

    @property
    def heading(self) -> Inert:
        return Inert.line(f"Skill: {self._skill}")

    @property
    def plain_twin(self) -> str:
        return f"workbench skill show {self._skill};workbench skill sections {self._skill}"

    @property
    def arguments(self) -> dict[str, JsonValue]:
        return {"skill": self._skill}

    def action_proposals(self) -> None:
        self.workbench.open_screen("proposals", skill=self._skill)

    def action_sign_offs(self) -> None:
        self.workbench.open_screen("sign-offs", skill=self._skill)

    def action_edit(self) -> None:
        line = self.view.line
        self.workbench.open_screen("edit", skill=self._skill, line=(line.origin if line else 0) or 1)

    def on_screen_resume(self) -> None:
        if self._written is not None:
            self.read()

    def action_versions(self) -> None:
        self.workbench.open_screen("versions", skill=self._skill)

    def written(self, context: AppContext) -> Written:
        skill = context.content.skill(self._skill)
        return Written(skill_lines(skill), skill.text, context.content.paths.skill(self._skill))

    def action_rules(self) -> None:
        self.workbench.open_thing("rules", f"skill:{self._skill}")

    def action_flag(self) -> None:
        """A new caveat about the line that the cursor is on."""
        line = self.lines.place(self.view.cursor).major if self.lines is not None else 0
        if line > 0:
            file = self.workbench.context.content.paths.skill(self._skill)
            name = file.relative_to(self.workbench.context.content.paths.root).as_posix()
            self.workbench.open_screen("caveat-form", anchors=[[name, line]])


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
