"""Drafts: each editor's own, whole or not there, found again after a crash."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.records import BadInput, DataPaths, FixedClock, SkillDraft
from workbench.review import Drafts

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def drafts(tmp_path: Path, clock: FixedClock) -> Drafts:
    return Drafts.of(tmp_path / "content", DataPaths(tmp_path / "home"), clock)


def test_kept_found_and_dropped(drafts: Drafts, clock: FixedClock) -> None:
    first, second = drafts.begin("small", "", "a"), drafts.begin("small", "0" * 40, "b")
    assert drafts.all() == ([], [])
    first = drafts.keep(first, "first text", "why")
    clock.move(2)
    second = drafts.keep(drafts.keep(second, "half"), "second \u2028text\x1b")
    drafts.keep(drafts.begin("other", "", ""), "other")
    assert drafts.all("small") == ([second, first], [])
    assert (first.message, second.text) == ("why", "second \u2028text\x1b")
    drafts.drop(second)
    drafts.drop(second)
    assert drafts.all("small") == ([first], [])


def test_of_this_content_root_only_and_readable_by_the_owner_only(drafts: Drafts, tmp_path: Path) -> None:
    kept = drafts.keep(drafts.begin("small", "", ""), "text")
    assert Drafts.of(tmp_path / "elsewhere", drafts.data).all() == ([], [])
    path = drafts.data.draft("small", kept.editor)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_broken_file_hides_no_other(drafts: Drafts) -> None:
    kept = drafts.keep(drafts.begin("small", "", ""), "text")
    drafts.data.draft("small", "broken").write_text("{")
    found, problems = drafts.all()
    assert found == [kept]
    assert [Path(problem.where).name for problem in problems] == ["small.broken.json"]


@pytest.mark.parametrize("skill", ["../x", "", "A", "a/b"])
def test_a_name_leads_nowhere_else(skill: str) -> None:
    with pytest.raises(BadInput):
        SkillDraft.from_raw(
            {"root": "/r", "skill": skill, "editor": "a", "text": "", "kept": "2030-01-01T00:00:00Z"}, "here"
        )
