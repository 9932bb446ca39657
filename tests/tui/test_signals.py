"""Whatever ends the app: the terminal is given back and what was typed is kept."""

from __future__ import annotations

import json
import os
import signal
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tui_emulator import TUI, Emulated

Start = Callable[..., Emulated]


def kept(home: Path) -> list[str]:
    """Texts in the recovery files."""
    files = sorted((home / "data" / "terminal" / "recovery").glob("*.json"))
    return [draft["text"] for file in files for draft in json.loads(file.read_text())["drafts"]]


def typed(start: Start, drafting: list[str], text: str, **changes: str) -> Emulated:
    """The drafting app with ``text`` typed into it."""
    emulated = start(drafting, **changes)
    emulated.wait_for("ready")
    emulated.send(text)
    emulated.wait_for(f"typed {len(text)}")
    return emulated


def given_back(emulated: Emulated) -> bool:
    """Line modes as before, the first screen shown, a visible cursor, no mouse, paste or key modes."""
    raw = bytes(emulated.raw)
    modes = termios.tcgetattr(emulated.slave) == emulated.before
    last_left, last_entered = raw.rfind(b"\x1b[?1049l"), raw.rfind(b"\x1b[?1049h")
    tail = raw[last_entered:]
    return modes and last_left > last_entered and all(
        code in tail for code in (b"\x1b[?25h", b"\x1b[?2004l", b"\x1b[?1004l", b"\x1b[<u", b"\x1b[?7h")
    )  # fmt: skip


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_signal_to_the_app_saves_and_leaves(
    terminal: Start,
    app_pid: Callable[[Emulated], int],
    drafting: list[str],
    tmp_path: Path,
    number: int,
    code: int,
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    os.kill(app_pid(emulated), number)
    assert emulated.wait() == code
    assert given_back(emulated)
    assert kept(tmp_path) == ["half a note"]


def test_a_signal_to_the_guard_reaches_the_app(terminal: Start, drafting: list[str], tmp_path: Path) -> None:
    emulated = typed(terminal, drafting, "half a note")
    os.kill(emulated.process.pid, signal.SIGTERM)
    assert emulated.wait() == 143
    assert given_back(emulated)
    assert kept(tmp_path) == ["half a note"]


@pytest.mark.parametrize("dropped", [False, True])
def test_an_app_that_hangs_is_ended(
    terminal: Start, app_pid: Callable[[Emulated], int], drafting: list[str], dropped: bool
) -> None:
    emulated = typed(terminal, drafting, "hang", GUARD_PATIENCE_S="1.5")
    emulated.wait_for("hanging")
    app = app_pid(emulated)
    if dropped:
        emulated.hang_up()
        assert emulated.process.wait(timeout=30) == 137
    else:
        os.kill(emulated.process.pid, signal.SIGTERM)
        assert emulated.wait(30.0) == 137
        assert given_back(emulated)
    assert not Path(f"/proc/{app}").exists()


def test_a_dropped_line_ends_both_processes_and_keeps_the_draft(
    terminal: Start, app_pid: Callable[[Emulated], int], drafting: list[str], tmp_path: Path
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    app = app_pid(emulated)
    emulated.hang_up()
    assert emulated.process.wait(timeout=10) == 129
    assert not Path(f"/proc/{app}").exists()
    assert kept(tmp_path) == ["half a note"]


def test_kill_9_leaves_the_terminal_well_and_the_draft_of_a_second_ago(
    terminal: Start, app_pid: Callable[[Emulated], int], drafting: list[str], tmp_path: Path
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    deadline = time.monotonic() + 10
    while not kept(tmp_path) and time.monotonic() < deadline:
        emulated.read(0.05)
    os.kill(app_pid(emulated), signal.SIGKILL)
    assert emulated.wait() == 137
    assert given_back(emulated)
    assert "SIGKILL" in emulated.text
    assert kept(tmp_path) == ["half a note"]

    again = terminal(drafting)
    again.wait_for("recovered")
    again.send("\x11")
    assert again.wait() == 0
    assert kept(tmp_path) == ["half a note"]


def test_kill_9_leaves_the_form_and_the_place(
    terminal: Start, app_pid: Callable[[Emulated], int], tmp_path: Path
) -> None:
    session = tmp_path / "data" / "terminal" / "session.json"
    emulated = terminal(TUI)
    emulated.wait_for("28 tasks")
    emulated.send("4")
    emulated.wait_for("Workbench > New run")
    emulated.wait_for("> Task")
    emulated.send("\x1b[B\x1b[C")
    deadline = time.monotonic() + 30
    while not (session.exists() and "no-skill" in session.read_text()) and time.monotonic() < deadline:
        emulated.read(0.05)
    os.kill(app_pid(emulated), signal.SIGKILL)
    assert emulated.wait() == 137

    again = terminal(TUI)
    again.wait_for("Workbench > New run")
    again.wait_for("no-skill")
    again.send("\x11")
    assert again.wait() == 0


def test_when_the_guard_is_killed_the_app_leaves_in_order(
    terminal: Start, app_pid: Callable[[Emulated], int], drafting: list[str], tmp_path: Path
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    app = app_pid(emulated)
    emulated.process.kill()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{app}").exists() and time.monotonic() < deadline:
        emulated.read(0.05)
    assert not Path(f"/proc/{app}").exists()
    emulated.idle()
    assert given_back(emulated)
    assert kept(tmp_path) == ["half a note"]


def test_a_crash_shows_no_value_and_keeps_the_draft(
    terminal: Start, drafting: list[str], tmp_path: Path
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    emulated.send("crash")
    assert emulated.wait() == 1
    assert given_back(emulated)
    assert "ValueError" in emulated.text and "drafting_app.py, line" in emulated.text
    assert "Unsaved text is kept" in emulated.text
    assert b"lactate" not in emulated.raw
    log = "".join(path.read_text() for path in (tmp_path / "data" / "logs").iterdir())
    assert "terminal app failed" in log and "lactate" not in log
    assert kept(tmp_path) == ["half a notecras"]


def test_stop_and_continue_draw_the_screen_again(
    terminal: Start, app_pid: Callable[[Emulated], int], drafting: list[str]
) -> None:
    emulated = typed(terminal, drafting, "half a note")
    os.kill(app_pid(emulated), signal.SIGTSTP)
    deadline = time.monotonic() + 10
    while b"\x1b[?1049l" not in emulated.raw and time.monotonic() < deadline:
        emulated.read(0.05)
    assert given_back(emulated)
    emulated.idle()
    emulated.screen.reset()
    os.kill(emulated.process.pid, signal.SIGCONT)
    emulated.wait_for("half a note")
    emulated.wait_for("Draft")
    emulated.send("\x11")
    assert emulated.wait() == 0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"TERM": "dumb"}, "TERM=dumb"),
        ({"TERM": ""}, "TERM=not set"),
        ({"LC_ALL": "en_US.ISO-8859-1", "PYTHONIOENCODING": "latin-1"}, "latin"),
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "encoding"),
    ],
)
def test_where_it_cannot_draw_it_names_the_plain_commands(
    terminal: Start, changes: dict[str, str], reason: str
) -> None:
    emulated = terminal(TUI, **changes)
    assert emulated.wait() == 2
    joined = emulated.text.replace("\n", "")
    assert reason in joined.replace("iso8859-1", "latin") and "workbench runs list" in joined
    assert b"\x1b[" not in emulated.raw


def test_without_a_terminal_it_names_the_plain_commands(tmp_path: Path) -> None:
    import subprocess
    import sys

    ended = subprocess.run(
        [sys.executable, "-m", "workbench", "tui"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert ended.returncode == 2
    assert "needs a terminal" in ended.stderr and "workbench task list" in ended.stderr
