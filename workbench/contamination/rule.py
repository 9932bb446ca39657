"""The contract of a lint rule, and what it gets for a step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from workbench.contamination.constant_text import constant_text
from workbench.contamination.material import HiddenMaterial
from workbench.contamination.names import Names
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.passed_on import copied, given_paths, linked, linked_in_python, linked_in_text
from workbench.contamination.trail import Trail
from workbench.contamination.view import RunView
from workbench.patterns import (
    Access,
    Layers,
    PathUse,
    program,
    python_paths,
    resolve,
    shell_paths,
    visible,
    written_texts,
)
from workbench.records import WORK_FOLDER, Level, Observation, Place, Step, ToolCall, ToolKind, Violation
from workbench.sql import EmbeddedSql, Snippet, TableReader, embedded_sql
from workbench.trajectories import CELLS, call_layers, python_cell

SEVERITY = [Level.FAIL, Level.QUARANTINE, Level.NOT_RUN, Level.WARN, Level.INFORMATION]
"""Worst first."""
EXCERPT_CHARS = 200
MAX_LINKS_BEHIND = 5
"""Links to links that are followed."""
MAX_KEPT_FILES = 200
MAX_KEPT_CHARS = 4_000_000
MAX_CELL_CHARS = 20_000
"""Of the code of earlier cells, from its end."""
_CATCHES = re.compile(r"^\s*except\b|\bsuppress\(", re.MULTILINE)
_PRINT_NOTHING = {"cd", "set", "export", "mkdir", "rm", "touch", "true", "sleep", "bash", "sh"}
HOME = "/home/agent"


class CannotRun(Exception):
    """A rule that cannot be run over this run; the reason goes into its outcome."""


class LintRule(Protocol):
    """One rule. ``check_step`` may be called while a run streams; ``check_run`` once at its end.

    Both return violations with a place. Neither may pass in silence what it could not look at: it raises
    CannotRun, or returns a violation of level ``not-run`` that says what.
    """

    @property
    def name(self) -> str:
        """Stable name, in reports and settings."""
        ...

    @property
    def version(self) -> int:
        """Raised when the rule says something else of the same run."""
        ...

    @property
    def severity(self) -> Level:
        """The worst that it can say."""
        ...

    @property
    def description(self) -> str:
        """One sentence for a person."""
        ...

    @property
    def explanation(self) -> str:
        """What it looks at, and when it warns, quarantines and fails."""
        ...

    @property
    def false_positives(self) -> str:
        """What honest work may look like it, and what is done about that."""
        ...

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        """What one step shows."""
        ...

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        """What files, output and egress log show. Raises CannotRun."""
        ...


@dataclass
class RunContext:
    """What is known of a run so far.

    Each command is a fresh shell: folders and variables do not carry over, files do. ``files``: texts that
    steps wrote, by absolute path. ``own``: names of tables that the agent made itself.
    ``links``: files and folders by the absolute path of what was linked or copied to them; ``pointers``:
    which of these are links; ``written``: every path that was written. ``session``: SQL of tools that keep
    their connection; ``tainted``: hidden tables by the name of an own view or table made of them.
    ``trail``: what was asked of the database so far; ``found``: what rules said of steps;
    ``telling``: lines of hidden SQL by target, once they were asked for.
    """

    hidden: HiddenMaterial
    files: dict[str, str] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    pointers: set[str] = field(default_factory=set)
    open_calls: dict[str, ToolCall] = field(default_factory=dict)
    session: TableReader = field(default_factory=lambda: TableReader(constant_text))
    tainted: dict[str, str] = field(default_factory=dict)
    trail: Trail = field(default_factory=Trail)
    found: list[Violation] = field(default_factory=list)
    telling: dict[str, frozenset[str]] | None = None
    kept_chars: int = 0

    @cached_property
    def names(self) -> Names:
        """Hidden names, ready to be looked for."""
        return Names(self.hidden)

    def take_over(self, starter: RunContext) -> None:
        """Begin with what the starter of a nested agent had made."""
        self.files |= starter.files
        self.own |= starter.own
        self.links |= starter.links
        self.pointers |= starter.pointers
        self.written |= starter.written

    def keep(self, path: str, text: str) -> None:
        """Remember a written file, within bounds."""
        if len(self.files) < MAX_KEPT_FILES and self.kept_chars + len(text) < MAX_KEPT_CHARS:
            self.kept_chars += len(text)
            self.files[path] = text


@dataclass
class Action:
    """One call with what came back for it; what it contains is worked out once, when a rule asks."""

    step: int
    call: ToolCall
    observation: Observation | None
    context: RunContext

    @cached_property
    def layers(self) -> Layers:
        """Shell, Python and SQL in the call."""
        return call_layers(self.call, self.context.files)

    @cached_property
    def raw(self) -> str:
        """The call as it is written."""
        call = self.call
        texts = [call.command or "", call.path or "", call.content or ""]
        for value in call.arguments.values():
            texts.append(" ".join(map(str, value)) if isinstance(value, list) else str(value))
        return "\n".join(texts)

    @property
    def has_code(self) -> bool:
        """Whether anything in the call is code, or is run."""
        return any(layer.kind != "text" or layer.executed for layer in self.layers.layers)

    @property
    def runs(self) -> bool:
        """Whether the call executes what it holds, rather than writing it to a file."""
        return self.call.kind is not ToolKind.FILE_CHANGE

    @cached_property
    def sql(self) -> EmbeddedSql:
        """SQL in the call; a tool that runs SQL itself keeps its session over the run."""
        session = self.context.session if self.call.command is None else TableReader(constant_text)
        return embedded_sql(self.layers.layers, session)

    def executes(self, snippet: Snippet) -> bool:
        """Whether the call runs this SQL: a tool that is given SQL does."""
        return self.runs and (snippet.executed or self.call.command is None)

    @cached_property
    def paths(self) -> list[PathUse]:
        """Paths touched by shell and Python layers that run, and by tools that read files."""
        found: list[PathUse] = []
        for layer in self.layers.layers:
            if layer.shell is not None and layer.executed:
                found += shell_paths(layer.shell)
            elif layer.python is not None and (layer.executed or self.call.command is None):
                found += python_paths(layer.python, layer.folder)
        if self.call.kind in (ToolKind.FILE_READ, ToolKind.SEARCH):
            deep = self.call.kind is ToolKind.SEARCH
            access = Access.LIST if deep else Access.READ
            for given in given_paths(self.call):
                path = resolve(re.sub(r"^~(?=/|$)", HOME, given), WORK_FOLDER)
                if path is not None:
                    start = re.split(r"/[^/]*[*?\[]", path, maxsplit=1)[0] or "/"
                    found.append(PathUse(start if deep else path, access, self.call.name, recursive=deep))
        return list(dict.fromkeys(found))

    @cached_property
    def writes(self) -> list[tuple[str, str]]:
        """Paths that shell, Python, SQL and file tools write, each with what does it."""
        found = [(use.path, use.by) for use in self.paths if use.access is Access.WRITE]
        if self.call.kind is ToolKind.FILE_CHANGE and self.call.path:
            path = resolve(re.sub(r"^~(?=/|$)", HOME, self.call.path), WORK_FOLDER)
            if path:
                found.append((path, self.call.name))
        for snippet in self.sql.snippets if self.runs else ():
            for text in sorted(snippet.use.files_written) if snippet.executed else ():
                path = None if "://" in text else resolve(text, snippet.folder or WORK_FOLDER)
                if path:
                    found.append((path, "SQL"))
        return found

    def is_own(self, path: str) -> bool:
        """Whether the agent wrote this file, or a folder above it, earlier or in this call."""
        here = {written for written, _ in self.writes} | self.context.written
        for layer in self.layers.layers if self.call.kind is ToolKind.FILE_CHANGE else ():
            if layer.shell is not None:
                here |= {use.path for use in shell_paths(layer.shell) if use.access is Access.WRITE}
        while path.strip("/"):
            if path in here or path in self.context.files:
                return True
            path = path.rpartition("/")[0]
        return False

    @cached_property
    def links(self) -> dict[str, str]:
        """Sources of links and copies made so far, by the absolute path of what was made."""
        found = dict(self.context.links)
        for layer in self.layers.layers:
            if layer.shell is not None and layer.executed:
                for command in layer.shell.commands:
                    found |= linked(command) | copied(command)
            elif layer.python is not None and layer.executed:
                found |= linked_in_python(layer.python.calls, layer.folder)
            if layer.executed and "ymlink" in layer.text:
                found |= linked_in_text(layer.text, layer.folder)
        return found

    @cached_property
    def pointers(self) -> set[str]:
        """Those of ``links`` that are links: what is written through one changes its source."""
        found = set(self.context.pointers)
        for layer in self.layers.layers:
            for command in layer.shell.commands if layer.shell is not None and layer.executed else ():
                if program(command) == "ln":
                    found |= set(linked(command))
            if layer.python is not None and layer.executed:
                found |= set(linked_in_python(layer.python.calls, layer.folder, only_links=True))
        return found

    def behind_links(self, path: str, *, writing: bool = False) -> str:
        """The path with a known link or copy at its front replaced by its source; ``writing``: links only."""
        for _ in range(MAX_LINKS_BEHIND):
            before = path
            for link, source in self.links.items():
                if writing and (link not in self.pointers or path == link):
                    continue
                if path == link or path.startswith(link + "/"):
                    path = source + path[len(link) :]
                    break
            if path == before or writing:
                break
        return path

    @cached_property
    def errors_hidden(self) -> bool:
        """Whether an error need not show while other parts of the call print.

        So it is with several commands and a discarded standard error, and with Python that catches errors.
        """
        for layer in self.layers.layers:
            if layer.python is not None and layer.executed and _CATCHES.search(layer.text):
                return True
            if layer.shell is not None and "2>" in layer.text:
                printing = [
                    command
                    for command in layer.shell.commands
                    if command.reads_from is None and program(command) not in _PRINT_NOTHING
                ]
                if len(printing) > 1:
                    return True
        return False

    def remember(self) -> None:
        """Carry on what later steps build upon: files written and tables made."""
        if self.call.path and self.call.content is not None:
            path = resolve(self.call.path, WORK_FOLDER)
            if path is not None:
                self.context.keep(path, self.call.content)
        for layer in self.layers.layers:
            if layer.shell is not None:
                for written in written_texts(layer.shell):
                    self.context.keep(written.path, written.text)
            elif layer.python is not None and layer.executed:
                for name, text in layer.python.written.items():
                    self.context.keep(name, text)
        if len(self.context.written) < MAX_KEPT_FILES * 10:
            self.context.written |= {path for path, _ in self.writes}
        self.context.pointers |= self.pointers
        self.context.links |= dict(list(self.links.items())[:MAX_KEPT_FILES])
        cell = python_cell(self.call)
        if cell:
            self.context.files[CELLS] = f"{self.context.files.get(CELLS, '')}\n{cell}"[-MAX_CELL_CHARS:]
        self.context.trail.add(self)
        refused = self.runs and outcome(self.observation) is Outcome.REFUSED
        for snippet in self.sql.snippets:
            if not refused or len(snippet.use.creates) > 1:
                self.context.own |= snippet.use.creates
            self._taint(snippet, refused=refused)

    def _taint(self, snippet: Snippet, *, refused: bool) -> None:
        """Views and tables of the agent's own that are made of hidden ones count as those."""
        hidden, tainted = self.context.hidden, self.context.tainted
        for name, reads in snippet.use.derived.items():
            of = next((item for item in sorted(reads) if hidden.is_removed(item)), "")
            of = of or next((tainted[item] for item in sorted(reads) if item in tainted), "")
            if of and not refused and self.executes(snippet):
                tainted[name] = of
            elif not of:
                tainted.pop(name, None)

    def violation(self, rule: str, level: Level, message: str, excerpt: str = "") -> Violation:
        return Violation(
            rule=rule, level=level, message=message, place=Place(step=self.step), excerpt=excerpt_of(excerpt)
        )


