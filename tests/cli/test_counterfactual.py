"""Counterfactuals, listed and verified from the command line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.catalog import Content
from workbench.records import ContentPaths, DataPaths, Source

from .conftest import ROOT, Command

WORD = "counterfactual"


def test_all_are_listed_with_their_tasks(command: Command) -> None:
    envelope = command(WORD, "list", "--json").envelope
    content = Content(ContentPaths(ROOT))
    wanted = [
        (family.name, item.database, item.name, item.says)
        for family in content.families()
        for item in content.files(family.name).counterfactuals()
    ]
    told = [tuple(item[key] for key in ("family", "database", "name", "says")) for item in envelope["items"]]
    assert sorted(told) == sorted(wanted)
    assert envelope["summary"] == {"counterfactuals": len(wanted)}
    for item in envelope["items"]:
        assert item["changes"][0]["in"] and item["differs"]["rows"]
        tasks = [content.task(name) for name in item["tasks"]]
        assert tasks and {(task.family, task.database) for task in tasks} == {
            (item["family"], item["database"])
        }
    plain = command(WORD, "list").out
    assert all(f"{family} " in plain and name in plain for family, _, name, _ in wanted)


@pytest.mark.parametrize(
    ("name", "databases"), [("gcs", ["mimic-iv", "eicu"]), ("eicu-gcs", ["eicu"]), ("ventilation", [])]
)
def test_those_of_a_family_or_task(command: Command, name: str, databases: list[str]) -> None:
    items = command(WORD, "list", name, "--json").envelope["items"]
    assert [item["database"] for item in items] == databases
    if not items:
        assert "no counterfactuals" in command(WORD, "list", name).out
    assert command(WORD, "list", f"{name}x").code == 2


def test_a_file_that_cannot_be_read_is_a_note(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for family in ("gcs", "sirs"):
        shutil.copytree(ROOT / "tasks" / "m4bench" / family, tmp_path / "tasks" / "m4bench" / family)
    (tmp_path / "workbench.toml").touch()
    (tmp_path / "tasks/m4bench/gcs/counterfactuals.toml").write_text('family = "gcs"\n')
    monkeypatch.chdir(tmp_path)
    ended = command(WORD, "list")
    assert (ended.code, "fast-heart-above-100" in ended.out) == (1, True)
    assert "gcs/counterfactuals.toml" in ended.err and "'counterfactuals' is missing" in ended.err


def test_a_preview_takes_one(command: Command) -> None:
    words = ("condition", "preview", "eicu-gcs", "--condition", "with-skill")
    assert "ending it at 719 loses" in command(*words, "--counterfactual", "first-12-hours").out
    assert "ending it at 1439 loses" in command(*words).out
    ended = command(*words, "--counterfactual", "first-13-hours")
    assert ended.code == 2 and "Did you mean first-12-hours" in ended.err


def test_a_reference_is_verified_on_a_source(
    command: Command, source_of: Callable[[str], Source], shared_home: DataPaths, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    words = ("--home", shared_home.root, WORD, "verify", "eicu-gcs", "--source", source_of("eicu").name)
    ended = command(*words, "--json")
    assert ended.code == 0, ended.err
    (item,) = ended.envelope["items"]
    assert (item["rows"], item["problems"]) == (500, []) and item["changed"] > 10
    assert item["columns"] == ["gcs_min", "gcs_motor", "gcs_verbal", "gcs_eyes"]

    for place in ("tasks/m4bench/gcs", "skills/gcs"):
        shutil.copytree(ROOT / place, tmp_path / place)
    (tmp_path / "workbench.toml").touch()
    file = tmp_path / "tasks/m4bench/gcs/counterfactuals.toml"
    file.write_text(file.read_text().replace("FILTER (minute <= 720)", "FILTER (minute <= 500)"))
    monkeypatch.chdir(tmp_path)
    ended = command(*words)
    assert ended.code == 1
    assert "rows are declared to change and do not" in ended.out
    assert "rows have another new gcs_min than declared" in ended.out


def test_a_source_of_another_database_is_told(
    command: Command, tiny: Source, shared_home: DataPaths, tmp_path: Path
) -> None:
    """A source that is not synthetic by its name stands for nothing but itself."""
    data = DataPaths(tmp_path / "data")
    shutil.copytree(shared_home.source(tiny.name).folder, data.source("elsewhere").folder)
    manifest = data.source("elsewhere").manifest
    manifest.write_text(manifest.read_text().replace(tiny.name, "elsewhere"))
    ended = command("--home", data.root, WORD, "verify", "eicu-gcs", "--source", "elsewhere")
    assert ended.code == 2
    assert "none of the counterfactuals is for the database of 'elsewhere'" in ended.err
