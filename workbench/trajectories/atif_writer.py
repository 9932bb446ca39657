"""The normal form as an ATIF document; reading it back gives equal steps, and the summary.

What ATIF has no place for stands under ``extra.workbench``, and only that: each part is first written as ATIF
says it, then read as the reader reads it, and what comes out otherwise is added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from workbench.records import Step, StepSource, ToolCall, TrajectorySummary
from workbench.trajectories.atif_document import AtifTrajectory, is_atif_time
from workbench.trajectories.atif_nesting import Nest, nests
from workbench.trajectories.atif_steps import OURS, calls_of, observations_of, step_fields
from workbench.trajectories.readers.atif import IN_ORDER, NO_STEPS
from workbench.trajectories.tool_kinds import Tools
from workbench.trajectories.tool_tables import tools_of
from workbench.trajectories.values import plain_json

VERSION = "ATIF-v1.7"
"""What is written unless asked otherwise: the newest that Harbor's own converters write."""
UNKNOWN = "unknown"

Raw = dict[str, Any]


def atif_document(steps: Iterable[Step], summary: TrajectorySummary, version: str = VERSION) -> Raw:
    """A whole log as a document of ATIF 1.7 or 1.8: JSON values, checked against the format."""
    main, nested = nests(list(steps))
    name, agent_version = _name_and_version(summary.agent)
    agent = {"name": name, "version": agent_version}
    if summary.model:
        agent["model_name"] = summary.model
    writer = _Writer(summary, version, agent, in_order=bool(nested))
    document = writer.trajectory(main, nested)
    document["extra"] = {OURS: _of_log(summary, in_order=bool(nested))}
    document["final_metrics"] = _final_metrics(summary, len(document["steps"]))
    if summary.session:
        document["session_id"] = summary.session
    first = ("schema_version", "session_id", "trajectory_id", "agent", "extra", "final_metrics")
    document = {key: document[key] for key in first if key in document} | document
    AtifTrajectory.model_validate(document)
    return document


def atif_bytes(steps: Iterable[Step], summary: TrajectorySummary, version: str = VERSION) -> bytes:
    """The document as JSON text."""
    document = atif_document(steps, summary, version)
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode() + b"\n"


class _Writer:
    def __init__(self, summary: TrajectorySummary, version: str, agent: Raw, *, in_order: bool) -> None:
        self._summary, self._version, self._agent = summary, version, agent
        self._in_order = in_order
        self._tools: Tools = tools_of(agent["name"])

    def trajectory(self, steps: Sequence[Step], nested: Sequence[Nest]) -> Raw:
        """One trajectory with those nested in it."""
        written = [self._step(number, step) for number, step in enumerate(steps, 1)] or [_no_steps()]
        for nest in nested:
            if nest.parent is not None:
                _refer(written[nest.parent], nest)
        document: Raw = {"schema_version": self._version, "agent": self._agent, "steps": written}
        if nested:
            document["subagent_trajectories"] = [
                {
                    **self.trajectory(nest.steps, nest.nested),
                    "trajectory_id": nest.trajectory_id,
                    "agent": {**self._agent, "name": nest.agent or self._agent["name"]},
                }
                for nest in nested
            ]
        return document

    def _step(self, number: int, step: Step) -> Raw:
        raw: Raw = {"step_id": number, "source": step.source.value, "message": step.message}
        if is_atif_time(step.timestamp):
            raw["timestamp"] = step.timestamp
        if step.source is StepSource.AGENT:
            self._of_agent(raw, step)
        self._observed(raw, step)
        read = step_fields(raw, self._tools, self._summary.model)
        added = {
            name: plain_json(value)
            for name, value in step.model_dump(mode="json").items()
            if name in read and getattr(step, name) != read[name]
        }
        if step.session != self._summary.session:
            added["session"] = step.session
        if step.agent or step.parent_call_id:
            added |= {"agent": step.agent, "parent_call_id": step.parent_call_id}
        if self._in_order:
            added["number"] = step.number
        if added:
            raw["extra"] = {OURS: added}
        return raw

    def _of_agent(self, raw: Raw, step: Step) -> None:
        if step.model and step.model != self._summary.model:
            raw["model_name"] = step.model
        if step.reasoning:
            raw["reasoning_content"] = step.reasoning
        if step.calls:
            raw["tool_calls"] = [_call(call, self._tools) for call in step.calls]
        if step.usage is not None:
            usage = step.usage
            raw["metrics"] = {
                "prompt_tokens": usage.input_tokens,
                "completion_tokens": usage.output_tokens,
                "cached_tokens": usage.cached_input_tokens,
            } | _extra_tokens(usage.cache_write_input_tokens, usage.reasoning_output_tokens)

    def _observed(self, raw: Raw, step: Step) -> None:
        if not step.observations:
            return
        calls = {call["tool_call_id"] for call in raw.get("tool_calls", ())}
        results = raw["observation"] = {"results": []}
        for observation in step.observations:
            result: Raw = {"content": observation.text}
            if observation.call_id in calls:
                result["source_call_id"] = observation.call_id
            (read,) = observations_of({"observation": {"results": [result]}})
            added = {
                name: value
                for name, value in observation.model_dump(mode="json").items()
                if value != getattr(read, name)
            }
            if added:
                result["extra"] = {OURS: added}
            results["results"].append(result)


