"""A disk that is full is told as that, not as a fault of the engine or of the input."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.ehr import connect, import_source, make_synthetic
from workbench.ehr.connect import DuckDBError, disk_failure, engine_failure
from workbench.records import DataPaths, Source, Unavailable

MakeSource = Callable[..., Source]
WHY = r"the disk cannot be written \(No space left on device\)"


@pytest.fixture
def small(tmp_path: Path) -> Iterator[DataPaths]:
    """A data directory on a file system of 200 KB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=200k,mode=700", "none", str(folder)]
    if subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine does not allow a mount")
    yield DataPaths(folder / "home")
    subprocess.run(["umount", str(folder)], check=True)


def test_the_engine_says_that_the_disk_is_full() -> None:
    connection = connect()
    with pytest.raises(DuckDBError) as caught:
        connection.execute("COPY (SELECT 1 AS one) TO '/dev/full' (FORMAT parquet)")
    told = engine_failure(caught.value, "making it", "/input")
    assert told.what == "making it: the disk cannot be written (No space left on device)"
    assert (told.where, told.remedy.startswith("Free some space")) == ("", True)


def test_a_value_that_speaks_of_space_is_no_full_disk() -> None:
    connection = connect()
    with pytest.raises(DuckDBError) as caught:
        connection.execute("SELECT CAST('No space left on device' AS INTEGER)")
    assert disk_failure(caught.value, "making it") is None


def test_synthetic_data(small: DataPaths) -> None:
    with pytest.raises(Unavailable, match=f"making the synthetic source mine: {WHY}"):
        make_synthetic(small, 100, 1, name="mine")
    assert not [path for path in small.scratch.rglob("*") if path.is_file()]


def test_parquet_is_not_called_damaged(small: DataPaths, tmp_path: Path, one_stay: MakeSource) -> None:
    data = DataPaths(tmp_path / "home")
    data.root.mkdir(mode=0o700)
    one_stay(data, "given", heart_rates=200_000)
    with pytest.raises(Unavailable, match=f"importing mimiciv_icu.chartevents: {WHY}"):
        import_source(small, data.source("given").tables, "mine")
    assert not small.source("mine").folder.exists()
