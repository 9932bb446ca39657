"""Values and records of code that is followed: functions, files, calls, what comes out."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Function:
    parameters: ast.arguments
    body: ast.expr | list[ast.stmt]
    scope: dict[str, Any]


@dataclass(frozen=True)
class File:
    """A file by its path; what is written to it and read from it is known."""

    path: str
    text: str | None


@dataclass(frozen=True)
class PathValue:
    path: str


@dataclass(frozen=True)
class Followed:
    """One call as it came to pass: dotted name, positional values and keywords, line, what it belongs to."""

    name: str
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...]
    line: int
    owner: Any


@dataclass
class Surroundings:
    """What the code finds around it: files by absolute path, variables, arguments, standard input, folder."""

    files: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    stdin: str | None = None
    folder: str = "/workspace"
    before: str = ""


@dataclass
class Result:
    """``calls`` in order; ``made``: texts that were put together, with their line; ``printed``: what it
    prints; ``written``: texts of files that it writes, by path. UNKNOWN stands for what is open."""

    calls: list[Followed] = field(default_factory=list)
    made: dict[str, int] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Builtin:
    """A function of Python's own that stands as a value, as in ``map(chr, codes)``."""

    name: str


class Spent(Exception):
    """No more work is done on this code."""


class Returned(Exception):
    """A function's end, with its value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class LoopEnd(Exception):
    """``break`` or ``continue``."""
