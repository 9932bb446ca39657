"""ATIF, the Agent Trajectory Interchange Format, 1.0 to 1.8: what a valid document is.

Strict: for what is written here, and to check what others wrote; ``readers.atif`` reads what it can get.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from workbench.records.base import Part

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)  # what every reader of ISO 8601 reads


def is_atif_time(text: str) -> bool:
    """Whether ATIF takes this as a step's time."""
    if not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return False
    return True


def _time(text: str) -> str:
    if not is_atif_time(text):
        raise ValueError("not a time as ISO 8601 writes it")
    return text


Extra = dict[str, Any] | None
AtifTime = Annotated[str, AfterValidator(_time)]


class AtifMedia(Part):
    """Where an image or a sound is: a path or an address."""

    media_type: Literal[
        "image/jpeg", "image/png", "image/gif", "image/webp",
        "audio/wav", "audio/mpeg", "audio/mp4", "audio/aac",
        "audio/ogg", "audio/flac", "audio/webm", "audio/aiff",
    ]  # fmt: skip
    path: str
    duration_sec: float | None = Field(None, ge=0)


class AtifContentPart(Part):
    """A piece of a message that is not only text."""

    type: Literal["text", "image", "audio"]
    text: str | None = None
    source: AtifMedia | None = None

    @model_validator(mode="after")
    def _text_or_source(self) -> Self:
        if self.type == "text":
            if self.text is None or self.source is not None:
                raise ValueError("a text part has a text and no source")
        elif self.source is None or self.text is not None:
            raise ValueError(f"a part of type {self.type} has a source and no text")
        elif not self.source.media_type.startswith(f"{self.type}/"):
            raise ValueError(f"a part of type {self.type} with a source of another type")
        elif self.type == "image" and self.source.duration_sec is not None:
            raise ValueError("an image has no duration")
        return self


Content = str | list[AtifContentPart]


class AtifToolCall(Part):
    """What the agent asked for."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: Extra = None


class AtifSubagentRef(Part):
    """Where the steps of a nested agent are: in this document, or in another file."""

    trajectory_id: str | None = None
    session_id: str | None = None
    trajectory_path: str | None = None
    extra: Extra = None

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if self.trajectory_id is None and self.trajectory_path is None:
            raise ValueError("neither trajectory_id nor trajectory_path")
        return self


class AtifResult(Part):
    """What came back for a call, or for none."""

    source_call_id: str | None = None
    content: Content | None = None
    subagent_trajectory_ref: list[AtifSubagentRef] | None = None
    extra: Extra = None


class AtifObservation(Part):
    """Everything that came back in a step."""

    results: list[AtifResult]


class AtifMetrics(Part):
    """Tokens and price of a step; ``prompt_tokens`` include the cached ones."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    extra: Extra = None


class AtifFinalMetrics(Part):
    """Tokens and price of a whole trajectory."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = Field(None, ge=0)
    extra: Extra = None


class AtifAgent(Part):
    """Which agent it was."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[dict[str, Any]] | None = None
    extra: Extra = None


class AtifStep(Part):
    """One step; what only an agent has is refused on the steps of others."""

    step_id: int = Field(ge=1)
    timestamp: AtifTime | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: list[AtifToolCall] | None = None
    observation: AtifObservation | None = None
    metrics: AtifMetrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = Field(None, ge=0)
    extra: Extra = None

    @model_validator(mode="after")
    def _only_an_agent_has(self) -> Self:
        of_agent = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
        given = [name for name in of_agent if getattr(self, name) is not None]
        if given and self.source != "agent":
            raise ValueError(f"{', '.join(given)} on a step of source {self.source}")
        if self.llm_call_count == 0 and (self.reasoning_content is not None or self.metrics is not None):
            raise ValueError("metrics or reasoning_content on a step without a model call")
        return self

    @model_validator(mode="after")
    def _results_are_of_its_calls(self) -> Self:
        calls = {call.tool_call_id for call in self.tool_calls or ()}
        for result in self.observation.results if self.observation else ():
            if result.source_call_id is not None and result.source_call_id not in calls:
                raise ValueError(f"step {self.step_id} has a result of a call that is not in it")
        return self


class AtifTrajectory(Part):
    """A whole document."""

    schema_version: Literal[
        "ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2", "ATIF-v1.3", "ATIF-v1.4",
        "ATIF-v1.5", "ATIF-v1.6", "ATIF-v1.7", "ATIF-v1.8",
    ]  # fmt: skip
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: AtifAgent
    extra: Extra = None
    steps: list[AtifStep] = Field(min_length=1)
    notes: str | None = None
    final_metrics: AtifFinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    subagent_trajectories: list[AtifTrajectory] | None = None

    @model_validator(mode="after")
    def _numbered_from_one(self) -> Self:
        for number, step in enumerate(self.steps, 1):
            if step.step_id != number:
                raise ValueError(f"step {number} has the step_id {step.step_id}")
        return self

    @model_validator(mode="after")
    def _nested_have_ids(self) -> Self:
        ids = [nested.trajectory_id for nested in self.subagent_trajectories or ()]
        if None in ids:
            raise ValueError("a nested trajectory without trajectory_id")
        if len(set(ids)) < len(ids):
            raise ValueError("two nested trajectories with one trajectory_id")
        return self


def atif_problems(document: object) -> list[str]:
    """What keeps a document from being valid ATIF, each with its place; empty where nothing does."""
    try:
        AtifTrajectory.model_validate(document, strict=True)
    except ValidationError as error:
        return [
            f"{'.'.join(map(str, item['loc'])) or 'document'}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        ]
    return []
