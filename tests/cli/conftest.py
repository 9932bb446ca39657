"""Run commands as a user does, in this process or in one of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.ehr import synthetic_name
from workbench.records import DataPaths, Source
from workbench.runs import Context, ensure_source

from ..conftest import alone

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        return json.loads(self.out)


Command = Callable[..., Ended]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty data directory; what main() sets for a process is put back."""
    for name in [name for name in os.environ if name.startswith("WORKBENCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(ROOT)
    hook, mask = sys.excepthook, os.umask(0o077)
    os.umask(mask)
    yield tmp_path / "home"
    sys.excepthook = hook
    os.umask(mask)


@pytest.fixture
def command(home: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """``command('data', 'list')`` in this process."""

    def run(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return run


@pytest.fixture
def process(home: Path) -> Command:
    """The same in a process of its own; keywords go to ``subprocess.run``."""

    def run(*arguments: str | Path, **options: Any) -> Ended:
        ended = subprocess.run(
            [sys.executable, "-m", "workbench", *(str(argument) for argument in arguments)],
            capture_output=True, text=True, check=False, **options,
        )  # fmt: skip
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    return run


@pytest.fixture(scope="session")
def tiny(shared_context: Context) -> Source:
    """A synthetic source of five stays, in the data directory that all tests share."""
    with alone(shared_context.data.root):
        return ensure_source(shared_context, synthetic_name("mimic-iv", 5, 1))


@pytest.fixture
def on_tiny(command: Command, tiny: Source, shared_home: DataPaths) -> Command:
    """``on_tiny('task', 'compare', …)`` on that source."""
    return lambda *words: command("--home", shared_home.root, *words, "--source", tiny.name)
