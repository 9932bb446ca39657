"""How the app starts: without the command line, and without what its first frame does not need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.__main__ import app_options


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["tui"], (None, False, True)),
        (["--home", "/x", "tui"], (Path("/x"), False, True)),
        (["--home=/x", "--debug", "tui"], (Path("/x"), True, True)),
        (["tui", "--help"], (None, False, False)),
        (["--version", "tui"], (None, False, False)),
        (["--home", "tui"], (Path("tui"), False, False)),
        (["runs", "list"], (None, False, False)),
        ([], (None, False, False)),
    ],
)
def test_the_app_is_told_from_other_commands(
    arguments: list[str], expected: tuple[Path | None, bool, bool]
) -> None:
    assert app_options(arguments) == expected


def test_the_first_frame_needs_no_models() -> None:
    code = (
        "import sys; from workbench.tui.context import find_context; find_context(None);"
        "import workbench.tui.run, workbench.tui.app, workbench.tui.screens.home;"
        "print([name for name in ('pydantic', 'typer', 'sqlite3', 'duckdb') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "[]\n", ran.stderr


def test_without_a_terminal_the_command_line_says_so() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "workbench", "tui"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: workbench tui: the app needs a terminal")


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    ran = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", sys.executable, "-m", "workbench", "task", "list"],
        cwd=gone, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr == "error: the folder you are in is gone\n  Go to one that exists (cd).\n"


def test_closed_streams_are_no_fault() -> None:
    plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = f"{sys.executable} -m workbench"
    for closing, wanted in (("task list >&-", 0), ("task list <&- >&- 2>&-", 0), ("task show nope 2>&-", 2)):
        ran = subprocess.run(
            ["sh", "-c", f"{command} {closing}"], env=plain, capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (wanted, "", "")


FOREVER = "print('begun', flush=True)\nwhile True:\n    pass\n"
IN_A_CALLBACK = """
class Gone:
    def __del__(self):
        print('begun', flush=True)
        while True:
            pass

Gone()
while True:
    pass
"""
AT_THE_END = """
import atexit

def last():
    print('begun', flush=True)
    while True:
        pass

atexit.register(last)
raise KeyboardInterrupt
"""


@pytest.mark.parametrize(
    ("module", "text", "words", "code"),
    [
        ("pathlib", FOREVER, ["tui"], 1),
        ("pathlib", FOREVER, ["task", "list"], 1),
        ("typer", FOREVER, ["task", "list"], 1),
        ("typer", IN_A_CALLBACK, ["task", "list"], 1),
        ("typer", AT_THE_END, ["task", "list"], -signal.SIGINT),
    ],
)
def test_ctrl_c_while_modules_are_loaded(
    tmp_path: Path, module: str, text: str, words: list[str], code: int
) -> None:
    (tmp_path / f"{module}.py").write_text(text)
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *words],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, complaint) == (code, "error: cancelled\n")
