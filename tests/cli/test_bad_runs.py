"""Wrong ways to ask for a run: one clear message, exit code 2, and nothing made for it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

TASK = "mimic-suspicion-infection"
CASES = [
    (["suspected_infectio"], "Did you mean suspected-infection"),
    ([TASK, "--agent", "nobody"], "unknown agent 'nobody'"),
    ([TASK, "--agent", "codex", "--model", "m"], "needs a model endpoint"),
    ([TASK, "--agent", "script"], "needs a file"),
    ([TASK, "--agent", "script", "--file", "nowhere.sql"], "nowhere.sql: cannot be read"),
    ([TASK, "--agent", "script", "--file", "empty.sql"], "empty"),
    ([TASK, "--agent", "script", "--file", "latin1.sql"], "not UTF-8"),
    ([TASK, "--agent", "script", "--file", "folder.sql"], "not a regular file"),
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


@pytest.mark.parametrize(("words", "message"), CASES, ids=[" ".join(case[0]) for case in CASES])
def test_one_clear_message(
    words: list[str],
    message: str,
    folder: Path,
    tmp_path: Path,
    content: object,
    workbench_command: Callable[..., list[str]],
) -> None:
    words = [str(folder / word) if (folder / word).exists() else word for word in words]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    done = subprocess.run(
        workbench_command("run", *words),
        env={**kept, "WORKBENCH_HOME": str(tmp_path / "home")},
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert done.stderr.count("error:") == 1
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "home").glob("runs/*"))
    assert not list((tmp_path / "home").glob("sources/*"))
