"""Markdown into a flat flow of headings, paragraphs, code and tables; nothing is executed or fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.patterns import visible
from workbench.tui.widgets.line_source import TAB_CELLS, Span, Tone

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKS = {"strong_open": Tone.STRONG, "em_open": Tone.EMPHASIS, "s_open": Tone.DIM}
_LEAVES = {"fence", "code_block", "hr", "table_open", "heading_open"}
_CLOSES = {"strong_close", "em_close", "s_close"}


@dataclass(frozen=True)
class Inline:
    """Inert text with tones."""

    text: str = ""
    spans: tuple[Span, ...] = ()

    def toned(self, tone: Tone) -> Inline:
        """The whole text in a tone, under what it has."""
        return Inline(self.text, (Span(0, len(self.text), tone), *self.spans))


@dataclass(frozen=True)
class Flow:
    """One piece. ``line`` is its first line in the file; ``first`` and ``rest`` stand before its rows."""

    line: int
    first: str = ""
    rest: str = ""
    tight: bool = False  # no empty row after it


@dataclass(frozen=True)
class Heading(Flow):
    level: int = 1
    inline: Inline = Inline()


@dataclass(frozen=True)
class Paragraph(Flow):
    inline: Inline = Inline()


@dataclass(frozen=True)
class Code(Flow):
    """``language`` in lower case; one row of the file a row of ``text``."""

    text: str = ""
    language: str = ""


@dataclass(frozen=True)
class Table(Flow):
    """``rows[0]`` is the header."""

    rows: tuple[tuple[Inline, ...], ...] = ()


@dataclass(frozen=True)
class Rule(Flow):
    """A line across."""


@dataclass
class _Container:
    """Of a quote or a list item: what stands before its rows."""

    rest: str
    first: str | None = None


@dataclass
class _Walk:
    containers: list[_Container] = field(default_factory=list)
    counters: list[int | None] = field(default_factory=list)

    def prefixes(self) -> tuple[str, str]:
        """Before the next piece's first row and its other rows; list marks are used up."""
        first = "".join(item.rest if item.first is None else item.first for item in self.containers)
        for item in self.containers:
            item.first = None
        return first, "".join(item.rest for item in self.containers)


def parse_markdown(text: str, first_line: int = 1) -> list[Flow]:
    """All pieces in order; ``first_line`` is where ``text`` begins in its file."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    walk = _Walk()
    flow: list[Flow] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        line = first_line + (token.map[0] if token.map else 0)
        kind = token.type
        if kind == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            first, rest = walk.prefixes()
            flow.append(Table(line, first, rest, rows=_rows(tokens[at:end])))
            at = end
        elif kind == "heading_open":
            first, rest = walk.prefixes()
            inline = inline_of(tokens[at + 1].children or [])
            flow.append(Heading(line, first, rest, level=int(token.tag[1:]), inline=inline))
            at += 2
        elif kind == "paragraph_open":
            first, rest = walk.prefixes()
            inline = inline_of(tokens[at + 1].children or [])
            flow.append(Paragraph(line, first, rest, token.hidden, inline=inline))
            at += 2
        elif kind in ("fence", "code_block"):
            first, rest = walk.prefixes()
            language = (token.info.split() or [""])[0].lower()
            begin = line + (kind == "fence")
            flow.append(Code(begin, first, rest, text=_inert(token.content.rstrip("\n")), language=language))
        elif kind == "hr":
            flow.append(Rule(line, *walk.prefixes()))
        else:
            _nest(walk, flow, token)
        at += 1
    return _with_unseen(flow, tokens, text.split("\n"), first_line)


def _with_unseen(flow: list[Flow], tokens: Sequence[Token], lines: list[str], first_line: int) -> list[Flow]:
    """What Markdown leaves out, as it is written: link definitions, what is nested too deep."""
    seen: set[int] = set()
    for token in tokens:
        if token.map is not None and (token.type in _LEAVES or token.children is not None):
            seen.update(range(*token.map))
    unseen = [at for at, line in enumerate(lines) if line.strip() and at not in seen]
    raw: list[Flow] = [Code(first_line + at, text=_inert(lines[at])) for at in unseen]
    return sorted([*flow, *raw], key=lambda piece: piece.line) if raw else flow


def _nest(walk: _Walk, flow: list[Flow], token: Token) -> None:
    """Enter or leave a list or a quote."""
    kind = token.type
    if kind in ("bullet_list_open", "ordered_list_open"):
        start = int(token.attrs.get("start", 1)) if kind == "ordered_list_open" else None
        walk.counters.append(start)
    elif kind in ("bullet_list_close", "ordered_list_close"):
        walk.counters.pop()
        if not walk.counters and flow:
            flow[-1] = replace(flow[-1], tight=False)
    elif kind == "list_item_open":
        number = walk.counters[-1]
        mark = "- " if number is None else f"{number}. "
        if number is not None:
            walk.counters[-1] = number + 1
        walk.containers.append(_Container(" " * len(mark), mark))
    elif kind == "blockquote_open":
        walk.containers.append(_Container("| "))
    elif kind in ("list_item_close", "blockquote_close"):
        walk.containers.pop()


def _rows(tokens: Sequence[Token]) -> tuple[tuple[Inline, ...], ...]:
    rows: list[list[Inline]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(inline_of(token.children or []))
    return tuple(tuple(row) for row in rows)


def inline_of(tokens: Sequence[Token]) -> Inline:
    """Text with tones; a link's address stands behind it."""
    text = ""
    spans: list[Span] = []
    tones: list[Tone] = []
    links: list[tuple[str, int]] = []

    def add(piece: str, tone: Tone | None = None) -> None:
        nonlocal text
        shown = _inert(piece)
        tone = tone or (tones[-1] if tones else None)
        if tone is not None and shown:
            spans.append(Span(len(text), len(text) + len(shown), tone))
        text += shown

    for token in tokens:
        kind = token.type
        if kind in _MARKS:
            tones.append(_MARKS[kind])
        elif kind in _CLOSES and tones:
            tones.pop()
        elif kind == "code_inline":
            add(token.content, Tone.CODE)
        elif kind == "softbreak":
            add(" ")
        elif kind == "hardbreak":
            add("\n")
        elif kind == "link_open":
            tones.append(Tone.LINK)
            links.append((str(token.attrs.get("href", "")), len(text)))
        elif kind == "link_close" and links:
            tones.pop()
            address, start = links.pop()
            if address and text[start:] != _inert(address):
                add(f" ({address})", Tone.DIM)
        elif kind == "image":
            add(f"[picture: {token.content}]", Tone.DIM)
        else:
            add(token.content)
    return Inline(text, tuple(spans))


def _inert(text: str) -> str:
    return visible(text.expandtabs(TAB_CELLS))
