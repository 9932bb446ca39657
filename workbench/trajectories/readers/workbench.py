"""Our own format: JSON lines, each with ``kind``.

``start`` (``workbench``: version of the format, ``session``, ``model``), ``step`` (``step``: a Step) and
``end`` (the summary, but for what is counted). A log without ``end`` is not complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from workbench.records import Part, Step, StepSource, TrajectorySummary, Usage
from workbench.trajectories.detect import WORKBENCH
from workbench.trajectories.line_reader import LineReader
from workbench.trajectories.totals import Tokens
from workbench.trajectories.values import mapping_of, plain_json, text_of

FORMAT = WORKBENCH
VERSION = 1
KINDS = frozenset({"start", "step", "end"})
COUNTED = ("format", "steps")
"""What of a summary is counted and not written."""
USAGE = "steps"


class _StepLine(Part):
    """A line with a step that needs no mending."""

    kind: Literal["step"]
    step: Step


@dataclass
class _State:
    start: dict[str, Any] = field(default_factory=dict)
    end: dict[str, Any] | None = None


class WorkbenchReader(LineReader):
    """Bytes of our own log to steps, renumbered from 1."""

    format = FORMAT
    usage_order = (USAGE,)
    starts = ('{"kind"',)
    state: _State

    def new_state(self) -> _State:
        return _State()

    def is_event(self, value: Mapping[str, Any]) -> bool:
        return text_of(value.get("kind")) in KINDS

    def ended(self) -> None:
        """Nothing is ever pending."""

    def event(self, event: dict[str, Any]) -> None:
        kind = text_of(event.get("kind"))
        if kind == "start":
            self.state.start = event
        elif kind == "end":
            self.state.end = event
        elif kind == "step":
            self._mended(mapping_of(event.get("step")))
        else:
            self.totals.count_unknown(kind or "(no kind)")

    def summary(self) -> TrajectorySummary:
        summary = super().summary()
        start, end = self.state.start, self.state.end or {}
        found = summary.model_dump() | {
            "model": text_of(start.get("model")) or summary.model,
            "session": text_of(start.get("session")) or summary.session,
            "complete": self.state.end is not None,
        }
        told = {
            name: plain_json(end[name])
            for name in TrajectorySummary.model_fields
            if end.get(name) is not None
        }
        for name in COUNTED:
            told.pop(name, None)
        return _summary(found, told, summary)

    def _line(self, line: bytes) -> None:
        """Most lines are steps that can be read as they are."""
        try:
            step = _StepLine.model_validate_json(line).step
        except ValidationError:
            super()._line(line)
            return
        if all(plain_json(call.arguments) == call.arguments for call in step.calls if call.arguments):
            self._step(step)
        else:
            super()._line(line)

    def _mended(self, raw: Mapping[str, Any]) -> None:
        try:
            step = Step.model_validate({**plain_json(dict(raw)), "number": self.steps + 1})
        except (ValidationError, RecursionError):
            self.totals.damaged += 1
            return
        self._step(step)

    def _step(self, step: Step) -> None:
        self.in_session(step.session)
        self.count_step(len(step.calls))
        if step.usage is not None:
            self.now.add(USAGE, _tokens(step.usage))
        if step.source is StepSource.AGENT and step.message:
            self.now.final = step.message
        if not self.counting:
            same = step.number == self.steps
            self.made.append(step if same else step.model_copy(update={"number": self.steps}))


def _tokens(usage: Usage) -> Tokens:
    return [
        usage.input_tokens,
        usage.cached_input_tokens,
        usage.cache_write_input_tokens,
        usage.output_tokens,
        usage.reasoning_output_tokens,
    ]


def _summary(found: dict[str, Any], told: dict[str, Any], counted: TrajectorySummary) -> TrajectorySummary:
    """What the log tells of itself goes before what was found; a value that is no such value does not."""
    for name in list(told):
        try:
            TrajectorySummary.model_validate({**found, name: told[name]})
        except ValidationError:
            del told[name]
    merged = TrajectorySummary.model_validate({**found, **told})
    unknown = dict(merged.unknown_events) if "unknown_events" in told else {}
    for kind, count in counted.unknown_events.items():
        unknown[kind] = unknown.get(kind, 0) + count
    damaged = counted.damaged_lines + (merged.damaged_lines if "damaged_lines" in told else 0)
    return merged.model_copy(update={"unknown_events": unknown, "damaged_lines": damaged})
