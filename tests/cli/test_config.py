"""``workbench config``: what holds, where it comes from, the user's own file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli import main
from workbench.records import DataPaths


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataPaths:
    """A content root that sets two things, a data directory beside it."""
    root = tmp_path / "content"
    root.mkdir()
    (root / "workbench.toml").write_text('source = "of-project"\n[keys]\n"runs.sort" = "f6"\n')
    monkeypatch.chdir(root)
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("WORKBENCH_THEME", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)  # workers of pytest-xdist have it
    return DataPaths(tmp_path / "home")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    """The items of ``--json`` by name."""
    assert main(["config", *arguments, "--json"]) == 0
    return {item["name"]: item for item in json.loads(capsys.readouterr().out)["items"]}


def test_each_value_says_where_it_comes_from(
    home: DataPaths, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["config", "set", "source", "mimic"]) == 0
    assert "source is mimic" in capsys.readouterr().out
    monkeypatch.setenv("WORKBENCH_THEME", "none")
    found = told(capsys, "show")
    assert found["source"] == {"name": "source", "value": "mimic", "from": str(home.settings)}
    assert found["theme"]["from"] == "WORKBENCH_THEME"
    assert found["sandbox"]["from"] == "default"
    assert str(found["keys.runs.sort"]["from"]).endswith("workbench.toml")
    assert told(capsys, "unset", "source")["source"]["value"] == "of-project"


def test_keys_are_listed_with_what_they_do(home: DataPaths, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "show", "--keys"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("keys.app.help" in line and "question_mark" in line for line in lines)
    assert any("keys.runs.sort" in line and " f6 " in line for line in lines)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("them", "x", "Did you mean theme?"),
        ("keys.app.hepl", "f1", "Did you mean keys.app.help"),
        ("theme", "blue", "workbench-dark, workbench-light"),
        ("keys.home.reload", "j", "j is the key of Down (list.down, Lists) already"),
        ("keys.runs.reverse", "f6", "f6 is the key of Sort (runs.sort, Runs) already"),
        ("keys.app.quit", "B", "typed into a text"),
        ("keys.run-detail.mismatches", "banana", "no key is called banana; keys are called f5"),
        ("ssh_profile", "fast", "ssh_profile"),
        ("diff_output", "perhaps", "diff_output"),
        ("duckdb_threads", "many", "duckdb_threads"),
        ("lint.ignore", "secrets, secret", "no lint rule is called 'secret'"),
        ("lint.only", "secrets", "there is no setting"),
        ("lint", "secrets", "there is no setting"),
        ("schema_version", "2", "there is no setting"),
        ("keys", "x", "there is no setting"),
    ],
)
def test_what_cannot_be_is_refused(
    home: DataPaths, capsys: pytest.CaptureFixture[str], name: str, value: str, said: str
) -> None:
    assert main(["config", "set", name, value]) == 2
    assert said in capsys.readouterr().err
    assert not home.settings.exists()


def test_values_have_their_types(home: DataPaths, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in (("diff_output", "off"), ("duckdb_threads", "4"), ("ascii", "on"), ("theme", "")):
        assert main(["config", "set", name, value]) == 0
    found = told(capsys, "show") if not capsys.readouterr().err else {}
    assert (found["diff_output"]["value"], found["duckdb_threads"]["value"]) == (False, 4)
    assert (found["ascii"]["value"], found["theme"]["from"]) == ("on", str(home.settings))


def test_a_broken_file_is_one_message(home: DataPaths, capsys: pytest.CaptureFixture[str]) -> None:
    home.root.mkdir(mode=0o700)
    home.settings.write_text("theme = ")
    for arguments in (["config", "show"], ["config", "set", "theme", "none"], ["task", "list"]):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"error: {home.settings}: not valid TOML") and error.count("error:") == 1
    assert home.settings.read_text() == "theme = "


def test_rules_of_the_lint_are_lists(home: DataPaths, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the two by itself: one from the project, one of the user's own."""
    (Path.cwd() / "workbench.toml").write_text(
        '[lint]\nselect = ["network", "secrets"]\nignore = ["network"]\n'
    )
    assert main(["config", "set", "lint.ignore", "secrets,  tampering"]) == 0
    assert "lint.ignore is secrets, tampering" in capsys.readouterr().out
    found = told(capsys, "show")
    assert found["lint.ignore"]["value"] == ["secrets", "tampering"]
    assert found["lint.ignore"]["from"] == str(home.settings)
    assert found["lint.select"]["value"] == ["network", "secrets"]
    assert str(found["lint.select"]["from"]).endswith("workbench.toml")
    assert told(capsys, "unset", "lint.ignore")["lint.ignore"]["value"] == ["network"]
    assert "lint" not in home.settings.read_text()
