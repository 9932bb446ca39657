"""Doctor says what works, and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.cli import machine
from workbench.cli.machine import CHECKS, platform_check
from workbench.records import DataPaths, HealthCheck, HealthState
from workbench.store import health, mounts


@pytest.mark.parametrize(
    ("system", "release", "state", "words"),
    [
        ("Linux", "6.1.0", "ok", "Linux 6.1.0"),
        ("Linux", "5.15.90.1-microsoft-standard-WSL2", "ok", "(WSL)"),
        ("Darwin", "23.1.0", "limited", "macOS"),
        ("Windows", "11", "broken", "not supported"),
        ("", "", "broken", "unknown system"),
    ],
)
def test_platforms(system: str, release: str, state: str, words: str) -> None:
    check = platform_check(system, release)
    assert (check.state, words in check.detail) == (state, True)
    assert bool(check.remedy) == (state != "ok")


def test_everything_is_checked_and_remedied(command: Callable[..., Any]) -> None:
    ended = command("doctor", "--json")
    items = ended.envelope["items"]
    names = " ".join(item["name"] for item in items)
    for name in (*CHECKS, "file system", "free disk"):
        assert name in names
    assert all(item["remedy"] for item in items if item["state"] in ("broken", "missing"))
    assert ended.code == (1 if any(item["state"] == "broken" for item in items) else 0)
    assert ended.envelope["summary"]["broken"] == sum(item["state"] == "broken" for item in items)


def test_text_shows_the_remedy_below(command: Callable[..., Any]) -> None:
    lines = command("doctor").out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("missing  sources"))
    assert "workbench data import PATH" in lines[at + 1]


@pytest.mark.parametrize(
    ("endpoint", "state"), [("", "missing"), ("http://127.0.0.1:9/v1", "broken"), ("nonsense", "broken")]
)
def test_model_endpoint(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, endpoint: str, state: str
) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL_ENDPOINT", endpoint)
    ended = command("doctor", "--json")
    states = {item["name"]: item["state"] for item in ended.envelope["items"]}
    assert states["model endpoint"] == state
    assert ended.code == 1 if state == "broken" else True


def test_a_data_directory_in_the_way_is_broken(command: Callable[..., Any], home: Path) -> None:
    home.write_text("a file")
    ended = command("doctor", "--json")
    states = {item["name"]: item["state"] for item in ended.envelope["items"]}
    assert (ended.code, states["data directory"]) == (1, "broken")


def test_an_open_data_directory_is_limited(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0o755)
    assert health(DataPaths(folder))[0].state is HealthState.LIMITED
    folder.chmod(0o700)
    assert health(DataPaths(folder))[0].state is HealthState.OK


@pytest.mark.parametrize(("kind", "state"), [("nfs4", "broken"), ("9p", "limited"), ("ext4", "ok")])
def test_file_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, state: str) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(f"1 0 8:1 / / rw - {kind} none rw\n")
    monkeypatch.setattr(mounts, "_TABLE", table)
    assert health(DataPaths(tmp_path / "home"))[1].state == state


def test_little_space_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"bytes": 0}

    def usage(_: object) -> SimpleNamespace:
        return SimpleNamespace(free=free["bytes"])

    monkeypatch.setattr(shutil, "disk_usage", usage)
    states = []
    for size in (1_000_000, 5_000_000_000, 50_000_000_000):
        free["bytes"] = size
        states.append(health(DataPaths(tmp_path))[2].state)
    assert states == ["broken", "limited", "ok"]


def test_details_are_wrapped_below_themselves(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    detail, remedy = "one thing after another " * 8, "do this and that " * 8
    check = HealthCheck(name="thing", state=HealthState.MISSING, detail=detail, remedy=remedy)
    monkeypatch.setattr(machine, "all_checks", lambda session: [check])
    monkeypatch.setenv("COLUMNS", "80")
    first, *rest = command("doctor").out.splitlines()
    assert first.startswith("missing  thing              one thing")
    assert len(rest) > 4
    assert all(line.startswith(" " * 28) and len(line) <= 80 for line in rest)
