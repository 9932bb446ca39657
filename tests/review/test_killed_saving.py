"""kill -9 at any moment of saving: the old version or the new one, nothing broken, no text lost."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from workbench.review import restore, save

from .conftest import TEXT, Tree


def saving(tree: Tree, message: str, ready: Event) -> None:
    """What the process that is killed does."""
    place = tree.place()
    ready.set()
    save(place, message, wait_s=0)


LONGEST_S = 0.25
FORK = multiprocessing.get_context("fork")


def restoring(tree: Tree, message: str, ready: Event) -> None:
    """Go back to the version before."""
    place = tree.place()
    ready.set()
    restore(place, "HEAD~1", message, wait_s=0)


def children(pid: int) -> list[int]:
    """Processes that it has started and that run."""
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def killed(
    work: Callable[[Tree, str, Event], None], tree: Tree, message: str, after_s: float, *, everything: bool
) -> bool:
    """Kill the work in the middle; with ``everything`` git itself, too. Whether a git was killed."""
    ready = FORK.Event()
    process = FORK.Process(target=work, args=(tree, message, ready))
    process.start()
    assert process.pid is not None
    ready.wait(60)
    process.join(after_s)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGSTOP)  # so that it starts and reaps none while they are counted
    running = children(process.pid)
    ends = [os.pidfd_open(pid) for pid in running]
    process.kill()
    for pid in running if everything else []:
        subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
    process.join()
    for end in ends:
        select.select([end], [], [])  # an orphan goes on to its end
        os.close(end)
    return everything and bool(running)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_twenty_kills(tree: Tree) -> None:
    moments = random.Random(7)
    committed = 0
    for turn in range(20):
        tree.write(f"{TEXT}Turn {turn}.\n")
        tree.write(f"foreign {turn}\n", "notes.txt")
        before = tree.git("rev-parse", "HEAD")
        started = killed(saving, tree, f"turn {turn}", moments.random() * LONGEST_S, everything=turn % 2 == 1)
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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_kills_while_an_earlier_version_is_restored(tree: Tree) -> None:
    changed = TEXT + "Second version.\n"
    tree.write(changed)
    save(tree.place(), "second")
    moments = random.Random(3)
    for turn in range(6):
        before = tree.git("rev-parse", "HEAD")
        tree.write(f"foreign {turn}\n", "notes.txt")
        killed(restoring, tree, f"turn {turn}", moments.random() * LONGEST_S, everything=turn % 2 == 1)
        tree.clean()
        assert before in (tree.git("rev-parse", "HEAD"), tree.git("rev-parse", "HEAD~1"))
        assert {tree.git("show", f"{version}:skills/small/SKILL.md") for version in ("HEAD", "HEAD~1")} == {
            TEXT.strip(),
            changed.strip(),
        }
        assert (tree.root / "notes.txt").read_text() == f"foreign {turn}\n"
        for lock in (tree.top / ".git").rglob("*.lock"):
            lock.unlink()
        tree.git("restore", "--staged", "--worktree", "--source=HEAD", "skills")
