"""Words of a shell: variables and simple substitutions folded into the texts that a word may have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

UNKNOWN = "\ufffc"
"""Stands inside a text for a piece that cannot be known from the text alone."""
MAX_ALTERNATIVES = 128
"""Texts that one word may have (loops, braces, branches); more are dropped."""
MAX_TEXT = 100_000
"""Longest text that a folded word may grow to, in characters."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_PARAMETER = re.compile(r"(?P<name>[A-Za-z_]\w*|[0-9@*#?$!-])(?P<index>\[[^\]]*\])?(?P<rest>.*)", re.DOTALL)

Texts = tuple[str, ...]


@dataclass(frozen=True)
class Word:
    """One shell word: every text it may have, at least one."""

    values: Texts

    @property
    def text(self) -> str:
        """The first of its texts."""
        return self.values[0]

    @property
    def known(self) -> bool:
        """Whether nothing in it is left open."""
        return not any(UNKNOWN in value for value in self.values)


@dataclass
class Variables:
    """Shell variables by name, with every text each may have."""

    values: dict[str, Texts] = field(default_factory=dict)

    def get(self, name: str) -> Texts | None:
        return self.values.get(name)

    def set(self, name: str, texts: Texts, *, may_keep: bool = False) -> None:
        """Assign; ``may_keep``: the assignment may not happen, so the old texts stay possible."""
        old = self.values.get(name, ()) if may_keep else ()
        self.values[name] = alternatives([*texts, *old])

    def copy(self) -> Variables:
        return Variables(dict(self.values))


def alternatives(texts: Iterable[str]) -> Texts:
    """Distinct texts in order, at most MAX_ALTERNATIVES; UNKNOWN when there is none."""
    return tuple(dict.fromkeys(texts))[:MAX_ALTERNATIVES] or (UNKNOWN,)


def joined(left: Texts, right: Texts) -> Texts:
    """Every text of ``left`` followed by every text of ``right``, as long as they stay small together."""
    if len(left) == 1 and len(right) == 1:
        return ((left[0] + right[0])[:MAX_TEXT],)
    found: dict[str, None] = {}
    size = 0
    for first in left:
        for second in right:
            text = (first + second)[:MAX_TEXT]
            size += len(text)
            if found and (len(found) >= MAX_ALTERNATIVES or size > MAX_TEXT):
                return tuple(found)
            found[text] = None
    return tuple(found)


class Assembly:
    """A word while it is put together, piece by piece, in time linear in its length."""

    def __init__(self) -> None:
        self._before: Texts = ("",)
        self._pieces: list[str] = []
        self._size = 0

    def add(self, texts: Texts) -> None:
        """Put a piece behind what is there; nothing beyond MAX_TEXT."""
        if self._size > MAX_TEXT:
            return
        self._size += max(map(len, texts))
        if len(texts) == 1:
            self._pieces.append(texts[0])
        else:
            self._before = joined(self.texts(), texts)
            self._pieces = []

    def texts(self) -> Texts:
        """All texts of the whole word."""
        return joined(self._before, ("".join(self._pieces),)) if self._pieces else self._before


def ansi_c(text: str) -> str:
    """The inside of ``$'…'``."""

    def one(found: re.Match[str]) -> str:
        body = found.group(1)
        if body[0] in "xuU" and len(body) > 1:
            return chr(min(int(body[1:], 16), 0x10FFFF))
        if body[0] in "01234567":
            return chr(int(body, 8) & 0xFF)
        return _ESCAPES.get(body, body)

    return re.sub(
        r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", one, text, flags=re.DOTALL
    )


def parameter(inside: str, variables: Variables, positional: Texts = (UNKNOWN,)) -> tuple[Texts, str]:
    """The texts of ``${inside}``, and the default word (still unexpanded) that may stand for it."""
    if inside.startswith("!"):
        pointed = variables.get(inside[1:])
        found = [text for name in pointed or () for text in variables.get(name) or ()]
        return alternatives(found), ""
    match = _PARAMETER.match(inside)
    if match is None or (inside.startswith("#") and len(inside) > 1):
        return (UNKNOWN,), ""
    name, rest = match["name"], match["rest"]
    texts = variables.get(name) if name[0].isalpha() or name[0] == "_" else positional
    if rest[:2] in (":-", ":=") or rest[:1] in ("-", "="):
        default = rest[2:] if rest.startswith(":") else rest[1:]
        return (texts, "") if texts is not None else ((), default)
    if rest.startswith((":+", "+")):
        return ((), rest[2:] if rest.startswith(":") else rest[1:]) if texts is not None else (("",), "")
    if texts is None:
        return (UNKNOWN,), ""
    if match["index"] == "[*]" and len(texts) > 1:
        texts = (*texts, " ".join(texts), "".join(texts))
    return alternatives(_changed(text, rest) for text in texts), ""


def _changed(text: str, rest: str) -> str:
    """``text`` after the operator of ``${name<rest>}``; UNKNOWN for operators with patterns."""
    if not rest or rest.startswith((":?", "?")):
        return text
    if UNKNOWN in text:
        return UNKNOWN
    if part := re.fullmatch(r":\s*(-?\d+)(?::\s*(-?\d+))?", rest):
        start = int(part[1])
        end = None if part[2] is None else (start + int(part[2]) if int(part[2]) >= 0 else int(part[2]))
        return text[start:end]
    if change := {"^^": str.upper, ",,": str.lower}.get(rest):
        return change(text)
    if any(sign in rest for sign in "*?[$`"):
        return UNKNOWN
    if replaced := re.fullmatch(r"(//?)([^/]+)/?(.*)", rest):
        return text.replace(replaced[2], replaced[3], -1 if replaced[1] == "//" else 1)
    if cut := re.fullmatch(r"##?(.*)", rest, re.DOTALL):
        return text.removeprefix(cut[1])
    if cut := re.fullmatch(r"%%?(.*)", rest, re.DOTALL):
        return text.removesuffix(cut[1])
    return UNKNOWN
