"""The user's editor on the app's terminal: what it gets, what is left of it, and the screen afterwards."""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from made_up import SMALL_SKILL, make_content
from recorded_runs import RUN, record_run
from test_diff_output import looks
from tui_emulator import Emulated, environment

from workbench.records import DataPaths, ScreenState, TerminalSession, Unavailable
from workbench.tui.app import WorkbenchApp
from workbench.tui.editor import command_line, find_editor, private_copy
from workbench.tui.session import write_session

SCRIPT = r"""#!/bin/sh
printf '\033[?1049h\033[2J\033[3;9r\033[H\033[1;41mEDITOR of %s\r\n' "$(basename "$1")"
printf 'mode %s in %s\r\n' "$(stat -c %a "$1")" "$(stat -c %a "$(dirname "$1")")"
[ -z "$WORKBENCH_MODEL_KEY" ] && printf 'no key\r\n'
cp "$1" "$HOME/seen"
echo beside > "$(dirname "$1")/.backup~"
trap 'printf "interrupted\r\n"' INT
printf 'ready\r\n'
while read -r answer; do
  case "$answer" in
    done) exit 0 ;;
    add) printf '\n## Added heading\n\nAdded words.\n' >> "$1"; exit 0 ;;
    break) printf 'no frontmatter' > "$1"; exit 0 ;;
    fail) exit 7 ;;
    die) stty raw -echo; kill -9 $$ ;;
    ask) printf 'answered\r\n' ;;
    deaf) trap '' HUP TERM; stty raw -echo; printf 'deaf\r\n' ;;
  esac
done
"""


@pytest.fixture
def editing(tmp_path: Path) -> Callable[..., Iterator[Emulated]]:
    """The app over a made-up content, with the script as editor, on one screen above Home."""
    content = make_content(tmp_path / "content")
    data = DataPaths(tmp_path / "data")
    editor = tmp_path / "an editor"
    editor.write_text(SCRIPT)
    editor.chmod(0o700)

    @contextmanager
    def start(screen: str, **changes: str) -> Iterator[Emulated]:
        record_run(data)
        arguments = {"skill": SMALL_SKILL} if screen == "skill" else {"run": RUN}
        write_session(
            data, TerminalSession(mode="home", stack=[ScreenState(name=screen, arguments=dict(arguments))])
        )
        run = data.run(RUN)
        run.trajectory.write_text("".join(f"line {number} \x1b[2J\u202eend\n" for number in range(1, 200)))
        wanted = {"EDITOR": f"'{editor}'", "WORKBENCH_MODEL_KEY": "secret"} | changes
        with Emulated(environment=environment(tmp_path, **wanted), folder=content.paths.root) as app:
            yield app

    return start


def seen_cells(app: Emulated) -> list[list[tuple[object, ...]]]:
    return [[looks(cell) for cell in row] for row in app.cells]


WORDS = {
    "skill": "Intro with",
    "log": "line 1 ",
    "trajectory": "Derive suspicion",
    "live": "Derive suspicion",
}
FILES = {"skill": "SKILL.md", "log": "log.txt", "trajectory": "trajectory.txt", "live": "live.txt"}


@pytest.mark.parametrize("diff_output", ["on", "off"])
@pytest.mark.parametrize("screen", FILES)
def test_the_screen_is_the_same_afterwards(
    editing: Callable[..., Iterator[Emulated]], tmp_path: Path, screen: str, diff_output: str
) -> None:
    with editing(screen, WORKBENCH_DIFF_OUTPUT=diff_output) as app:
        app.wait_for(WORDS[screen])
        if screen == "live":
            app.wait_for("! quarantined, 1 fail, 1 warn  0:12")
        app.send("jj")
        app.idle()
        before, text = seen_cells(app), app.text
        app.send("e")
        app.wait_for(f"EDITOR of {FILES[screen]}")
        app.wait_for("ready")
        assert "no key" in app.text
        assert WORDS[screen] not in app.text
        if screen != "skill":
            assert "mode 600 in 700" in app.text
        app.send("done\n")
        app.wait_for(WORDS[screen])
        app.idle()
        assert app.text == text
        assert seen_cells(app) == before
        seen = (tmp_path / "seen").read_text()
        assert "\x1b" not in seen and "\u202e" not in seen
        assert WORDS[screen] in seen
        assert list((tmp_path / "data" / "scratch").glob("*")) == []
        app.send("\x11")
        assert app.wait() == 0


