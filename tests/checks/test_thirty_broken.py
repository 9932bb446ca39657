"""Broken tasks, skills and audits (broken.toml): each gets the right finding, file and line, and no other."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from workbench.catalog import Content
from workbench.checks import check_content

PLACES = {
    "TASK": "tasks/local/pulse/clinic-pulse/task.toml",
    "INSTRUCTION": "tasks/local/pulse/clinic-pulse/instruction.md",
    "SPEC": "tasks/local/pulse/clinic-pulse/operational-spec.md",
    "FAMILY": "tasks/local/pulse/family.toml",
    "SQL": "tasks/local/pulse/reference.clinic.sql",
    "OUTPUT": "tasks/local/pulse/output-checks.toml",
    "EXAMPLE": "tasks/local/pulse/worked-example.toml",
    "DATABASE": "tasks/local/databases/clinic.toml",
    "SKILL": "skills/pulse/SKILL.md",
    "OTHER": "skills/breathing/SKILL.md",
    "AUDIT": "audits/pulse.toml",
}
BROKEN = tomllib.loads(Path(__file__).with_name("broken.toml").read_text(encoding="utf-8"))["broken"]
LEAST = 30


def place(name: str) -> str:
    """A file by its short name, or as it is written."""
    return PLACES.get(name, name)


def change(root: Path, asked: dict[str, Any]) -> None:
    path = root / place(asked["in"])
    path.parent.mkdir(parents=True, exist_ok=True)
    if "put" in asked:
        old, new = asked["put"]
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{path.name} does not hold {old!r} any more"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
    elif "link" in asked:
        path.symlink_to(asked["link"])
    else:
        with path.open("a", encoding="utf-8") as opened:
            opened.write(asked["add"] * asked.get("times", 1))
    if "mode" in asked:
        path.chmod(asked["mode"])


def test_the_root_is_clean(small: Content) -> None:
    assert check_content(small) == []


def test_thirty_and_more_are_listed() -> None:
    assert len({case["what"] for case in BROKEN}) == len(BROKEN) >= LEAST


@pytest.mark.parametrize("case", BROKEN, ids=[case["what"] for case in BROKEN])
def test_it_gets_the_right_finding_and_no_other(small: Content, case: dict[str, Any]) -> None:
    root, file = small.paths.root, place(case.get("file", case["changes"][0]["in"]))
    for asked in case["changes"]:
        change(root, asked)
    found = check_content(small)
    assert [(item.rule, item.where) for item in found] == [(case["rule"], file)], found
    (item,) = found
    lines = (root / file).read_text(encoding="utf-8").split("\n") if "at" in case else []
    assert item.line == next((at for at, line in enumerate(lines, 1) if case["at"] in line), 1), item
    assert item.remedy
    assert case["says"] in f"{item.what} {item.remedy}"