@dataclass
class StepContext:
    """The actions of one step, and what is known of the run before it."""

    actions: list[Action]
    run: RunContext

    @property
    def hidden(self) -> HiddenMaterial:
        return self.run.hidden


def actions_of(step: Step, context: RunContext) -> list[Action]:
    """Calls with their observations; an observation that comes later finds its call again."""
    observations = {item.call_id: item for item in step.observations}
    actions = []
    for call in step.calls:
        observation = observations.pop(call.call_id, None)
        if observation is None:
            context.open_calls[call.call_id] = call
        actions.append(Action(step.number, call, observation, context))
    for call_id, observation in observations.items():
        earlier = context.open_calls.pop(call_id, None)
        if earlier is not None:
            actions.append(Action(step.number, earlier, observation, context))
    return actions


def excerpt_of(text: str, around: str = "") -> str:
    """At most EXCERPT_CHARS of one line, inert; the line that holds ``around`` where there is one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    chosen = next(
        (line for line in lines if around and around.lower() in line.lower()), lines[0] if lines else ""
    )
    position = max(0, chosen.lower().find(around.lower()) - EXCERPT_CHARS // 2) if around else 0
    return visible(chosen[position : position + EXCERPT_CHARS])[:EXCERPT_CHARS]


def file_violation(
    rule: str, level: Level, message: str, name: str, line: int | None = None, excerpt: str = ""
) -> Violation:
    """A statement about a collected file."""
    return Violation(
        rule=rule, level=level, message=message, place=Place(file=visible(name), line=line), excerpt=excerpt
    )


def distinct(violations: Iterable[Violation]) -> list[Violation]:
    """Each statement once a place, at its worst level."""
    seen: dict[tuple[str, int | None, str | None], Violation] = {}
    for item in violations:
        key = (item.message, item.place.step, item.place.file)
        if key not in seen or SEVERITY.index(item.level) < SEVERITY.index(seen[key].level):
            seen[key] = item
    return list(seen.values())
