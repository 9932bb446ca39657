"""Nested agents: what they leave in a run's home is collected, read and linted."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.contamination import HiddenMaterial, Lint, RunView
from workbench.records import Level, RunPaths, RunResult
from workbench.runs import Context, nested, relint
from workbench.runs.nested import nested_logs

LOOKS = "cat /root/answers.csv"


def codex(session: str, *commands: str) -> str:
    """A log of ``codex exec --json``."""
    lines = [json.dumps({"type": "thread.started", "thread_id": session})]
    for number, text in enumerate(commands):
        item = {
            "id": f"item_{number}", "type": "command_execution", "command": text, "exit_code": 1,
            "aggregated_output": "cat: Permission denied", "status": "completed",
        }  # fmt: skip
        lines.append(json.dumps({"type": "item.completed", "item": item}))
    return "\n".join([*lines, '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}', ""])


@pytest.fixture
def run(tmp_path: Path) -> RunPaths:
    paths = RunPaths(tmp_path)
    for folder in (paths.home / ".codex" / "sessions" / "2030", paths.collected):
        folder.mkdir(parents=True)
    return paths


def test_logs_in_home_and_work_folder_are_read(run: RunPaths) -> None:
    session = run.home / ".codex" / "sessions" / "2030" / "rollout-1.jsonl"
    session.write_text(codex("a", "ls", LOOKS))
    (run.collected / "inner.jsonl").write_text(codex("b", "pwd"))
    (run.collected / "rows.jsonl").write_text('{"stay_id": 1}\n{"stay_id": 2}\n')
    (run.home / "settings.json").write_text("{}")
    found = nested_logs(run, "outer")
    assert [(step.number, step.calls[0].command, step.agent, step.session) for step in found.steps] == [
        (1, "ls", ".codex/sessions/2030/rollout-1.jsonl", "a"),
        (2, LOOKS, ".codex/sessions/2030/rollout-1.jsonl", "a"),
        (3, "pwd", "inner.jsonl", "b"),
    ]
    assert (found.left_out, found.note) == (0, "")


def test_the_runs_own_session_is_no_nested_one(run: RunPaths) -> None:
    (run.home / ".codex" / "own.jsonl").write_text(codex("outer", LOOKS))
    assert nested_logs(run, "outer").steps == []
    assert len(nested_logs(run, "").steps) == 1


def test_links_lead_nowhere_and_bounds_are_told(
    run: RunPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere.jsonl"
    elsewhere.write_text(codex("a", LOOKS))
    (run.home / "link.jsonl").symlink_to(elsewhere)
    assert nested_logs(run, "").steps == []
    for number in range(3):
        (run.home / f"{number}.jsonl").write_text(codex(f"s{number}", "ls"))
    monkeypatch.setattr(nested, "MOST_LOGS", 2)
    assert (len(nested_logs(run, "").steps), nested_logs(run, "").left_out) == (2, 1)
    monkeypatch.setattr(nested, "MOST_LOG_BYTES", 10)
    assert nested_logs(run, "").note == "not read whole: 3 logs of nested agents"


def test_every_rule_looks_at_their_steps(run: RunPaths, ready_context: Context) -> None:
    (run.home / "n.jsonl").write_text(codex("a", "ls", LOOKS))
    task = ready_context.content.task("mimic-suspicion-infection")
    hidden = HiddenMaterial(task=task, removed_tables=[])
    view = RunView(
        steps=[], collected=None, output=None, egress=[], egress_valid=True, hidden=hidden,
        nested=nested_logs(run, "").steps,
    )  # fmt: skip
    report = Lint(hidden).check_run(view)
    (said,) = [item for item in report.violations if item.rule == "outside-paths"]
    assert (said.level, said.place.file, said.place.step) == (Level.WARN, "n.jsonl", None)
    assert said.message.startswith("nested agent, step 2: ")
    outcome = next(item for item in report.outcomes if item.rule == "outside-paths")
    assert outcome.worst is Level.WARN


def test_a_run_keeps_what_is_left_in_the_home(
    ready_context: Context, workbench_command: Callable[..., list[str]], tmp_path: Path
) -> None:
    """Through the real sandbox: a session file in the home is linted, then and again."""
    script = tmp_path / "script.sh"
    script.write_text(
        f"mkdir -p ~/.codex/sessions\ncat > ~/.codex/sessions/n.jsonl <<'EOF'\n{codex('inner', LOOKS)}EOF\n"
        "ln -s /etc/passwd ~/link\necho later > ~/note\necho state > ~/.codex/state_5.sqlite-wal\n"
    )
    done = subprocess.run(
        workbench_command(
            "run", "mimic-suspicion-infection", "--agent", "script", "--file", str(script),
            "--source", ready_context.settings.source,
        ),
        env={**os.environ, "WORKBENCH_HOME": str(ready_context.data.root)},
        capture_output=True, text=True, timeout=300, cwd=ready_context.content.paths.root,
    )  # fmt: skip
    run_id = next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("run "))
    paths = ready_context.data.run(run_id)
    kept = sorted(item.relative_to(paths.home).as_posix() for item in paths.home.rglob("*") if item.is_file())
    assert kept == [".codex/sessions/n.jsonl", "note"]
    lint = RunResult.load(paths.result).lint
    assert lint is not None
    said = [item for item in lint.violations if item.place.file == ".codex/sessions/n.jsonl"]
    assert [item.rule for item in said] == ["outside-paths"]
    assert set(said) <= set(relint(ready_context, run_id).report.violations)
