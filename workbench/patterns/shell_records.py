"""Simple commands as read from shell text."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field

from workbench.patterns.shell_words import Variables, Word


@dataclass(frozen=True)
class Redirect:
    """``2>/dev/null``: descriptor as written, operator, target."""

    descriptor: str
    operator: str
    target: Word


@dataclass(frozen=True)
class Heredoc:
    """The body of ``<<EOF``, ``<<<word``, with variables folded where the shell would."""

    body: str
    line: int  # of its first line


@dataclass(frozen=True)
class Command:
    """One simple command. ``folder`` is where it runs (None: not knowable); ``line`` counts from 1.

    ``reads_from`` is the command before it in a pipe. ``masked``: its failure need not show in the exit
    code, because something follows it.
    """

    argv: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    heredocs: tuple[Heredoc, ...] = ()
    folder: str | None = None
    line: int = 1
    reads_from: Command | None = None
    masked: bool = False
    session: Session | None = field(default=None, compare=False, repr=False)  # of the shell that runs it


@dataclass
class Session:
    """What one shell knows while it reads on. ``files``: texts of files, by path, shared by all."""

    folder: str | None
    variables: Variables = field(default_factory=Variables)
    files: MutableMapping[str, str] = field(default_factory=dict)

    def copy(self) -> Session:
        return Session(self.folder, self.variables.copy(), self.files)


Finished = Callable[[Command, Session], None]
"""Told of every command in order; may change the session, as ``cd`` does."""
