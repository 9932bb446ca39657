"""Recovery files: one a process, never a blank over good work, renamed before they are read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workbench.records import DataPaths, Draft
from workbench.tui.recovery import Recovery

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def draft(text: str, key: str = "skill:x", minutes: int = 0) -> Draft:
    return Draft(
        key=key, title="Skill x", screen="skill", text=text, changed=NOW + timedelta(minutes=minutes)
    )


def dead(recovery: Recovery) -> None:
    """What is left of a process that was killed: its file, and no lock."""
    recovery._held.close()


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "data")


def files(data: DataPaths, pattern: str = "*.json") -> list[Path]:
    return sorted(data.recovery.glob(pattern))


def test_nothing_is_written_without_drafts(data: DataPaths) -> None:
    recovery = Recovery(data)
    recovery.save()
    assert recovery.take_over() == []
    recovery.close()
    assert not data.recovery.exists()


def test_a_draft_is_there_after_save_and_gone_after_drop(data: DataPaths) -> None:
    recovery = Recovery(data)
    recovery.keep(draft("half"))
    recovery.save()
    (file,) = files(data)
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["drafts"][0]["text"] == "half"
    recovery.drop("skill:x")
    recovery.save()
    assert files(data) == []


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_a_blank_never_takes_the_place_of_text(data: DataPaths, blank: str) -> None:
    recovery = Recovery(data)
    recovery.keep(draft("good work"))
    recovery.keep(draft(blank, minutes=1))
    recovery.save()
    assert [item.text for item in recovery.drafts] == ["good work"]


def test_another_process_takes_over_what_a_dead_one_left(data: DataPaths) -> None:
    first = Recovery(data)
    first.keep(draft("half"))
    first.save()
    second = Recovery(data)
    assert second.take_over() == []
    dead(first)
    assert [item.text for item in second.take_over()] == ["half"]
    assert [json.loads(file.read_text())["drafts"][0]["text"] for file in files(data)] == ["half"]
    assert files(data, "*.taken") == []
    assert Recovery(data).take_over() == []


def test_closing_with_drafts_leaves_them_to_the_next(data: DataPaths) -> None:
    first = Recovery(data)
    first.keep(draft("half"))
    first.close()
    assert [item.text for item in Recovery(data).take_over()] == ["half"]


def test_two_texts_of_one_place_are_both_kept(data: DataPaths) -> None:
    for minutes, text in ((1, "newer"), (0, "older")):
        one = Recovery(data)
        one.keep(draft(text, minutes=minutes))
        one.close()
    next_one = Recovery(data)
    next_one.take_over()
    assert {item.key: item.text for item in next_one.drafts} == {"skill:x": "newer", "skill:x #2": "older"}


def test_a_file_that_cannot_be_read_is_tried_once_and_kept(data: DataPaths) -> None:
    data.recovery.mkdir(parents=True)
    (data.recovery / "1-ab.json").write_text('{"pid": 1, "drafts": [{"text"')
    assert Recovery(data).take_over() == []
    assert files(data) == [] and len(files(data, "*.taken")) == 1
