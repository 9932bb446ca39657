"""Hostile results: what is copied, what is refused, what it costs."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.records import Limits
from workbench.sandbox.collect import MAX_DEPTH, collect_results

LIMITS = Limits(collect_bytes=100_000, collect_entries=200)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def collect(work: Path, into: Path, limits: Limits = LIMITS) -> tuple[list[str], dict[str, bytes]]:
    opened = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
    try:
        refused = collect_results(opened, into, limits)
    finally:
        os.close(opened)
    files = {str(path.relative_to(into)): path.read_bytes() for path in into.rglob("*") if path.is_file()}
    return refused, files


def test_plain_files_are_copied_privately(work: Path, tmp_path: Path) -> None:
    (work / "a").mkdir()
    (work / "output.csv").write_bytes(b"x\n")
    (work / "a" / "b.sql").write_bytes(b"SELECT 1")
    (work / "a" / "b.sql").chmod(0o4777)
    refused, files = collect(work, tmp_path / "into")
    assert (refused, files) == ([], {"output.csv": b"x\n", "a/b.sql": b"SELECT 1"})
    modes = {path.stat().st_mode & 0o7777 for path in (tmp_path / "into").rglob("*")}
    assert modes == {0o600, 0o700}


def _symlink(work: Path) -> None:
    (work / "x").symlink_to("/etc/passwd")


def _folder_link(work: Path) -> None:
    (work / "x").symlink_to("/etc")


def _fifo(work: Path) -> None:
    os.mkfifo(work / "x")


def _socket(work: Path) -> None:
    here = Path.cwd()
    os.chdir(work)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("x")
    finally:
        os.chdir(here)


def _sparse(work: Path) -> None:
    with (work / "x").open("wb") as file:
        file.truncate(50 * 1024**3)


def _not_text(work: Path) -> None:
    (Path(os.fsdecode(os.fsencode(work) + b"/x\xff"))).write_bytes(b"")


def _control(work: Path) -> None:
    (work / "x\x1b[2J\n").write_bytes(b"")


def _right_to_left(work: Path) -> None:
    (work / "x\u202egpj.exe").write_bytes(b"")


@pytest.mark.parametrize(
    ("make", "refused"),
    [
        (_symlink, ["link: x"]),
        (_folder_link, ["link: x"]),
        (_fifo, ["fifo: x"]),
        (_socket, ["socket: x"]),
        (_sparse, ["too large: x"]),
        (_not_text, ["name: x\\udcff"]),
        (_control, ["name: x\\x1b[2J\\n"]),
        (_right_to_left, ["name: x\\u202egpj.exe"]),
    ],
)
def test_what_is_refused(
    work: Path, tmp_path: Path, make: Callable[[Path], None], refused: list[str]
) -> None:
    make(work)
    (work / "output.csv").write_bytes(b"kept")
    assert collect(work, tmp_path / "into") == (refused, {"output.csv": b"kept"})


@pytest.mark.parametrize("last", [b"", b"end"])
def test_holes_stay_holes(work: Path, tmp_path: Path, last: bytes) -> None:
    size = 64 * 1024**2
    with (work / "x").open("wb") as file:
        file.write(b"begin")
        file.seek(size // 2)
        file.write(b"middle")
        file.truncate(size - len(last))
        file.seek(size - len(last))
        file.write(last)
    (work / "hole").touch()
    os.truncate(work / "hole", size)
    refused, files = collect(work, tmp_path / "into", Limits(collect_bytes=2 * size))
    assert refused == []
    assert files == {name: (work / name).read_bytes() for name in ("x", "hole")}
    taken = sum((tmp_path / "into" / name).stat().st_blocks * 512 for name in files)
    assert taken < 1024**2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes device nodes")
def test_devices_are_refused(work: Path, tmp_path: Path) -> None:
    os.mknod(work / "null", 0o666 | 0o020000, os.makedev(1, 3))
    assert collect(work, tmp_path / "into") == (["device: null"], {})


def test_depth_is_bounded(work: Path, tmp_path: Path) -> None:
    here = Path.cwd()
    os.chdir(work)
    try:
        for _ in range(240):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(here)
    refused, files = collect(work, tmp_path / "into")
    assert refused == [f"too deep: {'/'.join(['d'] * (MAX_DEPTH + 1))}"]
    assert files == {}


def test_the_output_comes_first_whatever_else_is_there(work: Path, tmp_path: Path) -> None:
    for number in range(300):
        (work / f"a{number:03}").write_bytes(b"")
    (work / "output.csv").write_bytes(b"kept")
    refused, files = collect(work, tmp_path / "into")
    assert files["output.csv"] == b"kept"
    assert len(files) <= LIMITS.collect_entries + 1
    assert refused == ["too many: ."]


def test_bytes_are_bounded_over_all_files(work: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (work / name).write_bytes(bytes(40_000))
    os.link(work / "c", work / "d")
    refused, files = collect(work, tmp_path / "into")
    assert sorted(files) == ["a", "b"]
    assert refused == ["too large: c", "too large: d"]


def test_the_list_of_refusals_is_bounded(work: Path, tmp_path: Path) -> None:
    for number in range(250):
        (work / f"l{number:03}").symlink_to("/etc/passwd")
    refused, _ = collect(work, tmp_path / "into", Limits(collect_entries=1000))
    assert (len(refused), refused[-1]) == (201, "more: 50 entries")


HOSTILE = """
ln -s /etc/shadow answer.json
mkfifo pipe
truncate -s 10M sparse
i=0; while [ $i -lt 240 ]; do mkdir d; cd d; i=$((i+1)); done; cd /workspace
mkdir closed; echo x > closed/x; chmod 0 closed/x closed
echo ok > output.csv
"""


def test_from_inside(inside: Callable[..., Any]) -> None:
    outcome = inside("/bin/sh", "-c", HOSTILE, limits={"collect_bytes": 1_000_000})
    kinds = [refusal.partition(":")[0] for refusal in outcome.refused]
    assert kinds[:3] == ["link", "fifo", "too large"]
    assert "too deep" in kinds
    assert (outcome.folder / "output.csv").read_text() == "ok\n"
    assert not any(path.is_symlink() for path in outcome.folder.rglob("*"))
