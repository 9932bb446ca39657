"""The runtime for agents, used inside."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from workbench.records import DataPaths
from workbench.sandbox import ensure_python_runtime, runtime

USE = "import duckdb, sys; print(duckdb.__version__, duckdb.sql('SELECT 6 * 7').fetchall(), sys.prefix)"


@pytest.fixture
def only_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small runtime, quickly built."""
    monkeypatch.setattr(runtime, "_PACKAGES", ("duckdb",))


def test_usable_inside(inside: Callable[..., Any], shared_home: DataPaths) -> None:
    built = ensure_python_runtime(shared_home)
    for program in ("python3", built.python):
        outcome = inside(program, "-c", USE, env=built.env, mounts=built.mounts)
        assert outcome.text == f"{duckdb.__version__} [(42,)] /opt/runtime/python\n"
    show = "import duckdb, numpy; print(duckdb.sql.__code__, duckdb.sql('SELECT 1 AS a').fetchnumpy())"
    told = inside(built.python, "-c", show, env=built.env, mounts=built.mounts)
    assert "/opt/runtime/python/lib" in told.text
    assert "array([1]" in told.text


@pytest.mark.usefixtures("only_duckdb")
def test_built_once_and_again_when_damaged(tmp_path: Path) -> None:
    data = DataPaths(tmp_path / "home")
    built = ensure_python_runtime(data)
    folder = built.mounts[0].source
    before = folder.stat()
    assert ensure_python_runtime(data) == built
    assert folder.stat().st_mtime_ns == before.st_mtime_ns
    assert list(data.scratch.iterdir()) == []
    modes = {path.stat().st_mode & 0o777 for path in folder.rglob("*") if not path.is_symlink()}
    assert modes <= {0o755, 0o644}

    next(folder.rglob("_duckdb*.so")).write_bytes(b"")
    assert ensure_python_runtime(data) == built
    assert next(folder.rglob("_duckdb*.so")).stat().st_size > 1_000_000


@pytest.mark.real
@pytest.mark.usefixtures("only_duckdb")
def test_a_relocated_python(
    inside: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_system_python", lambda: None)
    built = ensure_python_runtime(DataPaths(tmp_path / "home"))
    outcome = inside("python3", "-c", USE, env=built.env, mounts=built.mounts)
    assert outcome.text == f"{duckdb.__version__} [(42,)] /opt/runtime/python\n"
