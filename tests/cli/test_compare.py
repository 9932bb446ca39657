"""``workbench runs compare`` and ``workbench trajectory compare``, as a person and a pipe see them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.records import DataPaths

from ..tui.recorded_runs import record_run

BEFORE, AFTER = "20300501-120000-aaaaaa", "20300502-120000-bbbbbb"
Command = Callable[..., Any]


def test_runs(command: Command, home: Path) -> None:
    record_run(DataPaths(home), BEFORE)
    record_run(DataPaths(home), AFTER, condition="with-skill")
    ended = command("runs", "compare", "20300501", "20300502")
    assert ended.code == 0
    assert "condition  no-skill  with-skill" in ended.out
    assert "no column changed (--every shows all 4)" in ended.out
    assert "the lint says the same of both" in ended.out
    every = command("runs", "compare", BEFORE, AFTER, "--every")
    assert "specimen" in every.out
    assert "+0.000" in every.out
    [item] = command("runs", "compare", BEFORE, AFTER, "--json").envelope["items"]
    assert item["columns"][0] == {
        "target": "public-code", "column": "reward", "before": 0.75, "after": 0.75, "difference": 0.0,
    }  # fmt: skip


def exec_log(path: Path, *commands: str) -> Path:
    """A log of ``codex exec`` with these commands."""
    lines: list[dict[str, Any]] = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    for number, text in enumerate(commands):
        item = {
            "id": f"item_{number}", "type": "command_execution", "command": text, "aggregated_output": "",
            "exit_code": 0, "status": "completed",
        }  # fmt: skip
        lines.append({"type": "item.completed", "item": item})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_logs(command: Command, tmp_path: Path) -> None:
    left = exec_log(tmp_path / "left.jsonl", "ls /data", "duckdb e.db -c 'SELECT 1'", "rm \x1b[2J x")
    right = exec_log(tmp_path / "right.jsonl", "ls /data", "duckdb e.db -c 'SELECT 2'")
    ended = command("trajectory", "compare", str(left), str(right))
    assert ended.code == 0
    assert [line.split() for line in ended.out.splitlines()[:1]] == [
        ["1", "ls", "/data", "=", "1", "ls", "/data"]
    ]
    assert " ~ " in ended.out.splitlines()[1]
    assert "\x1b" not in ended.out
    assert ended.out.splitlines()[-1].startswith("1 the same, 1 alike, 1 only in ")
    fewer = command("trajectory", "compare", str(left), str(right), "--differing", "--json").envelope
    assert fewer["summary"] == {"same": 1, "alike": 1, "left_only": 1, "right_only": 0}
    assert [(item["sign"], item["left"], item["right"]) for item in fewer["items"]] == [
        ("~", 2, 2),
        ("<", 3, None),
    ]
