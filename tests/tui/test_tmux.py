"""In a terminal multiplexer, from a shell: start a replay, watch, leave, come back, look closer, quit."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workbench.records import DataPaths
from workbench.runs import Context
from workbench.store import RunStore

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60.0
COMMANDS = (
    "ls /data; python3 -c \"import duckdb; duckdb.connect('/data/ehr.duckdb', read_only=True)"
    ".sql('SELECT max(charttime) FROM mimiciv_hosp.microbiologyevents').fetchall()\"",
    "curl -s -m 1 http://example.org || true",
    "sleep 8; ls /workspace",
    "wget -T 1 -t 1 http://example.org/answer || true",
    "printf 'subject_id,ab_id\\n1,1\\n' > /workspace/output.csv",
)


class Tmux:
    """One session of a server of its own."""

    def __init__(self, socket: Path, environment: dict[str, str]) -> None:
        self._command = ["tmux", "-S", str(socket), "-f", os.devnull]
        self._environment = environment

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [*self._command, *words], env=self._environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def start(self, columns: int = 80, rows: int = 24) -> None:
        """A plain shell."""
        shell = "PS1='ready> ' exec sh"
        self("new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(ROOT), shell)
        self("set-option", "-s", "escape-time", "0")

    def keys(self, *names: str) -> None:
        """Keys by tmux's names."""
        self("send-keys", *names)

    def type(self, text: str) -> None:
        """Characters as they are."""
        self("send-keys", "-l", text)

    @property
    def screen(self) -> str:
        return self("capture-pane", "-p")

    def until(self, condition: Callable[[str], bool], limit_s: float = LIMIT_S) -> str:
        """Look until the screen is as wanted."""
        deadline = time.monotonic() + limit_s
        while not condition(screen := self.screen):
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen within {limit_s} s; the screen is:\n{screen}")
            time.sleep(0.05)
        return screen

    def wait_for(self, *texts: str) -> str:
        """Until all of them are on the screen."""
        return self.until(lambda screen: all(text in screen for text in texts))


def marked(screen: str) -> str:
    """The row of the cursor, without its marks."""
    rows = [row for row in screen.splitlines() if row.startswith(">")]
    return rows[0].lstrip(">! ") if len(rows) == 1 else ""


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A trajectory whose commands reach for the network."""
    lines: list[dict[str, object]] = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    lines += [
        {
            "type": "item.completed",
            "item": {
                "id": f"item_{number}",
                "type": "command_execution",
                "command": shlex.join(["/bin/bash", "-c", text]),
                "aggregated_output": "",
                "exit_code": 0,
                "status": "completed",
            },
        }
        for number, text in enumerate(COMMANDS)
    ]
    lines.append({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}})
    path = tmp_path / "recording.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def home(ready_context: Context, tmp_path: Path) -> DataPaths:
    """A data directory of its own, its files linked: other workers' runs must not show in this one."""
    made, own = ready_context.data, DataPaths(tmp_path / "home")
    own.root.mkdir(mode=0o700)
    for part in (made.runtimes, made.concept_sql, made.sources):
        if part.is_dir():
            target = own.root / part.relative_to(made.root)
            shutil.copytree(part, target, symlinks=True, copy_function=os.link)
    return own


@pytest.fixture
def tmux(ready_context: Context, home: DataPaths, tmp_path: Path) -> Iterator[Tmux]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
        "WORKBENCH_HOME": str(home.root), "WORKBENCH_SOURCE": ready_context.settings.source,
    }  # fmt: skip
    session = Tmux(tmp_path / "tmux", environment)
    session.start()
    yield session
    session("kill-server")


def test_a_replay_is_started_watched_left_taken_up_and_looked_into(
    tmux: Tmux, recording: Path, home: DataPaths
) -> None:
    app = f"{shlex.quote(sys.executable)} -m workbench tui"
    tmux.until(lambda screen: "ready>" in screen)
    tmux.type(app)
    tmux.keys("Enter")
    tmux.wait_for("Workbench > Home", "28 tasks")

    tmux.keys("C-g")
    tmux.wait_for("Workbench > Go to")
    tmux.type("task mimic-suspicion-infection")
    tmux.until(lambda screen: "mimic-suspicion-infection" in marked(screen))
    tmux.keys("Enter")
    tmux.wait_for("Workbench > New run", "Task       mimic-suspicion-infection")
    tmux.keys("Down", "Down", "Down", "Right")
    tmux.wait_for("Agent      replay")
    tmux.keys("Down", "Enter")
    tmux.type(str(recording))
    tmux.keys("Enter")
    tmux.wait_for("--agent replay --file")
    tmux.keys("C-r")

    screen = tmux.wait_for("▶ execute", "warn: ")
    assert "publishable" not in screen and "quarantined" not in screen
    tmux.keys("d")
    tmux.wait_for("goes on; Runs lists it")
    (run_id,) = (row.run_id for row in RunStore(home).rows())
    tmux.keys("C-q")
    tmux.until(lambda screen: screen.rstrip().endswith("ready>"))

    tmux.type(app)
    tmux.keys("Enter")
    tmux.wait_for("Workbench > New run")
    tmux.keys("2")
    tmux.wait_for("Workbench > Runs", "mimic-suspicion-infection")
    tmux.keys("Home", "a")
    tmux.wait_for(f"Workbench > Run {run_id}", " warn")
    tmux.keys("End")
    tmux.wait_for("Verdict: ")
    tmux.keys("i")
    tmux.wait_for("Score: reward 0.000", "m Mismatches")
    tmux.keys("v")
    tmux.until(lambda screen: "step 2" in marked(screen) and "curl fetches" in marked(screen))
    tmux.keys("v")
    tmux.until(lambda screen: "step 4" in marked(screen))
    tmux.keys("Enter")
    tmux.wait_for(f"Workbench > Run {run_id}", "4/5", "s Next SQL")
    tmux.until(lambda screen: marked(screen).split()[:2] == ["4", "agent"])
    assert "wget -T 1" in tmux.screen
    tmux.keys("C-q")
    tmux.until(lambda screen: screen.rstrip().endswith("ready>"))
    assert RunStore(home).state(run_id) == "finished"
