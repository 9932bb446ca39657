"""Each limit, reached, by every means this machine has."""

from collections.abc import Callable
from typing import Any

import pytest

from workbench.sandbox import Bubblewrap

MIB = 1024**2
TAKE_MEMORY = """
import os, sys, time
def take():
    held = bytearray(60 * 1024 * 1024)
    time.sleep(float(sys.argv[2]))
    os._exit(0)
children = []
for _ in range(int(sys.argv[1])):
    pid = os.fork()
    if pid == 0:
        try:
            take()
        except MemoryError:
            os._exit(9)
    children.append(pid)
print(sum(os.waitpid(pid, 0)[1] != 0 for pid in children))
"""
FORK = """
import os, time
count = 0
try:
    for _ in range(400):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
except OSError:
    print(count)
"""
FILL = """
import sys
total = 0
try:
    for number in range(40):
        with open(f"{sys.argv[1]}/{number}", "wb") as file:
            for _ in range(2):
                total += file.write(bytes(1024 * 1024))
                file.flush()
except OSError as error:
    print(total, error.errno)
"""


@pytest.mark.parametrize("without", [(), ("groups",)], ids=["groups", "supervisor"])
@pytest.mark.parametrize("processes", [1, 3])
def test_memory(inside: Callable[..., Any], without: tuple[str, ...], processes: int) -> None:
    limit = 40 if processes == 1 else 130
    outcome = inside(
        *("/usr/bin/python3", "-c", TAKE_MEMORY, str(processes), "0.4"),
        sandbox=Bubblewrap(without),
        limits={"memory_bytes": limit * MIB},
    )
    ended = int(outcome.stdout)
    assert 1 <= ended <= processes
    assert outcome.report.enforced["memory"] == (
        "supervisor" if without else outcome.report.enforced["memory"]
    )


SHARE_MEMORY = """
import mmap, os, time
try:
    os.memfd_create("x")
    print("memory in a file of no folder")
except OSError:
    pass
ended = 0
for _ in range(3):
    if os.fork() == 0:
        held = mmap.mmap(-1, 60 << 20)
        held.write(bytes(60 << 20))
        time.sleep(0.4)
        os._exit(0)
for _ in range(3):
    ended += os.wait()[1] != 0
print(ended > 0)
"""


def test_shared_memory_is_supervised(inside: Callable[..., Any]) -> None:
    outcome = inside(
        *("/usr/bin/python3", "-c", SHARE_MEMORY),
        sandbox=Bubblewrap(("groups",)),
        limits={"memory_bytes": 130 * MIB},
    )
    assert outcome.stdout == b"True\n"


@pytest.mark.parametrize("without", [(), ("groups",)], ids=["groups", "supervisor"])
def test_within_memory_nothing_is_ended(inside: Callable[..., Any], without: tuple[str, ...]) -> None:
    outcome = inside(
        *("/usr/bin/python3", "-c", TAKE_MEMORY, "1", "0.2"),
        sandbox=Bubblewrap(without),
        limits={"memory_bytes": 250 * MIB},
    )
    assert outcome.stdout == b"0\n"
    assert outcome.report.peak_memory_bytes > 50 * MIB


def test_the_report_says_memory(inside: Callable[..., Any]) -> None:
    outcome = inside("/usr/bin/python3", "-c", "bytearray(400 << 20)", limits={"memory_bytes": 40 * MIB})
    if not outcome.report.enforced["memory"].startswith("cgroup"):
        pytest.skip("no memory group here: a single process gets an error instead of an end")
    assert (outcome.report.ended_by, outcome.report.signal) == ("memory", 9)


@pytest.mark.parametrize("without", [(), ("groups",)], ids=["groups", "rlimit"])
def test_fork_bomb(inside: Callable[..., Any], without: tuple[str, ...]) -> None:
    outcome = inside("/usr/bin/python3", "-c", FORK, sandbox=Bubblewrap(without), limits={"processes": 20})
    assert 10 <= int(outcome.stdout) <= 23


@pytest.mark.parametrize(
    ("folder", "most"), [("/workspace", 12), ("/tmp", 4), ("/home/agent", 4), ("/dev/shm", 4)]
)
def test_filling_a_folder(inside: Callable[..., Any], folder: str, most: int) -> None:
    outcome = inside("/usr/bin/python3", "-c", FILL, folder)
    written, error = map(int, outcome.stdout.split())
    assert error == 28
    assert written <= most * MIB


def test_other_folders_take_nothing(inside: Callable[..., Any]) -> None:
    folders = ["/dev", "/", "/var", "/run", "/etc", "/opt", "/usr", "/proc"]
    outcome = inside("/bin/sh", "-c", f"for f in {' '.join(folders)}; do echo x > $f/new; done; true")
    assert outcome.stderr.count(b"cannot create") == len(folders)


def test_a_work_folder_in_memory_has_its_quota(inside: Callable[..., Any]) -> None:
    outcome = inside("/usr/bin/python3", "-c", FILL, "/workspace", sandbox=Bubblewrap(("loop",)))
    assert outcome.report.enforced["work folder"] == "tmpfs"
    written, error = map(int, outcome.stdout.split())
    assert (error, written <= 12 * MIB) == (28, True)


def test_a_watched_work_folder_ends_the_run(inside: Callable[..., Any]) -> None:
    outcome = inside(
        *("/bin/sh", "-c", "head -c 20M /dev/zero > big; mkdir -p a/b; sleep 30"),
        sandbox=Bubblewrap(("loop", "tmpfs")),
    )
    assert outcome.report.ended_by == "disk"
    assert outcome.report.enforced["work folder"] == "watched folder"
    assert "too large: big" in outcome.refused


def test_a_single_file_is_bounded(inside: Callable[..., Any]) -> None:
    outcome = inside(
        *("/bin/sh", "-c", "trap '' XFSZ; head -c 9M /dev/zero > big; stat -c %s big"),
        limits={"file_bytes": 2 * MIB},
    )
    assert int(outcome.stdout) <= 2 * MIB


def test_open_files_are_bounded(inside: Callable[..., Any]) -> None:
    outcome = inside("/bin/sh", "-c", "ulimit -n; ulimit -c", limits={"open_files": 99})
    assert outcome.stdout == b"99\n0\n"
