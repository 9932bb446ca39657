"""Files are whole or not there; folders are private; a bad disk is one clear message."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.records import BadInput, Refused, Unavailable
from workbench.store import atomic_write, disk_error, file_system, private_folder, publish_folder


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("content", ["", "text é\n", b"\x00\xff"])
def test_written_content_comes_back_and_leaves_nothing_else(tmp_path: Path, content: str | bytes) -> None:
    target = tmp_path / "file"
    target.write_text("before")
    atomic_write(target, content)
    assert target.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert mode(target) == 0o600


def test_mode_does_not_depend_on_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        atomic_write(tmp_path / "shown", "x", mode=0o644)
    finally:
        os.umask(before)
    assert mode(tmp_path / "shown") == 0o644


def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    atomic_write(target, "old")
    program = (
        "import os, sys, pathlib\n"
        "from workbench.store import files\n"
        "os.fsync = lambda descriptor: os._exit(9)\n"
        "files.atomic_write(pathlib.Path(sys.argv[1]), 'new')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(target)], check=False)
    assert ended.returncode == 9
    assert target.read_text() == "old"


@pytest.mark.parametrize(
    ("prepare", "error", "words"),
    [
        (lambda root: (root / "target").mkdir(), BadInput, "A file is where a folder should be"),
        (lambda root: None, Unavailable, "No such file"),
    ],
)
def test_a_wrong_place_is_told(tmp_path: Path, prepare, error, words) -> None:
    prepare(tmp_path)
    target = tmp_path / "target" if error is BadInput else tmp_path / "no" / "target"
    with pytest.raises(error, match=words) as raised:
        atomic_write(target, "x")
    assert str(target) in str(raised.value)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("number", "error", "words"),
    [
        (errno.ENOSPC, Unavailable, "Free some space"),
        (errno.EDQUOT, Unavailable, "quota"),
        (errno.EROFS, Unavailable, "read-only"),
        (errno.EACCES, Unavailable, "permissions"),
        (errno.EIO, Unavailable, "Check the disk"),
        (errno.ENOTDIR, BadInput, "file is where a folder should be"),
    ],
)
def test_each_disk_error_says_what_to_do(number: int, error: type[Exception], words: str) -> None:
    told = disk_error(OSError(number, os.strerror(number)), Path("/x/y"))
    assert type(told) is error
    assert words in told.remedy
    assert told.where == "/x/y"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("this machine does not allow a mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_keeps_the_old_file(small_disk: Path) -> None:
    atomic_write(small_disk / "file", "old")
    with pytest.raises(Unavailable, match="No space left"):
        atomic_write(small_disk / "file", b"x" * 200_000)
    assert (small_disk / "file").read_text() == "old"
    assert [entry.name for entry in small_disk.iterdir()] == ["file"]


def test_read_only_disk_is_told(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(Unavailable, match="Read-only file system"):
        atomic_write(small_disk / "file", "x")
    with pytest.raises(Unavailable, match="Read-only file system"):
        private_folder(small_disk / "a" / "b")


def test_private_folder_makes_all_levels_private(tmp_path: Path) -> None:
    made = private_folder(tmp_path / "a" / "b")
    assert mode(made) == mode(made.parent) == 0o700
    made.chmod(0o755)
    private_folder(made)
    assert mode(made) == 0o700


def test_private_folder_refuses_shared_ones_and_files(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    with pytest.raises(Refused, match="shared with other users"):
        private_folder(shared)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        private_folder(tmp_path / "file")


def test_published_folder_is_renamed_whole(tmp_path: Path) -> None:
    made = tmp_path / "made"
    (made / "deep").mkdir(parents=True)
    (made / "deep" / "file").write_text("x")
    publish_folder(made, tmp_path / "final")
    assert not made.exists()
    assert (tmp_path / "final" / "deep" / "file").read_text() == "x"


def test_publishing_over_a_filled_folder_is_an_error(tmp_path: Path) -> None:
    for name in ("made", "final"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    with pytest.raises((BadInput, Unavailable)):
        publish_folder(tmp_path / "made", tmp_path / "final")
    assert (tmp_path / "final" / "file").read_text() == "final"


TABLE = (
    "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
    "2 1 0:1 / /home/a\\040b rw shared:1 - nfs4 server:/x rw\n"
    "3 2 0:2 / /home/a\\040b/local rw - tmpfs none rw\n"
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/etc", "ext4"), ("/home/a b", "nfs4"), ("/home/a b/x/y", "nfs4"), ("/home/a b/local/z", "tmpfs"),
     ("/home/a bc", "ext4")],
)  # fmt: skip
def test_file_system_of_a_path(path: str, kind: str) -> None:
    assert file_system(Path(path), TABLE) == kind
