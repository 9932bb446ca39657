"""Scripts into statements, tolerant: what does not parse keeps its words."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

MAX_PARSED_CHARS = 200_000
"""A longer script is read by words only: sqlglot takes about 2 s a megabyte."""
MAX_PARSED_STATEMENTS = 1_000
MAX_CHARS = 1_000_000
"""What lies behind is not read."""
MAX_KEPT_CHARS = 30_000
KEPT = 16
"""Shorter scripts that were asked for lately are not parsed again."""
MAX_NESTING = 60
"""Open brackets at one time; deeper statements are read by words, the parser descends by recursion."""

_DOT_COMMAND = re.compile(r"^\.(?P<name>[A-Za-z]\w*)(?P<rest>[^\n]*)$", re.MULTILINE)
_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_PARSER_ERRORS = (SqlglotError, RecursionError, ValueError, AttributeError, KeyError, IndexError, TypeError)

# sqlglot logs the text of statements that it does not know; foreign SQL stays out of logs.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


class _DuckDBWords(DuckDB):
    """DuckDB's words, with EXPLAIN, PREPARE, EXECUTE and CALL cut into words like any other statement."""

    class Tokenizer(DuckDB.Tokenizer):
        COMMANDS: ClassVar[set[TokenType]] = set()


_DIALECT = _DuckDBWords()


@dataclass(frozen=True)
class Statement:
    """One statement. ``line`` counts from 1 in the script; ``tree`` is None where it did not parse.

    ``verb`` is ``prepare`` (``name`` is the prepared name, ``tree`` its query), ``execute`` (``tree`` is a
    call of ``name``), ``call``, or empty.
    """

    text: str
    line: int
    words: tuple[Token, ...]
    tree: exp.Expr | None
    verb: str = ""
    name: str = ""


@dataclass(frozen=True)
class DotCommand:
    """A line for DuckDB's client, such as ``.read other.sql``."""

    name: str
    argument: str
    line: int


@dataclass(frozen=True)
class Script:
    """A script in order. ``exact``: every statement parsed and nothing was cut off."""

    statements: tuple[Statement, ...]
    dot_commands: tuple[DotCommand, ...] = ()
    exact: bool = True


def parse(sql: str) -> Script:
    """Split and parse a DuckDB script. Comments are dropped. Never raises, whatever the text.

    Trees may be asked for again by others: change copies of them.
    """
    return _kept(sql) if len(sql) <= MAX_KEPT_CHARS else _parsed(sql)


def _parsed(sql: str) -> Script:
    whole = len(sql) <= MAX_CHARS
    sql = sql[:MAX_CHARS]
    dots = tuple(
        DotCommand(
            found["name"].lower(), found["rest"].strip().strip("'\""), sql.count("\n", 0, found.start()) + 1
        )
        for found in _DOT_COMMAND.finditer(sql)
    )
    body = _DOT_COMMAND.sub(lambda found: " " * len(found.group()), sql) if dots else sql
    tokens = _tokens(body)
    if tokens is None:
        return Script((), dots, exact=False)
    parsing = len(body) <= MAX_PARSED_CHARS
    statements = tuple(
        _statement(body, group, parsing and number < MAX_PARSED_STATEMENTS)
        for number, group in enumerate(_groups(tokens))
    )
    return Script(statements, dots, whole and all(item.tree is not None for item in statements))


_kept = lru_cache(KEPT)(_parsed)


def _tokens(sql: str) -> list[Token] | None:
    """Words of a script; where a quote or comment is left open, it is closed at the end."""
    for ending in ("", "'", '"', "*/", "$$"):
        try:
            tokens = _DIALECT.tokenize(sql + ending)
        except _PARSER_ERRORS:
            continue
        return [token for token in tokens if token.start < len(sql)]
    return None


def _groups(tokens: list[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            groups.append([])
        else:
            groups[-1].append(token)
    return [group for group in groups if group]


def _statement(body: str, words: list[Token], parsing: bool) -> Statement:
    text = body[words[0].start : words[-1].end + 1]
    verb, name, rest = _without_prefix(words)
    tree = _tree(body, rest) if parsing and rest else None
    if verb in ("call", "execute") and tree is not None and not tree.find(exp.Func):
        tree = exp.Select()
    return Statement(text, words[0].line, tuple(words), tree, verb, name)


def _without_prefix(words: list[Token]) -> tuple[str, str, list[Token]]:
    """The verb before the query proper, the name it carries, and the query's words."""
    first = words[0].text.upper()
    if first == "EXPLAIN":
        start = 2 if len(words) > 1 and words[1].text.upper() == "ANALYZE" else 1
        if start + 1 < len(words) and words[start + 1].text.upper() in ("FORMAT", "ANALYZE"):
            while start < len(words) and words[start].token_type is not TokenType.R_PAREN:
                start += 1
            start += 1
        return _without_prefix(words[start:]) if start < len(words) else ("", "", [])
    if first == "PREPARE" and len(words) > 2:
        for start, word in enumerate(words[2:], 2):
            if word.text.upper() == "AS":
                return "prepare", words[1].text.lower(), words[start + 1 :]
    if first in ("EXECUTE", "CALL") and len(words) > 1:
        select = Token(TokenType.SELECT, "SELECT", line=words[0].line, start=words[0].start, end=words[0].end)
        return first.lower(), words[1].text.lower(), [select, *words[1:]]
    return "", "", words


def _tree(body: str, words: list[Token]) -> exp.Expr | None:
    depth = deepest = 0
    for word in words:
        if word.token_type in _OPEN:
            depth += 1
            deepest = max(deepest, depth)
        elif word.token_type in _CLOSE:
            depth -= 1
    if deepest > MAX_NESTING:
        return None
    try:
        trees = _DIALECT.parser().parse(words, body)
    except _PARSER_ERRORS:
        return None
    tree = trees[0] if trees else None
    return None if tree is None or isinstance(tree, exp.Command) else tree
