"""TOML that is hostile: one error, and at once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from workbench.records import BadInput, parse_toml, read_settings

HOSTILE = {
    "tables": "a = " + "[" * 50_000,
    "inline": "a = " + "{a=" * 50_000,
    "digits": "x = 1" + "0" * 5_000,
    "parts": ".".join("a" * 100_000) + " = 1",
    "spaced": " . ".join("a" * 50) + " = 1",
    "headings": "[" + ".".join(["table"] * 100) + "]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_one_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(HOSTILE[name])
    file = tmp_path / "settings.toml"
    file.write_text(HOSTILE[name])
    with pytest.raises(BadInput, match="not valid TOML") as told:
        read_settings(file, {})
    assert told.value.where == str(file)


def test_what_people_write_is_read() -> None:
    assert parse_toml('keys.app.quit = "f10"\nversion = "1.2.3"\n')["keys"] == {"app": {"quit": "f10"}}
    assert parse_toml(f'hash = "{"a" * 200_000}"')["hash"].startswith("aaa")
    assert parse_toml('text = "' + "e.g. this, i.e. that. " * 400 + '"')


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(b'\xef\xbb\xbftheme = "workbench-light"\n')
    assert read_settings(file, {}).settings.theme == "workbench-light"
