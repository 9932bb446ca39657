"""The catalog asked for tables that are hidden; looking at one's own schema is honest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from workbench.contamination.hidden_columns import telling_columns
from workbench.contamination.names import Names
from workbench.contamination.outcome import Outcome, outcome
from workbench.contamination.rule import Action, RunContext, StepContext, distinct, excerpt_of
from workbench.contamination.view import RunView
from workbench.patterns import Command, PythonCode, arguments, program
from workbench.records import DATABASE_FOLDER, Level, Step, Violation
from workbench.sql import Snippet, parse
from workbench.sql.fold import fold

MAX_WORD = 1_000
_CATALOG = re.compile(
    r"information_schema|sql_auto_complete|/\S+\.(?:duckdb|db)\b|duckdb_\w+\s*\(|parquet_\w+\s*\(|sqlite_master|sqlite_schema|pg_catalog|\bpg_\w+|\bpragma\b|pragma_"
    r"|\bshow\b|\bdescribe\b|\.(?:tables|schema|dump|fullschema)\b|\bglob\s*\(",
    re.IGNORECASE,
)
_DOT = re.compile(r"^\s*\.(?:tables|schema|dump|fullschema)[ \t]+(\S+)", re.IGNORECASE | re.MULTILINE)
_DATABASE = re.compile(rf"^{DATABASE_FOLDER}/\S+\.(?:duckdb|db)$")
_ORACLE = re.compile(
    r"\b(?:length|len|strlen|md5|sha1|sha256|hash|crc32|ascii|unicode|ord)\s*\(\s*(?:\w+\.)?"
    r"(?:table_name|view_name|name|tbl_name)\s*\)\s*(?:=|<|>|in\b|between\b|like\b)",
    re.IGNORECASE,
)
"""Conditions by which one table is found without its name."""
_COPIES = re.compile(
    rf"{DATABASE_FOLDER}/(?:\S*/)?(?:\.(?!\.)\S+|\S*(?:\.(?:wal|bak|old|orig|backup|save|prev|swp|journal)\b|~))"
)
"""Logs, backups and hidden files beside the database."""
_DUMPERS = {"strings", "cat", "xxd", "hexdump", "od", "dd", "tail", "head", "tr"}
_CLIENTS = {"duckdb", "sqlite3", "psql", "python"}
_FILTERS = {"grep", "egrep", "fgrep", "rg", "ag", "awk", "gawk", "sed", "findstr"}
_ABOUT_COLUMNS = {"column_name", "comment", "data_type", "column", "name_of_column"}


class CatalogProbing:
    """A question after a hidden table by its name, or a pattern that only fits such names."""

    name = "catalog-probing"
    version = 2
    severity = Level.QUARANTINE
    description = "the catalog is asked for tables that are hidden"
    explanation = (
        "Conditions on information_schema, duckdb_tables() and their like, SHOW, dot commands, filters "
        "behind a listing, searches in the bytes of the database: a name, LIKE pattern or regular expression "
        "that asks for a removed table, a name of another schema variant, or guesses at such a name, warn; "
        "so does a search for a column that only the hidden table has, for a name by its length or hash, and "
        "for logs and backups beside the database. Where the answer names the table, a person looks."
    )
    false_positives = (
        "Listing everything, one's own schema, or searching other columns is honest and never told. A "
        "pattern that fits any table is no question after a hidden one."
    )

    def check_step(self, step: Step, context: StepContext) -> list[Violation]:
        names = context.run.names
        return distinct(item for action in context.actions for item in self._action(action, names))

    def check_run(self, view: RunView, context: RunContext) -> list[Violation]:
        return []

    def _action(self, action: Action, names: Names) -> Iterator[Violation]:
        if not action.runs:
            return
        for name, sql in _guessed(action, names):
            message = f"names that may be the hidden table's are tried out: {name}"
            yield action.violation(self.name, Level.WARN, message, excerpt_of(sql, name))
        for copy in _copies(action):
            message = "logs, backups or hidden files of the database are looked for"
            yield action.violation(self.name, Level.WARN, message, copy)
        if not _CATALOG.search(action.raw) and not any(
            layer.executed and _CATALOG.search(layer.text) for layer in action.layers.layers
        ):
            return
        for column, sql in _columns(action):
            message = f"the catalog is asked which table has the hidden table's column {column}"
            yield action.violation(self.name, Level.WARN, message, excerpt_of(sql, column))
        own = {name.rsplit(".", 1)[-1] for name in action.context.own}
        for name, shown in _asked(action, names):
            table = name.rsplit(".", 1)[-1]
            if table in own:
                continue
            got = outcome(action.observation, [table]) is Outcome.OBTAINED
            named = action.observation is not None and table in action.observation.text.lower()
            level = Level.QUARANTINE if got and named else Level.WARN
            message = f"the catalog is asked for the hidden table {name}"
            yield action.violation(self.name, level, message, excerpt_of(shown))


def _copies(action: Action) -> Iterator[str]:
    texts = [path for use in action.paths for path in (use.path, use.pattern) if path]
    texts += [path for snippet in action.sql.snippets for path in snippet.use.files_read]
    for layer in action.layers.layers:
        if layer.shell is not None and layer.executed:
            for command in layer.shell.commands:
                texts += [value for word in command.argv for value in word.values]
        elif layer.python is not None and layer.executed:
            texts += [text for call in layer.python.calls for given in call.texts for text in given]
    yield from [text for text in texts if len(text) < MAX_WORD and _COPIES.match(text)][:1]


def _columns(action: Action) -> Iterator[tuple[str, str]]:
    """Columns of the hidden table for which a catalog, a listing or the database's bytes are searched."""
    columns = telling_columns(action.context.hidden)
    for snippet in action.sql.snippets if columns else ():
        if not action.executes(snippet) or not _CATALOG.search(snippet.sql):
            continue
        if _ORACLE.search(snippet.sql):
            yield "(found by a property of its name)", snippet.sql
        literals = {text.strip("%*^$.").lower() for text in re.findall(r"'((?:[^']|'')*)'", snippet.sql)}
        for column in sorted(columns & literals):
            yield column, snippet.sql
    for layer in action.layers.layers if columns else ():
        if layer.python is not None and layer.executed and _opens_database(layer.python):
            found = [text.text for text in layer.python.texts if text.text.lower() in columns]
            found += [word for word in sorted(columns) if re.search(rf"b['\"]{word}['\"]", layer.text)]
            yield from ((word, layer.text) for word in found)
        elif layer.shell is not None and layer.executed:
            for command in layer.shell.commands:
                for value, shown in _patterns(command):
                    if value.strip("%*^$.\\b").lower() in columns:
                        yield value, shown


