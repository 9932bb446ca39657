"""Carries out a list of actions inside a sandbox and prints each as a step of our own format.

Standard library only; it is delivered as a file and started as ``python3 -I <this> <plan>``. The plan is
JSON: folder ``work``, ``command_s``, ``output_bytes``, ``actions``. An action has ``message``, ``reasoning``
and ``do``, a list of ``{"run": command, "shell": path}`` or ``{"write": path, "content": text}``.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

AFTER_EXIT_S = 0.3
"""How long output of what a command left running is still waited for."""
PR_SET_DUMPABLE = 4


def main(arguments: list[str]) -> int:
    """Run the plan named in ``arguments``; 1 if the last command failed."""
    plan = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    _keep_commands_out_of_our_log()
    _say({"kind": "start", "workbench": 1, "session": plan.get("session", ""), "model": ""})
    failed, last = False, ""
    for number, action in enumerate(plan["actions"], start=1):
        step, failed = _step(number, action, plan)
        last = step["message"] or last
        _say({"kind": "step", "step": step})
    _say({"kind": "end", "complete": True, "final_message": last, "errors": []})
    return int(failed)


def _step(number: int, action: dict[str, Any], plan: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    began = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    calls, observations, failed = [], [], False
    for index, item in enumerate(action.get("do", [])):
        call_id = f"{number}.{index}"
        if "run" in item:
            command = [item["shell"], "-c", item["run"]]
            calls.append({"call_id": call_id, "name": "shell", "kind": "command", "command": item["run"]})
            text, code = run(command, plan["work"], plan["command_s"], plan["output_bytes"])
        else:
            calls.append(
                {
                    "call_id": call_id,
                    "name": "write",
                    "kind": "file-change",
                    "path": item["write"],
                    "content": item["content"],
                }
            )
            text, code = _write(Path(plan["work"], item["write"]), item["content"])
        failed = code != 0
        observations.append({"call_id": call_id, "text": text, "exit_code": code, "is_error": failed})
    step = {
        "number": number,
        "source": "agent",
        "message": action.get("message", ""),
        "reasoning": action.get("reasoning", ""),
        "calls": calls,
        "observations": observations,
        "timestamp": began,
    }
    return step, failed


def _write(path: Path, content: str) -> tuple[str, int]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        return f"not written: {error.strerror}", 1
    return "", 0


def run(command: list[str], work: str, limit_s: float, limit_bytes: int) -> tuple[str, int | None]:
    """Run to the end; output and exit code, which is None where the time was up."""
    process = subprocess.Popen(
        command,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    with process.stdout:
        kept, dropped, in_time = _read(process, process.stdout.fileno(), limit_s, limit_bytes)
    text = kept.decode("utf-8", "replace")
    if dropped:
        text += f"\n… {dropped} more bytes"
    if not in_time:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"{text}\n… stopped after {limit_s:g} s", None
    code = process.wait()
    return text, code if code >= 0 else 128 - code


def _read(
    process: subprocess.Popen[bytes], descriptor: int, limit_s: float, limit_bytes: int
) -> tuple[bytes, int, bool]:
    """Output kept, bytes not kept, and whether the command ended in time."""
    kept, dropped = bytearray(), 0
    deadline = time.monotonic() + limit_s
    ended_at: float | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if ended_at is None and process.poll() is not None:
                ended_at = now
            until = deadline if ended_at is None else ended_at + AFTER_EXIT_S
            if now >= until:
                return bytes(kept), dropped, ended_at is not None
            if not selector.select(min(until - now, 0.05)):
                continue
            data = os.read(descriptor, 65536)
            if not data:
                return bytes(kept), dropped, ended_at is not None or _ends(process, deadline)
            room = max(limit_bytes - len(kept), 0)
            kept += data[:room]
            dropped += len(data) - min(len(data), room)


def _ends(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(deadline - time.monotonic(), 0.01))
    except subprocess.TimeoutExpired:
        return False
    return True


def _keep_commands_out_of_our_log() -> None:
    """Same-user processes cannot open this process's standard output through /proc."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _say(document: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(document).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
