"""SQL in colours: which stretches of a command or a file are SQL, and the tones of its words.

Call it in a thread: it imports Pygments and reads the command as a shell would.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.patterns import UNKNOWN, Layer, command_layers, file_layers, visible
from workbench.tui.widgets.line_source import TAB_CELLS, Span, Tone

MOST_CHARACTERS = 50_000
"""Of one text that are read."""

_QUERY = re.compile(
    r"\bselect\b[\s\S]{0,4000}?\bfrom\b|\bcreate\s+(?:or\s+replace\s+)?(?:temp\s+)?(?:table|view|macro)\b"
    r"|\binsert\s+into\b|\bcopy\b[\s\S]{0,4000}?\bto\b|^\s*(?:describe|summarize|show|pragma|attach|from)\b",
    re.IGNORECASE,
)


def shown(text: str) -> str:
    """The text as blocks show it."""
    return visible(text[:MOST_CHARACTERS].expandtabs(TAB_CELLS))


def command_sql(command: str) -> list[str]:
    """SQL that a shell command runs or writes down, as far as it can be read there."""
    if len(command) > MOST_CHARACTERS:
        return [command[:MOST_CHARACTERS]] if _QUERY.search(command[:MOST_CHARACTERS]) else []
    return list(dict.fromkeys(_pieces(command_layers(command).layers)))


def file_sql(name: str, text: str) -> list[str]:
    """SQL in the text of a file."""
    return list(dict.fromkeys(_pieces(file_layers(name, text[:MOST_CHARACTERS]).layers)))


def _pieces(layers: tuple[Layer, ...]) -> Iterator[str]:
    for layer in layers:
        if layer.kind == "sql" or (layer.kind == "text" and _QUERY.search(layer.text)):
            yield layer.text
        elif layer.python is not None:
            yield from (text.text for text in layer.python.texts if _QUERY.search(text.text))


def sql_spans(text: str, pieces: list[str]) -> tuple[Span, ...]:
    """Tones of the SQL ``pieces`` where they stand word for word in ``text`` (which is as ``shown``)."""
    spans: list[Span] = []
    at = 0
    for piece in pieces:
        wanted = shown(piece).strip()
        start = text.find(wanted, at) if wanted and UNKNOWN not in piece else -1
        if start < 0:
            continue
        spans += _tones(wanted, start)
        at = start + len(wanted)
    return tuple(spans)


def _tones(sql: str, offset: int) -> Iterator[Span]:
    from pygments.lexers.sql import SqlLexer
    from pygments.token import Comment, Keyword, Literal, Name, Operator

    tones = (
        (Comment, Tone.COMMENT),
        (Name.Builtin, Tone.KEYWORD),
        (Keyword, Tone.KEYWORD),
        (Operator.Word, Tone.KEYWORD),
        (Literal, Tone.LITERAL),
    )
    for start, kind, word in SqlLexer(ensurenl=False, stripnl=False).get_tokens_unprocessed(sql):
        tone = next((tone for token, tone in tones if kind in token), None)
        if tone is not None and word.strip():
            yield Span(offset + start, offset + start + len(word), tone)
