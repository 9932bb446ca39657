"""Pages about the content say what is there: the index of families, the equality report, the differences.

``UPDATE_DOCS=1`` writes the index. The report is written by ``workbench task equality --markdown``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from laboratory import compared

from workbench.catalog import Content
from workbench.checks import published_tasks
from workbench.ehr.synthetic import GENERATOR_VERSION
from workbench.runs import Context, files_hash, list_demonstrations

DOCS = Path(__file__).resolve().parents[2] / "docs"
INDEX, REPORT, DIFFERENCES = (
    DOCS / name for name in ("families.md", "equality-report.md", "m4bench-differences.md")
)
HEAD = """# The families

Written by `UPDATE_DOCS=1 pytest tests/content/test_content_docs.py`. Each family is one clinical concept with
one to three tasks; everything about it is in the files named. In the terminal app: Home, then the family.
"""
EXTENSIONS = """# Extensions

Beyond the published benchmark and its 28 tasks, held to the same checks and tests."""
SOURCES = ["synthetic-2000-1", "demo"]


def link(path: Path, text: str = "") -> str:
    """A link from the docs folder."""
    return f"[{text or path.name}](../{path.relative_to(DOCS.parent).as_posix()})"


def section(content: Content, name: str) -> list[str]:
    family, paths = content.family(name), content.family_paths(name)
    tasks = [content.task(task) for task in family.tasks]
    databases = dict.fromkeys(task.database for task in tasks)
    references = {
        paths.reference(target.name, task.database): f"{target.name}, {task.database}"
        for task in tasks
        for target in task.targets
    }
    examples = [
        path for path in (paths.worked_example(), *map(paths.worked_example, databases)) if path.is_file()
    ]
    skills = dict.fromkeys(skill for task in tasks for skill in task.skills)
    lines = [f"## {family.title}", "", f"{family.summary}", ""]
    lines += [f"- skill: {', '.join(link(content.paths.skill(skill), skill) for skill in skills)}"]
    for task in tasks:
        instruction = link(paths.instruction(task.id), "instruction")
        spec = link(paths.operational_spec(task.id), "specification")
        lines.append(f"- task {link(paths.task(task.id), task.id)}: {instruction}, {spec}")
    lines += [f"- reference: {', '.join(link(path, text) for path, text in references.items())}"]
    if paths.deviations.is_file():
        lines += [f"- deviations from the pinned concept: {link(paths.deviations)}"]
    if examples:
        lines += [f"- worked example: {', '.join(link(path) for path in examples)}"]
    if content.paths.audit(name).is_file():
        caveats = content.audit(name).caveats
        cases = sum(len(caveat.witness) for caveat in caveats)
        audit = link(content.paths.audit(name))
        lines += [f"- caveats: {audit} ({len(caveats)} caveats, {cases} witness cases)"]
    return [*lines, ""]


def index(content: Content) -> str:
    lines = [HEAD.rstrip(), ""]
    extensions = []
    for family in content.families():
        paths = content.family_paths(family.name)
        lines += section(content, family.name) if paths.published else []
        extensions += section(content, family.name) if paths.collection == "extensions" else []
    lines += [EXTENSIONS, "", *extensions] if extensions else []
    return "\n".join(lines).rstrip() + "\n"


def test_the_index_names_every_file_of_every_family(content: Content) -> None:
    wanted = index(content)
    if os.environ.get("UPDATE_DOCS"):
        INDEX.write_text(wanted, encoding="utf-8")
        return
    assert INDEX.read_text(encoding="utf-8") == wanted, (
        "UPDATE_DOCS=1 pytest tests/content/test_content_docs.py"
    )


def test_a_reader_of_the_readme_finds_index_report_and_differences() -> None:
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for page in (INDEX, REPORT, DIFFERENCES):
        assert f"(docs/{page.name})" in text


@pytest.mark.parametrize("source", SOURCES)
def test_the_report_is_that_of_the_files_and_nothing_is_unexplained(
    shared_context: Context, source: str
) -> None:
    text = REPORT.read_text(encoding="utf-8")
    part = text.split(f"\n## {source}\n")[1].split("\n## ")[0]
    if source != "demo":
        assert f"generator version {GENERATOR_VERSION})" in part
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if "`" in line
    ]
    assert {row[0]: row[-1].strip("`") for row in rows} == {
        family: files_hash(shared_context, family) for family in compared()
    }
    assert {row[0]: row[-2] for row in rows} == dict.fromkeys(compared(), "0")
    for row in rows:
        deviating = [int(word.replace(",", "")) for word in re.findall(r" ([\d,]*\d)(?:,|$)", f" {row[4]}")]
        keys, equal, tied = (int(cell.replace(",", "")) for cell in row[1:4])
        assert keys == equal + tied + sum(deviating), row[0]


def test_tables_removed_beyond_the_published_list_are_told() -> None:
    text = DIFFERENCES.read_text(encoding="utf-8")
    lines = {line for line in text.splitlines() if line.startswith("| `")}
    for row in published_tasks().values():
        for table in row.also_removed:
            assert [line for line in lines if f"`{row.task}`" in line and f"`{table}`" in line], (
                row.task,
                table,
            )


def test_demonstrations_are_of_the_present_synthetic_source(content: Content) -> None:
    """Of another version a replay has other patients, so that its reward is not the recorded one."""
    versions = {item.file: item.generator_version for item in list_demonstrations(content.paths)}
    assert versions and set(versions.values()) == {GENERATOR_VERSION}, (
        "record them anew: workbench demonstration record evidence/demonstration/…/….script.toml"
    )
