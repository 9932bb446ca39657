"""What each agent would start, and how it refuses what it cannot run."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from workbench.agents import AGENTS, LaunchRequest, agents_health, ensure_codex_runtime, get_agent
from workbench.agents import codex as codex_module
from workbench.agents.codex_runtime import CodexRuntime
from workbench.records import (
    AgentChoice,
    BadInput,
    DataPaths,
    Step,
    StepSource,
    ToolCall,
    ToolKind,
    TrajectorySummary,
    Unavailable,
)
from workbench.sandbox import Runtime
from workbench.trajectories import trajectory_bytes

RUNTIME = Runtime("k", (), {"PATH": "/opt/runtime/bin:/usr/bin"}, "/opt/runtime/bin/python3")


def request(material: bytes = b"", prompt: str = "Derive it.", **choice: Any) -> LaunchRequest:
    return LaunchRequest(
        prompt=prompt,
        task_files={"notes.md": b"n"},
        skill_files={"suspicion-infection/SKILL.md": b"s"},
        choice=AgentChoice(**{"name": "x", **choice}),
        material=material,
        gateway_url="http://127.0.0.1:8100",
        runtime=RUNTIME,
        data=DataPaths(Path("/nonexistent")),
    )


def actions(agent: str, made: LaunchRequest) -> list[dict[str, Any]]:
    launch = get_agent(agent).launch(made)
    plan = json.loads(launch.home_files[".runner/plan.json"])
    assert launch.format == "workbench" and not launch.needs_gateway
    assert launch.argv[0] == RUNTIME.python
    done: list[dict[str, Any]] = plan["actions"]
    return done


def test_script_sql() -> None:
    write, helper, run = actions("script", request("\ufeffSELECT 1".encode(), file="Mine.SQL"))
    assert write["do"] == [{"write": "solution.sql", "content": "SELECT 1"}]
    assert helper["do"][0]["write"] == "run_sql.py"
    assert run["do"] == [{"run": "python3 run_sql.py solution.sql output.csv", "shell": "/bin/bash"}]


@pytest.mark.parametrize(("file", "command"), [("a.sh", "bash solution.sh"), ("b.py", "python3 solution.py")])
def test_script_others(file: str, command: str) -> None:
    assert actions("script", request(b"x", file=file))[-1]["do"] == [{"run": command, "shell": "/bin/bash"}]


@pytest.mark.parametrize(
    ("file", "material", "message"),
    [
        ("a.exe", b"x", "runs .sql, .sh and .py"),
        ("", b"x", "runs .sql, .sh and .py"),
        ("a.sql", b"\xff", "not UTF-8"),
        ("a.sql", b" \n", "empty"),
    ],
)
def test_script_refuses(file: str, material: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        get_agent("script").launch(request(material, file=file))


def codex_log(*items: dict[str, Any]) -> bytes:
    return b"".join(json.dumps({"type": "item.completed", "item": item}).encode() + b"\n" for item in items)


@pytest.mark.parametrize(
    ("wrapper", "shell"), [("/bin/bash -lc", "/bin/bash"), ("/bin/sh -c", "/bin/sh"), ("sh -c", "/bin/sh")]
)
def test_replay_of_codex(wrapper: str, shell: str) -> None:
    log = codex_log(
        {"id": "a", "type": "error", "message": "warning"},
        {"id": "b", "type": "reasoning", "text": "why"},
        {"id": "c", "type": "agent_message", "text": "I look."},
        {"id": "d", "type": "command_execution", "command": f"{wrapper} 'ls -l'", "exit_code": 2},
    )
    assert actions("replay", request(log)) == [
        {"message": "I look.", "reasoning": "why", "do": []},
        {"message": "", "reasoning": "", "do": [{"run": "ls -l", "shell": shell}]},
    ]


def test_replay_of_our_own_format_keeps_writes_and_commands_in_order() -> None:
    calls = [
        ToolCall(call_id="1", name="w", kind=ToolKind.FILE_CHANGE, path="q.sql", content="SELECT 1"),
        ToolCall(call_id="2", name="r", kind=ToolKind.COMMAND, command="cat q.sql"),
        ToolCall(call_id="3", name="look", kind=ToolKind.FILE_READ, path="q.sql"),
    ]
    steps = [Step(number=1, source=StepSource.AGENT, calls=calls)]
    log = trajectory_bytes(steps, TrajectorySummary(format="workbench", steps=1))
    do = [{"write": "q.sql", "content": "SELECT 1"}, {"run": "cat q.sql", "shell": "/bin/bash"}]
    assert actions("replay", request(log)) == [{"message": "", "reasoning": "", "do": do}]


@pytest.mark.parametrize(
    ("material", "message"),
    [
        (b"just text", "not a trajectory"),
        (b"", "not a trajectory"),
        (codex_log({"id": "c", "type": "agent_message", "text": "hi"}), "no command"),
        (
            codex_log({"id": "c", "type": "file_change", "changes": [{"path": "a", "kind": "add"}]}),
            "step 1 changes a file",
        ),
        (
            trajectory_bytes(
                [
                    Step(
                        number=1,
                        source=StepSource.AGENT,
                        calls=[
                            ToolCall(
                                call_id="1",
                                name="Edit",
                                kind=ToolKind.FILE_CHANGE,
                                path="q.sql",
                                content="2",
                                replaced="1",
                            )
                        ],
                    )
                ],
                TrajectorySummary(format="workbench", steps=1),
            ),
            "step 1 changes a part of a file",
        ),
    ],
)
def test_replay_refuses(material: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        get_agent("replay").launch(request(material))


def test_command_fills_its_template() -> None:
    template = ["tool", "--url={gateway_url}", "-m", "{model}", "{a,b}", "{prompt}"]
    launch = get_agent("command").launch(request(prompt="say {model}", template=template, model="m1"))
    assert launch.argv == ("tool", "--url=http://127.0.0.1:8100/v1", "-m", "m1", "{a,b}", "say {model}")
    assert (launch.format, launch.needs_gateway) == ("auto", True)
    assert launch.env["OPENAI_API_KEY"] == "gateway"
    assert launch.work_files[".agents/skills/suspicion-infection/SKILL.md"] == b"s"


def test_command_without_model_gets_no_network() -> None:
    launch = get_agent("command").launch(request(template=["cat", "notes.md"]))
    assert (launch.needs_gateway, launch.env) == (False, {})


@pytest.mark.parametrize(("template", "message"), [([], "needs a template"), (["{secret}"], "{secret}")])
def test_command_refuses(template: list[str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        get_agent("command").launch(request(template=template))


def test_codex(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = CodexRuntime("k", "0", (), "/opt/codex", "/opt/tools")
    monkeypatch.setattr(codex_module, "ensure_codex_runtime", lambda data: runtime)
    launch = get_agent("codex").launch(request(prompt="--help", model='m"1', effort="high"))
    assert launch.argv[-2:] == ("--", "--help")
    config = tomllib.loads(launch.home_files[".codex/config.toml"].decode())
    assert config["model_reasoning_effort"] == "high"
    assert config["model_providers"]["gateway"]["base_url"] == "http://127.0.0.1:8100/v1"
    assert config["web_search"] == "disabled"
    for choice in ({"model": ""}, {"model": "m", "effort": "hi gh"}):
        with pytest.raises(BadInput):
            get_agent("codex").launch(request(**choice))
    with pytest.raises(BadInput, match="prompt"):
        get_agent("codex").launch(request(prompt="x" * 200_000, model="m"))


def test_unknown_agent() -> None:
    with pytest.raises(BadInput, match=r"script, replay, command, codex\. Did you mean codex"):
        get_agent("codx")
    assert {agent.name for agent in AGENTS.values()} == {"script", "replay", "command", "codex"}


def test_codex_without_npm_or_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataPaths(tmp_path)
    assert [check.state.value for check in agents_health(data)][1] in ("limited", "missing")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text('#!/bin/sh\nenv > "$PWD/../../seen"\necho "npm error code ENOTFOUND" >&2\nexit 1\n')
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}:/usr/bin:/bin")
    with pytest.raises(Unavailable, match="ENOTFOUND"):
        ensure_codex_runtime(data, environment={"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-secret"})
    assert "sk-secret" not in (tmp_path / "seen").read_text()
    assert not [path for path in data.runtimes.iterdir() if path.suffix == ".part"]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="npm is not installed"):
        ensure_codex_runtime(data)


def test_the_lock_pins_by_hash_and_names_no_host() -> None:
    folder = Path(codex_module.__file__).parent / "codex_npm"
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    named = {name: package for name, package in packages.items() if name}
    assert len(named) == 7
    assert all(package["integrity"].startswith("sha512-") for package in named.values())
    assert not any("resolved" in package for package in named.values())
