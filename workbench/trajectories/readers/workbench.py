"""Our own format: JSON lines, each with ``kind``.

``start`` (``workbench``: version of the format, ``session``, ``model``), ``step`` (``step``: a Step) and
``end`` (what the summary cannot know from the steps). A log without ``end`` is not complete.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from pydantic import ValidationError

from workbench.records import Step, StepSource, TrajectorySummary, Usage
from workbench.trajectories.reader import Lines
from workbench.trajectories.values import json_object, mapping_of, plain_json, text_of, usage_of

FORMAT = "workbench"
VERSION = 1
KINDS = frozenset({"start", "step", "end"})


class WorkbenchReader:
    """Bytes of our own log to steps, renumbered from 1."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._count = 0
        self._unknown: Counter[str] = Counter()
        self._damaged = 0
        self._start: dict[str, Any] = {}
        self._end: dict[str, Any] | None = None
        self._usage: Usage | None = None
        self._final = ""

    def feed(self, data: bytes) -> list[Step]:
        return [step for line in self._lines.feed(data) for step in self._line(line)]

    def close(self) -> list[Step]:
        return [step for line in self._lines.close() for step in self._line(line)]

    def summary(self) -> TrajectorySummary:
        end = self._end or {}
        errors = end.get("errors")
        usage = usage_of(end.get("usage")) or self._usage
        source = text_of(end.get("usage_source")) or ("steps" if usage else "")
        return TrajectorySummary(
            format=FORMAT,
            steps=self._count,
            usage=usage,
            usage_source=source if usage else "",
            model=text_of(self._start.get("model")),
            session=text_of(self._start.get("session")),
            unknown_events=dict(self._unknown),
            damaged_lines=self._damaged + self._lines.overlong,
            complete=self._end is not None and self._end.get("complete") is not False,
            final_message=text_of(end["final_message"]) if "final_message" in end else self._final,
            errors=[text_of(error) for error in errors] if isinstance(errors, list) else [],
        )

    def _line(self, line: bytes) -> list[Step]:
        if not line.strip():
            return []
        document = json_object(line)
        kind = text_of((document or {}).get("kind"))
        if document is None:
            self._damaged += 1
        elif kind == "start":
            self._start = document
        elif kind == "end":
            self._end = document
        elif kind == "step":
            return self._step(mapping_of(document.get("step")))
        else:
            self._unknown[kind[:100] or "(no kind)"] += 1
        return []

    def _step(self, raw: Any) -> list[Step]:
        try:
            step = Step.model_validate({**plain_json(raw), "number": self._count + 1})
        except (ValidationError, TypeError):
            self._damaged += 1
            return []
        self._count += 1
        if step.usage is not None:
            self._usage = (self._usage or Usage()) + step.usage
        if step.source is StepSource.AGENT and step.message:
            self._final = step.message
        return [step]
