"""SQL statements of a step: in commands, heredocs, scripts, Python, notebooks and tools' arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from workbench.records import Step, ToolCall
from workbench.sql import embedded_sql, quick_reads
from workbench.trajectories.call_code import call_layers
from workbench.trajectories.step_text import raw_code


@dataclass(frozen=True)
class StepStatement:
    """``line`` of the call where it begins; ``tables`` that it reads, by resolved name, sorted.

    ``executed`` is False where it is only written to a file; ``exact`` is False where names are computed from
    something unknown.
    """

    call_id: str
    line: int
    sql: str
    tables: tuple[str, ...]
    executed: bool
    exact: bool


def step_statements(step: Step) -> list[StepStatement]:
    """Statements in the order of the calls. A call without any word of SQL costs almost nothing."""
    found = []
    for call in step.calls:
        if not _may_hold_sql(call):
            continue
        for snippet in embedded_sql(call_layers(call).layers).snippets:
            found.append(
                StepStatement(
                    call_id=call.call_id,
                    line=snippet.line,
                    sql=snippet.sql,
                    tables=tuple(sorted(snippet.use.reads)),
                    executed=snippet.executed and call.content is None,
                    exact=snippet.use.exact,
                )
            )
    return found


def runs_of_files(steps: Sequence[Step]) -> dict[tuple[int, str], int]:
    """Step and call that write a file, to the first later step whose commands name that file.

    Told by the file's own name standing as a word in a command: whether it is then executed is for a person.
    """
    waiting: dict[str, list[tuple[int, str]]] = {}
    found: dict[tuple[int, str], int] = {}
    for step in steps:
        commands = [call.command for call in step.calls if call.command]
        for name in [name for name in waiting if any(_names(command, name) for command in commands)]:
            found.update(dict.fromkeys(waiting.pop(name), step.number))
        for call in step.calls:
            if call.content is not None and call.path:
                waiting.setdefault(PurePosixPath(call.path).name, []).append((step.number, call.call_id))
    return found


def _names(command: str, file: str) -> bool:
    return file in command and re.search(rf"(?<![\w.-]){re.escape(file)}(?![\w-])", command) is not None


def _may_hold_sql(call: ToolCall) -> bool:
    raw = {"calls": [call.model_dump(mode="json")]}
    return any(quick_reads(text) or "select" in text.lower() for text in raw_code(raw))
