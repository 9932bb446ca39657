"""What a log says as a whole, gathered while it is read: sessions, token counts, errors, the unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from zlib import adler32, crc32

from workbench.records import SessionSummary, TrajectorySummary, Usage, UsageCount
from workbench.trajectories.values import ERROR_TEXT_LIMIT

_PLACES = range(5)

Tokens = list[int]
"""Input (those from a cache and to a cache among them), cached, cache-write, output, reasoning."""

KINDS_KEPT = 200
ERRORS_KEPT = 100
SESSIONS_KEPT = 10_000
"""More kinds of unknown events, errors and sessions than these are counted under the last."""
OTHER_KINDS = "(other kinds)"


@dataclass
class SessionTotals:
    """One session. ``counts``: source to tokens; ``costs``: source to US dollars.

    ``last``, ``last_costs``: the running totals that the log told last.
    """

    session: str = ""
    first_step: int = 1
    steps: int = 0
    model: str = ""
    final: str = ""
    turns_open: int = 0
    turns_ended: int = 0
    unfinished: int = 0
    counts: dict[str, Tokens] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    last: dict[str, Tokens] = field(default_factory=dict)
    last_costs: dict[str, float] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether the agent came to its end, as far as the log says."""
        return self.turns_ended > 0 and not self.turns_open and not self.unfinished

    def end_turn(self) -> None:
        """A turn ended, also one whose beginning the log lacks."""
        self.turns_open = max(self.turns_open - 1, 0)
        self.turns_ended += 1

    def add(self, source: str, tokens: Tokens, cost: float | None = None) -> None:
        """One more count of what was used since the last one."""
        counted = self.counts.get(source)
        if counted is None:
            self.counts[source] = list(tokens)
        else:
            for place in _PLACES:
                counted[place] += tokens[place]
        if cost is not None:
            self.costs[source] = self.costs.get(source, 0.0) + cost

    def replace(self, source: str, tokens: Tokens, cost: float | None = None) -> None:
        """A running total. One that is somewhere smaller than the last began anew, and is added."""
        last = self.last.get(source)
        since = tokens
        if last is not None:
            since = [tokens[place] - last[place] for place in _PLACES]
            if min(since) < 0:
                since = tokens
                self.last_costs.pop(source, None)
        self.last[source] = tokens
        self.add(source, since)
        if cost is not None:
            before = self.last_costs.get(source, 0.0)
            self.costs[source] = self.costs.get(source, 0.0) + cost - before
            self.last_costs[source] = cost

    def shown(self, order: Iterable[str]) -> str:
        """The source to show: the first of ``order`` that the session has; empty where it has none."""
        return next((source for source in order if source in self.counts), "")


@dataclass
class Totals:
    """The whole log; ``sessions`` always holds one at least, the last is not always the current one."""

    calls: int = 0
    retries: int = 0
    damaged: int = 0
    agent: str = ""
    unknown: dict[str, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    sessions: list[SessionTotals] = field(default_factory=lambda: [SessionTotals()])
    counted: set[int] = field(default_factory=set)

    def first_time(self, message_id: str) -> bool:
        """Whether a message's tokens were not yet counted; one without an id always counts."""
        if not message_id:
            return True
        name = message_id.encode()
        short = crc32(name) << 32 | adler32(name)
        known = short in self.counted
        self.counted.add(short)
        return not known

    def count_unknown(self, kind: str) -> None:
        """One event of a kind that the reader does not know."""
        name = kind[:100]
        if name not in self.unknown and len(self.unknown) >= KINDS_KEPT:
            name = OTHER_KINDS
        self.unknown[name] = self.unknown.get(name, 0) + 1

    def add_error(self, message: str) -> None:
        """An error that ended something; the first ones are kept."""
        if len(self.errors) < ERRORS_KEPT:
            self.errors.append(message[:ERROR_TEXT_LIMIT])

    def session_named(self, name: str, first_step: int) -> SessionTotals:
        """The session of that name, begun now if it is new; one that had no name yet takes it."""
        for session in reversed(self.sessions):
            if session.session == name:
                return session
        last = self.sessions[-1]
        if not last.session and not last.steps:
            last.session, last.first_step = name, first_step
            return last
        if len(self.sessions) < SESSIONS_KEPT:
            self.sessions.append(SessionTotals(session=name, first_step=first_step))
        return self.sessions[-1]

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        sessions = [vars(session) for session in self.sessions]
        return {**vars(self), "sessions": sessions, "counted": sorted(self.counted)}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Totals:
        """What ``as_json`` gave."""
        sessions = [SessionTotals(**session) for session in raw["sessions"]]
        return cls(**{**raw, "sessions": sessions, "counted": set(raw["counted"])})

    def summary(self, name: str, steps: int, order: tuple[str, ...]) -> TrajectorySummary:
        """The summary; ``order``: sources of token counts, the one to show first."""
        sessions = self.sessions
        counts = [
            _over_sessions((part, source) for part in sessions if source in part.counts)
            for source in order
            if any(source in part.counts for part in sessions)
        ]
        shown = None
        if counts:
            shown = _over_sessions((part, found) for part in sessions if (found := part.shown(order)))
            counts += [shown] if shown not in counts else []
        return TrajectorySummary(
            format=name,
            steps=steps,
            calls=self.calls,
            retries=self.retries,
            usage=shown.usage if shown else None,
            usage_source=shown.source if shown else "",
            usage_counts=counts,
            cost_usd=shown.cost_usd if shown else None,
            model=next((part.model for part in sessions if part.model), ""),
            agent=self.agent,
            session=sessions[0].session,
            sessions=[_session_summary(part, order) for part in sessions] if len(sessions) > 1 else [],
            unknown_events=dict(self.unknown),
            damaged_lines=self.damaged,
            complete=all(part.complete for part in sessions),
            final_message=sessions[-1].final,
            errors=list(self.errors),
        )


def added(one: Tokens, other: Tokens) -> Tokens:
    """Both together."""
    return [first + second for first, second in zip(one, other, strict=True)]


def usage_from(tokens: Tokens) -> Usage:
    """The record of a count."""
    return Usage(
        input_tokens=tokens[0],
        cached_input_tokens=tokens[1],
        cache_write_input_tokens=tokens[2],
        output_tokens=tokens[3],
        reasoning_output_tokens=tokens[4],
    )


def _over_sessions(picked: Iterable[tuple[SessionTotals, str]]) -> UsageCount:
    """The sum over sessions, each by its own source."""
    tokens: Tokens = [0] * 5
    costs: list[float] = []
    sources: dict[str, None] = {}
    for part, source in picked:
        tokens = added(tokens, part.counts[source])
        costs += [part.costs[source]] if source in part.costs else []
        sources[source] = None
    return UsageCount(
        source=" + ".join(sources), usage=usage_from(tokens), cost_usd=sum(costs) if costs else None
    )


def _session_summary(part: SessionTotals, order: tuple[str, ...]) -> SessionSummary:
    source = part.shown(order)
    return SessionSummary(
        session=part.session,
        first_step=part.first_step,
        steps=part.steps,
        model=part.model,
        usage=usage_from(part.counts[source]) if source else None,
        usage_source=source,
        cost_usd=part.costs.get(source),
        complete=part.complete,
        final_message=part.final,
    )
