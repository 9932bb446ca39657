"""kill -9 at any moment of saving: the old version or the new one, nothing broken, no text lost."""

from __future__ import annotations

import multiprocessing
import random
import subprocess
import sys
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from workbench.review import save

from .conftest import TEXT, Tree


def saving(tree: Tree, message: str, ready: Event) -> None:
    """What the process that is killed does."""
    place = tree.place()
    ready.set()
    save(place, message, wait_s=0)


LONGEST_S = 0.25
FORK = multiprocessing.get_context("fork")


def children(pid: int) -> list[int]:
    """Processes that it has started and that run."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_twenty_kills(tree: Tree) -> None:
    moments = random.Random(7)
    committed = 0
    for turn in range(20):
        tree.write(f"{TEXT}Turn {turn}.\n")
        tree.write(f"foreign {turn}\n", "notes.txt")
        before = tree.git("rev-parse", "HEAD")
        ready = FORK.Event()
        process = FORK.Process(target=saving, args=(tree, f"turn {turn}", ready))
        process.start()
        assert process.pid is not None
        ready.wait(60)
        until = time.monotonic() + moments.random() * LONGEST_S
        while time.monotonic() < until and process.is_alive():
            pass
        started = children(process.pid) if turn % 2 else []
        process.kill()
        for pid in started:  # every second time git itself is killed, too
            subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
        process.join()
        while started and any(Path(f"/proc/{pid}/stat").exists() for pid in started):
            pass
        tree.clean()
        after = tree.git("rev-parse", "HEAD")
        assert after == before or tree.git("log", "-1", "--format=%s %P") == f"turn {turn} {before}"
        if after != before:
            committed += 1
            assert tree.git("show", "HEAD:skills/small/SKILL.md").endswith(f"Turn {turn}.")
        assert tree.file.read_text().endswith(f"Turn {turn}.\n")
        assert tree.git("diff", "--cached", "--name-only") in ("", "skills/small/SKILL.md")
        assert (tree.root / "notes.txt").read_text() == f"foreign {turn}\n"
        for lock in (tree.top / ".git").rglob("*.lock"):
            assert started, "only a killed git leaves a lock"
            lock.unlink()
    tree.write(TEXT + "At last.\n")
    save(tree.place(), "at last")
    assert tree.git("status", "--porcelain") == "M notes.txt"
    assert committed < 20


def test_what_a_killed_save_staged_is_no_obstacle_and_is_kept_until_the_next(tree: Tree) -> None:
    tree.write(TEXT + "Killed.\n")
    save(tree.place(), "killed")
    killed = tree.git("rev-parse", "HEAD")
    tree.git("reset", "-q", "--soft", "HEAD~1")
    tree.git("update-ref", "refs/worktree/workbench/small", killed)
    tree.write(TEXT + "Afterwards.\n")
    save(tree.place(), "afterwards")
    assert tree.git("log", "--format=%s") == "afterwards\nfirst"
    assert tree.git("for-each-ref", "refs/worktree") == ""
