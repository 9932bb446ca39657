"""The headings of a Markdown text, by the same reader that the app draws it with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Heading:
    """``level`` from 1; ``line`` is its line in the file, from 1."""

    level: int
    title: str
    line: int


def headings(text: str, first_line: int = 1) -> list[Heading]:
    """All headings in order; ``first_line`` is where ``text`` begins in its file."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).parse(text)
    found = []
    for opened, inline in pairwise(tokens):
        if opened.type == "heading_open" and opened.map is not None:
            title = "".join(part.content for part in inline.children or [])
            found.append(Heading(int(opened.tag[1:]), title, first_line + opened.map[0]))
    return found
