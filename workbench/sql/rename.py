"""SQL with other names for tables and columns, its layout and literals kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from workbench.records import BadInput

_LITERALS = {TokenType.STRING, TokenType.NUMBER, TokenType.PARAMETER, TokenType.RAW_STRING}
_READ_BEHIND = {TokenType.FROM, TokenType.JOIN, TokenType.COMMA, TokenType.L_PAREN}
_CREATES = {TokenType.CREATE, TokenType.REPLACE}
_NO_ALIAS = {TokenType.VAR, TokenType.IDENTIFIER}


@dataclass(frozen=True)
class Renaming:
    """Names by their earlier ones, in lower case.

    ``tables``: qualified name to what is read in its place, a name or a subquery in brackets; ``words``:
    every other identifier, bare names of tables, schemas and columns alike.
    """

    tables: Mapping[str, str]
    words: Mapping[str, str]

    def word(self, name: str) -> str:
        """The new name of an identifier, itself where it has none."""
        return self.words.get(name.lower(), name)


def rename_sql(
    sql: str,
    renaming: Renaming,
    comment: Callable[[str], str] = lambda text: text,
    *,
    labels: Collection[str] = (),
) -> str:
    """``sql``, one or more statements, renamed throughout: aliases and names of steps alike.

    A table without an alias gets its bare new name as one. ``comment`` gives what stands between words,
    comments and blanks; ``labels``: texts in quotes that are names all the same. Raises BadInput for text
    that is no SQL.
    """
    try:
        tokens = DuckDB().tokenize(sql)
    except SqlglotError:
        raise BadInput("no SQL: it cannot be cut into words") from None
    pieces: list[str] = []
    place = at = 0
    while at < len(tokens):
        written, used = _renamed(sql, tokens, at, renaming, labels)
        pieces.append(comment(sql[place : tokens[at].start]))
        pieces.append(written)
        place, at = tokens[at + used - 1].end + 1, at + used
    pieces.append(comment(sql[place:]))
    return "".join(pieces)


def _renamed(
    sql: str, tokens: Sequence[Token], at: int, renaming: Renaming, labels: Collection[str]
) -> tuple[str, int]:
    """What stands for the word at ``at``, and how many words that is."""
    token = tokens[at]
    as_written = sql[token.start : token.end + 1]
    if token.token_type is TokenType.STRING and token.text in labels:
        return f"'{renaming.word(token.text)}'", 1
    made_for_now = token.token_type is TokenType.TEMPORARY and tokens[at - 1].token_type in _CREATES
    if token.token_type in _LITERALS or made_for_now or _is(tokens, at + 1, TokenType.L_PAREN):
        return as_written, 1
    if _is(tokens, at + 1, TokenType.DOT) and at + 2 < len(tokens):
        bare = tokens[at + 2].text
        read = renaming.tables.get(f"{token.text}.{bare}".lower())
        if read is not None:
            return _table(tokens, at, read, renaming.word(bare)), 3
    new = renaming.words.get(token.text.lower())
    if new is None:
        return as_written, 1
    return (f'"{new}"' if token.token_type is TokenType.IDENTIFIER else new), 1


def _table(tokens: Sequence[Token], at: int, read: str, bare: str) -> str:
    """A qualified table's place; with an alias where it is read and has none."""
    reading = at > 0 and tokens[at - 1].token_type in _READ_BEHIND
    behind = tokens[at + 3] if at + 3 < len(tokens) else None
    named = behind is not None and behind.token_type in {*_NO_ALIAS, TokenType.ALIAS}
    return f"{read} AS {bare}" if reading and not named else read


def _is(tokens: Sequence[Token], at: int, kind: TokenType) -> bool:
    return at < len(tokens) and tokens[at].token_type is kind
