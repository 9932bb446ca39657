"""SQL found inside other text: shell commands, heredocs, Python strings, notebooks, files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.patterns import UNKNOWN, Layer, PythonCode
from workbench.sql.parse import parse
from workbench.sql.tables import SqlUse, TableReader

MAX_SNIPPETS = 500
"""From one command or file; more are left out and said to be."""
MAX_CHUNKS = 50
"""Statements picked out of prose and logs."""

_STAND_IN = "unknown_piece"
_LEADING = r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)|\()*"
_VERBS = (
    r"select|with\s+(?:recursive\s+)?[\w\"]+\s*(?:\([^()]*\)\s*)?as|from|copy|create|insert|update|delete|attach|describe|summarize|show|pivot|unpivot|execute|prepare|"
    "call|explain|table|use|set|import|export|install|load|drop|alter|pragma|merge|values|join|left|inner|natural"
)
_SQL_START = re.compile(rf"{_LEADING}(?:{_VERBS})\b", re.IGNORECASE | re.DOTALL)
_STRONG = re.compile(
    r"\bselect\b[\s\S]+?\bfrom\b|\b(?:from|join)\s+\"?\w+\"?\s*\.\s*\"?\w+|\bfrom\s+(?:query|query_table|read_\w+)\s*\(",
    re.IGNORECASE,
)
_LINE_START = re.compile(
    r"^[ \t>$D]*(?:select|with|copy|create|insert|attach|from)\b", re.IGNORECASE | re.MULTILINE
)
_TABLE_CALLS = {".table", ".view", ".table_function", "duckdb.table", "duckdb.view"}
_NAMING_CALLS = {".register", ".create_view", ".to_view", ".create", ".to_table", ".create_table", ".to_sql"}


@dataclass(frozen=True)
class Snippet:
    """A piece of SQL and what it uses. ``line`` is where it begins in the outermost text.

    ``own`` are names that the surrounding code gives to things of its own (variables, registered frames);
    ``executed`` is False for a file that only lies there; ``folder`` is where relative names begin, if known.
    """

    sql: str
    line: int
    use: SqlUse
    own: frozenset[str]
    executed: bool
    folder: str | None = None


@dataclass(frozen=True)
class EmbeddedSql:
    """All snippets of one text in order. ``complete`` is False where a limit left some out."""

    snippets: tuple[Snippet, ...]
    complete: bool


def embedded_sql(layers: Iterable[Layer], reader: TableReader | None = None) -> EmbeddedSql:
    """Find SQL in the layers of one command or file; one session of names runs through them.

    ``reader``: a session that goes on, such as that of a tool which keeps its connection.
    """
    reader = reader or TableReader()
    found: list[Snippet] = []
    seen: set[tuple[str, bool, str | None]] = set()
    for layer in layers:
        own = frozenset(_own_names(layer.python)) if layer.python else frozenset[str]()
        for text, line in _texts(layer):
            sql = text.replace(UNKNOWN, _STAND_IN)
            if (sql, layer.executed, layer.folder) in seen:
                continue
            seen.add((sql, layer.executed, layer.folder))
            if len(found) >= MAX_SNIPPETS:
                return EmbeddedSql(tuple(found), complete=False)
            found.append(Snippet(sql, line, reader.read(sql), own, layer.executed, layer.folder))
    return EmbeddedSql(tuple(found), complete=True)


def looks_like_sql(text: str) -> bool:
    """Whether a text is SQL and not prose: begins with a verb, and parses or has the shape of a query."""
    if not _SQL_START.match(text):
        return False
    if _STRONG.search(text):
        return True
    script = parse(text)
    return script.exact and bool(script.statements) and bool(re.search(r"\s", text.strip()))


def _texts(layer: Layer) -> Iterator[tuple[str, int]]:
    if layer.kind == "sql":
        yield layer.text, layer.line
    elif layer.kind == "text":
        yield from _chunks(layer.text, layer.line)
    elif layer.python is not None:
        for item in layer.python.texts:
            if looks_like_sql(item.text):
                yield item.text, layer.line + item.line - 1
        for call in layer.python.calls:
            if call.name in _TABLE_CALLS and call.texts:
                given = call.texts[1:2] if call.name.endswith("table_function") else call.texts[:1]
                for name in [text for texts in given for text in texts]:
                    yield f"FROM {_quoted(name)}", layer.line + call.line - 1


def _quoted(name: str) -> str:
    return ".".join('"' + part.strip('"').replace('"', '""') + '"' for part in name.split("."))


def _chunks(text: str, line: int) -> Iterator[tuple[str, int]]:
    """The whole text, or the statements that begin at a line's start and end at ``;`` or an empty line."""
    if looks_like_sql(text):
        yield text, line
        return
    end = 0
    count = 0
    for found in _LINE_START.finditer(text):
        if found.start() < end or count >= MAX_CHUNKS:
            continue
        stop = re.compile(r";|\n[ \t]*\n").search(text, found.end())
        end = stop.start() if stop else len(text)
        piece = text[found.start() : end].lstrip(" \t>$D")
        if _STRONG.search(piece):
            count += 1
            yield piece, line + text.count("\n", 0, found.start())


def _own_names(code: PythonCode) -> Iterator[str]:
    yield from (name.lower() for name in code.names)
    for call in code.calls:
        if call.name in _NAMING_CALLS and call.texts:
            yield from (name.lower() for name in call.texts[0])