def test_a_log_s_copy_is_inert_and_whole(editing: Callable[..., Iterator[Emulated]], tmp_path: Path) -> None:
    with editing("log") as app:
        app.wait_for("line 1 ")
        app.send("e")
        app.wait_for("ready")
        seen = (tmp_path / "seen").read_text().splitlines()
        assert len(seen) == 199 and seen[0] == "line 1 ␛[2J<U+202E>end"


def test_a_skill_is_read_again(editing: Callable[..., Iterator[Emulated]], tmp_path: Path) -> None:
    file = tmp_path / "content" / "skills" / SMALL_SKILL / "SKILL.md"
    with editing("skill") as app:
        app.wait_for("Intro with")
        app.send("e")
        app.wait_for("EDITOR of SKILL.md")
        app.send("add\n")
        app.wait_for("0/5")  # with the heading that was added
        app.send("G")
        app.wait_for("Added words.")
        app.send("e")
        app.wait_for("EDITOR of")
        app.send("break\n")
        app.wait_for("SKILL.md, line 1: ")
        assert "error" in app.text and "Added heading" in app.text
        assert file.read_text() == "no frontmatter"


def test_an_editor_that_fails_is_told(editing: Callable[..., Iterator[Emulated]]) -> None:
    with editing("log") as app:
        app.wait_for("line 1 ")
        app.send("e")
        app.wait_for("EDITOR of")
        app.send("fail\n")
        app.wait_for("the editor ended with code 7")


def test_an_editor_that_dies_leaves_the_terminal_as_it_was(
    editing: Callable[..., Iterator[Emulated]],
) -> None:
    with editing("skill") as app:
        app.wait_for("Intro with")
        app.send("e")
        app.wait_for("ready")
        app.send("die\n")
        app.wait_for("the editor ended with code -9")
        app.send("\x11")
        assert app.wait() == 0
        assert termios.tcgetattr(app.slave) == app.before


def test_ctrl_c_is_the_editor_s_own(editing: Callable[..., Iterator[Emulated]]) -> None:
    with editing("skill") as app:
        app.wait_for("Intro with")
        app.send("e")
        app.wait_for("ready")
        app.send("\x03")
        app.wait_for("interrupted")
        app.send("done\n")
        app.wait_for("Intro with")
        app.idle()
        assert app.process.poll() is None


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_request_to_end_goes_to_the_editor_and_then_holds(
    editing: Callable[..., Iterator[Emulated]], tmp_path: Path, number: int, code: int
) -> None:
    with editing("log") as app:
        app.wait_for("line 1 ")
        app.send("e")
        app.wait_for("ready")
        os.kill(app.process.pid, number)
        assert app.wait() == code
        assert list((tmp_path / "data" / "scratch").glob("*")) == []
        assert bytes(app.raw).rfind(b"\x1b[?1049l") > bytes(app.raw).rfind(b"\x1b[?1049h")


