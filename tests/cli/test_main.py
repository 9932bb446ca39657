"""Global options, errors, exit codes, and what starting the command loads."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from workbench.cli import main as run_main
from workbench.cli.main import GROUPS
from workbench.records import BadInput, Refused, Unavailable, WorkbenchError, find_content

PROGRAM = "import sys; from workbench.cli import main; code = main({arguments!r}); "


def loaded_by(*arguments: str) -> set[str]:
    program = PROGRAM.format(arguments=list(arguments)) + "print('\\n'.join(sys.modules), file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in ended.stderr.splitlines()}


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help"), ("task", "list"), ("runs", "list")])
def test_light_commands_load_no_engine(home: Path, arguments: tuple[str, ...]) -> None:
    assert loaded_by(*arguments) & {"duckdb", "sqlglot", "git", "docker", "textual", "numpy"} == set()


def test_help_names_every_group(process: Callable[..., Any]) -> None:
    ended = process("--help")
    assert ended.code == 0
    assert all(f"\n  {name} " in ended.out for name in GROUPS)
    assert "Exit codes: 0 done, 1 found something, 2 wrong use, 3 refused for safety." in ended.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Usage: workbench"),
        (("data",), "Usage: workbench data"),
        (("dat",), "error: No such command 'dat'"),
        (("--colour",), "error: No such option"),
        (("task", "show"), "error: Missing argument"),
        (("data", "synth", "--stays", "many"), "error: Invalid value for '--stays'"),
        (("data", "synth", "--stays", "0"), "error: Invalid value for '--stays'"),
        (("runs", "list", "--state", "odd"), "'odd' is not one of 'planned', 'running'"),
    ],
)
def test_wrong_use_is_two(command: Callable[..., Any], arguments: tuple[str, ...], words: str) -> None:
    ended = command(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


def test_version(command: Callable[..., Any]) -> None:
    ended = command("--version")
    assert ended.code == 0
    assert ended.out.count(".") == 2


def test_home_is_used_wherever_it_is_given_from(command: Callable[..., Any], tmp_path: Path) -> None:
    ended = command("--home", tmp_path / "elsewhere", "doctor", "--json")
    place = {item["name"]: item["detail"] for item in ended.envelope["items"]}["data directory"]
    assert place == f"{tmp_path / 'elsewhere'} (made when needed)"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, home: Path) -> Callable[[BaseException], int]:
    """Run ``workbench task list`` with an error thrown inside."""

    def run(error: BaseException, *options: str) -> int:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("workbench.cli.task.open_session", fail)
        return run_main([*options, "task", "list"])

    return run


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (BadInput("is wrong", where="f, line 3", remedy="Do this.\nOr that."), 2,
         "error: f, line 3: is wrong\n  Do this.\n  Or that.\n"),
        (Unavailable("is missing"), 2, "error: is missing\n"),
        (Refused("is not safe"), 3, "error: is not safe\n"),
        (WorkbenchError("failed"), 1, "error: failed\n"),
        (BadInput("shows \x1b[2J\u202e", where="a\x07b"), 2, "error: a␇b: shows ␛[2J<U+202E>\n"),
        (OSError(errno.ENOSPC, "No space left", "/x"), 2, "error: /x: cannot be written (No space left)\n"
         "  Free some space, or set WORKBENCH_HOME to a folder on another disk.\n"),
        (KeyboardInterrupt(), 1, "error: cancelled\n"),
        (typer.Abort(), 1, "error: cancelled\n"),
    ],
)  # fmt: skip
def test_each_error_is_one_message_and_its_code(
    failing: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    told: str,
) -> None:
    assert failing(error) == code
    assert capsys.readouterr() == ("", told)


def test_debug_shows_the_traceback(failing: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(BadInput("is wrong"), "--debug") == 2
    told = capsys.readouterr().err
    assert "Traceback (most recent call last)" in told
    assert told.endswith("error: is wrong\n")


def test_an_error_is_an_envelope_too(command: Callable[..., Any]) -> None:
    ended = command("task", "show", "suspected_infectoin", "--json")
    assert ended.code == 2
    assert ended.envelope["kind"] == "error"
    (problem,) = ended.envelope["problems"]
    assert "Did you mean suspected" in problem["remedy"]
    assert ended.err.startswith("error: ")


FAULT = (
    "import sys\n"
    "from workbench.cli import main, task\n"
    "def fail(*a, **k):\n"
    "    raise ValueError('stay 30001234 is odd')\n"
    "task.open_session = fail\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


@pytest.mark.parametrize("debug", [False, True])
def test_a_fault_of_the_program_tells_no_value(home: Path, debug: bool) -> None:
    home.mkdir()
    options = ["--debug"] if debug else []
    ended = subprocess.run(
        [sys.executable, "-c", FAULT, *options, "task", "list"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ("30001234" in ended.stderr) == debug
    assert ("Traceback" in ended.stderr) == debug
    if not debug:
        assert ended.stderr.startswith("error: a fault of the workbench itself (ValueError in")
        (line,) = (home / "logs" / "workbench.jsonl").read_text().splitlines()
        assert json.loads(line)["error"] == "ValueError"
        assert "30001234" not in line


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "workbench", "task", "list"],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_files_are_private(process: Callable[..., Any], home: Path) -> None:
    assert process("runs", "list").code == 0
    modes = {path.stat().st_mode & 0o077 for path in [home, *home.rglob("*")]}
    assert modes == {0}


def test_listing_runs_of_an_empty_home_works(command: Callable[..., Any]) -> None:
    assert command("runs", "list").out == "no runs\n"
    assert command("runs", "stats").out == "no runs\n"
    assert command("runs", "list", "--json").envelope["items"] == []


def test_settings_are_read_once_for_all(command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DUCKDB_THREADS", "many")
    ended = command("task", "list")
    assert ended.code == 2
    assert "duckdb_threads" in ended.err


def test_every_group_module_has_an_app() -> None:
    folder = find_content(Path(__file__).parent).root / "workbench" / "cli"
    assert [name for name in GROUPS if not (folder / f"{name}.py").exists()] == []
