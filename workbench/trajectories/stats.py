"""A trajectory in numbers: steps, calls, errors, SQL, tables, tokens by every count that its log gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from workbench.records import Step, TrajectorySummary, Usage
from workbench.trajectories.statements import step_statements


@dataclass
class TrajectoryStats:
    """Counts only. ``tables``: statements that read each, by resolved name."""

    steps: int = 0
    calls: int = 0
    failed_calls: int = 0
    unanswered_calls: int = 0
    errors: int = 0
    characters: int = 0
    sql_statements: int = 0
    by_source: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    by_tool: Counter[str] = field(default_factory=Counter)
    by_agent: Counter[str] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)
    first_time: str = ""
    last_time: str = ""


def trajectory_stats(steps: Iterable[Step]) -> TrajectoryStats:
    """Count steps, one after the other."""
    stats = TrajectoryStats()
    open_calls: set[str] = set()
    for step in steps:
        stats.steps += 1
        stats.errors += step.is_error
        stats.by_source[step.source] += 1
        stats.by_agent[step.agent or "main"] += bool(step.calls or step.message)
        stats.characters += len(step.message) + len(step.reasoning)
        if step.timestamp and _moment(step.timestamp) > -math.inf:
            stats.first_time = min(stats.first_time or step.timestamp, step.timestamp, key=_moment)
            stats.last_time = max(stats.last_time, step.timestamp, key=_moment)
        for call in step.calls:
            stats.calls += 1
            stats.by_kind[call.kind] += 1
            stats.by_tool[call.name] += 1
            open_calls.add(call.call_id)
        for back in step.observations:
            open_calls.discard(back.call_id)
            stats.failed_calls += bool(back.is_error) or back.exit_code not in (0, None)
            stats.characters += len(back.text)
        for statement in step_statements(step):
            stats.sql_statements += 1
            stats.tables.update(statement.tables)
    stats.unanswered_calls = len(open_calls)
    return stats


def _moment(timestamp: str) -> float:
    """By which times are ordered, whatever their zone; minus infinity for what is no time."""
    try:
        read = datetime.fromisoformat(timestamp)
        return read.replace(tzinfo=read.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return -math.inf


def not_complete(summary: TrajectorySummary) -> str:
    """Why a log is not complete; empty for one that is."""
    if summary.complete:
        return ""
    if summary.damaged_lines:
        count = summary.damaged_lines
        return f"{count} line{'s' * (count != 1)} cannot be read"
    cut = [session.session for session in summary.sessions if not session.complete]
    if cut:
        more = f" and {len(cut) - 3} more" if len(cut) > 3 else ""
        return f"no end of session {', '.join(cut[:3])}{more}"
    return "its last event is not there: cut off, stopped, or still going on"


def usage_lines(summary: TrajectorySummary) -> list[tuple[str, Usage, float | None, bool]]:
    """Every count of tokens of a log: where it is from, tokens, cost in US dollars, whether it is shown."""
    counts = [(count.source, count.usage, count.cost_usd) for count in summary.usage_counts]
    if summary.usage is not None and all(source != summary.usage_source for source, *_ in counts):
        counts.insert(0, (summary.usage_source, summary.usage, summary.cost_usd))
    return [(source, usage, cost, source == summary.usage_source) for source, usage, cost in counts]
