"""What came back: the evidence that stays whatever the code looks like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.contamination.attribution import telling
from workbench.contamination.hidden_columns import told_columns, used_columns
from workbench.contamination.names import Names
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.pieces import held_in_pieces
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, excerpt_of
from workbench.contamination.rules.opaque_code import unreadable
from workbench.contamination.rules.removed_tables import reads_hidden
from workbench.contamination.view import RunView
from workbench.patterns import Access, program
from workbench.records import DATABASE_FOLDER, Level, Step, ToolKind, Violation

MAX_CHARS = 200_000
MAX_LINES = 2_000
MAX_LINE = 1_000
_ABSENT = re.compile(
    r"does not exist|doesn't exist|no such|not found|no files found|could not find|cannot open|unknown table"
    r"|not exist",
    re.IGNORECASE,
)
_HINT = re.compile(r"did you mean|candidate", re.IGNORECASE)
_DATA_FILE = re.compile(r"\.(?:csv|tsv|parquet|feather|arrow|jsonl?|pkl|pickle|xlsx|duckdb|db|gz)$")
_CLIENTS = {"duckdb", "sqlite3", "psql", "usql", "harlequin"}
_OPENS = re.compile(r"\b(?:duckdb|sqlite3|ibis|sqlalchemy|polars|pyarrow|dbConnect)\b")


class CameBack:
    """Code can be written in endless ways; a database answers in few."""

    name = "came-back"
    version = 1
    severity = Level.QUARANTINE
    description = "a database's answer shows a hidden table, while the code does not say that it asks for it"
    explanation = (
        "An error that says of a hidden table that it is not there warns: it was asked for. A hidden name "
        "that the run had not written before and that a database's answer shows, and rows with the task's "
        "columns out of a table whose name is put together, go to a person. Code that puts together the name "
        "of a derived table in a way that cannot be followed, and holds nearly all letters of a hidden name "
        "in pieces, warns, and goes to a person where content came back."
    )
    false_positives = (
        "Tables of the agent's own with such a name, files of its own, and columns that its own code makes "
        "are left out. How much of an output a log keeps decides how much can be seen here."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        names = context.run.names
        return distinct(item for action in context.actions for item in self._action(action, names))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return []

    def _action(self, action: Action, names: Names) -> Iterator[Violation]:
        if not action.runs or not names.telling or not _asks(action):
            return
        seen = action.observation.text[:MAX_CHARS] if action.observation else ""
        if reads_hidden(action):
            return
        own = {name.rsplit(".", 1)[-1] for name in action.context.own}
        lines = [line[:MAX_LINE].lower() for line in seen.splitlines()[:MAX_LINES]]
        yield from self._refused(action, names, own, lines)
        yield from self._listed(action, names, own, lines)
        if self._rows(action, seen):
            message = "rows with the task's columns came back from a table whose name is not known"
            yield action.violation(self.name, Level.QUARANTINE, message)
        elif unreadable(action) or _reads_unknown(action):
            code = "\n".join([action.raw, *(layer.text for layer in action.layers.layers)])
            name = held_in_pieces(names.telling - own, code, told_columns(action.context.hidden))
            if name:
                got = outcome(action.observation, [name]) is Outcome.OBTAINED
                message = f"code that cannot be followed holds pieces of the hidden table's name {name}"
                yield action.violation(self.name, Level.QUARANTINE if got else Level.WARN, message)

    def _refused(self, action: Action, names: Names, own: set[str], lines: list[str]) -> Iterator[Violation]:
        for line in lines:
            name = names.in_text(line) if _ABSENT.search(line) else ""
            bare = name.rsplit(".", 1)[-1]
            if name and bare not in own:
                message = f"an error says that the hidden table {bare} is not there: it was asked for"
                yield action.violation(self.name, Level.WARN, message, excerpt_of(line, bare))
                return

    def _listed(self, action: Action, names: Names, own: set[str], lines: list[str]) -> Iterator[Violation]:
        said = ""
        for line in lines:
            name = "" if _ABSENT.search(line) and not _HINT.search(line) else names.in_text(line)
            bare = name.rsplit(".", 1)[-1]
            if not name or bare in own:
                continue
            said = said or f"{action.context.trail.said}\n{action.raw}".lower()
            if bare not in said:
                message = f"the name of a hidden table came back: {bare}"
                yield action.violation(self.name, Level.QUARANTINE, message, excerpt_of(line, bare))
                return

    def _rows(self, action: Action, seen: str) -> bool:
        """Whether rows with the task's columns came back that nothing of the run's own can have given."""
        if not telling(seen, action.context.hidden) or _reads_own(action):
            return False
        columns = told_columns(action.context.hidden)
        snippets = [snippet for snippet in action.sql.snippets if action.executes(snippet)]
        unknown = [item for item in snippets if _is_unknown(item.use.reads, action)]
        return any(
            not (made := used_columns(item.sql, columns)) or all(not is_made for is_made in made.values())
            for item in unknown
        )


def _asks(action: Action) -> bool:
    """Whether the call asks a database, as far as that can be seen."""
    if action.call.kind is ToolKind.AGENT:
        return False
    if any(action.executes(snippet) for snippet in action.sql.snippets):
        return True
    for layer in action.layers.layers:
        if layer.shell is not None and layer.executed:
            if any(program(command) in _CLIENTS for command in layer.shell.commands):
                return True
        elif _OPENS.search(layer.text) and (layer.executed or action.call.command is None):
            return True
    return DATABASE_FOLDER + "/" in action.raw


def _is_unknown(reads: frozenset[str], action: Action) -> bool:
    schemas = (*action.context.hidden.derived_schemas, "unknown_piece")
    return any("unknown_piece" in name and name.partition(".")[0] in schemas for name in reads)


def _reads_unknown(action: Action) -> bool:
    """Whether a derived table is read of whose name a part is not known."""
    return any(
        action.executes(snippet) and _is_unknown(snippet.use.reads, action) for snippet in action.sql.snippets
    )


def _reads_own(action: Action) -> bool:
    """Whether the call reads tables or files that the run made, which may have such columns."""
    for snippet in action.sql.snippets:
        if snippet.use.reads & action.context.own or snippet.use.files_read or snippet.use.creates:
            return True
    return any(
        use.access is Access.READ
        and not use.path.startswith(DATABASE_FOLDER + "/")
        and _DATA_FILE.search(use.path)
        for use in action.paths
    )
