"""Relative links of the README, the documentation and the tasks' texts lead somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.catalog import Content
from workbench.checks.finding import Report, text_at
from workbench.checks.skill_files import links_in


def check_links(content: Content, report: Report) -> None:
    """README.md, docs/*.md and the texts below tasks/; those of skills are looked at with their folders."""
    for path in _texts(content.paths.root):
        for target, line in links_in(text_at(path)):
            if not (path.parent / target).exists():
                report.add("links", path, f"leads nowhere: {target}", line=line)


def _texts(root: Path) -> Iterator[Path]:
    readme = root / "README.md"
    if readme.is_file():
        yield readme
    yield from sorted((root / "docs").glob("*.md"))
    yield from sorted((root / "tasks").glob("**/*.md"))
