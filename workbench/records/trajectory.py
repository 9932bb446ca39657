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
    """One call. ``command`` is set for COMMAND; ``path`` and ``content`` for file tools."""

    call_id: str
    name: str
    kind: ToolKind = ToolKind.OTHER
    command: str | None = None
    path: str | None = None
    content: str | None = None
    arguments: dict[str, Any] = {}


class Observation(Part):
    """What came back for a call; ``exit_code`` and ``is_error`` are None where the log does not say."""

    call_id: str
    text: str = ""
    exit_code: int | None = None
    is_error: bool | None = None


class Usage(Part):
    """Tokens; ``input_tokens`` include cached ones."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_output_tokens=self.reasoning_output_tokens + other.reasoning_output_tokens,
        )


class Step(Part):
    """One step, numbered from 1 in the order in which it was complete in the log."""

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


class TrajectorySummary(Part):
    """What a whole log says about itself."""

    format: str
    steps: int
    usage: Usage | None = None  # the total to show, by the provider's own count where there is one
    usage_source: str = ""
    model: str = ""
    session: str = ""
    unknown_events: dict[str, int] = {}
    damaged_lines: int = 0
    complete: bool = True
    final_message: str = ""
    errors: list[str] = []
