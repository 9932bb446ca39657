"""Words of a shell: variables and simple substitutions folded into the texts that a word may have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.patterns.decoded import from_base32, from_base64, from_hex, inflated, substituted, translated

UNKNOWN = "\ufffc"
"""Stands inside a text for a piece that cannot be known from the text alone."""
MAX_ALTERNATIVES = 128
"""Texts that one word may have (loops, braces, branches); more are dropped."""
MAX_TEXT = 100_000
"""Longest text that a folded word may grow to, in characters."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_HEX_BACK = {"-r", "-p", "-rp", "-pr", "-ps", "-plain"}
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


def printed(argv: Texts, stdin: str | None) -> str | None:
    """What a simple command prints, where its arguments alone decide that; else None."""
    if not argv:
        return None
    program, *arguments = argv
    if program == "echo":
        options = {item for item in arguments if re.fullmatch(r"-[neE]+", item)}
        text = " ".join(item for item in arguments if item not in options)
        signs = "".join(options)
        return (ansi_c(text) if "e" in signs else text) + ("" if "n" in signs else "\n")
    if program == "printf" and arguments:
        return _printf(arguments)
    if stdin is None:
        return None
    if program == "cat" and not [item for item in arguments if item != "-"]:
        return stdin
    if program == "rev" and not arguments:
        return "\n".join(line[::-1] for line in stdin.split("\n"))
    return _filtered(program, arguments, stdin)


def _filtered(program: str, arguments: list[str], stdin: str) -> str | None:
    """What a program that changes text makes of a known one."""
    options, plain = {item for item in arguments if item.startswith("-")}, arguments[-2:]
    if program in ("gunzip", "zcat", "gzip", "bunzip2", "bzcat", "xzcat", "zlib-flate"):
        return inflated(stdin)
    if program == "openssl" and "-d" in options and {"base64", "-base64", "-a"} & set(arguments):
        return from_base64(stdin)
    if program == "tr" and len(arguments) == 2 and arguments[0] == "-d":
        return "".join(sign for sign in stdin if sign not in ansi_c(arguments[1]))
    if program == "tac":
        return "\n".join(stdin.rstrip("\n").split("\n")[::-1]) + "\n"
    if program == "paste" and "".join(arguments).startswith("-s"):
        mark = re.sub(r"^-s-?d?|-$", "", "".join(arguments)).replace("\\0", "")
        return mark.join(stdin.rstrip("\n").split("\n")) + "\n"
    if program == "cut" and (found := re.fullmatch(r"-c ?(\d*)-(\d*)", " ".join(arguments))):
        start, end = int(found[1] or 1) - 1, int(found[2]) if found[2] else None
        return "\n".join(line[start:end] for line in stdin.split("\n"))
    if program in ("base64", "base32") and options & {"-d", "--decode", "-D", "-di"}:
        return (from_base64 if program == "base64" else from_base32)(stdin)
    if program == "xxd" and options and options <= _HEX_BACK and "r" in "".join(options):
        return from_hex(stdin)
    if program == "tr" and not options and len(arguments) == 2:
        return translated(stdin, *plain)
    if program == "sed" and options <= {"-e", "-E", "-r"} and len(arguments) == 1 + len(options):
        return substituted(stdin, plain[-1], extended=bool(options & {"-E", "-r"}))
    return None


def _number(kind: str, values: list[str]) -> str:
    """The next value in another base, taken from the values; a plain ``%d`` keeps its place."""
    if kind == "d" or not values or not values[0].isdigit():
        return "%d" if kind == "d" else UNKNOWN
    return format(int(values.pop(0)), kind)


def _printf(arguments: list[str]) -> str:
    form, *values = arguments
    if "%b" in form:
        values = [ansi_c(value) for value in values]
    form = ansi_c(form.replace("%%", "%"))
    form = re.sub(r"%0?(\d?)([xoXd])", lambda found: _number(found[2], values), form) if "%" in form else form
    pieces = re.split(r"%[sbdqc]", form)
    filled = [*values[: len(pieces) - 1], *[""] * len(pieces)]
    return "".join(piece + value for piece, value in zip(pieces, filled, strict=False))
