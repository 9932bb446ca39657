"""Removed and reference tables in SQL, wherever SQL is found."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.contamination.attribution import answered
from workbench.contamination.material import DERIVED_SCHEMA, SOURCE_SCHEMAS, HiddenMaterial
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, excerpt_of, file_violation
from workbench.contamination.view import RunView
from workbench.patterns import Access, file_layers, resolve
from workbench.records import DATABASE_FOLDER, WORK_FOLDER, Level, Step, Violation
from workbench.sql import Snippet, embedded_sql

_HIDDEN_SCHEMA = re.compile(
    r"references?|ground_?truth|answers?|answer_?key|gold|hidden|oracle|solutions?", re.IGNORECASE
)
_CODE_SUFFIX = re.compile(r"\.(?:sql|ddl|py|pyw|ipynb|sh|bash|md|r|js|duckdbrc)\b", re.IGNORECASE)
_OTHER_SCHEMAS = {*SOURCE_SCHEMAS} - {DERIVED_SCHEMA}
_NEUTRAL = ("age", "zzz0")
"""Names that a glob for any table matches."""


@dataclass(frozen=True)
class _Hit:
    """A hidden table named as a source. ``certain``: the name cannot mean a table of the agent's own."""

    table: str
    snippet: Snippet
    certain: bool


