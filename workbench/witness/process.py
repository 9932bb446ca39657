"""Start the worker, bound it, read what it answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import workbench
from workbench.records import Unavailable
from workbench.witness.worker_request import WorkerAnswer, WorkerRequest


def ask_worker(request: WorkerRequest) -> list[list[WorkerAnswer]]:
    """For each query one answer a case, in the cases' order; a case the worker did not reach says why.

    The process gets an empty environment and is killed when its time is over. Raises Unavailable if it
    cannot be started.
    """
    command = [sys.executable, "-P", "-m", "workbench.witness.worker"]
    environment = {
        "PYTHONPATH": str(Path(workbench.__file__).resolve().parent.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LC_ALL": "C.UTF-8",
    }
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise Unavailable(f"the witness worker does not start ({error.strerror})") from None
    stopped = ""
    try:
        printed, complaint = process.communicate(
            request.model_dump_json().encode(), timeout=request.limits.wall_s
        )
    except subprocess.TimeoutExpired:
        stopped = f"stopped after {request.limits.wall_s:g} s"
    finally:
        if process.poll() is None:
            process.kill()
    if stopped:
        printed, complaint = process.communicate()
    lines = [line for line in printed.splitlines() if line.endswith(b"}")]
    answers = {}
    for line in lines:
        answer = WorkerAnswer.model_validate_json(line)
        answers[answer.query, answer.case] = answer
    why = stopped or _ended(process.returncode, complaint)
    return [
        [
            answers.get((number, case.case))
            or WorkerAnswer(case=case.case, query=number, problem=f"no answer: {why}")
            for case in request.cases
        ]
        for number in range(len(request.queries))
    ]


def _ended(code: int, complaint: bytes) -> str:
    last = complaint.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
    if code < 0:
        return f"the worker was ended by signal {-code} (out of memory or time)"
    if b"MemoryError" in complaint or b"bad_alloc" in complaint:
        return "the SQL needs more memory than it may have"
    return f"the worker ended with status {code} ({last[0][:200]})"
