"""The user's own settings file: changed in place, atomically, with all else kept."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.records import BadInput, DataPaths, load_settings
from workbench.store import change_settings

KEPT = '# my own\ntheme = "high-contrast"  # at night\n\n[keys]\n# by habit\n"home.reload" = "f5"\n'


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "home")


def test_the_file_is_made_private_and_read_back(data: DataPaths) -> None:
    assert change_settings(data, {"theme": "none", "keys.app.help": "f1", "diff_output": False})
    found = load_settings(None, {}, own=data.settings)
    assert (found.theme, found.keys, found.diff_output) == ("none", {"app.help": "f1"}, False)
    assert stat.S_IMODE(data.settings.stat().st_mode) == 0o600
    assert not change_settings(data, {"theme": "none"})


def test_comments_and_all_else_stay(data: DataPaths) -> None:
    data.root.mkdir(mode=0o700)
    data.settings.write_text(KEPT)
    change_settings(data, {"ascii": "on", "keys.runs.sort": "f6"})
    text = data.settings.read_text()
    assert text.startswith("# my own\n") and "# at night" in text and "# by habit" in text
    assert 'ascii = "on"' in text.partition("[keys]")[0]
    change_settings(data, {"ascii": None, "keys.runs.sort": None})
    assert data.settings.read_text().split() == KEPT.split()
    change_settings(data, {"keys.home.reload": None, "keys.never.set": None, "source": None})
    assert "[keys]" not in data.settings.read_text()


@pytest.mark.parametrize("changes", [{"ssh_profile": "fast"}, {"no_such": "x"}, {"duckdb_threads": "many"}])
def test_what_may_not_be_is_refused_and_nothing_is_written(data: DataPaths, changes: dict[str, str]) -> None:
    data.root.mkdir(mode=0o700)
    data.settings.write_text(KEPT)
    with pytest.raises(BadInput, match=next(iter(changes))):
        change_settings(data, changes)
    assert data.settings.read_text() == KEPT


@pytest.mark.parametrize("content", [b"theme = ", b"\xff\xfe", b"theme = 1\ntheme = 2\n"])
def test_a_broken_file_is_told_and_left_alone(data: DataPaths, content: bytes) -> None:
    data.root.mkdir(mode=0o700)
    data.settings.write_bytes(content)
    with pytest.raises(BadInput, match="not valid TOML"):
        change_settings(data, {"theme": "none"})
    assert data.settings.read_bytes() == content


def test_a_wrong_value_can_be_taken_away(data: DataPaths) -> None:
    data.root.mkdir(mode=0o700)
    data.settings.write_text('theme = 5\nsource = "mimic"\n')
    change_settings(data, {"theme": None})
    assert load_settings(None, {}, own=data.settings).source == "mimic"


def test_changes_at_the_same_time_are_all_kept(data: DataPaths) -> None:
    names = [f"keys.action.n{number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: change_settings(data, {name: "f5"}), names))
    assert len(load_settings(None, {}, own=data.settings).keys) == 12
