"""An app that is stopped gives the terminal back; when it goes on it takes it again and draws everything."""

from __future__ import annotations

import fcntl
import os
import shlex
import signal
import struct
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_diff_output import looks
from test_signals import given_back, kept, typed
from tui_emulator import Emulated, environment

Start = Callable[..., Emulated]
Pid = Callable[[Emulated], int]


def state(pid: int) -> str:
    """One letter, as ps shows it; empty where there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def seen(emulated: Emulated) -> list[list[tuple[object, ...]]]:
    return [[looks(cell) for cell in row] for row in emulated.cells]


def stop(emulated: Emulated, pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    emulated.until(lambda _: state(pid) == "T" and given_back(emulated))
    emulated.idle()


@pytest.mark.parametrize("diff_output", ["on", "off"])
def test_a_stopped_app_gives_the_terminal_back_and_draws_it_all_when_it_goes_on(
    terminal: Start, app_pid: Pid, drafting: list[str], diff_output: str
) -> None:
    emulated = terminal(drafting, WORKBENCH_DIFF_OUTPUT=diff_output)
    emulated.wait_for("ready")
    emulated.send("half a note")
    emulated.wait_for("typed 11")
    emulated.idle()
    before, raw_modes = seen(emulated), termios.tcgetattr(emulated.slave)
    app = app_pid(emulated)
    for _ in range(2):
        stop(emulated, app)
        emulated.screen.reset()
        os.kill(app, signal.SIGCONT)
        emulated.wait_for("half a note")
        emulated.idle()
        assert seen(emulated) == before
        assert termios.tcgetattr(emulated.slave) == raw_modes
    stop(emulated, app)
    emulated.size = (100, 30)
    emulated.screen.resize(30, 100)
    fcntl.ioctl(emulated.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    os.kill(app, signal.SIGCONT)
    emulated.until(lambda _: "typed 11" in emulated.text.splitlines()[0][80:])
    emulated.send(" and more")
    emulated.wait_for("typed 20")
    emulated.send("\x11")
    assert emulated.wait() == 0
    assert given_back(emulated)


def test_a_stop_and_a_continue_at_once_leave_the_screen_to_the_app(
    terminal: Start, app_pid: Pid, drafting: list[str]
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    app = app_pid(emulated)
    for _ in range(20):
        os.kill(app, signal.SIGSTOP)
        os.kill(app, signal.SIGCONT)
    emulated.idle(0.2)
    raw = bytes(emulated.raw)
    assert raw.rfind(b"\x1b[?1049h") > raw.rfind(b"\x1b[?1049l")
    assert "half a note" in emulated.text
    emulated.send("\x11")
    assert emulated.wait() == 0
    assert given_back(emulated)


def test_a_stopped_app_that_is_killed_is_told_once(
    terminal: Start, app_pid: Pid, drafting: list[str], tmp_path: Path
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    emulated.until(lambda _: bool(kept(tmp_path)))
    stop(emulated, app_pid(emulated))
    left = bytes(emulated.raw).count(b"\x1b[?1049l")
    os.kill(app_pid(emulated), signal.SIGKILL)
    assert emulated.wait() == 137
    assert "SIGKILL" in emulated.text
    assert bytes(emulated.raw).count(b"\x1b[?1049l") == left
    assert kept(tmp_path) == ["half a note"]


def test_a_stopped_app_that_is_asked_to_end_saves_and_ends(
    terminal: Start, app_pid: Pid, drafting: list[str], tmp_path: Path
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    stop(emulated, app_pid(emulated))
    os.kill(emulated.process.pid, signal.SIGTERM)
    assert emulated.wait() == 143
    assert given_back(emulated)
    assert kept(tmp_path) == ["half a note"]


def test_what_was_typed_is_kept_before_an_editor_starts(
    terminal: Start, app_pid: Pid, drafting: list[str], tmp_path: Path
) -> None:
    emulated = terminal(drafting, EDITOR="sh -c 'printf begun; read -r answer'")
    emulated.wait_for("ready")
    emulated.send("edit")
    emulated.wait_for("begun")
    os.kill(app_pid(emulated), signal.SIGKILL)
    assert emulated.wait() == 137
    assert given_back(emulated)
    assert kept(tmp_path) == ["edit"]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Emulated]:
    """A shell with job control."""
    settings = environment(tmp_path, PS1="ready> ")
    with Emulated(["bash", "--norc", "--noprofile", "-i"], environment=settings) as emulated:
        emulated.wait_for("ready>")
        yield emulated


def job(shell: Emulated) -> tuple[int, int]:
    """Guard and app of the shell's one job."""
    (guard,) = children(shell.process.pid)
    (app,) = children(guard)
    return guard, app


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def then(shell: Emulated, do: Callable[[], object], *texts: str) -> None:
    """Do it and wait for all of the texts in what is written from then on; screens of before stay visible."""
    begin = len(shell.raw)
    do()
    shell.until(lambda _: all(text.encode() in shell.raw[begin:] for text in texts))


DRAWN = ("\x1b[2J", "Workbench ", "half a note", "typed 11")


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGTSTP])
def test_a_shell_with_job_control_takes_over_and_gives_back(
    shell: Emulated, drafting: list[str], tmp_path: Path, number: int
) -> None:
    shell.send("stty -a > $HOME/before; " + shlex.join(drafting) + "\n")
    shell.wait_for("Workbench > Draft")
    shell.send("half a note")
    shell.wait_for("typed 11")
    guard, app = job(shell)
    for _ in range(2):
        then(shell, lambda: os.kill(app, number), "\x1b[?1049l", "Stopped", "ready> ")
        then(shell, lambda: shell.send("stty -a > $HOME/stopped; echo a$((1+1))b\n"), "a2b", "ready> ")
        then(shell, lambda: shell.send("bg\n"), "&", "ready> ")
        then(shell, lambda: shell.send("echo c$((1+1))d\n"), "c2d", "ready> ")
        shell.until(lambda _: state(app) == "T" and state(guard) == "T")
        then(shell, lambda: shell.send("fg\n"), *DRAWN)
    then(shell, lambda: shell.send("\x11"), "\x1b[?1049l", "ready> ")
    then(shell, lambda: shell.send("stty -a > $HOME/after; echo e$((1+1))f\n"), "e2f", "ready> ")
    assert not state(guard) and not state(app)
    before, *later = ((tmp_path / name).read_text() for name in ("before", "stopped", "after"))
    assert later == [before, before]
