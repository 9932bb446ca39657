"""A Markdown text in passages: sentences of paragraphs and lists, cells of tables, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FRONTMATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_END = re.compile(r"(?:[.;](?=\s)|\.$)(?<!e\.g\.)(?<!i\.e\.)(?<!Per\.)\s*")
_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_NUMBER = re.compile(r"^[-−]?\d+(?:\.\d+)?$")
_ITEM = re.compile(r"\b\d{5,6}\b")
_HIDDEN = "\ue000"


@dataclass(frozen=True)
class Passage:
    """``text`` as it stands, ``line`` of its first letter.

    ``about``: what a cell is about: its row's name, its column's head, the items of its row. ``gives``: the
    number that a ladder's row or column stands for. ``listed``: one of many short entries behind each other.
    """

    text: str
    line: int
    heading: str = ""
    about: str = ""
    head: str = ""
    gives: str = ""
    listed: bool = False

    def line_at(self, offset: int) -> int:
        """The line in which the letter at ``offset`` stands."""
        return self.line + self.text.count("\n", 0, offset)


@dataclass
class _Table:
    head: list[str]
    rows: list[tuple[int, list[str]]]


def passages(markdown: str) -> list[Passage]:
    """All passages in order; the frontmatter, headings and code blocks are none."""
    front = _FRONTMATTER.match(markdown)
    body, first = (markdown[front.end() :], front.group().count("\n")) if front else (markdown, 0)
    tokens = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).parse(body)
    return list(_read(tokens, first + 1))


def hidden_spans(text: str) -> str:
    """The text with its code spans blanked out, letter for letter."""
    return _SPAN.sub(lambda found: _HIDDEN * len(found.group()), text)


def code_spans(text: str) -> list[tuple[int, str]]:
    """Each code span's content with the offset of its first letter."""
    return [(found.start(2), found[2].replace("\n", " ")) for found in _SPAN.finditer(text)]


def _read(tokens: list[Token], first: int) -> Iterator[Passage]:
    heading, table, row_line = "", None, 0
    lead = ""
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            heading, lead = tokens[place + 1].content, ""
        elif token.type == "table_open":
            table = _Table([], [])
        elif token.type == "tr_open" and table is not None:
            row_line = first + (token.map or [0])[0]
            table.rows.append((row_line, []))
        elif token.type == "table_close" and table is not None:
            yield from _cells(table, heading, lead)
            table = None
        elif token.type == "inline":
            if table is not None:
                table.rows[-1][1].append(token.content)
            elif tokens[place - 1].type != "heading_open":
                line = first + (token.map or [0])[0]
                yield from _sentences(token.content, line, heading, lead)
                lead = _lead(token.content, lead, tokens[place - 1])


def _lead(text: str, before: str, opened: Token) -> str:
    """What a following list is about: the end of a paragraph that a colon closes."""
    if opened.level == 0:
        return re.split(r"[.;]\s", text.rstrip(":"))[-1][-80:] if text.endswith(":") else ""
    return before


def _sentences(text: str, line: int, heading: str, lead: str) -> Iterator[Passage]:
    hidden = hidden_spans(text)
    parts = hidden.split(";")
    short = [part for part in parts if len(part.split()) <= 8]
    listed = len(parts) >= 8 and len(short) >= 0.9 * len(parts)
    start = 0
    ends = [found.end() for found in _END.finditer(hidden)]
    for end in [*ends, len(text)]:
        if text[start:end].strip():
            at = line + text.count("\n", 0, start)
            yield Passage(text[start:end], at, heading, about=lead, listed=listed)
        start = end


def _cells(table: _Table, heading: str, lead: str) -> Iterator[Passage]:
    if not table.rows:
        return
    head = table.rows[0][1]
    ladder = _NUMBER.match(head[1].strip()) is not None if len(head) > 1 else False
    for title in head:
        if not _NUMBER.match(title.strip()) and re.search(r"\d", title):
            yield Passage(title, table.rows[0][0], heading, title)
    for line, cells in table.rows[1:]:
        name = cells[0] if cells else ""
        items = " ".join(_ITEM.findall(" ".join(cells)))
        rung = name.strip() if _NUMBER.match(name.strip()) and not _ITEM.match(name.strip()) else ""
        for place, cell in enumerate(cells):
            if not cell.strip() or (place == 0 and rung):
                continue
            title = head[place] if place < len(head) else ""
            gives = title.strip() if ladder and _NUMBER.match(title.strip()) else rung
            row = "" if place == 0 or rung else name
            about = f"{row} {'' if gives == title.strip() else title} {items} {lead}"
            yield Passage(cell, line, heading, about, title, gives)
        if rung and len(cells) > 1 and not any(re.search(r"\d", cell) for cell in cells[1:]):
            yield Passage(f"= {rung}", line, heading, " ".join(cells[1:]), head[0])
