"""A log of 1 GB: how fast it is indexed, with how much memory, its first screen, and any step by number.

Started with a log and a data directory it is what is measured: ``python tests/bench/large_logs.py LOG HOME``.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

LOG_BYTES = 1_000_000_000
LOOKS = 60
SCREEN_STEPS = 50
_SEED = 3

Lines = Callable[[int, str], bytes]


def _codex_lines(number: int, text: str) -> bytes:
    item = {"id": f"item_{number}", "type": "command_execution", "command": f"bash -lc 'echo {number}'"}
    begun = item | {"aggregated_output": "", "exit_code": None, "status": "in_progress"}
    done = item | {"aggregated_output": text, "exit_code": 0, "status": "completed"}
    events = ({"type": "item.started", "item": begun}, {"type": "item.completed", "item": done})
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def _claude_lines(number: int, text: str) -> bytes:
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"echo {number}"}}
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": f"m{number}", "role": "assistant", "model": "m", "content": [call], "usage": usage}
    back = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
    said = {"type": "assistant", "message": message, "session_id": "s", "parent_tool_use_id": None}
    came = {"type": "user", "message": {"role": "user", "content": [back]}, "session_id": "s"}
    return b"".join(json.dumps(event).encode() + b"\n" for event in (said, came))


_HEADS: dict[str, tuple[bytes, Lines]] = {
    "codex-exec": (b'{"type":"thread.started","thread_id":"t"}\n', _codex_lines),
    "claude-stream": (b'{"type":"system","subtype":"init","session_id":"s","model":"m"}\n', _claude_lines),
}


def write_log(path: Path, format: str, size_bytes: int) -> int:
    """A log of steps of some kilobytes each; how many steps."""
    chance = random.Random(_SEED)
    texts = [
        "\n".join(
            f"{chance.randrange(10**7)}|{chance.random():.4f}|value {chance.random()}" for _ in range(70)
        )
        for _ in range(40)
    ]
    head, lines = _HEADS[format]
    number = 0
    with path.open("wb") as file:
        written = file.write(head)
        while written < size_bytes:
            written += file.write(lines(number, texts[number % len(texts)]))
            number += 1
    return number


def look(log: Path, home: Path) -> dict[str, float]:
    """Open, index and look at steps; times in seconds, memory in MB."""
    from workbench.records import DataPaths
    from workbench.trajectories import StepFile

    data = DataPaths(home)
    began = time.perf_counter()
    assert len(StepFile(log, data).begin(SCREEN_STEPS)) == SCREEN_STEPS
    first_s = time.perf_counter() - began
    began = time.perf_counter()
    found = StepFile(log, data)
    steps = found.count
    index_s = time.perf_counter() - began
    chance = random.Random(_SEED)
    looks = []
    for number in (chance.randint(1, steps) for _ in range(LOOKS)):
        began = time.perf_counter()
        (step,) = found.steps(number, 1)
        looks.append(time.perf_counter() - began)
        assert step.number == number
    began = time.perf_counter()
    assert StepFile(log, data).count == steps
    again_s = time.perf_counter() - began
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "steps": steps,
        "first_s": first_s,
        "index_s": index_s,
        "again_s": again_s,
        "step_s": sorted(looks)[int(LOOKS * 0.95)],
        "memory_mb": memory_mb,
    }


def measure(size_bytes: int = LOG_BYTES) -> list[tuple[str, float, float, str]]:
    """(name, value, target, unit) of each figure."""
    figures: list[tuple[str, float, float, str]] = []
    for format in _HEADS:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.jsonl"
            steps = write_log(log, format, size_bytes)
            command = [sys.executable, __file__, str(log), str(Path(folder) / "home")]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            took = json.loads(printed)
            assert took["steps"] >= steps, took
            gigabytes = log.stat().st_size / 1e9
            name = f"{format} log of {gigabytes:.1f} GB"
            figures += [
                (f"{name}: indexing a GB", took["index_s"] / gigabytes, 10.0, "s"),
                (f"{name}: memory", took["memory_mb"], 200.0, "MB"),
                (f"{name}: first screen", took["first_s"], 1.0, "s"),
                (f"{name}: opened again", took["again_s"], 1.0, "s"),
                (f"{name}: a step by number, p95", took["step_s"] * 1000, 50.0, "ms"),
            ]
    return figures


if __name__ == "__main__":
    sys.stdout.write(json.dumps(look(Path(sys.argv[1]), Path(sys.argv[2]))))
