"""Settings of the first frame: what is read without the model is what the model reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.records import BadInput, Settings, plain_settings
from workbench.records.frame_settings import FRAME, PLAIN
from workbench.records.settings import read_settings

PROJECT = 'schema_version = 1\nsource = "x"\ntheme = "a"\n[keys]\n"runs.sort" = "z"\n"runs.filter" = "y"\n'


def _files(folder: Path, own: str, project: str = PROJECT) -> list[Path]:
    files = [folder / "workbench.toml", folder / "settings.toml"]
    for path, text in zip(files, (project, own), strict=True):
        path.write_text(text, encoding="utf-8")
    return files


def test_every_setting_is_known() -> None:
    assert set(PLAIN) == set(Settings.model_fields)


@pytest.mark.parametrize(
    ("own", "environment"),
    [
        ("", {}),
        ('theme = "b"\nascii = "on"\ndiff_output = false\n[keys]\n"runs.sort" = "x"\n', {}),
        ('theme = "b"\n[lint]\nselect = ["secrets"]\nignore = []\n', {}),
        ("duckdb_threads = 2\n", {"WORKBENCH_THEME": "c", "WORKBENCH_SSH_PROFILE": "on"}),
        ("", {"WORKBENCH_ASCII": "off", "WORKBENCH_DUCKDB_THREADS": "3", "WORKBENCH_SOURCE": "y"}),
    ],
)
def test_the_same_as_the_model(tmp_path: Path, own: str, environment: dict[str, str]) -> None:
    files = _files(tmp_path, own)
    plain = plain_settings(files, environment)
    settings = read_settings(files[0], environment, own=files[1]).settings
    assert plain is not None
    assert {name: getattr(plain, name) for name in FRAME} == {name: getattr(settings, name) for name in FRAME}


@pytest.mark.parametrize(
    ("own", "environment"),
    [
        ("ascii = true\n", {}),
        ("theme = 1\n", {}),
        ("duckdb_threads = true\n", {}),
        ("schema_version = 2\n", {}),
        ('nobody = "x"\n', {}),
        ('[keys]\n"runs.sort" = 1\n', {}),
        ("theme = \n", {}),
        ("", {"WORKBENCH_DIFF_OUTPUT": "on"}),
        ("", {"WORKBENCH_SSH_PROFILE": "maybe"}),
        ("", {"WORKBENCH_DUCKDB_THREADS": "many"}),
    ],
)
def test_the_model_is_asked(tmp_path: Path, own: str, environment: dict[str, str]) -> None:
    assert plain_settings(_files(tmp_path, own), environment) is None


def test_missing_files_are_defaults(tmp_path: Path) -> None:
    plain = plain_settings([tmp_path / "none.toml"], {})
    assert plain is not None
    assert (plain.theme, plain.keys, plain.ascii, plain.diff_output) == ("", {}, "auto", True)


def test_what_the_model_refuses_is_never_taken(tmp_path: Path) -> None:
    files = _files(tmp_path, 'ssh_profile = "maybe"\n')
    with pytest.raises(BadInput):
        read_settings(files[0], {}, own=files[1])
    assert plain_settings(files, {}) is None
