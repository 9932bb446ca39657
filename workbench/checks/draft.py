"""A skill's text that is in no file yet, checked as if it were in its place, while somebody types it."""

from __future__ import annotations

from pathlib import Path

from workbench.catalog import Content
from workbench.checks.finding import Finding, Report
from workbench.checks.skill_files import check_skill_folder
from workbench.checks.skills import check_skill
from workbench.records import BadInput


class _WithDraft(Content):
    """The content with another text in place of one file's."""

    def __init__(self, content: Content, path: Path, text: str) -> None:
        super().__init__(content.paths)
        self._path, self._text = path, text

    def text(self, path: Path) -> str:
        return self._text if path == self._path else super().text(path)


def check_draft(content: Content, name: str, text: str) -> list[Finding]:
    """What is wrong with the skill as it is typed, by line. Families, links and other skills are not looked
    at: ``check_content`` does that once it is saved.
    """
    path = content.paths.skill(name)
    draft = _WithDraft(content, path, text)
    report = Report(draft)
    try:
        skill = draft.skill(name)
        check_skill(draft, skill, [], report)
        check_skill_folder(draft, skill, report)
    except BadInput as error:
        report.unreadable(error, path)
    where = report.told(path)
    found = [item for item in dict.fromkeys(report.findings) if item.where == where]
    return sorted(found, key=lambda item: item.line)
