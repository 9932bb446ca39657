"""The frontmatter of a SKILL.md: the small part of YAML that the Agent Skills format needs.

``key: value`` with plain, quoted, folded (``>``) and literal (``|``) text, continued by indentation, and one
level of ``key: value`` below a key. All values are text. Lists, anchors, tags and inline maps are errors, so
that no value is read otherwise than an agent's YAML parser reads it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from workbench.records import BadInput

FENCE = "---"

_PAIR = re.compile(r"([A-Za-z0-9_.-]+|\"[^\"]*\"|'[^']*')\s*:(?:\s+(.*))?$")
_BLOCK = re.compile(r"([>|])([+-]?)\s*(?:#.*)?$")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE = re.compile(r"'(?:[^']|'')*'")
_SPECIAL = {
    "[": "a list", "-": "a list", "{": "an inline map", "&": "an anchor", "*": "an alias", "!": "a tag",
    "%": "a directive", "@": "a reserved sign", "`": "a reserved sign", "?": "a complex key",
    ">": "text behind a block sign", "|": "text behind a block sign",
}  # fmt: skip


@dataclass(frozen=True)
class Frontmatter:
    """``values`` maps key to text or to a map of text; ``lines`` maps key to its 1-based line in the file."""

    values: dict[str, str | dict[str, str]]
    lines: dict[str, int]
    body: str
    body_line: int


def split_frontmatter(text: str, where: str) -> Frontmatter:
    """Split and read a file's text. ``where`` names the file. Raises BadInput with the line."""
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        _fail(
            where,
            1,
            f"does not start with a frontmatter line {FENCE!r}",
            "Start with ---, name, description, ---.",
        )
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.rstrip() == FENCE), 0)
    if not end:
        _fail(where, len(lines), f"the frontmatter is not closed by a line {FENCE!r}", "Add the line.")
    reader = _Reader(lines[:end], where)
    values = reader.read_map(0, nested=False)
    return Frontmatter(values, reader.lines, "\n".join(lines[end + 1 :]), end + 2)


class _Reader:
    """Goes through the lines once; ``_at`` is the index of the next one."""

    def __init__(self, lines: list[str], where: str) -> None:
        self._all = lines
        self._where = where
        self._at = 1
        self.lines: dict[str, int] = {}

    def read_map(self, indent: int, *, nested: bool) -> dict[str, str | dict[str, str]]:
        values: dict[str, str | dict[str, str]] = {}
        while self._skip_blank() and _indent(self._all[self._at]) >= indent:
            line = self._all[self._at]
            number = self._at + 1
            if line[: len(line) - len(line.lstrip())].count("\t"):
                self._fail(number, "is indented by a tab", "Use spaces.")
            if _indent(line) > indent:
                self._fail(number, "is indented where no key is open", "Align it with the keys above.")
            pair = _PAIR.match(line.strip())
            if pair is None:
                self._fail(number, "is not of the form 'key: value'", "Put a space after the colon.")
            key = pair[1].strip("\"'")
            if key in values:
                self._fail(number, f"key {key!r} is given twice", "Remove one.")
            if not nested:
                self.lines[key] = number
            self._at += 1
            values[key] = self._value(pair[2] or "", indent, number, nested=nested)
        return values

    def _value(self, rest: str, indent: int, number: int, *, nested: bool) -> str | dict[str, str]:
        rest = rest.strip()
        block = _BLOCK.match(rest)
        if block:
            return _block_text(self._block(indent), folded=block[1] == ">", keep_end=block[2] != "-")
        if rest[:1] in ("'", '"'):
            return self._quoted(rest, indent, number)
        plain = _COMMENT.sub("", rest).strip()
        if plain:
            return self._plain(plain, indent, number)
        if self._skip_blank() and (deeper := _indent(self._all[self._at])) > indent:
            if nested:
                self._fail(self._at + 1, "is nested too deep", "One level below a key is allowed.")
            first = self._all[self._at].strip()
            if not _PAIR.match(first):
                self._at += 1
                return self._plain(_COMMENT.sub("", first).strip(), indent, self._at)
            inner = self.read_map(deeper, nested=True)
            return {name: value for name, value in inner.items() if isinstance(value, str)}
        return ""

    def _plain(self, first: str, indent: int, number: int) -> str:
        sign = first[0]
        if sign in _SPECIAL and not (sign == "-" and first[1:2] not in ("", " ")):
            self._fail(number, f"{_SPECIAL[sign]} is not allowed here", "Put the text in quotes.")
        words = [first]
        while self._skip_blank() and _indent(self._all[self._at]) > indent:
            words.append(_COMMENT.sub("", self._all[self._at]).strip())
            self._at += 1
        for word in words:
            if re.search(r":(\s|$)", word):
                self._fail(number, "the value holds ': '", "Put the whole value in quotes.")
        return " ".join(words)

    def _quoted(self, first: str, indent: int, number: int) -> str:
        text = first
        pattern = _DOUBLE if first[0] == '"' else _SINGLE
        while not (found := pattern.match(text)):
            if self._at >= len(self._all) or (
                self._all[self._at].strip() and _indent(self._all[self._at]) <= indent
            ):
                self._fail(number, "the quote is not closed", f"Close it with {first[0]}.")
            text += " " + self._all[self._at].strip()
            self._at += 1
        if _COMMENT.sub("", text[found.end() :]).strip():
            self._fail(number, "text follows the closing quote", "Put everything in the quotes.")
        if first[0] == "'":
            return found[0][1:-1].replace("''", "'")
        try:
            return str(json.loads(found[0].replace("\t", "\\t")))
        except ValueError:
            self._fail(number, "an escape in the quotes is not known", 'Known: \\" \\\\ \\n \\t \\uXXXX.')

    def _block(self, indent: int) -> list[str]:
        taken = []
        while self._at < len(self._all):
            line = self._all[self._at]
            if line.strip() and _indent(line) <= indent:
                break
            taken.append(line)
            self._at += 1
        depth = min((_indent(line) for line in taken if line.strip()), default=0)
        return [line[depth:].rstrip() for line in taken]

    def _skip_blank(self) -> bool:
        while self._at < len(self._all) and not _COMMENT.sub("", self._all[self._at]).strip():
            self._at += 1
        return self._at < len(self._all)

    def _fail(self, number: int, what: str, remedy: str) -> NoReturn:
        _fail(self._where, number, what, remedy)


def _block_text(lines: list[str], *, folded: bool, keep_end: bool) -> str:
    text = "\n".join(lines).strip("\n")
    if folded:
        text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        text = re.sub(r"\n(\n+)", r"\1", text)
    return text + "\n" if keep_end and text else text


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _fail(where: str, number: int, what: str, remedy: str) -> NoReturn:
    raise BadInput(what, where=f"{where}, line {number}", remedy=remedy)
