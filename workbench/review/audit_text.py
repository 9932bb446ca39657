"""Change one place of an audit's TOML text; every other byte stays, or nothing is changed."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.records import Refused, parse_toml
from workbench.review.text_diff import text_lines

TomlValue = str | int | Sequence[str]
CAVEATS = "caveats"
_LIST = (CAVEATS,)
_KEY = re.compile(r"\s*(?:\"(?P<quoted>[\w-]+)\"|(?P<bare>[\w-]+))[ \t]*=[ \t]*")
_BEGINS_LIST = re.compile(r"[^=]*=\s*[\[{]")


@dataclass(frozen=True)
class _Statement:
    """Lines ``first`` up to ``end``; ``header``: names of a table's header, None for a key and its value."""

    first: int
    end: int
    header: tuple[str, ...] | None
    array: bool = False


@dataclass(frozen=True)
class _Span:
    """A caveat's lines; ``own``: its keys that stand right below its header."""

    place: int
    first: int
    end: int
    own: Mapping[str, _Statement]


def with_value(text: str, caveat: str, key: str, value: TomlValue) -> str:
    """The text with another value of one key of a caveat; a comment behind the value stays.

    Raises Refused where the file is written in a way that this cannot change.
    """
    lines = text_lines(text)
    span = _span(lines, caveat)
    old = span.own.get(key)
    if old is None:
        at = max(statement.end for statement in span.own.values())
        made = [*lines[:at], f"{key} = {toml_value(value)}{_line_end(text)}", *lines[at:]]
    else:
        said = "".join(lines[old.first : old.end])
        begin = _KEY.match(said)
        if begin is None:
            raise _by_hand()
        end = "\r\n" if said.endswith("\r\n") else "\n" if said.endswith("\n") else ""
        line = f"{begin[0]}{toml_value(value)}{_comment(said.removesuffix(end))}{end}"
        made = [*lines[: old.first], line, *lines[old.end :]]
    wanted = parse_toml(text)
    wanted[CAVEATS][span.place][key] = value if isinstance(value, str | int) else list(value)
    return _checked("".join(made), wanted)


def with_part(text: str, caveat: str, name: str, fields: Mapping[str, TomlValue]) -> str:
    """The text with one more ``[[caveats.<name>]]`` at the end of a caveat. Raises as ``with_value``."""
    lines = text_lines(text)
    span = _span(lines, caveat)
    wanted = parse_toml(text)
    wanted[CAVEATS][span.place].setdefault(name, []).append(_plain(fields))
    return _checked(_with_block(text, lines, span.end, f"{CAVEATS}.{name}", fields), wanted)


def with_caveat(text: str, fields: Mapping[str, TomlValue]) -> str:
    """The text with one more caveat behind the last one. Raises Refused as ``with_value``."""
    lines = text_lines(text)
    spans = list(_spans(lines))
    wanted = parse_toml(text)
    wanted.setdefault(CAVEATS, []).append(_plain(fields))
    at = spans[-1].end if spans else len(lines)
    return _checked(_with_block(text, lines, at, CAVEATS, fields), wanted)


def toml_value(value: TomlValue) -> str:
    """As TOML writes it, on one line."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int):
        return str(value)
    return f"[{', '.join(toml_value(item) for item in value)}]"


def _plain(fields: Mapping[str, TomlValue]) -> dict[str, Any]:
    return {name: value if isinstance(value, str | int) else list(value) for name, value in fields.items()}


def _with_block(
    text: str, lines: Sequence[str], at: int, header: str, fields: Mapping[str, TomlValue]
) -> str:
    end = _line_end(text)
    before = "".join(lines[:at])
    if before and not before.endswith("\n"):
        before += end
    said = [f"[[{header}]]", *(f"{name} = {toml_value(value)}" for name, value in fields.items())]
    return f"{before}{end if before else ''}{end.join(said)}{end}{''.join(lines[at:])}"


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _checked(made: str, wanted: dict[str, Any]) -> str:
    """``made``, if it says what is wanted and nothing else."""
    try:
        said = parse_toml(made)
    except tomllib.TOMLDecodeError:
        raise _by_hand() from None
    if said != copy.deepcopy(wanted):
        raise _by_hand()
    return made


def _by_hand() -> Refused:
    return Refused(
        "the audit is written in a form that cannot be changed in place; nothing was changed",
        remedy="Write each caveat under its own [[caveats]], a key a line, or change it in an editor.",
    )


def _span(lines: Sequence[str], caveat: str) -> _Span:
    for span in _spans(lines):
        named = span.own.get("id")
        if named and parse_toml("".join(lines[named.first : named.end]))["id"] == caveat:
            return span
    raise _by_hand()


def _spans(lines: Sequence[str]) -> Iterator[_Span]:
    """Every ``[[caveats]]`` with what belongs to it; comments before the next header belong to that."""
    place, first, end = -1, 0, 0
    own: dict[str, _Statement] = {}
    inside: tuple[str, ...] = ()
    for statement in _statements(lines):
        if statement.header is not None:
            inside = statement.header
            if inside == _LIST and statement.array:
                if own:
                    yield _Span(place, first, end, own)
                place, first, own = place + 1, statement.first, {}
        elif inside == _LIST:
            key = _KEY.match(lines[statement.first])
            if key is None:
                raise _by_hand()
            own[key["quoted"] or key["bare"]] = statement
        if inside[:1] == _LIST:
            end = statement.end
    if own:
        yield _Span(place, first, end, own)


def _statements(lines: Sequence[str]) -> Iterator[_Statement]:
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line or line.startswith("#"):
            at += 1
            continue
        if line.startswith("["):
            yield _Statement(at, at + 1, _header(line), line.startswith("[["))
            at += 1
            continue
        end = at + 1
        is_list = _BEGINS_LIST.match(lines[at]) is not None
        while not _whole("".join(lines[at:end]), is_list=is_list):
            end += 1
            if end > len(lines):
                raise _by_hand()
        yield _Statement(at, end, None)
        at = end


def _whole(said: str, *, is_list: bool) -> bool:
    """Whether lines are a key with all of its value; a long list is parsed only where it may end."""
    last = said.rstrip().rpartition("\n")[2]
    if is_list and not last.endswith(("]", "}")) and "#" not in last:
        return False
    try:
        parse_toml(said)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _header(line: str) -> tuple[str, ...]:
    try:
        inner: Any = parse_toml(line)
    except tomllib.TOMLDecodeError:
        raise _by_hand() from None
    names = []
    while inner:
        inner = inner[0] if isinstance(inner, list) else inner
        if not inner:
            break
        [(name, inner)] = inner.items()
        names.append(name)
    return tuple(names)


def _comment(said: str) -> str:
    """What stands behind the value of a key, from the blanks before its ``#`` on; empty for nothing."""
    value = parse_toml(said)
    for found in re.finditer(r"[ \t]*#", said):
        try:
            if parse_toml(said[: found.start()]) == value:
                return said[found.start() :]
        except tomllib.TOMLDecodeError:
            continue
    return ""
