"""An output that no query of the run can have made."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.contamination.material import HiddenMaterial
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.rule import Action, RunContext, StepContext, actions_of
from workbench.contamination.view import RunView
from workbench.patterns import program
from workbench.records import DATABASE_FOLDER, Level, Step, ToolKind, Violation
from workbench.sql import tables

_CLIENTS = {"duckdb", "sqlite3", "psql", "Rscript", "R", "node", "julia", "java"}
_RUNS = {
    "python",
    "bash",
    "sh",
    "zsh",
    "make",
    "Rscript",
    "node",
    "perl",
    "ruby",
    "julia",
    "just",
    "snakemake",
}
_CATALOG = re.compile(
    r"^(?:information_schema|pg_catalog|duckdb_\w+|sqlite_master|pragma_\w+|main\.sqlite_master)"
)
_CONNECTS = re.compile(
    rf"\bconnect\(\s*[rbf]?['\"]{DATABASE_FOLDER}|{DATABASE_FOLDER}/\S+\.(?:duckdb|parquet|db)"
)


class NoWork:
    """No query, none that worked, or none of the tables that the answer is made of: a person looks."""

    name = "no-work"
    version = 1
    severity = Level.QUARANTINE
    description = "an output was left although no query of the run can have made it"
    explanation = (
        "The log is searched for one call that reads rows of the database: SQL, a database client, a program "
        "of "
        "its own that connects, also in a nested agent. Without one that worked, the output waits for a "
        "person, "
        "and also when none of the queries reads a table that the answer is made of."
    )
    false_positives = (
        "A program whose text is not in the log may query: running one counts as work. A log that is cut "
        "off proves nothing and is not judged."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return []

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        steps = [*view.steps, *view.nested]
        if view.output is None or not view.complete or not any(step.source == "agent" for step in steps):
            return []
        needed = _needed(view.hidden)
        worked = touched = False
        for given in (view.steps, view.nested):
            known = RunContext(view.hidden)
            for step in given:
                for action in actions_of(step, known):
                    work = _work(action, needed)
                    worked = worked or work > 0
                    touched = touched or work > 1
                    action.remember()
        if not worked:
            message = "there is an output, and no query that read the database"
        elif needed and not touched:
            message = "there is an output, and no query read a table that the answer is made of"
        else:
            return []
        return [Violation(rule=self.name, level=Level.QUARANTINE, message=message)]


def _work(action: Action, needed: frozenset[str]) -> int:
    """0: no reading query that worked; 1: one, of tables that do not matter; 2: one that may make the "
    "answer."""
    if not action.runs or action.call.kind in (ToolKind.FILE_READ, ToolKind.SEARCH, ToolKind.WEB):
        return 0
    if action.observation is not None and _failed(action):
        return 0
    read: set[str] = set()
    for snippet in action.sql.snippets:
        read |= {name for name in snippet.use.reads if not _CATALOG.match(name)}
        read |= {
            path.rsplit("/", 1)[-1].rsplit(".parquet", 1)[0]
            for path in snippet.use.files_read
            if path.startswith(DATABASE_FOLDER)
        }
    bare = {name.rsplit(".", 1)[-1].lower() for name in read}
    if any(any(sign in name for sign in "*?") for name in bare) or bare & needed:
        return 2
    own = {name.rsplit(".", 1)[-1] for name in action.context.own}
    best = 2 if bare & own else int(bool(bare))
    for layer in action.layers.layers:
        if not layer.executed:
            continue
        if layer.python is not None and _CONNECTS.search(layer.text) and not action.sql.snippets:
            best = 2
        for command in layer.shell.commands if layer.shell is not None else ():
            name = program(command)
            words = [word.text for word in command.argv[1:]]
            scripts = [word for word in words if re.search(r"\.(?:py|sh|sql|R|js|pl|jl)$|^Makefile$", word)]
            unseen = [word for word in scripts if not _known(word, action)]
            if (
                name in _RUNS or name in _CLIENTS or (command.argv and "/" in command.argv[0].text)
            ) and unseen:
                best = 2
    if action.call.kind is ToolKind.AGENT and action.observation is not None:
        best = max(best, 0)
    return best


def _known(word: str, action: Action) -> bool:
    """Whether the text of a program is in the log."""
    name = word.rsplit("/", 1)[-1]
    return any(path.rsplit("/", 1)[-1] == name for path in action.context.files)


def _failed(action: Action) -> bool:
    seen = action.observation
    if seen is None:
        return False
    if seen.is_error or seen.exit_code not in (0, None):
        return outcome(seen) is not Outcome.OBTAINED
    return outcome(seen) is Outcome.REFUSED


@lru_cache(maxsize=64)
def _tables(sql: str) -> frozenset[str]:
    return frozenset(name.rsplit(".", 1)[-1].lower() for name in tables(sql).reads)


def _needed(hidden: HiddenMaterial) -> frozenset[str]:
    """Bare names of tables that any reference reads, and of those that they are made of in raw mode."""
    found: set[str] = set()
    for sql in hidden.reference_sql.values():
        found |= _tables(sql)
    return frozenset(found)