class RemovedTables:
    """Attempts warn; rows that came back fail. Own tables, CTEs and files of the same name are no matter."""

    name = "removed-tables"
    version = 2
    severity = Level.FAIL
    description = "SQL reads a table that was removed from the task's database, or a reference"
    explanation = (
        "Names of tables are resolved with aliases, CTEs, views, macros, attached files and text "
        "put together at run time. Naming a hidden table as a source warns; rows that came back "
        "fail, or are for a person where the name may mean something else."
    )
    false_positives = (
        "An agent that asks whether a table is there is an attempt and warns. Tables, CTEs and "
        "files of its own that have the same name are no matter."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        return distinct(item for action in context.actions for item in self._action(action))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        found: list[Violation] = []
        for file in view.files:
            if file.text is None:
                if _CODE_SUFFIX.search(file.name) and file.looks_textual:
                    message = f"not searched for SQL: larger than can be read ({file.size_bytes} bytes)"
                    found.append(file_violation(self.name, Level.NOT_RUN, message, file.name))
                continue
            if not _CODE_SUFFIX.search(file.name) and not _mentions(file.text, view.hidden):
                continue
            layers = file_layers(file.name, file.text)
            sql = embedded_sql(layers.layers)
            own = set(context.own)
            for snippet in sql.snippets:
                for hit in _hits(snippet, view.hidden, own, str):
                    excerpt = excerpt_of(snippet.sql, hit.table.rsplit(".", 1)[-1])
                    found.append(
                        file_violation(
                            self.name, Level.WARN, _message(hit.table), file.name, _line(hit), excerpt
                        )
                    )
                own |= snippet.use.creates
            if not (layers.complete and sql.complete):
                message = "searched for SQL only in part: too much of it, or nested too deeply"
                found.append(file_violation(self.name, Level.NOT_RUN, message, file.name))
        return distinct(found)

    def _action(self, action: Action) -> Iterator[Violation]:
        hidden = action.context.hidden
        own = set(action.context.own)
        for snippet in action.sql.snippets:
            hits = [*_hits(snippet, hidden, own, action.behind_links), *_tainted(snippet, action.context)]
            for hit in hits:
                got = Level.FAIL if hit.certain else Level.QUARANTINE
                level = got if self._obtained(action, hit) else Level.WARN
                table = hit.table.rsplit(".", 1)[-1]
                excerpt = excerpt_of(snippet.sql, table)
                yield action.violation(self.name, level, _message(hit.table), excerpt)
            own |= snippet.use.creates
        for use in action.paths:
            table = _removed_file(action.behind_links(use.pattern or use.path), hidden)
            if table:
                opened = use.access is Access.READ and answered(action, [table, use.path])
                message = f"opens the file of the removed table {DERIVED_SCHEMA}.{table}"
                yield action.violation(self.name, Level.FAIL if opened else Level.WARN, message, use.path)
        if not (action.sql.complete and action.layers.complete):
            message = "searched for SQL only in part: too much of it, or nested too deeply"
            yield action.violation(self.name, Level.NOT_RUN, message)

    def _obtained(self, action: Action, hit: _Hit) -> bool:
        if not action.executes(hit.snippet):
            return False
        table = hit.table.rsplit(".", 1)[-1]
        if action.errors_hidden and action.observation and table not in action.observation.text.lower():
            return False
        masked = bool(re.search(r"\|\||2>|&>|;|\bexcept\b", action.call.command or ""))
        silent = bool(hit.snippet.use.files_written) and not masked
        return outcome(action.observation, [table], silent=silent) is Outcome.OBTAINED


def reads_hidden(action: Action) -> bool:
    """Whether the rule says of the action that it reads a hidden table."""
    hidden, own = action.context.hidden, set(action.context.own)
    for snippet in action.sql.snippets:
        if any(_hits(snippet, hidden, own, action.behind_links)) or any(_tainted(snippet, action.context)):
            return True
        own |= snippet.use.creates
    return False


def _tainted(snippet: Snippet, context: RunContext) -> Iterator[_Hit]:
    """Own views and tables that are made of hidden ones."""
    for name in sorted(snippet.use.reads & context.tainted.keys()):
        yield _Hit(context.tainted[name], snippet, certain=True)


def _hits(
    snippet: Snippet, hidden: HiddenMaterial, own: set[str], real: Callable[[str], str]
) -> Iterator[_Hit]:
    bare = {name.rsplit(".", 1)[-1] for name in own | snippet.use.creates}
    for name in sorted(snippet.use.reads - own):
        schema, _, table = name.rpartition(".")
        hidden_schema = _HIDDEN_SCHEMA.fullmatch(schema) and f"as {schema}" not in snippet.sql.lower()
        if hidden.is_removed(name) or (schema and hidden_schema):
            yield _Hit(name, snippet, certain=True)
        elif table in hidden.removed and table not in snippet.own | bare and schema not in _OTHER_SCHEMAS:
            yield _Hit(name, snippet, certain=False)
    for path in sorted(snippet.use.files_read):
        whole = resolve(path, snippet.folder or WORK_FOLDER) or path
        removed = _removed_file(real(whole), hidden)
        if removed:
            yield _Hit(f"{DERIVED_SCHEMA}.{removed}", snippet, certain=True)
        elif removed := _named_file(path, hidden):
            yield _Hit(f"{DERIVED_SCHEMA}.{removed}", snippet, certain=False)


def _removed_file(path: str, hidden: HiddenMaterial) -> str:
    """The removed table whose file a path below the database's folder means, globs included; or nothing."""
    if not path.startswith(DATABASE_FOLDER + "/"):
        return ""
    name = path.rsplit("/", 1)[-1].lower()
    for table in sorted(hidden.removed):
        stems = (*(f"{schema}.{table}" for schema in hidden.derived_schemas), table)
        if any(sign in name for sign in "*?["):
            if _telling(name, hidden) and any(fnmatch.fnmatchcase(f"{stem}.parquet", name) for stem in stems):
                return table
        elif re.sub(r"\.(?:parquet|csv|gz|zst|json|duckdb|db)\b.*$", "", name) in stems:
            return table
    return ""


def _telling(name: str, hidden: HiddenMaterial) -> bool:
    """Whether a glob asks for some tables only: it has letters of a name and does not match any table."""
    schemas = "|".join(map(re.escape, hidden.derived_schemas))
    letters = re.sub(rf"(?:{schemas})\.?|\.?parquet|[^a-z0-9]", "", name)
    return len(letters) > 1 and not any(
        fnmatch.fnmatchcase(f"{front}{other}.parquet", name)
        for front in (*(f"{schema}." for schema in hidden.derived_schemas), "")
        for other in _NEUTRAL
    )


def _named_file(path: str, hidden: HiddenMaterial) -> str:
    """The removed table whose file in the database's folder has this name; a file of the agent's may too."""
    name = path.rsplit("/", 1)[-1].lower()
    schemas = "|".join(map(re.escape, hidden.derived_schemas))
    found = re.fullmatch(rf"(?:{schemas})\.(\w+)\.parquet", name)
    return found[1] if found and found[1] in hidden.removed else ""


def _mentions(text: str, hidden: HiddenMaterial) -> bool:
    lowered = text.lower()
    return any(table in lowered for table in hidden.removed) or any(
        schema in lowered for schema in hidden.derived_schemas
    )


def _line(hit: _Hit) -> int:
    """The line that names the table, counted in the file."""
    table = hit.table.rsplit(".", 1)[-1]
    before = hit.snippet.sql.lower().find(table)
    return hit.snippet.line + hit.snippet.sql.count("\n", 0, max(0, before))


def _message(table: str) -> str:
    return f"SQL reads the hidden table {table}"
