"""The bench runner on modules of its own; the figures themselves are not measured here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_runner", Path(__file__).with_name("run.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _write(folder: Path, name: str, value: float) -> None:
    (folder / f"{name}.py").write_text(f"def measure():\n    return [('{name} it', {value}, 10.0, 's')]\n")


def test_figures_beside_targets(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, "quick", 2.5)
    (tmp_path / "no_bench.py").write_text("VALUE = 1\n")
    assert runner.main([], tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "quick",
        "it",
        "2.50",
        "s",
        "10.00",
        "s",
        "0.25",
        "met",
    ]


def test_a_missed_target_is_an_exit_status(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path, "quick", 10.0)
    _write(tmp_path, "slow", 25.0)
    assert runner.main([], tmp_path) == 1
    assert "MISSED" in capsys.readouterr().out
    assert runner.main(["--only", "quick"], tmp_path) == 0
    assert runner.main(["--only", "other"], tmp_path) == 2
    assert "there are: quick, slow" in capsys.readouterr().err
