"""Relative links of the README and of the documentation lead somewhere."""

from __future__ import annotations

import re

from workbench.catalog import Content, read_text
from workbench.checks.finding import Report

_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def check_links(content: Content, report: Report) -> None:
    """README.md and docs/*.md."""
    root = content.paths.root
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        if not path.is_file():
            continue
        targets = [found[1] for found in _LINK.finditer(read_text(path))]
        broken = [
            target
            for target in targets
            if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists()
        ]
        report.none("links", path, "leads nowhere", broken)
