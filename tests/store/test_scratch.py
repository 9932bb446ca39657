"""Whose half-made things are abandoned: only those of makers that are dead."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.records import DataPaths
from workbench.runs import sweep
from workbench.store import abandoned, owned_folder
from workbench.store.scratch import mark_owner, owner_mark

MAKER = """
import os, sys, tempfile
from pathlib import Path
from workbench.records import DataPaths
from workbench.store import PROBE_PREFIX, mark_owner, owned_name, private_folder
scratch = private_folder(DataPaths(Path(sys.argv[1])).scratch)
private_folder(scratch / owned_name("runtime")).joinpath("big").write_bytes(bytes(1000))
fixed = private_folder(scratch / "source-x")
mark_owner(fixed)
tempfile.mkdtemp(prefix=f"{owned_name(PROBE_PREFIX)}@")
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_the_sweep_removes_what_a_killed_maker_left(data: DataPaths, temporary: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", MAKER, str(data.root)], check=False, cwd=root)
    assert len(list(data.scratch.iterdir())) == 2
    assert len(list(temporary.iterdir())) == 1
    outside = temporary / "workbench-probe-unmarked"
    outside.mkdir()
    with owned_folder(data, "mine") as mine:
        removed = sweep(data)
        assert list(data.scratch.iterdir()) == [mine]
    assert list(temporary.iterdir()) == [outside]
    assert sorted(line.split("-")[0] for line in removed) == ["half", "half", "half"]
    assert sweep(data) == []


def test_a_living_makers_mark_in_a_file(data: DataPaths, temporary: Path) -> None:
    folder = data.scratch / "source-x"
    folder.mkdir(parents=True)
    mark_owner(folder)
    assert abandoned(data) == []


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        (f"a{owner_mark()}", False),
        (f"a{owner_mark()}-damaged", False),
        ("a@00000000-1-1", True),
        (f"a@{owner_mark()[1:9]}-{os.getpid()}-1", True),
        ("unmarked", False),
    ],
    ids=["living maker", "living maker, longer name", "other boot", "pid used again", "unmarked"],
)
def test_marks(data: DataPaths, temporary: Path, name: str, gone: bool) -> None:
    (data.scratch / name).mkdir(parents=True)
    assert abandoned(data) == ([data.scratch / name] if gone else [])


def test_without_a_mark_a_day_is_waited(data: DataPaths, temporary: Path) -> None:
    folder = data.scratch / "runtime-0123456789ab"
    folder.mkdir(parents=True)
    long_ago = time.time() - 25 * 3600
    os.utime(folder, (long_ago, long_ago))
    (data.scratch / "link").symlink_to("/")
    assert abandoned(data) == [folder]
    sweep(data)
    assert not folder.exists()