def group(leader: int) -> set[int]:
    """Processes of one group that have not ended."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, rest = entry.parent.name, entry.read_text().rpartition(")")[2].split()
            if int(rest[2]) == leader and rest[0] != "Z":
                found.add(int(pid))
    return found


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("deaf", [False, True])
def test_an_editor_does_not_outlive_an_app_that_is_killed(
    editing: Callable[..., Iterator[Emulated]], app_pid: Callable[[Emulated], int], tmp_path: Path,
    wrapped: bool, deaf: bool,
) -> None:  # fmt: skip
    words = f'sh -c \'"{tmp_path}/an editor" "$0"; exit 0\''
    with editing("log", **({"EDITOR": words} if wrapped else {})) as app:
        app.wait_for("line 1 ")
        app.send("e")
        app.wait_for("ready")
        if deaf:
            app.send("deaf\n")
            app.wait_for("deaf")
        assert len(group(app.process.pid)) >= 3 + wrapped  # and what the app may just ask of git
        os.kill(app_pid(app), signal.SIGKILL)
        assert app.wait() == 137
        assert group(app.process.pid) == set()
        assert termios.tcgetattr(app.slave) == app.before
        assert bytes(app.raw).rfind(b"\x1b[?1049l") > bytes(app.raw).rfind(b"\x1b[?1049h")
        assert "SIGKILL" in app.text


def test_an_editor_goes_on_while_the_app_behind_it_is_stopped(
    editing: Callable[..., Iterator[Emulated]], app_pid: Callable[[Emulated], int]
) -> None:
    with editing("skill") as app:
        app.wait_for("Intro with")
        app.send("e")
        app.wait_for("ready")
        here = len(app.raw)
        os.kill(app_pid(app), signal.SIGSTOP)
        app.send("ask\n")
        app.wait_for("answered")
        os.kill(app_pid(app), signal.SIGCONT)
        app.send("ask\n")
        app.until(lambda _: app.text.count("answered") == 2)
        assert b"\x1b[?1049" not in app.raw[here:]
        app.send("done\n")
        app.wait_for("Intro with")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"EDITOR": ""}, "no editor is set"),
        ({"EDITOR": "no-such-editor -x"}, "EDITOR names a program that is not found"),
        ({"EDITOR": "'open"}, "EDITOR is no command line"),
        ({"VISUAL": "no-such-editor"}, "VISUAL names a program that is not found"),
    ],
)
def test_without_an_editor_it_says_what_to_set(
    editing: Callable[..., Iterator[Emulated]], changes: dict[str, str], said: str
) -> None:
    with editing("skill", **changes) as app:
        app.wait_for("Intro with")
        app.resize(160, 24)
        app.idle()
        app.send("e")
        app.wait_for(said)
        assert "export EDITOR=nano" in app.text


def test_words_of_the_command_are_not_a_shell_s() -> None:
    assert find_editor({"EDITOR": "sh -c 'a; b'", "PATH": os.environ["PATH"]}) == ["sh", "-c", "a; b"]
    assert find_editor({"VISUAL": "sh", "EDITOR": "x", "PATH": os.environ["PATH"]}) == ["sh"]
    with pytest.raises(Unavailable, match="no editor is set"):
        find_editor({"VISUAL": " "})
    file = Path("a b;c")
    assert command_line(["vim", "-R"], file, 7) == ["vim", "-R", "+7", "a b;c"]
    assert command_line(["code", "--wait"], file, 7) == ["code", "--wait", "a b;c"]
    assert command_line(["/usr/bin/nano"], file, 1) == ["/usr/bin/nano", "a b;c"]


def test_a_copy_is_gone_even_if_something_fails(tmp_path: Path) -> None:
    data = DataPaths(tmp_path / "data")
    with pytest.raises(ValueError), private_copy(data, "log.txt", "words") as file:
        assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
        (file.parent / ".log.txt.swp").write_text("left by an editor")
        raise ValueError
    assert list(data.scratch.iterdir()) == []


async def test_where_there_is_no_terminal_it_says_so(
    make_app: Callable[..., WorkbenchApp], screen_text: Callable[[WorkbenchApp], str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("EDITOR", "sh")
    app = make_app()
    async with app.run_test(size=(120, 24)) as pilot:
        app.open_screen("skill", skill="suspicion-infection")
        await pilot.pause()
        await app.current.settled()
        await pilot.press("e")
        await pilot.pause()
        assert "the editor needs a terminal of its own" in screen_text(app)
