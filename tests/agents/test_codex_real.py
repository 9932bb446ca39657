"""The real Codex CLI in the real sandbox, through the gateway, against the scripted model."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import pytest

from workbench.agents import LaunchRequest, ensure_codex_runtime, get_agent
from workbench.gateway import read_egress, verify_egress
from workbench.llm import Asked, ScriptedModel, Turn
from workbench.records import AgentChoice, DataPaths, ToolKind, Unavailable
from workbench.sandbox import Runtime

pytestmark = pytest.mark.real

RUNTIME = Runtime("system", (), {"PATH": "/usr/local/bin:/usr/bin:/bin"}, "/usr/bin/python3")
SKILL = "---\nname: suspicion-infection\ndescription: When a stay has a suspected infection.\n---\nRead me.\n"
TURNS = [
    Turn(("cat .agents/skills/*/SKILL.md; env > environment.txt",)),
    Turn(("cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline > processes.bin",)),
    Turn(("tar cf home.tar ~ /tmp /etc 2>&1 | wc -l",)),
    Turn(("printf 'stay_id,value\\n1,2\\n' > output.csv",), "I write the output."),
    Turn(message="All done."),
]
COMMANDS = [command for turn in TURNS for command in turn.commands]


@pytest.fixture(scope="module")
def codex_home() -> DataPaths:
    """The project's own data directory: Codex is installed there once, keyed by its lock."""
    data = DataPaths(Path(__file__).resolve().parents[2] / ".workbench")
    try:
        ensure_codex_runtime(data)
    except Unavailable as error:
        pytest.skip(f"Codex cannot be installed: {error.what}")
    return data


def launch_request(data: DataPaths, skills: dict[str, bytes]) -> LaunchRequest:
    return LaunchRequest(
        prompt="Derive the table.\nWrite output.csv.",
        task_files={},
        skill_files=skills,
        choice=AgentChoice(name="codex", model="scripted-demonstration", effort="high"),
        material=b"",
        gateway_url="http://127.0.0.1:8100",
        runtime=RUNTIME,
        data=data,
    )


def texts(asked: Asked) -> str:
    return json.dumps(asked.body["input"])


@pytest.mark.parametrize("with_skill", [True, False])
def test_a_run(with_skill: bool, codex_home: DataPaths, run_launch: Any, tmp_path: Path) -> None:
    key = f"sk-{secrets.token_hex(20)}"
    skills = {"suspicion-infection/SKILL.md": SKILL.encode()} if with_skill else {}
    launch = get_agent("codex").launch(launch_request(codex_home, skills))
    with ScriptedModel(TURNS, key=key) as model:
        ran = run_launch(launch, RUNTIME, endpoint=model.url, key=key)

    assert ran.report.exit_code == 0, ran.stderr
    commands = [call.command for step in ran.steps for call in step.calls if call.kind is ToolKind.COMMAND]
    assert commands == COMMANDS
    assert (ran.summary.complete, ran.summary.final_message, ran.summary.errors) == (True, "All done.", [])
    assert (ran.collected / "output.csv").read_text() == "stay_id,value\n1,2\n"

    assert ran.summary.usage == ran.egress.usage
    assert ran.summary.usage.output_tokens > 0
    assert (ran.egress.requests, ran.egress.refused) == (len(TURNS), 0)
    assert verify_egress(tmp_path / "egress.jsonl") == (True, "")
    assert {record.model for record in read_egress(tmp_path / "egress.jsonl")[:-1]} == {
        "scripted-demonstration"
    }

    first = model.asked[0]
    assert [asked.headers["authorization"] for asked in model.asked] == [f"Bearer {key}"] * len(TURNS)
    assert {tool["type"] for tool in first.body["tools"]} == {"function"}
    assert first.body["reasoning"]["effort"] == "high"
    assert first.body["input"][-1]["content"][0]["text"] == "Derive the table.\nWrite output.csv."
    shown = "- suspicion-infection: When a stay has a suspected infection." in texts(first)
    assert shown is with_skill
    assert ("Read me." in ran.steps[1].observations[0].text) is with_skill
    if not with_skill:
        assert "skill" not in texts(first).lower()

    found = [path for path in ran.collected.rglob("*") if path.is_file()]
    assert {"environment.txt", "processes.bin", "home.tar"} <= {path.name for path in found}
    assert b"CODEX_HOME" in (ran.collected / "processes.bin").read_bytes()
    inside = [path.read_bytes() for path in found] + [ran.stdout, ran.stderr]
    assert not any(key.encode() in data for data in inside)
    assert key not in (tmp_path / "egress.jsonl").read_text()


def test_a_key_the_endpoint_refuses(codex_home: DataPaths, run_launch: Any) -> None:
    launch = get_agent("codex").launch(launch_request(codex_home, {}))
    with ScriptedModel(TURNS, key="sk-the-right-one-000") as model:
        ran = run_launch(launch, RUNTIME, endpoint=model.url, key="sk-the-wrong-one-000")
    assert ran.report.exit_code != 0
    assert any("does not accept the key" in error for error in ran.summary.errors)
    assert b"sk-the" not in ran.stdout + ran.stderr
