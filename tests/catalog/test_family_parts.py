"""Everything that a family has: listed, placed, and readable; what is broken says so and hides nothing."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from workbench.catalog import Content, PartKind, family_parts, part_place, part_text
from workbench.cli import main
from workbench.records import BadInput, ContentPaths, find_content

OWN = Content(find_content(Path(__file__).parent))
NAMES = [entry.name for entry in OWN.entries()]
NEEDED = {*PartKind} - {PartKind.ADMISSIBLE, PartKind.CONCEPT, PartKind.COUNTERFACTUALS}
"""What each family of the project has; deviations only where there is a concept to depart from."""


@pytest.mark.parametrize("name", NAMES)
def test_every_family_has_all_parts_and_each_can_be_read(name: str) -> None:
    parts = family_parts(OWN, name)
    assert [part.key for part in parts if part.problem is not None] == []
    assert len({part.key for part in parts}) == len(parts)
    compared = any(task.reference_concept for task in OWN.resolve(name))
    assert {part.kind for part in parts} >= NEEDED - (set() if compared else {PartKind.DEVIATIONS})
    paths = OWN.family_paths(name)
    listed = {part_place(OWN.paths, paths, part.key) for part in parts}
    assert {path for path in paths.folder.rglob("*") if path.is_file()} <= listed
    for part in parts:
        if part.kind not in (PartKind.CAVEAT, PartKind.CASE):
            assert part_text(OWN, name, part.key).text.strip()


@pytest.mark.parametrize("name", NAMES)
def test_caveats_and_cases_have_headings_of_their_own(name: str) -> None:
    text = part_text(OWN, name, "caveats:").text
    audit = OWN.audit(name)
    assert re.findall(r"^## (.*)$", text, re.M)[: len(audit.caveats)] == [item.id for item in audit.caveats]
    cases = [case.id for item in audit.caveats for case in item.witness]
    assert re.findall(r"^### (.*)$", text, re.M) == cases
    for caveat in audit.caveats:
        assert f"{caveat.severity}; bias: {caveat.bias}; status: {caveat.status}" in text
        assert " ".join(caveat.explanation.split()) in text
    for fault in audit.reported:
        assert f"- {fault.id}: " in text


def test_every_command_that_a_part_names_prints_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    parts = family_parts(OWN, "gcs")
    commands = {part.command: part for part in parts if part.kind is not PartKind.TASK}
    for command, part in commands.items():
        assert main(shlex.split(command)[1:]) == 0, command
        wanted = part_text(OWN, "gcs", part.key).text.rstrip()
        assert capsys.readouterr().out.rstrip() == wanted, command


def test_a_row_of_many_columns_stands_upright() -> None:
    text = part_text(OWN, "gcs", "caveats:").text
    assert "| column | row 1 |" in text
    widest = max(line.count("|") - 1 for line in text.splitlines() if line.startswith("| "))
    tables = [rows for caveat in OWN.audit("gcs").caveats for case in caveat.witness for rows in case.tables]
    many = [item for item in tables if len({name for row in item.rows for name in row}) > 5]
    assert many and widest <= max([5, *(len(item.rows[0]) for item in many if len(item.rows) > 4)])


def test_a_reference_beside_others_is_told_apart() -> None:
    names = {part.key: part.note for part in family_parts(OWN, "sofa") if part.kind is PartKind.REFERENCE}
    assert list(names) == [
        "reference:public-code, mimic-iv",
        "reference:adjudicated, mimic-iv",
        "reference:accepted-m4bench, mimic-iv",
    ]
    assert names["reference:adjudicated, mimic-iv"].startswith("draft: ")
    assert names["reference:public-code, mimic-iv"].startswith("declared: ")


def test_a_broken_task_says_so_and_hides_no_other(root: ContentPaths) -> None:
    path = root.benchmark_tasks / "small-family" / "mimic-small" / "task.toml"
    path.write_text(path.read_text().replace("raw", "rw").replace('mode = "standard"', 'mode = "other"'))
    content = Content(root)
    entry = content.entry("small-family")
    assert list(entry.tasks) == ["mimic-small", "mimic-small-raw"]
    assert [task.id for task in entry.readable_tasks] == ["mimic-small-raw"]
    assert list(entry.problems) == ["mimic-small"]
    parts = {part.key: part for part in family_parts(content, "small-family")}
    problem = parts["task:mimic-small"].problem
    assert problem is not None and "task.toml, line 5" in problem.where
    assert parts["task:mimic-small-raw"].problem is None
    assert parts["reference:public-code, mimic-iv"].problem is None
    for missing in ("specification:mimic-small", "caveats:small-family"):
        problem = parts[missing].problem
        assert problem is not None and problem.what == "there is no such file"
    with pytest.raises(BadInput, match="mode"):
        part_text(content, "small-family", "task:mimic-small")


def test_a_broken_family_keeps_what_does_not_need_it(root: ContentPaths) -> None:
    (root.benchmark_tasks / "small-family" / "family.toml").write_text("name = \n")
    content = Content(root)
    (entry,) = content.entries()
    assert (entry.name, entry.family, dict(entry.tasks)) == ("small-family", None, {})
    parts = {part.kind: part for part in family_parts(content, "small-family")}
    problem = parts[PartKind.ABOUT].problem
    assert problem is not None and problem.where.endswith("family.toml, line 1")
    assert parts[PartKind.DEVIATIONS].note == "none from the pinned concept"
    with pytest.raises(BadInput, match="not valid TOML"):
        part_text(content, "small-family", "about:small-family")


def test_broken_documents_are_told_one_by_one(root: ContentPaths) -> None:
    folder = root.benchmark_tasks / "small-family"
    for name in ("deviations.toml", "output-checks.toml", "worked-example.toml"):
        (folder / name).write_text("x = \n")
    root.audit("small-family").write_text("x = \n")
    root.skill("small-family").write_text("no frontmatter")
    parts = {part.kind: part for part in family_parts(Content(root), "small-family")}
    broken = {kind for kind, part in parts.items() if part.problem is not None}
    assert broken == {
        PartKind.DEVIATIONS, PartKind.CHECKS, PartKind.EXAMPLE, PartKind.CAVEATS, PartKind.SKILL,
        PartKind.SPECIFICATION,
    }  # fmt: skip


@pytest.mark.parametrize("key", ["", "nonsense:x", "task:../../x", "about"])
def test_a_part_that_cannot_be(root: ContentPaths, key: str) -> None:
    content = Content(root)
    if key == "about":
        assert part_text(content, "small-family", key).text.startswith("# A small family")
        return
    with pytest.raises(BadInput, match="has no"):
        part_text(content, "small-family", key)


def test_an_unknown_family_is_told(root: ContentPaths) -> None:
    for name in ("small-famly", ""):
        with pytest.raises(BadInput, match="there is no family"):
            family_parts(Content(root), name)
