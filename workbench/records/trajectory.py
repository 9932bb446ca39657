"""The normal form of any agent's log. All text here is hostile: show it inert."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from workbench.records.base import Part


class StepSource(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    AGENT = "agent"


class ToolKind(StrEnum):
    """What a call does, whatever the agent calls its tool."""

    COMMAND = "command"  # a shell command
    FILE_CHANGE = "file-change"
    FILE_READ = "file-read"
    SEARCH = "search"  # local
    WEB = "web"
    AGENT = "agent"  # a nested agent
    OTHER = "other"


class ToolCall(Part):
    """One call. ``command`` is set for COMMAND; ``path`` and ``content`` for file tools.

    ``replaced``: what ``content`` takes the place of, where an edit's log says so.
    """

    call_id: str
    name: str
    kind: ToolKind = ToolKind.OTHER
    command: str | None = None
    path: str | None = None
    content: str | None = None
    replaced: str | None = None
    arguments: dict[str, Any] = {}


class Observation(Part):
    """What came back for a call; ``exit_code`` and ``is_error`` are None where the log does not say."""

    call_id: str
    text: str = ""
    exit_code: int | None = None
    is_error: bool | None = None


class Usage(Part):
    """Tokens; ``input_tokens`` include those read from a cache and those written to one."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_input_tokens=self.cache_write_input_tokens + other.cache_write_input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_output_tokens=self.reasoning_output_tokens + other.reasoning_output_tokens,
        )


class UsageCount(Part):
    """One count of tokens that a log gives, or that follows from it; ``source`` says which."""

    source: str
    usage: Usage
    cost_usd: float | None = None


class Step(Part):
    """One step, numbered from 1 in the order in which it was complete in the log.

    ``session``: which session of a log that holds several. ``agent``: which nested agent, empty for the main
    one; ``parent_call_id``: the call that started it. ``message_id``: the model's message that the step is
    from, where one message was cut into several; its usage is then on the first of its steps.
    """

    number: int = Field(ge=1)
    source: StepSource
    message: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = []
    observations: list[Observation] = []
    timestamp: str = ""  # as written in the log
    model: str = ""
    usage: Usage | None = None
    is_error: bool = False
    session: str = ""
    agent: str = ""
    parent_call_id: str = ""
    message_id: str = ""


class SessionSummary(Part):
    """One session of a log that holds several. ``first_step`` is a step's number."""

    session: str
    first_step: int
    steps: int
    model: str = ""
    usage: Usage | None = None
    usage_source: str = ""
    cost_usd: float | None = None
    complete: bool = True
    final_message: str = ""


class TrajectorySummary(Part):
    """What a whole log says about itself.

    ``usage`` is the total to show: the provider's own count where there is one, else what the messages say,
    each counted once. ``usage_counts`` are all counts that the log gives, the shown one among them.
    ``sessions`` is empty where the log holds one.
    """

    format: str
    steps: int
    calls: int = 0
    retries: int = 0
    usage: Usage | None = None
    usage_source: str = ""
    usage_counts: list[UsageCount] = []
    cost_usd: float | None = None
    model: str = ""
    agent: str = ""  # name and version of the tool that wrote the log
    session: str = ""
    sessions: list[SessionSummary] = []
    unknown_events: dict[str, int] = {}
    damaged_lines: int = 0
    complete: bool = True
    final_message: str = ""
    errors: list[str] = []
