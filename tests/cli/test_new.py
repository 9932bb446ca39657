"""``task new``, ``skill new``, ``data schema``: what they write, print and refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.ehr import connect

from .conftest import Command


@pytest.fixture
def root(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "content"
    folder.mkdir()
    (folder / "workbench.toml").touch()
    connection = connect(tmp_path / "clinic.duckdb")
    connection.execute('CREATE TABLE vitals (stay_id INTEGER NOT NULL, heart_rate DOUBLE, "Mean BP" DOUBLE)')
    connection.execute("INSERT INTO vitals SELECT 1 + i % 9, 60 + i, NULL FROM range(40) AS t (i)")
    connection.close()
    monkeypatch.chdir(folder)
    return folder


def test_from_a_file_to_a_family(root: Path, command: Command) -> None:
    declared = command("data", "schema", "../clinic.duckdb", "--name", "clinic")
    assert (declared.code, declared.out.splitlines()) == (0, [
        "wrote tasks/local/databases/clinic.toml: 1 tables",
        "left out: column Mean BP of main.vitals: rename it in lower-case letters, digits and '_'",
        "Look it through, then: workbench data import ../clinic.duckdb --database clinic --name clinic",
    ])  # fmt: skip
    again = command("data", "schema", "../clinic.duckdb", "--name", "clinic", "--json")
    assert (again.code, again.envelope["kind"]) == (3, "error")
    imported = command(
        "data", "import", "../clinic.duckdb", "--database", "clinic", "--name", "here", "--json"
    )
    assert (imported.code, imported.envelope["items"][0]["database"]) == (0, "clinic")
    assert command("skill", "new", "breathing").out.splitlines() == [
        "skills/breathing/SKILL.md",
        "Open it and write its sections; then: workbench check skills/breathing",
    ]
    made = command("task", "new", "pulse", "--database", "clinic")
    assert (made.code, made.out.splitlines()[-4:]) == (0, [
        "  workbench task family pulse",
        "  workbench check",
        "  workbench witness run --family pulse",
        "  workbench task selftest clinic-pulse --source clinic",
    ])  # fmt: skip
    assert command("check").out == "clean\n"
    assert command("task", "show", "pulse").code == 0


def test_as_envelopes(root: Path, command: Command) -> None:
    declared = command("data", "schema", "../clinic.duckdb", "--name", "clinic", "--json").envelope
    assert declared["items"] == [{"table": "main.vitals", "columns": 2}]
    assert declared["summary"]["file"] == "tasks/local/databases/clinic.toml"
    made = command("skill", "new", "breathing", "--json").envelope
    assert (made["items"], made["summary"]["skill"]) == ([{"file": "skills/breathing/SKILL.md"}], "breathing")
    made = command("task", "new", "pulse", "--json").envelope
    assert {"file": "tasks/local/pulse/reference.mimic-iv.sql"} in made["items"]
    assert made["summary"]["task"] == "mimic-pulse"
    assert made["summary"]["next"][-1] == "workbench task selftest mimic-pulse"
    made = command("task", "new", "pulse", "--database", "eicu", "--json").envelope
    assert {"file": "tasks/local/pulse/family.toml"} in made["items"]
    assert command("check", "--json").envelope["items"] == []


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("task", "new", "pulse"), 2, "no other skill that could be the decoy"),
        (("task", "new", "pulse", "--database", "clinic"), 2, "there is no database 'clinic'"),
        (("skill", "new", "Breathing Rate"), 2, "cannot name a skill"),
        (("data", "schema", "nowhere.duckdb", "--name", "clinic"), 2, "cannot be read"),
        (("data", "schema", "workbench.toml", "--name", "clinic"), 2, "is neither a folder nor a DuckDB"),
        (("data", "import", "../clinic.duckdb", "--name", "x"), 2, "without tables of MIMIC-IV"),
        (
            ("data", "import", "../clinic.duckdb", "--database", "clinic", "--name", "x"),
            2,
            "no database 'clinic'",
        ),
    ],
)
def test_refused(root: Path, command: Command, words: tuple[str, ...], code: int, told: str) -> None:
    ended = command(*words)
    assert (ended.code, ended.out) == (code, "")
    assert told in ended.err
    assert sorted(path.name for path in root.iterdir()) == ["workbench.toml"]
