"""What a run has asked of the database, and when it wrote its answer: gathered while its steps pass by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.contamination.outcome import Outcome, outcome
from workbench.patterns import Access, arguments, program, resolve
from workbench.records import DATABASE_FOLDER, OUTPUT_NAME, ToolKind

if TYPE_CHECKING:
    from workbench.contamination.rule import Action

EVERY_TABLE = "*"
"""Stands among the tables of a query that reads files by a pattern, or whose text is not known."""
MAX_KEPT = 5_000
FEW_LINES = 5
MAX_PIECES = 300
LEAST_PIECE = 300
"""Characters; shorter pieces of SQL are alike by nature."""
_STEM = re.sub(r"\.\w+$", "", OUTPUT_NAME)
_TOUCHES = {"touch", "chmod", "sed", "ls", "wc", "head", "tail", "stat", "cat", "rm"}
_RUNNERS = {"python", "bash", "sh", "duckdb", "sqlite3", "psql", "Rscript", "node", "perl", "source", "."}
_SCRIPT = re.compile(r"[\w./-]+\.(?:py|sql|sh|R|r|js|pl|ipynb)")
_PREVIEW = re.compile(
    r"\s*(?:describe|summarize|show|explain|pragma)\b"
    r"|\s*select\s+count\s*\([^()]*\)(?:\s+as\s+\w+)?\s+from\b(?!.*\bgroup\s+by\b)"
    r"|\s*(?:select\s+\*\s+)?from\s+[\w.\"]+\s*;?\s*$"
    r"|\s*(?:select|from|with)\b.*\blimit\s+\d{1,2}\s*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class QueryMade:
    """``place``: which call of the run it was; ``tables``: read; ``preview``: it only looks at one."""

    place: int
    step: int
    tables: frozenset[str]
    preview: bool
    by_agent: bool = False


@dataclass
class Trail:
    """Grows with every call. ``written``: places of calls that may have made the answer.

    ``early``: the step that put the first answer in place before any query, with more than a few lines or
    with none that the log shows; ``obtained``: numbers of steps in which content came back;
    ``pieces``: longer SQL of the run with the step where it stood first.
    """

    place: int = 0
    early: int | None = None
    queries: list[QueryMade] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    obtained: set[int] = field(default_factory=set)
    pieces: dict[str, int] = field(default_factory=dict)
    _said: list[str] = field(default_factory=list)
    _said_chars: int = 0

    def add(self, action: Action) -> None:
        """Take in one call with what came back for it."""
        self.place += 1
        if len(self.queries) < MAX_KEPT:
            self.queries += _queries(action, self.place)
            self.queries += self._unknown(action)
        if outcome(action.observation) is Outcome.OBTAINED:
            self.obtained.add(action.step)
        if _writes_output(action):
            if not self.written and all(item.preview for item in self.queries) and not _begun(action):
                self.early = action.step
            self.written.append(self.place)
        for snippet in action.sql.snippets:
            if len(snippet.sql) >= LEAST_PIECE and len(self.pieces) < MAX_PIECES:
                self.pieces.setdefault(snippet.sql, action.step)
        if self._said_chars < MAX_KEPT * 200:
            self._said_chars += len(action.raw)
            self._said.append(action.raw)

    @property
    def said(self) -> str:
        """What the agent's calls were before this one, as they are written."""
        return "\n".join(self._said)

    def before_the_answer(self) -> list[QueryMade]:
        """Queries up to the call that wrote the answer last; all where none was seen to."""
        last = self.written[-1] if self.written else self.place
        return [item for item in self.queries if item.place <= last]

    def could_yield(
        self, needed: Sequence[set[str]], derived_schemas: Sequence[str], *, nested_known: bool = False
    ) -> bool:
        """Whether queries before the answer read enough of the tables of one of ``needed``; no need: any.

        A derived table stands for one of those that it is made of. ``nested_known``: what agents that the run
        started did is looked at elsewhere.
        """
        queries = [item for item in self.before_the_answer() if not (item.by_agent and nested_known)]
        seen = {name for item in queries for name in item.tables}
        working = {name for item in queries if not item.preview for name in item.tables}
        if EVERY_TABLE in working or not needed:
            return bool(working)
        derived = {name for name in seen if name.split(".")[0] in derived_schemas}
        return any(
            2 * len(_bare(wanted) & _bare(seen) | _bare(derived)) >= len(wanted)
            and bool(_bare(working) & (_bare(wanted) | _bare(derived)))
            for wanted in needed
        )

    def _unknown(self, action: Action) -> list[QueryMade]:
        """Scripts that are run, whose text is not known, and of which the run has spoken before."""
        if action.call.kind is ToolKind.AGENT:
            return [QueryMade(self.place, action.step, frozenset({EVERY_TABLE}), False, by_agent=True)]
        found = []
        for layer in action.layers.layers:
            if layer.shell is None or not layer.executed:
                continue
            for command in layer.shell.commands:
                if program(command) not in _RUNNERS:
                    continue
                texts = [text for word in arguments(command) for text in word.values]
                texts += [item.target.text for item in command.redirects if item.operator == "<"]
                for text in texts:
                    if self._is_unknown(text, command.folder, action):
                        tables = frozenset({EVERY_TABLE})
                        found.append(QueryMade(self.place, action.step, tables, preview=False))
        return found

    def _is_unknown(self, text: str, folder: str | None, action: Action) -> bool:
        path = resolve(text, folder) if _SCRIPT.fullmatch(text) else None
        if path is None or path in action.context.files or path.startswith("/tmp"):
            return False
        name = path.rsplit("/", 1)[-1]
        folders = action.context.hidden.skill_folders
        own = any(
            path.startswith(folder) or f"{folder}/" in said for said in self._said for folder in folders
        )
        return own or action.raw.count(name) > 1 or any(name in said for said in self._said)