def _call(call: ToolCall, tools: Tools) -> Raw:
    raw: Raw = {
        "tool_call_id": call.call_id,
        "function_name": call.name,
        "arguments": plain_json(call.arguments),
    }
    if calls_of(raw, tools) != [call]:
        told = call.model_dump(mode="json", exclude={"call_id", "name", "arguments"}, exclude_defaults=True)
        raw["extra"] = {OURS: plain_json(told)}
    return raw


def _refer(raw: Raw, nest: Nest) -> None:
    """Says at the result of its call where a nested agent's steps are."""
    ref = {"trajectory_id": nest.trajectory_id}
    results = raw.setdefault("observation", {"results": []})["results"]
    calls = {call["tool_call_id"] for call in raw.get("tool_calls", ())}
    source = {"source_call_id": nest.parent_call_id} if nest.parent_call_id in calls else {}
    for result in results:
        if source and result.get("source_call_id") == nest.parent_call_id:
            result.setdefault("subagent_trajectory_ref", []).append(ref)
            return
    results.append({**source, "content": None, "subagent_trajectory_ref": [ref]})


def _no_steps() -> Raw:
    return {"step_id": 1, "source": "system", "message": "", "extra": {OURS: {NO_STEPS: True}}}


def _of_log(summary: TrajectorySummary, *, in_order: bool) -> Raw:
    told = summary.model_dump(mode="json", exclude={"steps"})
    return {"summary": told} | ({IN_ORDER: True} if in_order else {})


def _extra_tokens(written: int, reasoning: int) -> Raw:
    extra = {
        name: count
        for name, count in (("cache_write_input_tokens", written), ("reasoning_output_tokens", reasoning))
        if count
    }
    return {"extra": extra} if extra else {}


def _final_metrics(summary: TrajectorySummary, steps: int) -> Raw:
    metrics: Raw = {"total_steps": steps}
    if summary.cost_usd is not None:
        metrics["total_cost_usd"] = summary.cost_usd
    usage = summary.usage
    if usage is None:
        return metrics
    return {
        "total_prompt_tokens": usage.input_tokens,
        "total_completion_tokens": usage.output_tokens,
        "total_cached_tokens": usage.cached_input_tokens,
        **metrics,
        **_extra_tokens(usage.cache_write_input_tokens, usage.reasoning_output_tokens),
    }


def _name_and_version(agent: str) -> tuple[str, str]:
    """The summary's one text is name and version, with a space between them."""
    name, _, version = agent.rpartition(" ")
    if name and any(character.isdigit() for character in version):
        return name, version
    return agent or UNKNOWN, UNKNOWN
