"""SQL statements of a step: in commands, heredocs, scripts, Python, notebooks and tools' arguments."""

from __future__ import annotations

from dataclasses import dataclass

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


def _may_hold_sql(call: ToolCall) -> bool:
    raw = {"calls": [call.model_dump(mode="json")]}
    return any(quick_reads(text) or "select" in text.lower() for text in raw_code(raw))