def _bare(names: Iterable[str]) -> set[str]:
    """Without schemas: an agent may leave them out."""
    return {name.rsplit(".", 1)[-1].lower() for name in names}


def _queries(action: Action, place: int) -> list[QueryMade]:
    if not action.runs or outcome(action.observation) is Outcome.REFUSED:
        return []
    found = []
    for snippet in action.sql.snippets:
        if not snippet.executed and action.call.command is not None:
            continue
        tables = set(snippet.use.reads)
        if not snippet.use.exact and "unknown_piece" in " ".join(tables):
            tables.add(EVERY_TABLE)
        for path in snippet.use.files_read:
            tables |= _table_of(resolve(path, snippet.folder or "/workspace") or path)
        if tables:
            preview = _PREVIEW.match(snippet.sql) is not None
            found.append(QueryMade(place, action.step, frozenset(tables), preview))
    for use in action.paths:
        tables = _table_of(use.pattern or use.path) if use.access is Access.READ else set()
        if tables:
            found.append(QueryMade(place, action.step, frozenset(tables), preview=False))
    return found


def _table_of(path: str) -> set[str]:
    """The table whose file in the database's folder a path means; every one for a pattern."""
    if not path.startswith(DATABASE_FOLDER + "/") or path.endswith((".duckdb", ".db")):
        return set()
    name = path.rsplit("/", 1)[-1].lower()
    return (
        {EVERY_TABLE} if any(sign in name for sign in "*?[") else {re.sub(r"\.(?:parquet|csv).*$", "", name)}
    )


def _writes_output(action: Action) -> bool:
    """Whether the call may have written the answer: a tool, redirect, statement, or code that names it."""
    call = action.call
    if call.kind is ToolKind.FILE_CHANGE:
        return bool(call.path) and _named(str(call.path))
    if _STEM not in action.raw and not any(
        _STEM in layer.text for layer in action.layers.layers if layer.executed
    ):
        return False
    for use in action.paths:
        if use.access is Access.WRITE and _named(use.path) and use.by not in _TOUCHES:
            return True
    for snippet in action.sql.snippets:
        if any(_named(path) for path in snippet.use.files_written):
            return True
    return any(
        layer.python is not None and layer.executed and re.search(rf"{_STEM}\.\w+", layer.text)
        for layer in action.layers.layers
    )


def _begun(action: Action) -> bool:
    """Whether what the call writes is known and no answer yet: a header, or an empty file."""
    held = [text for path, text in action.context.files.items() if _named(path)]
    return any(text.count("\n") < FEW_LINES for text in held)


def _named(path: str) -> bool:
    return path.rsplit("/", 1)[-1].split(".")[0] == _STEM
