"""A skill's further files are given with it, and count as part of a run's identity."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import BadInput, Condition, ContentPaths
from workbench.runs.conditions import deliver
from workbench.scaffold import NewTask, new_family, new_skill


@pytest.fixture
def content(tmp_path: Path) -> Content:
    made = Content(ContentPaths(tmp_path))
    new_skill(made, "breathing")
    new_family(made, NewTask("pulse"))
    return made


def test_all_files_are_given(content: Content) -> None:
    folder = content.paths.skill("pulse").parent
    for name, text in (
        ("references/units.md", "# Units\n"),
        ("scripts/sum.sh", "#!/bin/sh\n"),
        (".notes", "x"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "outside.md").symlink_to("/etc/hostname")
    task = content.task("mimic-pulse")
    delivery = deliver(Condition.WITH_SKILL, content, task)
    written, given = delivery.skill_files, delivery.given_skill_files
    assert (
        list(written)
        == list(given)
        == ["pulse/SKILL.md", "pulse/references/units.md", "pulse/scripts/sum.sh"]
    )
    assert written["pulse/references/units.md"] == b"# Units\n"
    assert given["pulse/scripts/sum.sh"] == written["pulse/scripts/sum.sh"] == b"#!/bin/sh\n"
    tokens = delivery.skill_canaries
    assert list(tokens) == ["pulse/SKILL.md", "pulse/references/units.md"]
    assert len(set(tokens.values())) == 2
    assert (
        given["pulse/references/units.md"]
        == f"# Units\n\n<!-- {tokens['pulse/references/units.md']} -->\n".encode()
    )
    assert list(deliver(Condition.WITH_SKILL_DECOY, content, task).skill_files) == ["breathing/SKILL.md"]


def test_a_file_that_is_no_text_is_refused(content: Content) -> None:
    (content.paths.skill("pulse").parent / "table.bin").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="not UTF-8 text"):
        deliver(Condition.WITH_SKILL, content, content.task("mimic-pulse"))
