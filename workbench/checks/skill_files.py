"""A skill's folder: links that stay in it, scripts that say what they need, files that are mentioned."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from workbench.catalog import Content
from workbench.checks.finding import Report, line_at, text_at
from workbench.checks.skills import NETWORK
from workbench.records import Skill

SCRIPTS = "scripts"
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
_SHEBANG = re.compile(r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(\S+)")


def check_skill_folder(content: Content, skill: Skill, report: Report) -> None:
    """The files of one skill beside each other."""
    main = content.paths.skill(skill.name)
    folder = main.parent
    others = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != main and not path.is_symlink()
    ]
    for path in (main, *(path for path in others if path.suffix == ".md")):
        _links(path, folder, report)
    for path in others:
        name = path.relative_to(folder).as_posix()
        if path.name not in skill.text and name not in skill.text:
            report.add("skill-orphan", path, "is not mentioned in SKILL.md")
        if path.parent.name == SCRIPTS:
            _script(path, skill, report)


def _links(path: Path, folder: Path, report: Report) -> None:
    text = text_at(path)
    for target, line in links_in(text):
        place = Path(os.path.normpath(path.parent / target))
        if not place.is_relative_to(folder):
            report.add("skill-escape", path, f"a link leaves the skill's folder: {target}", line=line)
        elif not place.exists():
            report.add("links", path, f"leads nowhere: {target}", line=line)
        elif path.name != "SKILL.md" and place.suffix == ".md" and place.name != "SKILL.md":
            report.add("skill-nested", path, f"a reference links another: {target}", line=line)


def links_in(text: str) -> Iterator[tuple[str, int]]:
    """Relative links of a Markdown text, each with its line."""
    for found in LINK.finditer(text):
        if not re.match(r"[a-z]+:", found[1]):
            yield found[1], line_at(text, found.start())


def _script(path: Path, skill: Skill, report: Report) -> None:
    text = text_at(path)
    told = skill.frontmatter.compatibility.lower()
    shebang = _SHEBANG.match(text)
    if shebang is None:
        report.add("skill-script", path, "does not say its interpreter in the first line")
    else:
        interpreter = re.sub(r"[\d.]+$", "", Path(shebang[1]).name)
        if interpreter.lower() not in told:
            report.add("skill-script", path, f"needs {interpreter}, which 'compatibility' does not name")
    for package, line in _packages(text) if path.suffix == ".py" else ():
        if package.lower() not in told:
            report.add(
                "skill-script", path, f"imports {package}, which 'compatibility' does not name", line=line
            )
    if not os.access(path, os.X_OK):
        report.add("skill-mode", path, "cannot be executed")
    for found in list(NETWORK.finditer(text))[:1]:
        report.add(
            "skill-network", path, f"fetches from the network: {found[0]}", line=line_at(text, found.start())
        )


def _packages(text: str) -> list[tuple[str, int]]:
    """Packages beyond the standard library that a Python text imports, with their lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        tops = {name.split(".")[0] for name in names if isinstance(node, ast.Import | ast.ImportFrom)}
        found += [(top, getattr(node, "lineno", 1)) for top in sorted(tops - sys.stdlib_module_names)]
    return found
