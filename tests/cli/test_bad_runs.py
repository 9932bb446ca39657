"""Wrong ways to ask for a run: one clear message, exit code 2, and nothing made for it."""

from pathlib import Path

import pytest

from .conftest import Command

TASK = "mimic-suspicion-infection"
CASES = [
    (["suspected_infectio"], "Did you mean suspected-infection"),
    ([TASK, "--agent", "nobody"], "unknown agent 'nobody'"),
    ([TASK, "--agent", "codex", "--model", "m"], "needs a model endpoint"),
    ([TASK, "--agent", "script"], "needs a file"),
    ([TASK, "--agent", "script", "--file", "nowhere.sql"], "nowhere.sql: cannot be read"),
    ([TASK, "--agent", "script", "--file", "empty.sql"], "empty"),
    ([TASK, "--agent", "script", "--file", "latin1.sql"], "not UTF-8"),
    ([TASK, "--agent", "script", "--file", "folder.sql"], "Is a directory"),
    ([TASK, "--agent", "script", "--file", "notes.txt"], "runs .sql, .sh and .py files"),
    ([TASK, "--agent", "replay", "--file", "notes.txt"], "not a trajectory that can be replayed"),
    ([TASK, "--agent", "command"], "needs a template"),
    ([TASK, "--agent", "command", "--template", "tool {nonsense}"], "unknown placeholder"),
    ([TASK, "--condition", "bogus"], "--condition"),
    ([TASK, "--source", "nowhere"], "no source named 'nowhere'"),
    ([TASK, "--source", "synthetic-0-1", "--agent", "script", "--file", "ok.sql"], "stays"),
    ([TASK, "--sandbox", "chroot"], "no sandbox 'chroot'"),
    ([TASK, "--limit-wall", "-1"], "above 0"),
    ([TASK, "--trial", "0"], "--trial"),
    (["attach", "20990101"], "20990101"),
    (["cancel", "20990101"], "20990101"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bad-runs")
    (made / "empty.sql").touch()
    (made / "ok.sql").write_text("SELECT 1")
    (made / "latin1.sql").write_bytes("SELECT 'é'".encode("latin-1"))
    (made / "folder.sql").mkdir()
    (made / "notes.txt").write_text("just notes\n")
    return made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data directory for all: the Python that runs inside a sandbox is put together once in each."""
    return tmp_path_factory.mktemp("bad-runs") / "home"


def named(words: list[str], folder: Path) -> list[str]:
    """The words, files by their paths."""
    return [str(folder / word) if (folder / word).exists() else word for word in words]


@pytest.mark.parametrize(("words", "message"), CASES, ids=[" ".join(case[0]) for case in CASES])
def test_one_clear_message(
    words: list[str], message: str, folder: Path, shared: Path, command: Command
) -> None:
    done = command("--home", shared, "run", *named(words, folder))
    assert done.code == 2, done.err
    assert message in done.err
    assert done.err.count("error:") == 1
    assert not list(shared.glob("runs/*"))
    assert not list(shared.glob("sources/*"))


def test_a_process_ends_with_the_message_and_nothing_else(folder: Path, home: Path, process: Command) -> None:
    words, message = CASES[4]
    done = process("run", *named(words, folder))
    assert done.code == 2, done.err
    assert message in done.err and done.err.count("error:") == 1
    assert "Traceback" not in done.err
    assert not list(home.glob("runs/*"))
