"""Tables read, by words alone: for statements that the parser does not understand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

_BEFORE_A_TABLE = {"FROM", "JOIN", "DESCRIBE", "SHOW", "SUMMARIZE", "PIVOT", "UNPIVOT", "USING"}
_NO_NAME = {
    TokenType.STRING,
    TokenType.NUMBER,
    TokenType.L_PAREN,
    TokenType.R_PAREN,
    TokenType.COMMA,
    TokenType.SELECT,
    TokenType.DOT,
}
_COMMENTS = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_RAW = re.compile(r"\b(?:from|join|describe|summarize|pivot)\s+([\w\".]+)", re.IGNORECASE)


def lexical_reads(words: Sequence[Token]) -> tuple[set[str], set[str]]:
    """Table names after FROM, JOIN and their commas, without CTE names; and file names in the same places."""
    ctes = _cte_names(words)
    found: set[str] = set()
    files: set[str] = set()
    expecting = False
    depth = expected_depth = 0
    position = 0
    while position < len(words):
        word = words[position]
        if word.token_type is TokenType.L_PAREN:
            depth += 1
        elif word.token_type is TokenType.R_PAREN:
            depth -= 1
        if word.text.upper() in _BEFORE_A_TABLE and word.token_type is not TokenType.STRING:
            expecting, expected_depth = True, depth
        elif word.token_type is TokenType.COMMA and depth == expected_depth:
            expecting = True
        elif expecting:
            expecting = False
            if word.token_type is TokenType.STRING:
                files.add(word.text)
            elif word.token_type not in _NO_NAME:
                parts, position = _dotted(words, position)
                called = position + 1 < len(words) and words[position + 1].token_type is TokenType.L_PAREN
                name = ".".join(parts[-2:])
                if not (called and len(parts) == 1) and name not in ctes:
                    found.add(name)
        position += 1
    return found, files


def raw_reads(text: str) -> set[str]:
    """The same from text that does not even come apart into words."""
    plain = _COMMENTS.sub(" ", text)
    return {
        ".".join(found.lower().replace('"', "").strip(".").split(".")[-2:]) for found in _RAW.findall(plain)
    } - {""}


_NAMED = re.compile(
    r"\b(?:from|join|describe|summarize|pivot|into|update|table)\s+"
    r"(\"?[a-z_]\w{0,127}\"?(?:\s?\.\s?\"?[a-z_]\w{0,127}\"?){0,2})(?!\s+import\b)(?![\w(])",
    re.IGNORECASE,
)
_QUERY = re.compile(r"\bselect\b|^\s*(?:from|describe|summarize|pivot)\b", re.IGNORECASE | re.MULTILINE)


def quick_reads(text: str) -> set[str]:
    """Tables that a text of any kind names as SQL does, by words alone, in linear time; none in most prose.

    For finding things again: it neither folds constants nor knows CTEs.
    """
    found = {"".join(name.lower().replace('"', "").split()) for name in _NAMED.findall(text)}
    dotted = {name for name in found if "." in name}
    return found if found and (dotted or _QUERY.search(text)) else set()


def _dotted(words: Sequence[Token], start: int) -> tuple[list[str], int]:
    """``a.b.c`` from ``start``: its parts and the position of its last word."""
    parts = [words[start].text.lower()]
    position = start
    while position + 2 < len(words) and words[position + 1].token_type is TokenType.DOT:
        parts.append(words[position + 2].text.lower())
        position += 2
    return parts, position


def _cte_names(words: Sequence[Token]) -> set[str]:
    names = set()
    for position in range(len(words) - 2):
        after = words[position + 1].text.upper()
        opens = words[position + 2].token_type is TokenType.L_PAREN
        if after == "AS" and (opens or words[position + 2].text.upper() in ("MATERIALIZED", "NOT")):
            names.add(words[position].text.lower())
    return names