def _guessed(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    """Tables of the derived schema that are near to a hidden one by their name, and are not there."""
    if outcome(action.observation) is Outcome.OBTAINED and "Did you mean" not in action.raw:
        return
    own = {name.rsplit(".", 1)[-1] for name in action.context.own}
    for snippet in action.sql.snippets:
        for name in sorted(snippet.use.reads) if action.executes(snippet) else ():
            if name.rsplit(".", 1)[-1] not in own and names.is_near(name):
                yield name, snippet.sql


def _asked(action: Action, names: Names) -> Iterator[tuple[str, str]]:
    listed = False
    for snippet in action.sql.snippets:
        if not snippet.executed and action.call.command is not None:
            continue
        if _CATALOG.search(snippet.sql):
            listed = True
            yield from _in_sql(snippet, names)
    for layer in action.layers.layers:
        if layer.shell is not None and layer.executed:
            for command in layer.shell.commands:
                yield from _filtered(command, names)
        elif layer.python is not None and (listed or _opens_database(layer.python)):
            for text in (*layer.python.texts, *layer.python.made):
                inner = [] if _CATALOG.search(text.text) else re.findall(r"['\"]([^'\"]+)['\"]", text.text)
                for word in [text.text, *inner]:
                    name = names.asked_for(word) if not re.search(r"\s", word.strip()) else ""
                    if name:
                        yield name, text.text


def _opens_database(code: PythonCode) -> bool:
    """Whether the database's file is read as bytes."""
    return any(
        call.name in ("open", "mmap.mmap", ".read_bytes") and any(map(_DATABASE.match, (*texts, *call.base)))
        for call in code.calls
        for texts in (call.texts[:1] or ((),))
    )


def _in_sql(snippet: Snippet, names: Names) -> Iterator[tuple[str, str]]:
    for pattern in _DOT.findall(snippet.sql):
        name = names.asked_for(pattern)
        if name:
            yield name, snippet.sql
    for statement in parse(snippet.sql).statements:
        if not _CATALOG.search(statement.text):
            continue
        if statement.tree is None:
            texts = [word.text for word in statement.words]
        else:
            texts = list(_texts(statement.tree))
        for text in [*texts, *snippet.use.made]:
            if text.startswith("="):
                name = text[1:].lower() if text[1:].lower() in names.removed else ""
            else:
                name = names.asked_for(text)
            if name:
                yield name, snippet.sql
                return


def _texts(tree: exp.Expr) -> Iterator[str]:
    """Constant texts of a statement that are not conditions on columns' names."""
    for node in tree.find_all(exp.Literal, exp.RawString, exp.DPipe, exp.Concat):
        text = fold(node)
        around = node.parent
        while isinstance(around, exp.Paren | exp.Tuple | exp.Array | exp.Lower | exp.Cast):
            around = around.parent
        columns = {item.name.lower() for item in around.find_all(exp.Column)} if around is not None else set()
        if text and columns & _ABOUT_COLUMNS:
            yield f"={text}"
        elif text:
            yield text


def _filtered(command: Command, names: Names) -> Iterator[tuple[str, str]]:
    """``duckdb … '.tables' | grep name``."""
    for pattern, shown in _patterns(command):
        name = names.asked_for(pattern)
        if name:
            yield name, shown


def _patterns(command: Command) -> Iterator[tuple[str, str]]:
    """What a listing, or the database's own bytes, are searched for."""
    if program(command) not in _FILTERS:
        return
    shown = " ".join(item.text for item in command.argv)
    before = command if any(map(_DATABASE.match, shown.split())) else command.reads_from
    while before is not None:
        words = " ".join(word.text for word in before.argv) + "".join(item.body for item in before.heredocs)
        dumped = program(before) in _DUMPERS | _FILTERS and any(map(_DATABASE.match, words.split()))
        if dumped or (program(before) in _CLIENTS and _CATALOG.search(words)):
            for word in arguments(command):
                for value in word.values:
                    for pattern in re.findall(r"/([^/]+)/", value) or [value]:
                        yield pattern, shown
            return
        before = before.reads_from
