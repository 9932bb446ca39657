"""One holder at a time, named; death lets go; network file systems are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.records import Refused
from workbench.store import FileLock, lock_holder, locks

HOLD = (
    "import sys, pathlib\n"
    "from workbench.store import FileLock\n"
    "with FileLock(pathlib.Path(sys.argv[1]), 'the source'):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.readline()\n"
)


def start_holder(path: Path) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_the_second_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with start_holder(path) as holder:
        found = lock_holder(path)
        assert found is not None
        assert (found.pid, found.what) == (holder.pid, "the source")
        with (
            pytest.raises(Refused, match=f"the source is in use by process {holder.pid} on"),
            FileLock(path, "the source"),
        ):
            pass
        holder.communicate("\n")
    assert lock_holder(path) is None
    with FileLock(path, "the source"):
        assert lock_holder(path).pid == os.getpid()


def test_two_locks_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with FileLock(path, "it"), pytest.raises(Refused), FileLock(path, "it"):
        pass
    assert path.read_text() == ""


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with start_holder(path) as holder:
        holder.kill()
    assert path.read_text() != ""
    assert lock_holder(path) is None
    with FileLock(path, "it"):
        pass


def test_a_pid_used_again_is_not_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with FileLock(path, "it"):
        written = json.loads(path.read_text())
    path.write_text(json.dumps(written | {"start_ticks": written["start_ticks"] - 1}))
    assert lock_holder(path) is None


@pytest.mark.parametrize("held", [True, False])
def test_a_holder_elsewhere_is_known_by_the_lock_itself(tmp_path: Path, held: bool) -> None:
    path = tmp_path / "x.lock"
    with FileLock(path, "it") as lock:
        written = json.loads(path.read_text()) | {"host": "another", "pid": 1}
        if held:
            path.write_text(json.dumps(written))
            assert str(lock_holder(path)).startswith("process 1 on another")
    if not held:
        path.write_text(json.dumps(written))
        assert lock_holder(path) is None
    assert lock.what == "it"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "\x00"])
def test_a_damaged_lock_file_is_no_holder_and_no_obstacle(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.lock"
    path.write_text(content)
    assert lock_holder(path) is None
    with FileLock(path, "it"):
        assert lock_holder(path) is not None


def test_waiting_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with start_holder(path) as holder:
        assert holder.stdin is not None
        holder.stdin.write("\n")
        holder.stdin.flush()
        with FileLock(path, "it", wait_s=10):
            assert lock_holder(path) is not None


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "on_network", lambda path: "nfs4")
    with pytest.raises(Refused, match="network file system \\(nfs4\\)"), FileLock(tmp_path / "x", "it"):
        pass
    assert not (tmp_path / "x").exists()
