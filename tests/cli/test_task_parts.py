"""``workbench task family`` and its parts; and what listings say of files that cannot be read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.catalog import Content, family_parts
from workbench.records import ContentPaths, DataPaths

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., Any]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    """Two families of the project, to be damaged; commands stand in it."""
    copy = tmp_path / "content"
    for name in ("sirs", "gcs"):
        shutil.copytree(ROOT / "tasks/m4bench" / name, copy / "tasks/m4bench" / name)
        shutil.copytree(ROOT / "skills" / name, copy / "skills" / name)
        (copy / "audits").mkdir(exist_ok=True)
        shutil.copy(ROOT / "audits" / f"{name}.toml", copy / "audits")
    (copy / "workbench.toml").write_text("")
    monkeypatch.chdir(copy)
    return copy


def test_a_family_lists_what_it_has(command: Run, root: Path) -> None:
    ended = command("task", "family", "glasgow_coma_scale", "--json")
    parts = family_parts(Content(ContentPaths(root)), "gcs")
    assert ended.code == 0
    assert [(item["kind"], item["name"], item["command"]) for item in ended.envelope["items"]] == [
        (part.kind, part.name, part.command) for part in parts
    ]
    plain = command("task", "family", "gcs").out
    assert all(part.command in plain for part in parts)
    assert "major: An intubated patient counts as fully awake" in plain
    assert command("task", "family", "gsc").code == 2


def test_the_words_of_a_family(command: Run, root: Path) -> None:
    told = command("task", "family", "gcs", "--about").out
    assert told.startswith("# Glasgow Coma Scale of the first day\n") and "Grain: " in told


def test_a_reference_by_target_and_database(command: Run, root: Path) -> None:
    folder = root / "tasks/m4bench/gcs"
    for words, name in (
        ((), "reference.mimic-iv.sql"),
        (("--database", "eicu"), "reference.eicu.sql"),
        (("--target", "adjudicated"), "reference.adjudicated.mimic-iv.sql"),
        (("--target", "admissible"), "admissible.mimic-iv.sql"),
        (("--target", "naive", "--database", "eicu"), "naive.eicu.sql"),
    ):
        ended = command("task", "reference", "gcs", *words)
        assert (ended.code, ended.out.rstrip()) == (0, (folder / name).read_text().rstrip())
    unknown = command("task", "reference", "gcs", "--target", "adjudicated", "--database", "eicu")
    assert unknown.code == 2
    assert "has no adjudicated, eicu" in unknown.err
    assert "It has: public-code, mimic-iv; adjudicated, mimic-iv; public-code, eicu" in " ".join(
        unknown.err.split()
    )


def test_parts_as_data(command: Run, root: Path) -> None:
    assert command("task", "deviations", "gcs", "--json").envelope["items"] == []
    (first, *_) = command("task", "caveats", "gcs", "--json").envelope["items"]
    assert first["severity"] == "moderate" and first["witness"]
    assert [item["database"] for item in command("task", "checks", "gcs", "--json").envelope["items"]]
    (text,) = command("task", "spec", "eicu-gcs", "--json").envelope["items"]
    assert text["text"] == (root / "tasks/m4bench/gcs/eicu-gcs/operational-spec.md").read_text()


def test_a_broken_family_is_told_and_the_others_are_listed(command: Run, root: Path) -> None:
    (root / "tasks/m4bench/sirs/family.toml").write_text("name = \n")
    ended = command("task", "list")
    assert ended.code == 1
    assert "eicu-gcs" in ended.out and "sirs" not in ended.out
    assert "sirs/family.toml, line 1: not valid TOML" in ended.err and "Correct the line." in ended.err
    found = command("task", "list", "--json")
    assert (found.code, found.envelope["summary"]) == (1, {"tasks": 2, "unreadable": ["sirs"]})
    (problem,) = found.envelope["problems"]
    assert problem["where"].endswith("sirs/family.toml, line 1") and problem["remedy"]
    assert "tube-is-15" in command("witness", "list").out
    alone = command("task", "family", "sirs", "--json")
    assert alone.code == 1
    assert [item["note"] for item in alone.envelope["items"] if item["kind"] == "about"] == ["cannot be read"]


def test_a_broken_task_is_told_and_the_others_are_listed(command: Run, root: Path) -> None:
    path = root / "tasks/m4bench/gcs/eicu-gcs/task.toml"
    path.write_text(path.read_text().replace('mode = "raw"', 'mode = "rw"'))
    found = command("task", "list", "--json")
    assert (found.code, found.envelope["summary"]["unreadable"]) == (1, ["eicu-gcs"])
    assert [item["id"] for item in found.envelope["items"]] == ["mimic-gcs-24h-raw", "mimic-sirs-24h-raw"]


def test_whole_content_ends_well(command: Run, root: Path) -> None:
    found = command("task", "list", "--json")
    assert (found.code, found.envelope["summary"]) == (0, {"tasks": 3, "unreadable": []})


def test_a_broken_source_is_told_and_the_others_are_listed(command: Run, home: Path) -> None:
    data = DataPaths(home)
    sources = {
        "whole": '{"name": "whole", "database": "eicu", "kind": "imported", "origin": "o", '
        '"origin_hash": "h", "schema_name": "s", "created": "2030-01-01T00:00:00Z", "tables": []}',
        "torn": "{",
    }
    for name, text in sources.items():
        data.source(name).folder.mkdir(parents=True)
        data.source(name).manifest.write_text(text)
    ended = command("data", "list")
    assert (ended.code, "whole" in ended.out, "torn/manifest.json" in ended.err) == (1, True, True)
    assert "workbench data remove torn --yes" in ended.err
