"""Which layer wins, and what is said of a value's origin."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import DEFAULT_ORIGIN, BadInput, read_settings


@pytest.fixture
def project(tmp_path: Path) -> Path:
    file = tmp_path / "workbench.toml"
    file.write_text(
        'source = "of-project"\ntheme = "none"\nsandbox = "bubblewrap"\n'
        '[keys]\n"app.help" = "f1"\n"home.reload" = "f5"\n'
    )
    return file


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text('source = "my-own"\ntheme = "sixteen"\n[keys]\n"home.reload" = "f6"\n')
    return file


def test_later_layers_win_and_each_says_so(project: Path, own: Path) -> None:
    environment = {"WORKBENCH_THEME": "high-contrast", "WORKBENCH_ASCII": "on"}
    found = read_settings(project, environment, own=own, agent="script", model=None)
    settings = found.settings
    assert (settings.sandbox, settings.source, settings.theme) == ("bubblewrap", "my-own", "high-contrast")
    assert (settings.ascii, settings.agent) == ("on", "script")
    assert settings.keys == {"app.help": "f1", "home.reload": "f6"}
    assert found.origin("sandbox") == found.origin("keys.app.help") == str(project)
    assert found.origin("source") == found.origin("keys.home.reload") == str(own)
    assert found.origin("theme") == "WORKBENCH_THEME"
    assert found.origin("agent") == "option"
    assert found.origin("model") == found.origin("keys.app.quit") == DEFAULT_ORIGIN


def test_an_error_names_its_layer_alone(project: Path, own: Path) -> None:
    own.write_text('ssh_profile = "fast"\n')
    with pytest.raises(BadInput) as caught:
        read_settings(project, {}, own=own)
    assert caught.value.where == str(own) and "ssh_profile" in caught.value.what
    with pytest.raises(BadInput) as caught:
        read_settings(project, {"WORKBENCH_DIFF_OUTPUT": "perhaps"})
    assert caught.value.where == "WORKBENCH_DIFF_OUTPUT"


@pytest.mark.parametrize(("written", "read"), [("true", "on"), ("false", "off"), ('"auto"', "auto")])
def test_yes_and_no_are_on_and_off(own: Path, written: str, read: str) -> None:
    own.write_text(f"ascii = {written}\nssh_profile = {written}\n")
    settings = read_settings(None, {}, own=own).settings
    assert (settings.ascii, settings.ssh_profile) == (read, read)


def test_files_that_are_not_there_are_empty(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "a.toml", {}, own=tmp_path / "b.toml").origins == {}
